// The one scheduler for all waits of the platform: three heaps behind a single timer, one for each way a wait can be meant.
//
//   elapsed     so long from now. Armed with a wall time that is converted on the spot: a wall clock that is set later
//               neither fires nor delays it.
//   forgiving   as elapsed, on a time that stands still while this process was held up (blocked loop, SIGSTOP). For
//               waits that measure somebody's silence: a suspended backend raises no false alarms.
//   wall        at that time on the clock on the wall, wherever it is set to (cron, the end of a silence). Never early
//               by that clock; when it is set back, the wait comes at once, early, so that its owner plans again.

import { forgivenLagMs, lagProbeMs, maxDeadlinesPerTurn, maxTimerMs } from '../limits.ts';
import type { Clock } from './clock.ts';
import { createDeadlineHeap, type HeapEntry } from './deadline-heap.ts';
import { createTimeWatch } from './time-watch.ts';

export type DeadlineKind = 'elapsed' | 'forgiving' | 'wall';

export interface DeadlineOptions {
  /** Pushed by every pause of this process longer than a second. */
  readonly forgiving?: boolean;
  /** `wall`: follows the wall clock when it is set. Default `elapsed`. Not for forgiving ones. */
  readonly anchor?: 'wall' | 'elapsed';
}

/** A wait that can be moved and taken back. */
export interface Deadline {
  readonly kind: DeadlineKind;
  readonly armed: boolean;
  /** Wall time when it was last armed or moved. */
  readonly armedAtMs: number;
}

export interface Deadlines {
  /** Calls `due` once at the wall time `atMs`; a time in the past is due in the next turn. */
  at(atMs: number, due: () => void, options?: DeadlineOptions): Deadline;
  /** Calls `due` once after `delayMs` of monotonic time. */
  after(delayMs: number, due: () => void): Deadline;
  /** Moves a deadline, armed or not, to another wall time. O(log n). */
  rearm(deadline: Deadline, atMs: number): void;
  disarm(deadline: Deadline): void;
  /** Milliseconds until it is due; undefined when it is not armed. */
  remainingMs(deadline: Deadline): number | undefined;
  readonly size: number;
  /** How late the last timer was: the lag of the event loop. */
  readonly lagMs: number;
  /** All the time by which forgiving deadlines have been pushed since the start. */
  readonly forgivenMs: number;
  /** How often the wall clock was set by more than a second since the start. */
  readonly wallSteps: number;
  /** Told of every pause that pushed forgiving deadlines. Returns the way to stop listening. */
  onPause(listener: (pauseMs: number) => void): () => void;
  /** Told by how much the wall clock was set, forward or back. Returns the way to stop listening. */
  onWallStep(listener: (stepMs: number) => void): () => void;
  /** Forgets everything armed and lets go of the timer. */
  close(): void;
}

export const kindOf = (options: DeadlineOptions | undefined): DeadlineKind => {
  if (options === undefined) return 'elapsed';
  if (options.anchor !== 'wall') return options.forgiving === true ? 'forgiving' : 'elapsed';
  if (options.forgiving === true) {
    throw new TypeError('a forgiving deadline measures elapsed time: it cannot be anchored to the wall');
  }
  return 'wall';
};

interface Entry extends Deadline, HeapEntry {
  armedAtMs: number;
  due: () => void;
}

export interface DeadlinesOptions {
  readonly clock: Clock;
  /** Told when a `due` throws; the other deadlines go on. */
  readonly onFault: (error: unknown) => void;
  /** Default 1,000 ms. */
  readonly probeMs?: number;
}

const newEntry = (kind: DeadlineKind, due: () => void): Entry => ({
  kind,
  armedAtMs: 0,
  dueMs: 0,
  seq: 0,
  place: -1,
  due,
  get armed() {
    return this.place >= 0;
  },
});

/** One for each kind of time. */
const createHeaps = () => ({
  elapsed: createDeadlineHeap<Entry>(),
  forgiving: createDeadlineHeap<Entry>(),
  wall: createDeadlineHeap<Entry>(),
});

/** Empties a heap; the entries in the order in which they are due. */
const takeAll = (heap: ReturnType<typeof createHeaps>['wall']): readonly Entry[] => {
  const entries: Entry[] = [];
  for (let entry = heap.first(); entry !== undefined; entry = heap.first()) {
    heap.remove(entry);
    entries.push(entry);
  }
  return entries;
};

