// A relay in front of a server that can be cut and mended: an outage of the network as a client sees it.
import { connect, createServer, type Socket } from 'node:net';

export interface Relay {
  readonly port: number;
  /** Resets every connection, and each new one, until `mend`. */
  cut(): void;
  mend(): void;
  close(): Promise<void>;
}

export async function startRelay(targetPort: number): Promise<Relay> {
  const sockets = new Set<Socket>();
  let isCut = false;
  const server = createServer((socket) => {
    if (isCut) {
      socket.resetAndDestroy();
      return;
    }
    const target = connect(targetPort, '127.0.0.1');
    for (const each of [socket, target]) {
      sockets.add(each);
      each.on('error', () => {});
      each.on('close', () => {
        sockets.delete(each);
        socket.destroy();
        target.destroy();
      });
    }
    socket.pipe(target).pipe(socket);
  });
  await new Promise<void>((settle) => server.listen(0, '127.0.0.1', settle));
  const address = server.address();
  const drop = () => {
    for (const socket of sockets) socket.resetAndDestroy();
  };
  return {
    port: typeof address === 'object' && address ? address.port : 0,
    cut: () => {
      isCut = true;
      drop();
    },
    mend: () => {
      isCut = false;
    },
    close: () => {
      drop();
      return new Promise((settle) => server.close(() => settle()));
    },
  };
}
