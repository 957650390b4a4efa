// A supervisor as XState sees it: custom actor logic (XState's extension point) whose transitions are the facts a
// supervisor learns. The children are in the supervisor's own map, never in a snapshot: starting one costs the same
// whether there are ten or a hundred thousand.
import type { ActorLogic, ActorScope, Snapshot } from 'xstate';
import type { ExitReason } from '../contract.ts';
import type { Child, ChildPhase } from './child.ts';

export type SupervisorEvent =
  /** Go on with a start in order: a child came up, or the loop had its turn. */
  | { readonly type: 'start.continued' }
  | {
      readonly type: 'child.ended';
      readonly child: Child;
      readonly generation: number;
      readonly reason: ExitReason;
      readonly poison: boolean;
    }
  | { readonly type: 'retry.due'; readonly child: Child }
  /** `round` tells the current group restart from an earlier one that grew meanwhile. */
  | { readonly type: 'group.halted' | 'group.due'; readonly round: number };

interface SupervisorState {
  readonly value: ChildPhase;
  readonly context: { readonly children: number };
}
type SupervisorSnapshot = Snapshot<undefined> & SupervisorState;
export type SupervisorLogic = ActorLogic<SupervisorSnapshot, SupervisorEvent>;
export type SupervisorScope = ActorScope<SupervisorSnapshot, SupervisorEvent>;

export interface SupervisorCore {
  attach(scope: SupervisorScope): void;
  /** Must not throw: a supervisor that fails takes care of its children first. */
  handle(event: SupervisorEvent): void;
  state(): SupervisorState;
}

const own = new Set<string>(['start.continued', 'child.ended', 'retry.due', 'group.halted', 'group.due']);

const snapshotOf = (core: SupervisorCore): SupervisorSnapshot => ({
  status: 'active',
  output: undefined,
  error: undefined,
  ...core.state(),
});

export const supervisorLogic = (core: SupervisorCore): SupervisorLogic => ({
  getInitialSnapshot(scope) {
    core.attach(scope);
    return snapshotOf(core);
  },
  transition(snapshot, event) {
    if ((event.type as string) === 'xstate.stop')
      return { ...snapshot, status: 'stopped', error: undefined, output: undefined };
    // XState reports the end of a child by itself, too; the cell has told us more about it.
    if (!own.has(event.type)) return snapshot;
    core.handle(event);
    return snapshotOf(core);
  },
  getPersistedSnapshot: (snapshot) => snapshot,
});
