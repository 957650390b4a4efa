// What a simulated backend does with a shard that it owns: a record with the ids of the messages that were applied, written
// under the epoch of the lease, and acknowledged only once the write is confirmed and the lease still holds.
import type { ToyOutcome, ToyRecord } from './simulated-store.ts';

export interface ToyPorts {
  get(shard: number, onReply: (record: ToyRecord | undefined) => void): void;
  /** Answers undefined if the outcome is unknown. */
  put(record: ToyRecord, onReply: (outcome: ToyOutcome | undefined) => void): void;
  mayAcknowledge(shard: number, epoch: number): boolean;
  /** The actors run under this epoch, whether or not the member is fresh. */
  holds(shard: number, epoch: number): boolean;
  confirm(): void;
  acknowledge(shard: number, id: number): void;
  loaded(shard: number, epoch: number): void;
  stopped(shard: number, epoch: number): void;
  after(delayMs: number, work: () => void): void;
}

export interface ToyShard {
  readonly epoch: number;
  accept(id: number): void;
  /** Finishes what was accepted, then says that it stopped. */
  stop(): void;
  /** Nothing it does counts any more. */
  drop(): void;
}

const againMs = 200;
/** A stop that waits for the store longer than this leaves unacknowledged messages to their senders. */
const stopPatienceMs = 3_000;

export const startToyShard = (shard: number, epoch: number, ports: ToyPorts): ToyShard => {
  let state: 'loading' | 'running' | 'stopping' | 'gone' = 'loading';
  let rev = 0;
  let applied: readonly number[] = [];
  const waiting = new Set<number>();
  /** Stored; the client may not be told before the lease is known to have held at that time. */
  const stored = new Set<number>();
  let isWriting = false;

  const end = (): void => {
    if (state === 'gone') return;
    state = 'gone';
    ports.stopped(shard, epoch);
  };
  const endIfDone = (): void => {
    if (state === 'stopping' && waiting.size === 0 && stored.size === 0 && !isWriting) end();
  };
  const settle = (): void => {
    if (stored.size === 0) return;
    if (ports.mayAcknowledge(shard, epoch)) {
      for (const id of stored) ports.acknowledge(shard, id);
      stored.clear();
      return endIfDone();
    }
    if (!ports.holds(shard, epoch)) return;
    ports.confirm();
    ports.after(againMs, settle);
  };
  const write = (): void => {
    if (isWriting || state === 'gone' || state === 'loading' || waiting.size === 0) return;
    isWriting = true;
    const ids = [...waiting];
    const known = new Set(applied);
    const next = [...applied, ...ids.filter((id) => !known.has(id))];
    rev += 1;
    ports.put({ shard, epoch, rev, applied: next }, (outcome) => {
      isWriting = false;
      // Also when the shard is gone meanwhile: whether that counts is for the member to say.
      if (outcome?.type === 'written') {
        applied = next;
        for (const id of ids) {
          waiting.delete(id);
          stored.add(id);
        }
        settle();
        return write();
      }
      if (state === 'gone') return;
      // An earlier write of this lease took effect after all; what is known here includes it.
      if (outcome?.type === 'stale' && outcome.epoch <= epoch) rev = Math.max(rev, outcome.rev);
      ports.after(againMs, write);
    });
  };
  const load = (): void =>
    ports.get(shard, (record) => {
      if (state !== 'loading') return;
      if (record === undefined) return ports.after(againMs, load);
      ({ rev, applied } = record);
      state = 'running';
      ports.loaded(shard, epoch);
    });
  load();
  return {
    epoch,
    accept(id) {
      waiting.add(id);
      write();
    },
    stop() {
      if (state === 'loading') return end();
      if (state === 'gone') return;
      state = 'stopping';
      ports.after(stopPatienceMs, end);
      endIfDone();
    },
    drop: end,
  };
};
