// Queues results that could not be sent, in order, and sends them after reconnecting. The reference product loses
// them.
import { resultsPipe, type Transport } from '../wire/earlier/transport.ts';
import type { ClientLog } from './log.ts';
import type { Timers } from './timers.ts';

/** Maximum number of queued results; beyond that the oldest are dropped with a log line. */
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
  readonly held: number;
}

export const createOutbox = (transport: Transport, log: ClientLog, timers: Pick<Timers, 'after'>): Outbox => {
  const held: string[] = [];
  let cancelRetry: (() => void) | undefined;
  let sending: Promise<void> = Promise.resolve();
  const hold = (message: string) => {
    held.push(message);
    // While disconnected, the reconnect triggers the retry. While connected, the server behind the broker may be
    // down, so use a timer.
    if (transport.isConnected()) cancelRetry ??= timers.after(retryMs, flush);
    if (held.length <= maxHeldResults) return;
    held.shift();
    log.error('too many results queued for the transport, dropping the oldest', { held: held.length });
  };
  const deliver = async (message: string): Promise<void> => {
    try {
      await transport.publish(resultsPipe, message);
    } catch (error) {
      const reason = (error as Error).message;
      const { check } = JSON.parse(message) as { readonly check: unknown };
      log.error('failed to publish check result', { check, error: reason });
      // A rejection by the backend is permanent.
      if (!reason.startsWith('the backend refused')) hold(message);
    }
  };
  const queue = (message: string) => {
    sending = sending.then(() => deliver(message));
  };
  const flush = () => {
    cancelRetry?.();
    cancelRetry = undefined;
    for (const message of held.splice(0)) queue(message);
  };
  return {
    send: (payload) => queue(JSON.stringify(payload)),
    flush,
    close: () => cancelRetry?.(),
    settled: () => sending,
    get held() {
      return held.length;
    },
  };
};
