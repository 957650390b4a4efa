// A clock that moves only when told, from timer to timer.
import type { Clock } from '../../src/agent/clock.ts';

export interface FakeClock extends Clock {
  /** Runs every timer that falls due, in order. */
  advance(ms: number): void;
  pending(): number;
}

export const fakeClock = (startMs = 1_700_000_000_000): FakeClock => {
  let nowMs = startMs;
  let next = 0;
  const timers = new Map<number, { atMs: number; run: () => void }>();
  const earliest = (limitMs: number) =>
    [...timers]
      .filter(([, timer]) => timer.atMs <= limitMs)
      .sort((a, b) => a[1].atMs - b[1].atMs || a[0] - b[0])[0];
  return {
    wallMs: () => nowMs,
    monotonicMs: () => nowMs - startMs,
    after: (delayMs, run) => {
      const id = next++;
      timers.set(id, { atMs: nowMs + Math.max(delayMs, 0), run });
      return () => void timers.delete(id);
    },
    advance: (ms) => {
      const limitMs = nowMs + ms;
      for (let due = earliest(limitMs); due !== undefined; due = earliest(limitMs)) {
        nowMs = Math.max(nowMs, due[1].atMs);
        timers.delete(due[0]);
        due[1].run();
      }
      nowMs = limitMs;
    },
    pending: () => timers.size,
  };
};
