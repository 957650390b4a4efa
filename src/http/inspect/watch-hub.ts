// Manages watched actors: attaches to an actor on the first request and releases it after a while without requests.
// Keeps a ring of transitions per watched actor, and one ring of stream frames for clients that reconnect.
import type { ActorId, LifecycleFact, TransitionRecord } from '../../actors/runtime/contract.ts';
import { type FrameMaker, type Seen, seenFrame } from './frames.ts';
import type { InspectionPort } from './inspection-port.ts';
import { maxWatchedActors, replayFrames, ringRecords, watchLeaseMs } from './limits.ts';

export type StreamItem =
  | { readonly seq: number; readonly kind: 'transition'; readonly seen: Seen }
  | { readonly seq: number; readonly kind: 'lifecycle'; readonly fact: LifecycleFact };

type StreamListener = (item: StreamItem) => void;

interface Watched {
  detach: () => void;
  readonly ring: Seen[];
  /** The XState snapshot before the next record. */
  lastSnapshot: unknown;
  /** Number of streams following this actor; the lease of a followed actor does not expire. */
  followers: number;
  askedAtMs: number;
}

export interface WatchHub {
  /** Differs for every process; sequence numbers are only comparable within an epoch. */
  readonly epoch: string;
  /** Starts or continues to watch. False if there is no such actor. */
  touch(id: ActorId): boolean;
  /** The observed transitions of a watched actor, oldest first. */
  history(id: ActorId): readonly Seen[];
  /** Follows actors until the returned function is called. */
  follow(ids: ReadonlySet<ActorId>, listener: StreamListener): () => void;
  /** Frames after `seq`; `gap` if some are no longer kept. */
  since(seq: number): { readonly items: readonly StreamItem[]; readonly gap: boolean };
  lastSeq(): number;
  watchedCount(): number;
  close(): void;
}

export const createWatchHub = (port: InspectionPort, makeFrame: FrameMaker): WatchHub => {
  const watched = new Map<ActorId, Watched>();
  const listeners = new Map<StreamListener, ReadonlySet<ActorId>>();
  const replay: StreamItem[] = [];
  let seq = 0;
  let sweeper: NodeJS.Timeout | undefined;
  let stopFacts: (() => void) | undefined;

  const publish = (id: ActorId, item: StreamItem): void => {
    replay.push(item);
    if (replay.length > replayFrames) replay.shift();
    for (const [listener, ids] of listeners) if (ids.has(id)) listener(item);
  };

  const record = (id: ActorId, found: TransitionRecord): void => {
    const entry = watched.get(id);
    if (entry === undefined) return;
    seq += 1;
    const live = port.actor(id);
    const after = live?.snapshot;
    const raw = { seq, record: found, before: entry.lastSnapshot, after, live };
    const seen = seenFrame(makeFrame, raw);
    entry.lastSnapshot = after;
    entry.ring.push(seen);
    if (entry.ring.length > ringRecords) entry.ring.shift();
    publish(id, { seq, kind: 'transition', seen });
  };

  const onFact = (fact: LifecycleFact): void => {
    const entry = watched.get(fact.actor);
    if (entry === undefined) return;
    if (fact.type === 'started') attach(fact.actor, entry);
    seq += 1;
    publish(fact.actor, { seq, kind: 'lifecycle', fact });
  };

  /** After a restart, the new actor has the same id. */
  const attach = (id: ActorId, entry: Watched): void => {
    entry.detach();
    entry.lastSnapshot = port.actor(id)?.snapshot;
    entry.detach = port.observe(id, (found) => record(id, found));
  };

  const release = (id: ActorId, entry: Watched): void => {
    watched.delete(id);
    entry.detach();
    if (watched.size > 0) return;
    clearInterval(sweeper);
    sweeper = undefined;
    stopFacts?.();
    stopFacts = undefined;
  };

  const sweep = (): void => {
    const staleMs = port.nowMs() - watchLeaseMs;
    for (const [id, entry] of watched)
      if (entry.followers === 0 && entry.askedAtMs < staleMs) release(id, entry);
  };

  const makeRoom = (): boolean => {
    if (watched.size < maxWatchedActors) return true;
    const idle = [...watched].filter(([, entry]) => entry.followers === 0);
    const oldest = idle.sort(([, a], [, b]) => a.askedAtMs - b.askedAtMs)[0];
    if (oldest === undefined) return false;
    release(...oldest);
    return true;
  };

  const touch = (id: ActorId): boolean => {
    const known = watched.get(id);
    if (known !== undefined) {
      known.askedAtMs = port.nowMs();
      return true;
    }
    if (port.actor(id) === undefined || !makeRoom()) return false;
    const entry: Watched = {
      detach: () => undefined,
      ring: [],
      lastSnapshot: undefined,
      followers: 0,
      askedAtMs: port.nowMs(),
    };
    watched.set(id, entry);
    attach(id, entry);
    stopFacts ??= port.onFact(onFact);
    sweeper ??= setInterval(sweep, watchLeaseMs / 5).unref();
    return true;
  };

  const addFollowers = (ids: ReadonlySet<ActorId>, change: 1 | -1): void => {
    for (const id of ids) {
      const entry = watched.get(id);
      if (entry === undefined) continue;
      entry.followers = Math.max(0, entry.followers + change);
      entry.askedAtMs = port.nowMs();
    }
  };

  return {
    epoch: Date.now().toString(36) + Math.random().toString(36).slice(2, 8),
    touch,
    history: (id) => watched.get(id)?.ring ?? [],
    follow: (ids, listener) => {
      const present = new Set([...ids].filter(touch));
      addFollowers(present, 1);
      listeners.set(listener, present);
      return () => {
        if (listeners.delete(listener)) addFollowers(present, -1);
      };
    },
    since: (after) => {
      const oldest = replay[0]?.seq ?? seq + 1;
      return { items: replay.filter((item) => item.seq > after), gap: after < oldest - 1 };
    },
    lastSeq: () => seq,
    watchedCount: () => watched.size,
    close: () => {
      for (const [id, entry] of watched) release(id, entry);
    },
  };
};
