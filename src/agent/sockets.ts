// Sockets: the TCP and UDP doors for check results, kept for programs of the earlier generation (interface section 4.6;
// agent sheet 5.3, 5.4). One result a connection, one a datagram.
import { createSocket, type Socket as UdpSocket } from 'node:dgram';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import type { Event } from '../model/event.ts';
import { parseGuarded } from '../model/guarded-json.ts';
import type { Logger } from '../program/log.ts';
import type { Stage } from '../program/stage.ts';
import type { Clock } from './clock.ts';
import { maxSocketBytes, maxSocketConnections, socketDeadlineMs } from './limits.ts';

export interface SocketOptions {
  readonly host: string;
  readonly port: number;
  readonly clock: Clock;
  readonly log: Logger;
  readonly prepare: (raw: unknown) => Stage<Event>;
  readonly accept: (event: Event) => void;
}

export interface Sockets {
  readonly port: number;
  close(): Promise<void>;
}

/** What the bytes so far amount to. `unfinished`: more may make it JSON. */
type Reading =
  | { readonly type: 'ping' }
  | { readonly type: 'unfinished' }
  | { readonly type: 'invalid'; readonly message: string }
  | { readonly type: 'event'; readonly event: Event };

const closingBrace = 0x7d;

const endsLikeAnObject = (bytes: Buffer): boolean => {
  let at = bytes.length - 1;
  while (at >= 0 && (bytes[at] ?? 0) <= 0x20) at -= 1;
  return bytes[at] === closingBrace;
};

const read = (bytes: Buffer, prepare: SocketOptions['prepare']): Reading => {
  if (bytes.length < 64 && bytes.toString('latin1').trim() === 'ping') return { type: 'ping' };
  // Cheap on long messages: only what could be whole is parsed.
  if (!endsLikeAnObject(bytes)) return { type: 'unfinished' };
  const parsed = parseGuarded(bytes, { maxBytes: maxSocketBytes });
  if (!parsed.ok)
    return parsed.why === 'notJson' ? { type: 'unfinished' } : { type: 'invalid', message: parsed.message };
  const prepared = prepare(parsed.value);
  return prepared.ok
    ? { type: 'event', event: prepared.value }
    : { type: 'invalid', message: prepared.message };
};

const serve = (socket: Socket, options: SocketOptions): void => {
  const { clock, log } = options;
  const chunks: Buffer[] = [];
  let size = 0;
  let done = false;

  const finish = (reply: string) => {
    if (done) return;
    done = true;
    cancelDeadline();
    socket.end(reply);
    // Whoever does not take the answer must not keep the door open.
    socket.setTimeout(socketDeadlineMs, () => socket.destroy());
    socket.resume();
  };

  const look = (last: boolean) => {
    if (done) return;
    const reading = read(Buffer.concat(chunks), options.prepare);
    if (reading.type === 'ping') finish('pong');
    else if (reading.type === 'event') {
      options.accept(reading.event);
      finish('ok');
    } else if (reading.type === 'invalid') {
      log.error({ error: reading.message }, 'invalid event on the TCP socket');
      finish('');
    } else if (last) {
      if (size > 0) log.error({ error: 'not valid JSON' }, 'invalid event on the TCP socket');
      finish(size > 0 ? 'invalid' : '');
    }
  };

  const cancelDeadline = clock.after(socketDeadlineMs, () => look(true));
  socket.on('data', (chunk: Buffer) => {
    if (done) return;
    chunks.push(chunk);
    size += chunk.length;
    if (size > maxSocketBytes) finish('invalid');
    else look(false);
  });
  socket.on('end', () => look(true));
  socket.on('error', () => finish(''));
  socket.on('close', () => {
    done = true;
    cancelDeadline();
  });
};

const listenTcp = (options: SocketOptions): Promise<Server> =>
  new Promise((resolve, reject) => {
    const server = createServer({ allowHalfOpen: true }, (socket) => serve(socket, options));
    server.maxConnections = maxSocketConnections;
    server.once('error', reject);
    server.listen(options.port, options.host, () => {
      server.off('error', reject);
      server.on('error', (error) => options.log.error({ error: error.message }, 'TCP listener error'));
      resolve(server);
    });
  });

const receive = (bytes: Buffer, options: SocketOptions): void => {
  const reading = read(bytes, options.prepare);
  if (reading.type === 'event') options.accept(reading.event);
  else if (reading.type !== 'ping') {
    const error = reading.type === 'invalid' ? reading.message : 'not valid JSON';
    options.log.error({ error }, 'invalid event on the UDP socket');
  }
};

const listenUdp = (options: SocketOptions, port: number): Promise<UdpSocket> =>
  new Promise((resolve, reject) => {
    const socket = createSocket(options.host.includes(':') ? 'udp6' : 'udp4');
    socket.once('error', reject);
    socket.on('message', (bytes) => receive(bytes, options));
    socket.bind(port, options.host, () => {
      socket.off('error', reject);
      socket.on('error', (error) => options.log.error({ error: error.message }, 'UDP listener error'));
      resolve(socket);
    });
  });

/** Opens both doors on one port. Rejects when it can't be had. */
export const startSockets = async (options: SocketOptions): Promise<Sockets> => {
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
  let udp: UdpSocket;
  try {
    udp = await listenUdp(options, port);
  } catch (error) {
    await closeTcp();
    throw error;
  }
  options.log.info(`starting TCP listener on address: ${options.host}:${port}`);
  options.log.info(`starting UDP listener on address: ${options.host}:${port}`);
  return {
    port,
    close: async () => {
      await Promise.all([closeTcp(), new Promise<void>((resolve) => udp.close(() => resolve()))]);
    },
  };
};
