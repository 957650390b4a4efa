// The TCP and UDP sockets of the client (interface section 4.7; sheet 1.11): one JSON result, or a list of them, per
// connection or datagram. TCP answers `ok`, `invalid` or `pong`, without a newline, and closes; UDP never answers.
import { createSocket, type Socket as UdpSocket } from 'node:dgram';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { parseGuarded } from '../model/guarded-json.ts';
import { maxSocketBytes, maxSocketConnections, socketLingerMs, socketWatchdogMs } from './limits.ts';
import type { LocalResults } from './local-result.ts';
import type { ClientLog } from './log.ts';
import type { Timers } from './timers.ts';

export interface SocketOptions {
  readonly bind: string;
  /** 0: any free one. */
  readonly port: number;
  readonly results: LocalResults;
  readonly log: ClientLog;
  readonly timers: Timers;
}

export interface Sockets {
  readonly port: number;
  close(): Promise<void>;
}

type Reading =
  | { readonly type: 'ping' }
  | { readonly type: 'unfinished'; readonly why: string }
  | { readonly type: 'tooBig'; readonly why: string }
  | { readonly type: 'value'; readonly value: unknown };

/** Below this every chunk is tried; above it only what looks complete, or a slow sender would cost us the day. */
const alwaysTriedBytes = 65_536;
const closers: readonly (number | undefined)[] = [0x7d, 0x5d];

const looksComplete = (bytes: Buffer): boolean => {
  let at = bytes.length - 1;
  while (at >= 0 && (bytes[at] ?? 0) <= 0x20) at -= 1;
  return closers.includes(bytes[at]);
};

const read = (bytes: Buffer): Reading => {
  if (bytes.length < 64 && bytes.toString('latin1').trim() === 'ping') return { type: 'ping' };
  if (bytes.length > alwaysTriedBytes && !looksComplete(bytes))
    return { type: 'unfinished', why: 'unexpected end of JSON' };
  const parsed = parseGuarded(bytes, { maxBytes: maxSocketBytes });
  if (parsed.ok) return { type: 'value', value: parsed.value };
  return { type: parsed.why === 'notJson' ? 'unfinished' : 'tooBig', why: parsed.message };
};

const isUtf8 = (bytes: Buffer): boolean => {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
};

/** The answer to a value; what is wrong with it goes to the log. */
const take = (value: unknown, { results, log }: SocketOptions): 'ok' | 'invalid' => {
  const verdict = results.take(value);
  if (verdict.ok) return 'ok';
  log.error('failed to process check result from socket', { data: verdict.result, error: verdict.problem });
  return 'invalid';
};

const serve = (socket: Socket, options: SocketOptions): void => {
  const { log, timers } = options;
  let buffer: Buffer = Buffer.alloc(0);
  let cancelWatchdog = () => {};
  let done = false;

  const answer = (word: string) => {
    if (done) return;
    done = true;
    cancelWatchdog();
    socket.end(word);
    socket.resume();
    socket.setTimeout(socketLingerMs, () => socket.destroy());
  };
  const giveUp = (why: string) => {
    log.warn('discarding data buffer for sender and closing connection', {
      data: buffer.toString('utf8', 0, 1_000),
      parse_error: why,
    });
    answer('invalid');
  };

  socket.on('data', (chunk: Buffer) => {
    if (done) return;
    cancelWatchdog();
    buffer = Buffer.concat([buffer, chunk]);
    const reading = read(buffer);
    if (reading.type === 'ping') return answer('pong');
    if (reading.type === 'unfinished') {
      cancelWatchdog = timers.after(socketWatchdogMs, () => giveUp(reading.why));
      return;
    }
    if (!isUtf8(buffer)) log.warn('data from socket is not a valid UTF-8 sequence, processing it anyways');
    if (reading.type === 'tooBig') return giveUp(reading.why);
    answer(take(reading.value, options));
  });
  // Who stops writing in the middle of its JSON gets nothing.
  socket.on('end', () => answer(''));
  socket.on('error', () => answer(''));
  socket.on('close', () => {
    done = true;
    cancelWatchdog();
  });
};

const listenTcp = (options: SocketOptions): Promise<Server> =>
  new Promise((resolve, reject) => {
    const server = createServer({ allowHalfOpen: true }, (socket) => serve(socket, options));
    server.maxConnections = maxSocketConnections;
    server.once('error', reject);
    server.listen(options.port, options.bind, () => {
      server.off('error', reject);
      server.on('error', (error) => options.log.error('tcp socket error', { error: error.message }));
      resolve(server);
    });
  });

const receive = (bytes: Buffer, options: SocketOptions): void => {
  const reading = read(bytes);
  if (reading.type === 'ping') return;
  if (!isUtf8(bytes))
    options.log.warn('data from socket is not a valid UTF-8 sequence, processing it anyways');
  if (reading.type === 'value') take(reading.value, options);
  else
    options.log.error('failed to parse check result from socket', {
      data: bytes.toString('utf8', 0, 1_000),
      error: reading.why,
    });
};

const listenUdp = (options: SocketOptions, port: number): Promise<UdpSocket> =>
  new Promise((resolve, reject) => {
    const socket = createSocket(options.bind.includes(':') ? 'udp6' : 'udp4');
    socket.once('error', reject);
    socket.on('message', (bytes) => receive(bytes, options));
    socket.bind(port, options.bind, () => {
      socket.off('error', reject);
      socket.on('error', (error) => options.log.error('udp socket error', { error: error.message }));
      resolve(socket);
    });
  });

/** Opens both on one port. Rejects when it can't be had, and then neither is open. */
export const openSockets = async (options: SocketOptions): Promise<Sockets> => {
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
