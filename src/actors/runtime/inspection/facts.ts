// The stream of lifecycle facts (started, stopped, restarting, quarantined, ...) and the one channel for faults of our
// own. Listeners are wrapped: one that throws hurts nobody and is reported once, on the fault channel.

import type { ActorId, LifecycleFact } from '../contract.ts';
import { Listeners } from '../listeners.ts';
import type { Clock } from '../time/clock.ts';

/** What a fact says besides when and about whom. */
type FactBody = LifecycleFact extends infer TFact
  ? TFact extends LifecycleFact
    ? Omit<TFact, 'atMs' | 'actor'>
    : never
  : never;

export interface Facts {
  tell(actor: ActorId, body: FactBody): void;
  /** Returns the way to stop listening. */
  listen(listener: (fact: LifecycleFact) => void): () => void;
  /** How often each kind of fact was told. */
  counts(): Readonly<Record<LifecycleFact['type'], number>>;
}

export interface Faults {
  /** `where` names the place in plain words; never throws. */
  report(where: string, error: unknown): void;
  listen(listener: (where: string, error: Error) => void): () => void;
  readonly count: number;
}

/** The part of a pino logger the runtime uses. */
export interface RuntimeLog {
  info(fields: object, text: string): void;
  warn(fields: object, text: string): void;
  error(fields: object, text: string): void;
}

export const asError = (thrown: unknown): Error =>
  thrown instanceof Error ? thrown : new Error(String(thrown));

/** A log that can't be written to must not take a supervisor down. */
export const safeLog = (log: RuntimeLog): RuntimeLog => {
  const safely =
    (level: 'info' | 'warn' | 'error') =>
    (fields: object, text: string): void => {
      try {
        log[level](fields, text);
      } catch {
        // There is no other place to say so.
      }
    };
  return { info: safely('info'), warn: safely('warn'), error: safely('error') };
};

export function createFaults(log: RuntimeLog): Faults {
  let count = 0;
  const write = (where: string, error: Error): void => {
    log.error({ where, err: error }, `fault: ${error.message}`);
  };
  const listeners = new Listeners<[where: string, error: Error]>((error) =>
    write('a listener of the fault channel', asError(error)),
  );
  return {
    report(where, thrown) {
      const error = asError(thrown);
      count += 1;
      write(where, error);
      listeners.tell(where, error);
    },
    listen: (listener) => listeners.add(listener),
    get count() {
      return count;
    },
  };
}

export function createFacts(clock: Clock, faults: Faults): Facts {
  const listeners = new Listeners<[fact: LifecycleFact]>((error) =>
    faults.report('a listener of lifecycle facts', error),
  );
  const counts: Record<LifecycleFact['type'], number> = {
    started: 0,
    stopped: 0,
    restarting: 0,
    quarantined: 0,
    intensityExceeded: 0,
    deadLetter: 0,
    duplicateId: 0,
    mailboxFull: 0,
    unknownMessage: 0,
    poisonParked: 0,
  };
  return {
    tell(actor, body) {
      counts[body.type] += 1;
      if (listeners.size === 0) return;
      const fact = { atMs: clock.wallMs(), actor, ...body } as LifecycleFact;
      listeners.tell(fact);
    },
    listen: (listener) => listeners.add(listener),
    counts: () => ({ ...counts }),
  };
}
