// A TCP and a UDP socket on one port, where local programs submit results. A TCP connection carries one message and
// gets a one-word reply; a datagram is one message without a reply.
import { createSocket, type Socket as UdpSocket } from 'node:dgram';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { gatherBytes } from './gathered-bytes.ts';

/** Handles one TCP connection until it replies or the peer disconnects. */
export interface Conversation {
  /** More data arrived; `bytes` is everything so far. */
  received(bytes: Buffer): void;
  /** The peer closed its write side. */
  ended(): void;
  /** The connection is finished; clear timers. Called once. */
  over(): void;
}

/** Ends a connection with an optional reply. Only the first call has an effect. */
export type Answer = (word: string) => void;

export interface LocalSocketOptions {
  readonly host: string;
  /** 0 means any free port. */
  readonly port: number;
  readonly maxConnections: number;
  /** Time after which a peer that does not read the reply is disconnected. */
  readonly lingerMs: number;
  readonly converse: (answer: Answer) => Conversation;
  readonly datagram: (bytes: Buffer) => void;
  /** Called when a listener fails after it was opened. */
  readonly fault: (protocol: 'TCP' | 'UDP', error: Error) => void;
}

export interface LocalSockets {
  readonly port: number;
  close(): Promise<void>;
}

const serve = (socket: Socket, { converse, lingerMs }: LocalSocketOptions): void => {
  const gathered = gatherBytes();
  let isOver = false;
  const finish = () => {
    if (isOver) return false;
    isOver = true;
    conversation.over();
    return true;
  };
  const answer: Answer = (word) => {
    if (!finish()) return;
    socket.end(word);
    socket.resume();
    // Not `socket.setTimeout`: a peer that keeps sending would postpone it forever.
    const cutOff = setTimeout(() => socket.destroy(), lingerMs);
    socket.once('close', () => clearTimeout(cutOff));
  };
  const conversation = converse(answer);
  socket.on('data', (chunk: Buffer) => {
    if (!isOver) conversation.received(gathered.add(chunk));
  });
  socket.on('end', () => {
    if (!isOver) conversation.ended();
  });
  // A disconnect by the peer is not an error; `close` follows.
  socket.on('error', () => {});
  socket.on('close', finish);
};

const listenTcp = (options: LocalSocketOptions): Promise<Server> =>
  new Promise((resolve, reject) => {
    const server = createServer({ allowHalfOpen: true }, (socket) => serve(socket, options));
    server.maxConnections = options.maxConnections;
    server.once('error', reject);
    server.listen(options.port, options.host, () => {
      server.off('error', reject);
      server.on('error', (error) => options.fault('TCP', error));
      resolve(server);
    });
  });

const listenUdp = (options: LocalSocketOptions, port: number): Promise<UdpSocket> =>
  new Promise((resolve, reject) => {
    const socket = createSocket(options.host.includes(':') ? 'udp6' : 'udp4');
    socket.once('error', reject);
    socket.on('message', options.datagram);
    socket.bind(port, options.host, () => {
      socket.off('error', reject);
      socket.on('error', (error) => options.fault('UDP', error));
      resolve(socket);
    });
  });

/** Opens both sockets on one port. Rejects if the port is not available; then neither is open. */
export const openLocalSockets = async (options: LocalSocketOptions): Promise<LocalSockets> => {
  const tcp = await listenTcp(options);
  const { port } = tcp.address() as AddressInfo;
  const open = new Set<Socket>();
  tcp.on('connection', (socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  const closeTcp = () =>
    new Promise<void>((resolve) => {
      tcp.close(() => resolve());
      for (const socket of open) socket.destroy();
    });
  try {
    const udp = await listenUdp(options, port);
    const closeUdp = () => new Promise<void>((resolve) => udp.close(() => resolve()));
    return { port, close: async () => void (await Promise.all([closeTcp(), closeUdp()])) };
  } catch (error) {
    await closeTcp();
    throw error;
  }
};
