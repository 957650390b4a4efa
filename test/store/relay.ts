// A relay in front of a server that can be cut, stalled and mended: an outage of the network as a client sees it.
import { connect, createServer, type Socket } from 'node:net';

export interface Relay {
  readonly port: number;
  /** Resets every connection, and each new one, until `mend`. */
  cut(): void;
  /** Holds back what arrives from either side; `mend` delivers it. */
  stall(): void;
  mend(): void;
  close(): Promise<void>;
}

export async function startRelay(targetPort: number): Promise<Relay> {
  const sockets = new Set<Socket>();
  let isCut = false;
  let isStalled = false;
  const held: (() => void)[] = [];
  /** In order, and only after the stall. */
  const deliver = (act: () => void): void => {
    if (isStalled) held.push(act);
    else act();
  };
  const server = createServer((socket) => {
    if (isCut) {
      socket.resetAndDestroy();
      return;
    }
    const target = connect(targetPort, '127.0.0.1');
    for (const each of [socket, target]) {
      sockets.add(each);
      const other = each === socket ? target : socket;
      each.on('error', () => {});
      each.on('data', (chunk) => deliver(() => other.write(chunk)));
      each.on('close', () => {
        sockets.delete(each);
        deliver(() => other.destroy());
      });
    }
  });
  await new Promise<void>((settle) => server.listen(0, '127.0.0.1', settle));
  const address = server.address();
  const drop = () => {
    held.length = 0;
    for (const socket of sockets) socket.resetAndDestroy();
  };
  return {
    port: typeof address === 'object' && address ? address.port : 0,
    cut: () => {
      isCut = true;
      drop();
    },
    stall: () => {
      isStalled = true;
    },
    mend: () => {
      isCut = false;
      isStalled = false;
      for (const act of held.splice(0)) act();
    },
    close: () => {
      drop();
      return new Promise((settle) => server.close(() => settle()));
    },
  };
}
