// A clock that a test turns by hand: it steps from timer to timer, so a repeating timer fires as often as it would have
// in real time, and it holds tens of thousands of timers without trouble.
import type { Clock } from '../../../src/actors/runtime/time/clock.ts';
import { createDeadlineHeap, type HeapEntry } from '../../../src/actors/runtime/time/deadline-heap.ts';

export interface SimulatedClock extends Clock {
  /** Gives all yielded tasks their turns, and those they yield. */
  runTurns(): void;
  /** Moves time forward, firing each timer at its own time, with the turns in between. */
  advance(ms: number): void;
  /** As `advance`, and lets promises settle at every step. */
  advanceAsync(ms: number): Promise<void>;
  /** Lets promises settle and gives turns until both are quiet. */
  settle(): Promise<void>;
  /** Time passes while the process stands still (SIGSTOP, a blocked loop): timers fire late, together. */
  pause(ms: number): void;
  /** Time passes and nothing fires yet: the moment between a pause and the first timer after it. */
  hold(ms: number): void;
  /** The wall clock is set; monotonic time does not notice. */
  jumpWall(ms: number): void;
  readonly timers: number;
  /** Milliseconds until the next timer; undefined when there is none. */
  readonly nextTimerMs: number | undefined;
}

interface Timer extends HeapEntry {
  readonly task: () => void;
}

/** More turns than this without time passing means that something never comes to rest. */
const maxTurns = 1_000_000;
/** Rounds of promise jobs that `settle` allows; each takes one real turn of the loop. */
const settleRounds = 3;

export function createSimulatedClock(startWallMs = 1_700_000_000_000): SimulatedClock {
  const timers = createDeadlineHeap<Timer>();
  let turns: (() => void)[] = [];
  let nowMs = 0;
  let wallOffsetMs = startWallMs;
  let seq = 0;

  const runTurns = (): void => {
    for (let count = 0; turns.length > 0; count += 1) {
      if (count > maxTurns) throw new Error(`the turns did not come to rest after ${maxTurns}`);
      const due = turns;
      turns = [];
      for (const task of due) task();
    }
  };

  /** Fires the next timer that is due at or before `untilMs`; false when there is none. */
  const fireNext = (untilMs: number): boolean => {
    const timer = timers.first();
    if (timer === undefined || timer.dueMs > untilMs) return false;
    timers.remove(timer);
    nowMs = Math.max(nowMs, timer.dueMs);
    timer.task();
    runTurns();
    return true;
  };

  const settle = async (): Promise<void> => {
    for (let round = 0; round < settleRounds; round += 1) {
      runTurns();
      await new Promise((resolve) => setImmediate(resolve));
    }
    runTurns();
  };

  return {
    wallMs: () => Math.round(wallOffsetMs + nowMs),
    monotonicMs: () => nowMs,
    setTimer(task, delayMs) {
      if (delayMs > 2 ** 31 - 1) throw new RangeError(`a timer cannot wait ${delayMs} ms`);
      const timer: Timer = { task, dueMs: nowMs + Math.max(0, delayMs), seq: seq++, place: -1 };
      timers.add(timer);
      return () => timers.remove(timer);
    },
    yieldTurn(task) {
      turns.push(task);
    },
    runTurns,
    advance(ms) {
      const untilMs = nowMs + ms;
      runTurns();
      while (fireNext(untilMs));
      nowMs = untilMs;
    },
    async advanceAsync(ms) {
      const untilMs = nowMs + ms;
      await settle();
      while (fireNext(untilMs)) await settle();
      nowMs = untilMs;
    },
    settle,
    pause(ms) {
      nowMs += ms;
      while (fireNext(nowMs));
    },
    hold(ms) {
      nowMs += ms;
    },
    jumpWall(ms) {
      wallOffsetMs += ms;
    },
    get timers() {
      return timers.size;
    },
    get nextTimerMs() {
      const next = timers.first();
      return next === undefined ? undefined : Math.max(0, next.dueMs - nowMs);
    },
  };
}
