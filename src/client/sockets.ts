// The TCP and UDP sockets of the client: one JSON result, or a list, per connection or
// datagram. TCP replies `ok`, `invalid` or `pong`, without a newline, and closes; UDP never replies.
import { isUtf8 } from 'node:buffer';
import {
  type Answer,
  type Conversation,
  type LocalSockets,
  openLocalSockets,
} from '../sockets/local-sockets.ts';
import { readMessage } from '../sockets/message.ts';
import { maxSocketBytes, maxSocketConnections, socketLingerMs, socketWatchdogMs } from './limits.ts';
import type { LocalResults } from './local-result.ts';
import type { ClientLog } from './log.ts';
import type { Timers } from './timers.ts';

export interface SocketOptions {
  readonly bind: string;
  /** 0 means any free port. */
  readonly port: number;
  readonly results: LocalResults;
  readonly log: ClientLog;
  readonly timers: Timers;
}

/** Maximum number of characters of a message shown in the log. */
const shownCharacters = 1_000;
const shown = (bytes: Buffer): string => bytes.toString('utf8', 0, shownCharacters);

const warnOfEncoding = (bytes: Buffer, log: ClientLog): void => {
  if (!isUtf8(bytes)) log.warn('data from socket is not a valid UTF-8 sequence, processing it anyways');
};

/** The reply to a value; errors are logged. */
const take = (value: unknown, { results, log }: SocketOptions): 'ok' | 'invalid' => {
  const verdict = results.take(value);
  if (verdict.ok) return 'ok';
  log.error('failed to process check result from socket', { data: verdict.result, error: verdict.problem });
  return 'invalid';
};

/** Every chunk restarts the watchdog; a connection without data may stay open. */
const converse = (options: SocketOptions, answer: Answer): Conversation => {
  const { log, timers } = options;
  let cancelWatchdog = () => {};
  const giveUp = (bytes: Buffer, why: string) => {
    const data = { data: shown(bytes), parse_error: why };
    log.warn('discarding data buffer for sender and closing connection', data);
    answer('invalid');
  };
  return {
    received: (bytes) => {
      cancelWatchdog();
      const message = readMessage(bytes, maxSocketBytes);
      if (message.type === 'ping') return answer('pong');
      if (message.type === 'unfinished') {
        cancelWatchdog = timers.after(socketWatchdogMs, () => giveUp(bytes, message.why));
        return;
      }
      warnOfEncoding(bytes, log);
      if (message.type === 'refused') return giveUp(bytes, message.why);
      answer(take(message.value, options));
    },
    // A peer that stops writing in the middle of its JSON gets no reply.
    ended: () => answer(''),
    over: () => cancelWatchdog(),
  };
};

const receive = (bytes: Buffer, options: SocketOptions): void => {
  const message = readMessage(bytes, maxSocketBytes);
  if (message.type === 'ping') return;
  warnOfEncoding(bytes, options.log);
  if (message.type === 'value') take(message.value, options);
  else
    options.log.error('failed to parse check result from socket', { data: shown(bytes), error: message.why });
};

/** Opens both sockets on one port. Rejects if the port is not available; then neither is open. */
export const openSockets = (options: SocketOptions): Promise<LocalSockets> =>
  openLocalSockets({
    host: options.bind,
    port: options.port,
    maxConnections: maxSocketConnections,
    lingerMs: socketLingerMs,
    converse: (answer) => converse(options, answer),
    datagram: (bytes) => receive(bytes, options),
    fault: (protocol, error) =>
      options.log.error(`${protocol.toLowerCase()} socket error`, { error: error.message }),
  });
