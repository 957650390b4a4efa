// Results on their way to the transport. What could not be handed over waits here, in order, and is sent when the line is
// back; the reference product loses it.
import { resultsPipe, type Transport } from '../wire/earlier/transport.ts';
import type { ClientLog } from './log.ts';
import type { Timers } from './timers.ts';

/** Results that wait for the line to come back; beyond it the oldest are dropped, with a log line. */
export const maxHeldResults = 1_000;

/** A result the transport did not take, while it was connected, is tried again after this long. */
const retryMs = 2_000;

export interface Outbox {
  send(payload: object): void;
  /** The line is back. */
  flush(): void;
  /** Tries no more. */
  close(): void;
  /** Everything that could be sent was. */
  settled(): Promise<void>;
  readonly held: number;
}

export const createOutbox = (transport: Transport, log: ClientLog, timers: Pick<Timers, 'after'>): Outbox => {
  const held: string[] = [];
  let cancelRetry: (() => void) | undefined;
  let sending: Promise<void> = Promise.resolve();
  const hold = (message: string) => {
    held.push(message);
    // Without a line its return is the moment to try again; with one, the server behind the broker may be away.
    if (transport.isConnected()) cancelRetry ??= timers.after(retryMs, flush);
    if (held.length <= maxHeldResults) return;
    held.shift();
    log.error('too many results wait for the transport, dropping the oldest', { held: held.length });
  };
  const deliver = async (message: string): Promise<void> => {
    try {
      await transport.publish(resultsPipe, message);
    } catch (error) {
      const reason = (error as Error).message;
      const { check } = JSON.parse(message) as { readonly check: unknown };
      log.error('failed to publish check result', { check, error: reason });
      // What the backend refuses today it refuses tomorrow.
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
