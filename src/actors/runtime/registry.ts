// The way from an id to its actor: tell, ask, peek. Supervisors write the index as they start and stop their children,
// nobody else does, so that an id is here exactly as long as somebody answers for it.
import type { Snapshot } from 'xstate';
import { busy } from './busy.ts';
import { tellReceipt } from './cell/settlement.ts';
import type { ActorId, ActorMessage, ExitReason, Receipt } from './contract.ts';
import { ActorError } from './errors.ts';
import type { Facts, Faults } from './inspection/facts.ts';
import { maxAskMs } from './limits.ts';
import type { RunQueue } from './load/run-queue.ts';
import type { Outcome } from './outcome.ts';
import type { Deadlines } from './time/deadlines.ts';

/** `notFound`: the actor had no life to lose when it was watched. */
interface DeathNotice {
  readonly actor: ActorId;
  readonly reason: ExitReason | { readonly type: 'notFound' };
}

export interface Registry {
  /** Puts a message into an actor's mailbox. Never throws; the receipt is called with the outcome, exactly once. */
  tell(id: ActorId, message: ActorMessage, receipt?: Receipt): void;
  /**
   * Resolves when the message is done (after the commit of its writes). Rejects with an ActorError: `deadlineExceeded`
   * after `withinMs` (a duration), `unavailable` when it was refused, else with what it failed of. A message that still
   * waits when the time is up is taken back.
   */
  ask(id: ActorId, message: ActorMessage, withinMs: number): Promise<void>;
  has(id: ActorId): boolean;
  /** The live snapshot; undefined when there is no such actor or it has no life at the moment. */
  peek(id: ActorId): Snapshot<unknown> | undefined;
  /** Ids that begin with the prefix, in order of start. Walks the whole index: for operators, not for the hot path. */
  ids(prefix?: string): readonly ActorId[];
  readonly size: number;
  /** Messages that were told to nobody. */
  readonly deadLetters: number;
  /** Told exactly once, when the actor's current life ends or at once if it has none. Returns `unwatch`. */
  watch(id: ActorId, listener: (notice: DeathNotice) => void): () => void;
}

/** Who is found under an id. */
export interface Addressee {
  readonly id: ActorId;
  /** Between the start and the end of a life. */
  readonly isAlive: boolean;
  post(message: ActorMessage, receipt: Receipt | undefined): void;
  /** Takes back a message that still waits. */
  withdraw(receipt: Receipt): boolean;
  snapshot(): Snapshot<unknown> | undefined;
  /** Calls back once, when the current life ends; returns the way to stop waiting for it. */
  onDeath(listener: (reason: ExitReason) => void): () => void;
}

/** The half that supervisors and inspection use. */
export interface WritableRegistry<TActor extends Addressee = Addressee> extends Registry {
  add(actor: TActor): void;
  remove(id: ActorId): void;
  cell(id: ActorId): TActor | undefined;
  cells(): Iterable<TActor>;
}

export interface RegistryParts {
  readonly deadlines: Deadlines;
  readonly queue: RunQueue;
  readonly facts: Facts;
  readonly faults: Faults;
}

const failureOf = (outcome: Exclude<Outcome, { type: 'done' }>): Error => {
  if (outcome.type === 'busy') return new ActorError('unavailable', `${outcome.message}; try again`);
  if (outcome.type === 'poison') return new ActorError('poison', outcome.message);
  const { error, type } = outcome;
  return type === 'fault' && !('kind' in error)
    ? new ActorError('internal', error.message, { cause: error })
    : error;
};

export function createRegistry<TActor extends Addressee>({
  deadlines,
  queue,
  facts,
  faults,
}: RegistryParts): WritableRegistry<TActor> {
  const cells = new Map<ActorId, TActor>();
  let deadLetters = 0;

  const reportReceipt = (error: unknown): void => faults.report('the receipt of a dead letter', error);

  const tell = (id: ActorId, message: ActorMessage, receipt?: Receipt): void => {
    const cell = cells.get(id);
    if (cell !== undefined) {
      cell.post(message, receipt);
      return;
    }
    deadLetters += 1;
    facts.tell(id, { type: 'deadLetter', message: message.type });
    tellReceipt(receipt, busy('noActor', id), reportReceipt);
  };

  const ask = (id: ActorId, message: ActorMessage, withinMs: number): Promise<void> => {
    if (!(withinMs > 0 && withinMs <= maxAskMs)) {
      const text = `ask ${id}: withinMs is a duration of 1 to ${maxAskMs} milliseconds (got ${withinMs})`;
      return Promise.reject(new RangeError(text));
    }
    return new Promise((resolve, reject) => {
      const receipt: Receipt = (outcome) => {
        deadlines.disarm(deadline);
        if (outcome.type === 'done') resolve();
        else reject(failureOf(outcome));
      };
      const deadline = deadlines.after(withinMs, () => {
        cells.get(id)?.withdraw(receipt);
        reject(
          new ActorError('deadlineExceeded', `${id} did not answer ${message.type} within ${withinMs} ms`),
        );
      });
      tell(id, message, receipt);
    });
  };

  const watch = (id: ActorId, listener: (notice: DeathNotice) => void): (() => void) => {
    const cell = cells.get(id);
    if (cell?.isAlive === true) {
      return cell.onDeath((reason) => listener({ actor: id, reason }));
    }
    let watching = true;
    queue.post(() => watching && listener({ actor: id, reason: { type: 'notFound' } }));
    return () => {
      watching = false;
    };
  };

  return {
    tell,
    ask,
    watch,
    has: (id) => cells.has(id),
    peek: (id) => cells.get(id)?.snapshot(),
    ids: (prefix = '') => [...cells.keys()].filter((id) => id.startsWith(prefix)),
    get size() {
      return cells.size;
    },
    get deadLetters() {
      return deadLetters;
    },
    add(cell) {
      if (cells.has(cell.id)) throw new Error(`${cell.id} is registered already`);
      cells.set(cell.id, cell);
    },
    remove: (id) => cells.delete(id),
    cell: (id) => cells.get(id),
    cells: () => cells.values(),
  };
}
