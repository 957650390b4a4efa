// A machine whose guards and actions all ask the same question of a message names it in the `meta` of its root:
// `meta: { decide: (context, event) => decision }`. The question is asked once for each message, before the statechart, and the
// answer travels with the message as `event.decision`: the same for all of them, whichever runs first. The answer
// `undefined` means that this message needs none.
import type { AnyEventObject, AnyMachineSnapshot, AnyStateMachine } from 'xstate';

type Decide = (context: object, event: AnyEventObject) => unknown;

/** Undefined for most machines: their guards look at the message itself. */
export const decideOf = (machine: AnyStateMachine): Decide | undefined =>
  (machine.config.meta as { readonly decide?: Decide } | undefined)?.decide;

/** The message as the statechart sees it. Throws what the question throws. */
export const decided = (
  machine: AnyStateMachine,
  snapshot: AnyMachineSnapshot,
  event: AnyEventObject,
): AnyEventObject => {
  const decide = decideOf(machine);
  if (decide === undefined || event.type.startsWith('xstate.')) return event;
  return withDecision(decide, snapshot.context, event);
};

export const withDecision = (decide: Decide, context: object, event: AnyEventObject): AnyEventObject => {
  const decision = decide(context, event);
  if (decision === undefined) return event;
  // As `{...event, decision}`, which takes the engine ten times as long (docs/machines.md).
  const known: Record<string, unknown> = { decision };
  for (const key in event) known[key] = event[key];
  known['decision'] = decision;
  return known as unknown as AnyEventObject;
};
