// The messages and effects of the schedule machine.
import type { CheckConfig } from '../../model/check/check.ts';

export interface ScheduleContext {
  readonly config: CheckConfig;
  /** Wall time in milliseconds of the next tick; null when there is none. */
  readonly nextAtMs: number | null;
  /** Unix seconds of the last request; null before the first. */
  readonly lastIssued: number | null;
  /** Ticks that came while the request before was still going out, and were let go. */
  readonly skipped: number;
}

export type ScheduleFact =
  /** The definition was made or changed. */
  | { readonly type: 'check.defined'; readonly config: CheckConfig; readonly nowMs: number }
  /** The tick has come, or the wall clock was set back and the tick is further away than it was. */
  | { readonly type: 'deadline.reached'; readonly name: 'tick'; readonly nowMs: number }
  /** Everybody who was to get the request has it. */
  | { readonly type: 'request.issued'; readonly nowMs: number }
  | { readonly type: 'check.removed' };

export type ScheduleEffect =
  | {
      readonly type: 'deadline.set';
      readonly name: 'tick';
      readonly atMs: number;
      /** A cron schedule waits for the clock on the wall, an interval for its time to pass. */
      readonly anchor: 'wall' | 'elapsed';
    }
  | { readonly type: 'deadline.clear'; readonly name: 'tick' }
  | { readonly type: 'request.issue'; readonly config: CheckConfig; readonly issuedSeconds: number };
