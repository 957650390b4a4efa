// StatsD inputs: UDP datagrams, or a TCP port on Windows.
import { createSocket } from 'node:dgram';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { maxSocketConnections, maxStatsdLineBytes } from '../limits.ts';
import { platform } from '../platform.ts';

interface StatsdListenerOptions {
  readonly host: string;
  readonly port: number;
  /** Complete lines with the sender's address. */
  readonly received: (text: string, from: string) => void;
  /** Called when an input fails after it was opened. */
  readonly fault: (error: Error) => void;
}

interface StatsdListener {
  readonly address: string;
  readonly port: number;
  close(): Promise<void>;
}

/** Rejects if the address is not available. */
export type OpenStatsdListener = (options: StatsdListenerOptions) => Promise<StatsdListener>;

export const openUdpListener: OpenStatsdListener = ({ host, port, received, fault }) =>
  new Promise((resolve, reject) => {
    const socket = createSocket(host.includes(':') ? 'udp6' : 'udp4');
    socket.once('error', reject);
    socket.on('message', (bytes, from) => received(bytes.toString('utf8'), from.address));
    socket.bind(port, host, () => {
      socket.off('error', reject);
      socket.on('error', fault);
      const close = () => new Promise<void>((done) => socket.close(() => done()));
      resolve({ ...socket.address(), close });
    });
  });

/** A connection is a stream of lines; an incomplete line waits for its end or for the end of the connection. */
const readLines = (socket: Socket, received: StatsdListenerOptions['received']): void => {
  const from = socket.remoteAddress ?? '';
  let rest = '';
  socket.setEncoding('utf8');
  socket.on('data', (chunk: string) => {
    const text = rest + chunk;
    const end = text.lastIndexOf('\n') + 1;
    rest = text.slice(end);
    if (end > 0) received(text.slice(0, end), from);
    // Such a long line is not valid and would only use memory.
    if (rest.length > maxStatsdLineBytes) socket.destroy();
  });
  socket.on('end', () => {
    if (rest !== '') received(rest, from);
  });
  // A disconnect by the sender is not an error.
  socket.on('error', () => {});
};

export const openTcpListener: OpenStatsdListener = ({ host, port, received, fault }) =>
  new Promise((resolve, reject) => {
    const open = new Set<Socket>();
    const server = createServer((socket) => {
      open.add(socket);
      socket.once('close', () => open.delete(socket));
      readLines(socket, received);
    });
    server.maxConnections = maxSocketConnections;
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      server.on('error', fault);
      const close = () =>
        new Promise<void>((done) => {
          server.close(() => done());
          for (const socket of open) socket.destroy();
        });
      const bound = server.address() as AddressInfo;
      resolve({ address: bound.address, port: bound.port, close });
    });
  });

export const defaultListener: OpenStatsdListener =
  platform.statsd === 'tcp' ? openTcpListener : openUdpListener;
