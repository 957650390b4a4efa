// What happened to time while nobody looked: was this process held up, and was the wall clock set? The scheduler of all
// waits looks here whenever its timer fires or something is armed; a look costs two readings of the clock.

import { forgivenLagMs, wallStepMs } from '../limits.ts';
import { Listeners } from '../listeners.ts';
import type { Clock } from './clock.ts';

export interface TimeWatch {
  /** Monotonic now. `timerDueMs`: when the scheduler's timer should have fired, Infinity when there is none. */
  look(timerDueMs: number): number;
  /** How late the timer was at the last look that followed one. */
  lagMs: number;
  /** All the time this process was held up since the start, in pieces longer than a second. */
  readonly forgivenMs: number;
  /** Wall time minus monotonic time, as of the last look. */
  readonly wallOffsetMs: number;
  /** How often the wall clock was set by more than a second. */
  readonly wallSteps: number;
  onPause(listener: (pauseMs: number) => void): () => void;
  /** Positive: the wall clock was set forward, or the machine slept. Negative: it was set back. */
  onWallStep(listener: (stepMs: number) => void): () => void;
}

export function createTimeWatch(clock: Clock, onFault: (error: unknown) => void): TimeWatch {
  const pauses = new Listeners<[pauseMs: number]>(onFault);
  const steps = new Listeners<[stepMs: number]>(onFault);
  let forgivenMs = 0;
  let wallOffsetMs = clock.wallMs() - clock.monotonicMs();
  let wallSteps = 0;

  /** Small differences are a clock that is being slewed: they are followed without a word. */
  const noticeWallStep = (nowMs: number): void => {
    const offsetMs = clock.wallMs() - nowMs;
    const stepMs = offsetMs - wallOffsetMs;
    wallOffsetMs = offsetMs;
    if (Math.abs(stepMs) <= wallStepMs) return;
    wallSteps += 1;
    steps.tell(stepMs);
  };

  const watch: TimeWatch = {
    lagMs: 0,
    look(timerDueMs) {
      const nowMs = clock.monotonicMs();
      noticeWallStep(nowMs);
      const lateMs = nowMs - timerDueMs;
      // A timer late by more than a second means that we were held up, not that others were silent.
      if (lateMs > forgivenLagMs) {
        forgivenMs += lateMs;
        watch.lagMs = lateMs;
        pauses.tell(lateMs);
      }
      return nowMs;
    },
    get forgivenMs() {
      return forgivenMs;
    },
    get wallOffsetMs() {
      return wallOffsetMs;
    },
    get wallSteps() {
      return wallSteps;
    },
    onPause: (listener) => pauses.add(listener),
    onWallStep: (listener) => steps.add(listener),
  };
  return watch;
}
