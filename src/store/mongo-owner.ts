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

/** What an owner says about itself to backends that wait for it. */
export interface OwnerNotes {
  /** Its API as others reach it, `<scheme>://<host>:<port>`. */
  readonly api?: string;
  /** The names of its encryption keys. */
  readonly keys?: readonly string[];
}

export interface OwnerDocument extends ProcessIdentity, OwnerNotes {
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
interface OwnerCollection {
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
  /** Written with every heartbeat. */
  readonly notes?: (() => OwnerNotes) | undefined;
  /** Waits for as long as another backend owns the database. If absent, a living owner is an error. */
  readonly standBy?: StandBy | undefined;
}

export interface StandBy {
  /** Ends the wait; opening the store then rejects with the signal's reason. */
  readonly signal: AbortSignal;
  /** Called with each observed heartbeat of the owner. */
  onOwner(owner: OwnerDocument): void;
  /** The database does not respond; it is asked again. */
  onOutage(error: unknown): void;
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
      'stop that one, or use another database: only one backend at a time can use a database, unless all of them have a --bus-url',
  );

/**
 * Waits until a silent owner counts as dead. While another owner is alive, rejects with StoreError('invalid') that
 * names it, or stands by.
 */
export const takeOwnership = async (options: OwnerOptions): Promise<Ownership> => {
  const { meta, where, times, notes, standBy } = options;
  const mine: OwnerDocument = {
    _id: ownerId,
    incarnation: randomUUID(),
    beat: 0,
    host: hostname(),
    ...ownIdentity(),
    pidScope: pidScope(),
    since: new Date().toISOString(),
    // Also overwrite what a dead owner said.
    ...{ api: '', keys: [], ...notes?.() },
  };
  let owner = await meta.findOne({ _id: ownerId });
  for (;;) {
    if (owner !== null) owner = await awaitEnd(options, owner, mine);
    const now = await replaceOwner(meta, owner, mine).catch(async (error: unknown) => {
      if (standBy === undefined) throw error;
      standBy.onOutage(error);
      await sleep(times.beatMs, undefined, { signal: standBy.signal });
      return owner;
    });
    if (now?.incarnation === mine.incarnation) return keepBeating(options, mine);
    if (now !== null && standBy === undefined) throw takenBy(where, now);
    owner = now;
  }
};

/**
 * For a member of a cluster: resolves once no backend has the database for itself. One that was killed is removed when its
 * heartbeat has not moved for the patience period; it writes nothing after that. Rejects with StoreError('invalid') that names
 * a living one.
 */
export const awaitNoOwner = async (
  options: Pick<OwnerOptions, 'meta' | 'where' | 'times'>,
): Promise<void> => {
  const { meta } = options;
  const mine = { ...ownIdentity(), pidScope: pidScope() };
  for (;;) {
    const owner = await meta.findOne({ _id: ownerId });
    if (owner === null) return;
    const dead = await awaitEnd(options, owner, mine);
    if (dead === null) return;
    const { incarnation, beat } = dead;
    await meta.deleteOne({ _id: ownerId, incarnation, beat });
  }
};

/** Rejects with StoreError('invalid') if a backend has the database for itself. */
export const refuseOwner = async (meta: Pick<OwnerCollection, 'findOne'>, where: string): Promise<void> => {
  const owner = await meta.findOne({ _id: ownerId });
  if (owner !== null) throw takenBy(where, owner);
};

const hasEnded = (owner: OwnerDocument, mine: Pick<OwnerDocument, 'pidScope'>): boolean =>
  mine.pidScope !== '' && owner.pidScope === mine.pidScope && !isRunning(owner);

/** Resolves to the dead owner, or to null if the owner released the database. */
const awaitEnd = async (
  {
    meta,
    where,
    standBy,
    times: { beatMs, patienceMs },
  }: Pick<OwnerOptions, 'meta' | 'where' | 'standBy' | 'times'>,
  found: OwnerDocument,
  mine: Pick<OwnerDocument, 'pidScope'>,
): Promise<OwnerDocument | null> => {
  let owner = found;
  let silentMs = 0;
  let seenMs = performance.now();
  if (!hasEnded(owner, mine)) standBy?.onOwner(owner);
  while (!hasEnded(owner, mine) && silentMs < patienceMs) {
    await sleep(beatMs / 4, undefined, standBy && { signal: standBy.signal });
    const now = await readOwner(meta, standBy);
    // Only what was observed counts: neither an outage of the database nor a pause of this process is silence of
    // the owner.
    if (now !== undefined) silentMs += Math.min(performance.now() - seenMs, beatMs);
    seenMs = performance.now();
    if (now === undefined) continue;
    if (now === null) return null;
    if (now.incarnation === owner.incarnation && now.beat === owner.beat) continue;
    if (standBy === undefined) throw takenBy(where, now);
    standBy.onOwner(now);
    owner = now;
    silentMs = 0;
  }
  return owner;
};

/** Undefined if the database does not respond and this backend stands by. */
const readOwner = async (
  meta: OwnerCollection,
  standBy: StandBy | undefined,
): Promise<OwnerDocument | null | undefined> => {
  try {
    return await meta.findOne({ _id: ownerId });
  } catch (error) {
    if (standBy === undefined) throw error;
    standBy.onOutage(error);
    return undefined;
  }
};

/** Claims the database. Resolves to its owner: this process, another that was faster, or null for none any more. */
const replaceOwner = async (
  meta: OwnerCollection,
  before: OwnerDocument | null,
  mine: OwnerDocument,
): Promise<OwnerDocument | null> => {
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
  if (now?.incarnation !== mine.incarnation && failure !== undefined) throw failure;
  return now;
};

const keepBeating = ({ meta, where, times, onLost, notes }: OwnerOptions, mine: OwnerDocument): Ownership => {
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
    const { matchedCount } = await meta.updateOne(
      { _id, incarnation },
      { $inc: { beat: 1 }, ...(notes && { $set: notes() }) },
    );
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
