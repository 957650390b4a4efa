// The messages and effects of the silence machine.
import type { SilenceSpan } from '../../model/silence/silencing.ts';

/** Why a silence ended. */
export type SilenceEnd = 'timeOver' | 'resolved' | 'cleared';

interface SilenceTimes extends SilenceSpan {
  readonly expireOnResolve: boolean;
}

export interface SilenceContext extends SilenceTimes {
  readonly namespace: string;
  readonly name: string;
  readonly end: SilenceEnd | null;
}

export type SilenceFact =
  /** Made, changed, or back after a restart. */
  | ({ readonly type: 'silence.defined'; readonly nowMs: number } & SilenceTimes)
  | { readonly type: 'deadline.reached'; readonly name: 'silence'; readonly nowMs: number }
  /** An incident it matched has resolved. */
  | { readonly type: 'incident.resolved'; readonly nowMs: number }
  | { readonly type: 'silence.cleared'; readonly nowMs: number };

export type SilenceEffect =
  | { readonly type: 'deadline.set'; readonly name: 'silence'; readonly atMs: number }
  | { readonly type: 'deadline.clear'; readonly name: 'silence' }
  | { readonly type: 'silence.began' }
  /** A window closed; it holds again when the next one opens. */
  | { readonly type: 'silence.paused' }
  | { readonly type: 'silence.ended'; readonly why: SilenceEnd };
