// One actor as a page shows it: where it stands, what it knows, what it waits for, what it would act on, what it did.
import { type AnyMachineSnapshot, getNextTransitions } from 'xstate';
import type { LiveView } from './inspection-port.ts';
import { transitionIds } from './machine-graph.ts';
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
  next: nextEvents(live),
  deadlines: live.deadlines,
  history: hub.history(live.row.id).map((seen) => seen.frame(true)),
  restarts: live.restarts,
  children: live.children,
  canControl,
});

/** Event types with a transition from here; whether its guard agrees is for the dry run to say. */
const nextEvents = ({ machine, snapshot }: LiveView): ActorView['next'] => {
  if (machine === undefined || !isMachineSnapshot(snapshot)) return [];
  const ids = transitionIds(machine);
  const found = new Map<string, string[]>();
  for (const ref of getNextTransitions(snapshot)) {
    const event = String(ref.eventType);
    if (event === '') continue;
    found.set(event, [...(found.get(event) ?? []), ids.get(ref) ?? '']);
  }
  return [...found].map(([event, transitions]) => ({ event, transitions }));
};

const isMachineSnapshot = (snapshot: unknown): snapshot is AnyMachineSnapshot =>
  typeof snapshot === 'object' && snapshot !== null && '_nodes' in snapshot;
