// Which backend owns a MongoDB database: one at a time, named in one document of the collection `meta`. The owner increments its
// beat every second. Wall clocks are never compared: a backend that finds an owner watches the beat by its own monotonic clock,
// and takes over when it has not moved for the whole patience, or at once when it sees that the process is gone (same machine).
// Every change is a compare-and-set on the incarnation, so two backends can't both take over. An owner that was replaced finds
// out with its next beat; one without a confirmed beat for too long confirms its ownership before it commits.
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { isConflict } from './mongo-errors.ts';
import { isRunning, ownIdentity, type ProcessIdentity, pidScope } from './process-identity.ts';
import { StoreError } from './snapshot-store.ts';

export interface OwnerDocument extends ProcessIdentity {
  readonly _id: string;
  /** Made anew by every claim. */
  readonly incarnation: string;
  readonly beat: number;
  readonly host: string;
  /** Processes with the same scope see each other's pids; empty where that is not known. */
  readonly pidScope: string;
  /** For people: when it took the database, by its own clock. */
  readonly since: string;
}

export interface OwnerTimes {
  readonly beatMs: number;
  /** An owner whose beat has not moved for so long of the observer's time counts as dead. */
  readonly patienceMs: number;
}

type OwnerFilter = Partial<Pick<OwnerDocument, '_id' | 'incarnation' | 'beat'>>;

/** What is needed of a collection of MongoDB. */
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
  /** Names the database in messages. */
  readonly where: string;
  readonly times: OwnerTimes;
  /** Another backend took the database: this one must stop writing. */
  readonly onLost: (error: StoreError) => void;
}

export interface Ownership {
  /** False when the last confirmed beat is so old that another backend may have taken over since. */
  isFresh(): boolean;
  /** Resolves when the database is still owned; rejects when it is not, or when the server does not answer. */
  confirm(): Promise<void>;
  /** Gives the database back, so that the next backend need not wait. */
  release(): Promise<void>;
}

const ownerId = 'owner';

const takenBy = (where: string, { host, pid, since }: OwnerDocument): StoreError =>
  new StoreError(
    'invalid',
    `${where} is in use by another backend (pid ${pid} on ${host}, since ${since}); ` +
      'stop that one, or give this one another database: one backend at a time serves from a database',
  );

/** Rejects with StoreError('invalid') that names the owner when there is a living one. Waits until a silent one counts as dead. */
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

/** Resolves when the owner has not moved for the whole patience, or gave the database back. */
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
  // A dead owner is replaced only as it was seen; a database without one goes to the first that inserts.
  if (before !== null) {
    const { incarnation, beat } = before;
    const { matchedCount } = await meta.updateOne({ _id, incarnation, beat }, { $set: fields });
    if (matchedCount === 1) return;
  }
  await meta.insertOne(mine).catch((error: unknown) => {
    if (!isConflict(error)) throw error;
  });
  // Read back rather than believed: the driver sends a write again when its reply was lost.
  const now = await meta.findOne({ _id });
  if (now?.incarnation !== mine.incarnation) throw takenBy(where, now ?? before ?? mine);
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
      `${where}: another backend took the database over, since the beat of this one stood still for too long`,
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
    // An outage is reported by the commits, which wait for a confirmed beat once this one is old; a loss by onLost.
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
