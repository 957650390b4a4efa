// One observed transition, converted to a frame only when it is read. Contexts are immutable, so keeping them costs
// a reference; copying and comparing them would cost time for every transition.
import type { TransitionRecord } from '../../actors/runtime/contract.ts';
import { diff } from './diff.ts';
import type { LiveView } from './inspection-port.ts';
import type { DeadlineView, Frame, JsonValue } from './protocol.ts';
import { contextOf } from './state-value.ts';
import { frameView, type ViewBounds, view } from './view.ts';

export interface RawSeen {
  readonly seq: number;
  readonly record: TransitionRecord;
  /** The XState snapshots before and after. */
  readonly before: unknown;
  readonly after: unknown;
  readonly live: LiveView | undefined;
}

export interface Seen {
  readonly seq: number;
  readonly actor: string;
  /** `detail` adds the event, the guards and the context changes. Created once and shared by all readers. */
  frame(detail: boolean): Frame;
}

export type FrameMaker = (raw: RawSeen, detail: boolean) => Frame;

export const seenFrame = (make: FrameMaker, raw: RawSeen): Seen => {
  let brief: Frame | undefined;
  let full: Frame | undefined;
  return {
    seq: raw.seq,
    actor: raw.record.actor,
    frame: (detail) => {
      if (detail) full ??= make(raw, true);
      else brief ??= make(raw, false);
      return (detail ? full : brief) as Frame;
    },
  };
};

export const createFrameMaker =
  (
    /** Read when the frame is created: a transition's own deadlines are set after it. */
    deadlinesOf: (actor: string) => readonly DeadlineView[],
  ): FrameMaker =>
  ({ seq, record, before, after, live }, detail) => {
    const machine = live?.row.machine ?? '';
    const [contextBefore, contextAfter] = [contextOf(before), contextOf(after)];
    return {
      seq,
      atMs: record.atMs,
      actor: record.actor,
      machine,
      event: view(record.event, detail ? frameView : typeOnly),
      from: view(record.from, frameView),
      to: view(record.to, frameView),
      changed: record.changed,
      actions: record.actions,
      effects: record.effects,
      taken: record.taken,
      candidates: detail ? record.candidates : [],
      diff:
        detail && contextBefore !== contextAfter ? diff(viewOnce(contextBefore), viewOnce(contextAfter)) : [],
      deadlines: deadlinesOf(record.actor),
      durationUs: record.durationUs,
    };
  };

/** The context after one transition is the context before the next, so it is copied once for both. */
const viewOnce = (context: unknown): JsonValue => {
  if (typeof context !== 'object' || context === null) return view(context);
  const known = viewedContexts.get(context);
  if (known !== undefined) return known;
  const viewed = view(context);
  viewedContexts.set(context, viewed);
  return viewed;
};
const viewedContexts = new WeakMap<object, JsonValue>();

/** Shows only the event type, for clients that follow many actors. */
const typeOnly: ViewBounds = { ...frameView, depth: 1, entries: 4 };
