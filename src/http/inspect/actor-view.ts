// The view of one actor: state, context, deadlines, next events, history.
import { nextEvents } from '../../actors/runtime/statechart/explain.ts';
import { isMachineSnapshot } from '../../actors/runtime/statechart/xstate-internals.ts';
import type { LiveView } from './inspection-port.ts';
import type { ActorView, MachineGraph } from './protocol.ts';
import { activeStateIds, contextOf } from './state-value.ts';
import { view } from './view.ts';
import type { WatchHub } from './watch-hub.ts';

export interface ViewOptions {
  readonly live: LiveView;
  readonly graph: MachineGraph | undefined;
  readonly hub: WatchHub;
  readonly nowMs: number;
  readonly canControl: boolean;
}

export const actorView = ({ live, graph, hub, nowMs, canControl }: ViewOptions): ActorView => ({
  row: live.row,
  sha: graph?.sha ?? '',
  nowMs,
  active: graph === undefined ? [] : activeStateIds(graph.id, live.row.value),
  context: view(contextOf(live.snapshot)),
  committed: live.committed,
  next: nextOf(live),
  deadlines: live.deadlines,
  history: hub.history(live.row.id).map((seen) => seen.frame(true)),
  restarts: live.restarts,
  children: live.children,
  canControl,
});

const nextOf = ({ machine, snapshot }: LiveView): ActorView['next'] =>
  machine === undefined || !isMachineSnapshot(snapshot) ? [] : nextEvents(machine, snapshot);