export function createDeadlines({ clock, onFault, probeMs = lagProbeMs }: DeadlinesOptions): Deadlines {
  const time = createTimeWatch(clock, onFault);
  const heaps = createHeaps();
  const allHeaps = Object.values(heaps);
  const longestTimerMs = Math.min(probeMs, maxTimerMs);
  let seq = 0;
  let timerDueMs = Number.POSITIVE_INFINITY;
  let cancelTimer: (() => void) | undefined;
  let closed = false;

  /** Each heap runs on a time of its own, this much behind monotonic time. */
  const behindMs = (kind: DeadlineKind): number => {
    if (kind === 'elapsed') return 0;
    return kind === 'forgiving' ? time.forgivenMs : -time.wallOffsetMs;
  };
  const dueOf = (entry: Entry): number => entry.dueMs + behindMs(entry.kind);

  const earliest = (): Entry | undefined => {
    let found: Entry | undefined;
    for (const heap of allHeaps) {
      const first = heap.first();
      if (first !== undefined && (found === undefined || dueOf(first) < dueOf(found))) found = first;
    }
    return found;
  };

  const size = (): number => heaps.elapsed.size + heaps.forgiving.size + heaps.wall.size;

  const setTimer = (nowMs: number): void => {
    const next = earliest();
    if (next === undefined || closed) {
      cancelTimer?.();
      cancelTimer = undefined;
      timerDueMs = Number.POSITIVE_INFINITY;
      return;
    }
    const waitMs = Math.min(longestTimerMs, Math.max(0, Math.ceil(dueOf(next) - nowMs)));
    // The timer that runs is kept when it comes early enough: arming later deadlines then costs no timer at all.
    if (cancelTimer !== undefined && timerDueMs <= nowMs + waitMs) return;
    cancelTimer?.();
    timerDueMs = nowMs + waitMs;
    cancelTimer = clock.setTimer(fire, waitMs);
  };

  const fire = (): void => {
    cancelTimer = undefined;
    const nowMs = time.look(timerDueMs);
    time.lagMs = Math.max(0, nowMs - timerDueMs);
    for (let fired = 0; fired < maxDeadlinesPerTurn; fired += 1) {
      const entry = earliest();
      if (entry === undefined || dueOf(entry) > nowMs) break;
      heaps[entry.kind].remove(entry);
      try {
        entry.due();
      } catch (error) {
        onFault(error);
      }
    }
    setTimer(clock.monotonicMs());
  };

  /** A pause is counted once, however late the timer still is. */
  const look = (): number => {
    const nowMs = time.look(timerDueMs);
    if (nowMs - timerDueMs > forgivenLagMs) timerDueMs = nowMs;
    return nowMs;
  };

  const place = (entry: Entry, delayMs: number, nowMs: number): void => {
    if (Number.isNaN(delayMs)) throw new RangeError('a deadline must be a number of milliseconds (got NaN)');
    const dueMs = nowMs + Math.max(0, delayMs) - behindMs(entry.kind);
    entry.dueMs = entry.kind === 'wall' ? Math.round(dueMs) : dueMs;
    entry.armedAtMs = clock.wallMs();
    entry.seq = seq++;
    const heap = heaps[entry.kind];
    if (entry.place >= 0) heap.moved(entry);
    else heap.add(entry);
    setTimer(nowMs);
  };

  const arm = (kind: DeadlineKind, delayMs: number, due: () => void): Entry => {
    const nowMs = look();
    const entry = newEntry(kind, due);
    if (!closed) place(entry, delayMs, nowMs);
    return entry;
  };

  /** The wall clock was set back: what waits for it is due now, in the order in which it was due. */
  const wakeWall = (): void => {
    const waiting = takeAll(heaps.wall);
    const wallMs = clock.wallMs();
    for (const entry of waiting) {
      entry.dueMs = Math.min(entry.dueMs, wallMs);
      entry.seq = seq++;
      heaps.wall.add(entry);
    }
  };
  time.onWallStep((stepMs) => {
    if (stepMs < 0) wakeWall();
  });

  return {
    at: (atMs, due, options) => arm(kindOf(options), atMs - clock.wallMs(), due),
    after: (delayMs, due) => arm('elapsed', delayMs, due),
    rearm(deadline, atMs) {
      const nowMs = look();
      if (!closed) place(deadline as Entry, atMs - clock.wallMs(), nowMs);
    },
    disarm(deadline) {
      heaps[deadline.kind].remove(deadline as Entry);
      if (size() === 0) setTimer(0);
    },
    remainingMs(deadline) {
      if (!deadline.armed) return undefined;
      const { dueMs, kind } = deadline as Entry;
      const nowMs = kind === 'wall' ? clock.wallMs() : clock.monotonicMs() - behindMs(kind);
      return Math.max(0, dueMs - nowMs);
    },
    get size() {
      return size();
    },
    get lagMs() {
      return time.lagMs;
    },
    get forgivenMs() {
      return time.forgivenMs;
    },
    get wallSteps() {
      return time.wallSteps;
    },
    onPause: time.onPause,
    onWallStep: time.onWallStep,
    close() {
      closed = true;
      for (const heap of allHeaps) takeAll(heap);
      setTimer(0);
    },
  };
}
