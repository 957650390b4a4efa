// Exclusive ownership of a MongoDB database, recorded in one document of the collection `meta`. The owner
// increments a heartbeat every second. Wall clocks are never compared: another backend observes the heartbeat with
// its own monotonic clock and takes over if it does not change for the patience period, or immediately if it sees
// that the process is gone (same machine). Every change is a compare-and-set on the incarnation, so two backends
// cannot both take over. A replaced owner notices at its next heartbeat; an owner without a recent confirmed
// heartbeat confirms its ownership before it commits.
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { isConflict } from './mongo-errors.ts';
import { isRunning, ownIdentity, type ProcessIdentity, pidScope } from './process-identity.ts';
import { StoreError } from './snapshot-store.ts';

export interface OwnerDocument extends ProcessIdentity {
  readonly _id: string;
  /** Unique per claim. */
  readonly incarnation: string;
  readonly beat: number;
  readonly host: string;
  /** Processes with the same scope see each other's pids; empty if unknown. */
  readonly pidScope: string;
  /** For operators: when it took ownership, by its own clock. */
  readonly since: string;
}

export interface OwnerTimes {
  readonly beatMs: number;
  /** An owner whose heartbeat has not changed for this long counts as dead. */
  readonly patienceMs: number;
}

type OwnerFilter = Partial<Pick<OwnerDocument, '_id' | 'incarnation' | 'beat'>>;

/** The required methods of a MongoDB collection. */
export interface OwnerCollection {
  findOne(filter: OwnerFilter): Promise<OwnerDocument | null>;
  insertOne(document: OwnerDocument): Promise<unknown>;
  updateOne(
    filter: OwnerFilter,
    update: { readonly $set?: Partial<OwnerDocument>; readonly $inc?: { readonly beat: number } },
  ): Promise<{ readonly matchedCount: number }>;
  deleteOne(filter: OwnerFilter): Promise<unknown>;
}

export interface OwnerOptions {
  readonly meta: OwnerCollection;
  /** The name of the database in messages. */
  readonly where: string;
  readonly times: OwnerTimes;
  /** Another backend took over; this one must stop writing. */
  readonly onLost: (error: StoreError) => void;
}

export interface Ownership {
  /** False if the last confirmed heartbeat is so old that another backend may have taken over. */
  isFresh(): boolean;
  /** Resolves if the database is still owned; rejects if not, or if the server does not respond. */
  confirm(): Promise<void>;
  /** Releases ownership, so that the next backend does not have to wait. */
  release(): Promise<void>;
}

const ownerId = 'owner';

const takenBy = (where: string, { host, pid, since }: OwnerDocument): StoreError =>
  new StoreError(
    'invalid',
    `${where} is in use by another backend (pid ${pid} on ${host}, since ${since}); ` +
      'stop that one, or use another database: only one backend at a time can use a database',
  );

/** Rejects with StoreError('invalid') that names a living owner. Waits until a silent owner counts as dead. */
export const takeOwnership = async (options: OwnerOptions): Promise<Ownership> => {
  const { meta, where, times } = options;
  const mine: OwnerDocument = {
    _id: ownerId,
    incarnation: randomUUID(),
    beat: 0,
    host: hostname(),
    ...ownIdentity(),
    pidScope: pidScope(),
    since: new Date().toISOString(),
  };
  const before = await meta.findOne({ _id: ownerId });
  if (before !== null && !hasEnded(before, mine)) await awaitSilence(meta, before, where, times);
  await replaceOwner(meta, before, mine, where);
  return keepBeating(options, mine);
};

const hasEnded = (owner: OwnerDocument, mine: OwnerDocument): boolean =>
  mine.pidScope !== '' && owner.pidScope === mine.pidScope && !isRunning(owner);

/** Resolves when the owner was silent for the patience period or released the database. */
const awaitSilence = async (
  meta: OwnerCollection,
  found: OwnerDocument,
  where: string,
  { beatMs, patienceMs }: OwnerTimes,
): Promise<void> => {
  const endMs = performance.now() + patienceMs;
  while (performance.now() < endMs) {
    await sleep(beatMs / 2);
    const now = await meta.findOne({ _id: ownerId });
    if (now === null) return;
    if (now.incarnation !== found.incarnation || now.beat !== found.beat) throw takenBy(where, now);
  }
};

const replaceOwner = async (
  meta: OwnerCollection,
  before: OwnerDocument | null,
  mine: OwnerDocument,
  where: string,
): Promise<void> => {
  const { _id, ...fields } = mine;
  const claim = async (): Promise<void> => {
    // A dead owner is replaced only if it is unchanged; a database without an owner goes to the first insert.
    if (before !== null) {
      const { incarnation, beat } = before;
      const { matchedCount } = await meta.updateOne({ _id, incarnation, beat }, { $set: fields });
      if (matchedCount === 1) return;
    }
    await meta.insertOne(mine).catch((error: unknown) => {
      if (!isConflict(error)) throw error;
    });
  };
  let failure: unknown;
  await claim().catch((error: unknown) => {
    failure = error;
  });
  // Read back instead of trusting the reply: a claim may take effect although its reply was lost.
  const now = await meta.findOne({ _id });
  if (now?.incarnation === mine.incarnation) return;
  throw failure ?? takenBy(where, now ?? before ?? mine);
};

const keepBeating = ({ meta, where, times, onLost }: OwnerOptions, mine: OwnerDocument): Ownership => {
  const { _id, incarnation } = mine;
  /** Others wait longer than this before they take over. */
  const freshMs = times.patienceMs / 2;
  let state: 'owned' | 'lost' | 'released' = 'owned';
  let confirmedMs = performance.now();
  let underWay: Promise<void> | undefined;

  const lost = (): StoreError =>
    new StoreError(
      'invalid',
      `${where}: another backend took over the database, since this one sent no heartbeat for too long`,
    );
  const beat = async (): Promise<void> => {
    const sentMs = performance.now();
    const { matchedCount } = await meta.updateOne({ _id, incarnation }, { $inc: { beat: 1 } });
    if (matchedCount === 1) {
      confirmedMs = sentMs;
      return;
    }
    const error = lost();
    if (state === 'owned') {
      state = 'lost';
      clearInterval(timer);
      onLost(error);
    }
    throw error;
  };
  const confirm = (): Promise<void> => {
    if (state === 'lost') return Promise.reject(lost());
    underWay ??= beat().finally(() => {
      underWay = undefined;
    });
    return underWay;
  };
  const timer = setInterval(() => {
    // Outages are reported by commits, which wait for a confirmed heartbeat if the last is old; a loss is reported
    // by onLost.
    if (underWay === undefined) confirm().catch(() => {});
  }, times.beatMs);
  timer.unref();
  return {
    isFresh: () => state === 'owned' && performance.now() - confirmedMs < freshMs,
    confirm,
    async release() {
      if (state !== 'owned') return;
      state = 'released';
      clearInterval(timer);
      await Promise.allSettled([underWay]);
      await meta.deleteOne({ _id, incarnation });
    },
  };
};
