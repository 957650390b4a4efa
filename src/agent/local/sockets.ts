// The TCP and UDP sockets for check results in the format of the earlier generation. One
// result per connection or datagram.
import type { Event } from '../../model/event/event.ts';
import type { Logger } from '../../program/log.ts';
import type { Stage } from '../../program/stage.ts';
import {
  type Answer,
  type Conversation,
  type LocalSockets,
  openLocalSockets,
} from '../../sockets/local-sockets.ts';
import { readMessage } from '../../sockets/message.ts';
import type { Clock } from '../clock.ts';
import { maxSocketBytes, maxSocketConnections, socketDeadlineMs } from '../limits.ts';

export interface SocketOptions {
  readonly host: string;
  readonly port: number;
  readonly clock: Clock;
  readonly log: Logger;
  readonly prepare: (raw: unknown) => Stage<Event>;
  readonly accept: (event: Event) => void;
}

/** Processes a parsed result; returns an error, or undefined on success. */
const take = (raw: unknown, { accept, prepare }: SocketOptions): string | undefined => {
  const prepared = prepare(raw);
  if (!prepared.ok) return prepared.message;
  accept(prepared.value);
  return undefined;
};

/** The deadline starts with the connection; a sender that stops in the middle of its JSON gets an error. */
const converse = (options: SocketOptions, answer: Answer): Conversation => {
  let why: string | undefined;
  const complain = (error: string) => options.log.error({ error }, 'invalid event on the TCP socket');
  const giveUp = () => {
    // A connection without data gets no reply.
    if (why === undefined) return answer('');
    complain(why);
    answer('invalid');
  };
  const cancelDeadline = options.clock.after(socketDeadlineMs, giveUp);
  return {
    received: (bytes) => {
      const message = readMessage(bytes, maxSocketBytes);
      if (message.type === 'ping') return answer('pong');
      if (message.type === 'value') {
        const problem = take(message.value, options);
        if (problem === undefined) return answer('ok');
        complain(problem);
        return answer('');
      }
      why = message.why;
      if (message.type === 'refused') giveUp();
    },
    ended: giveUp,
    over: cancelDeadline,
  };
};

const receive = (bytes: Buffer, options: SocketOptions): void => {
  const message = readMessage(bytes, maxSocketBytes);
  if (message.type === 'ping') return;
  const error = message.type === 'value' ? take(message.value, options) : message.why;
  if (error !== undefined) options.log.error({ error }, 'invalid event on the UDP socket');
};

/** Opens both sockets on one port. Rejects if the port is not available. */
export const startSockets = async (options: SocketOptions): Promise<LocalSockets> => {
  const sockets = await openLocalSockets({
    host: options.host,
    port: options.port,
    maxConnections: maxSocketConnections,
    lingerMs: socketDeadlineMs,
    converse: (answer) => converse(options, answer),
    datagram: (bytes) => receive(bytes, options),
    fault: (protocol, error) => options.log.error({ error: error.message }, `${protocol} listener error`),
  });
  for (const protocol of ['TCP', 'UDP'])
    options.log.info(`starting ${protocol} listener on address: ${options.host}:${sockets.port}`);
  return sockets;
};
