// Queues results that could not be sent, in order, and sends them after reconnecting. The reference product loses
// them.
import { resultsPipe, type Transport } from '../wire/earlier/transport.ts';
import type { ClientLog } from './log.ts';
import type { Timers } from './timers.ts';

/** Maximum number of queued results, besides the one under way; beyond that the oldest are dropped with a log line. */
export const maxHeldResults = 1_000;

/** Retry delay for a result that was rejected while connected. */
const retryMs = 2_000;

export interface Outbox {
  send(payload: object): void;
  /** Called after reconnecting. */
  flush(): void;
  /** Stops retrying. */
  close(): void;
  /** Resolves when everything that could be sent was sent. */
  settled(): Promise<void>;
  /** Results that were not sent, with the one under way. */
  readonly held: number;
}

export const createOutbox = (transport: Transport, log: ClientLog, timers: Pick<Timers, 'after'>): Outbox => {
  /** The first one is under way while `sending` is set. */
  const waiting: string[] = [];
  let sending: Promise<void> | undefined;
  let cancelRetry: (() => void) | undefined;
  /** After a failure: until the next connection, or the retry. */
  let isHeld = false;

  const shorten = () => {
    const underWay = sending === undefined ? 0 : 1;
    if (waiting.length - underWay <= maxHeldResults) return;
    waiting.splice(underWay, 1);
    log.error('too many results queued for the transport, dropping the oldest', { held: waiting.length });
  };
  /** False if it has to be sent again. */
  const deliver = async (message: string): Promise<boolean> => {
    try {
      await transport.publish(resultsPipe, message);
      return true;
    } catch (error) {
      const reason = (error as Error).message;
      const { check } = JSON.parse(message) as { readonly check: unknown };
      log.error('failed to publish check result', { check, error: reason });
      // A rejection by the backend is permanent.
      return reason.startsWith('the backend refused');
    }
  };
  const sendAll = async (): Promise<void> => {
    for (let message = waiting[0]; message !== undefined && !isHeld; message = waiting[0]) {
      if (await deliver(message)) waiting.shift();
      else isHeld = true;
    }
  };
  const begin = () => {
    if (isHeld) return;
    sending ??= sendAll().then(() => {
      sending = undefined;
      shorten();
      // While disconnected, the reconnect triggers the retry. While connected, the server behind the broker may be
      // down, so use a timer.
      if (isHeld && transport.isConnected()) cancelRetry ??= timers.after(retryMs, flush);
    });
  };
  const flush = () => {
    cancelRetry?.();
    cancelRetry = undefined;
    isHeld = false;
    begin();
  };
  return {
    send: (payload) => {
      waiting.push(JSON.stringify(payload));
      shorten();
      begin();
    },
    flush,
    close: () => cancelRetry?.(),
    settled: () => sending ?? Promise.resolve(),
    get held() {
      return waiting.length;
    },
  };
};
