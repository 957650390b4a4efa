// "What would happen if this event came now", as a page shows it. Nothing is done, nothing moves.
import type { AnyMachineSnapshot, AnyStateMachine, EventObject } from 'xstate';
import { dryRun as runDry } from '../../actors/runtime/statechart/dry-run.ts';
import { explain } from '../../actors/runtime/statechart/explain.ts';
import { diff } from './diff.ts';
import type { DryRun } from './protocol.ts';
import { activeStateIds } from './state-value.ts';
import { view } from './view.ts';

/** Has no effects and never throws; if the machine throws, the result is `error`. */
export const dryRun = (
  machine: AnyStateMachine,
  snapshot: AnyMachineSnapshot,
  event: EventObject,
): DryRun => {
  const from = view(snapshot.value);
  try {
    const { snapshot: next, candidates, taken, actions } = runDry(machine, snapshot, event);
    return {
      from,
      to: view(next.value),
      active: activeStateIds(machine.id, next.value),
      changed: taken.length > 0,
      actions,
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
      candidates: explain(machine, snapshot, event),
      diff: [],
      error: error instanceof Error ? error.message : String(error),
    };
  }
};
