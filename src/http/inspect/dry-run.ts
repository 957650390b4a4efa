// "What would happen if this event came now": XState's pure transition on the live snapshot. Nothing is done, nothing moves.
import { type AnyMachineSnapshot, type AnyStateMachine, type EventObject, transition } from 'xstate';
import { diff } from './diff.ts';
import { explain } from './explain-rule.ts';
import type { DryRun } from './protocol.ts';
import { activeStateIds } from './state-value.ts';
import { view } from './view.ts';

/** Promise: no effect, no exception; a machine that throws is an answer (`error`). */
export const dryRun = (
  machine: AnyStateMachine,
  snapshot: AnyMachineSnapshot,
  event: EventObject,
): DryRun => {
  const from = view(snapshot.value);
  const candidates = explain(machine, snapshot, event);
  try {
    const [next, actions] = transition(machine, snapshot, event);
    return {
      from,
      to: view(next.value),
      active: activeStateIds(machine.id, next.value),
      changed: candidates.some((candidate) => candidate.taken),
      actions: actions.map(nameOf),
      candidates,
      diff: next.context === snapshot.context ? [] : diff(view(snapshot.context), view(next.context)),
    };
  } catch (error) {
    return {
      from,
      to: from,
      active: activeStateIds(machine.id, snapshot.value),
      changed: false,
      actions: [],
      candidates,
      diff: [],
      error: error instanceof Error ? error.message : String(error),
    };
  }
};

/** An emitted effect is called by its own type, e.g. `persist`. */
const nameOf = ({ type, params }: { readonly type: string; readonly params?: unknown }): string => {
  if (type !== 'xstate.emit') return type;
  const { event } = (params ?? {}) as { readonly event?: { readonly type?: unknown } };
  return String(event?.type ?? type);
};
