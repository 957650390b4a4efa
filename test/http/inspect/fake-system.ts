// A running system for tests of inspection: real machines moved by XState's pure transition, no runtime behind them.
import { type AnyMachineSnapshot, type AnyStateMachine, initialTransition } from 'xstate';
import type { LifecycleFact, TransitionRecord } from '../../../src/actors/runtime/contract.ts';
import { dryRun } from '../../../src/actors/runtime/statechart/dry-run.ts';
import type { InspectionPort, MachineEntry } from '../../../src/http/inspect/inspection-port.ts';
import { machineGraph } from '../../../src/http/inspect/machine-graph.ts';
import type { ActorRow, DeadlineView, JsonValue, TreeNode } from '../../../src/http/inspect/protocol.ts';

interface FakeActor {
  readonly id: string;
  readonly machine: AnyStateMachine;
  snapshot: AnyMachineSnapshot;
  readonly observers: Set<(record: TransitionRecord) => void>;
  handled: number;
  mailbox: number;
  restarts: number;
  startedAtMs: number;
  deadlines: DeadlineView[];
}

export interface FakeSystem {
  readonly port: InspectionPort;
  add(id: string, machine: AnyStateMachine, input?: unknown): FakeActor;
  actor(id: string): FakeActor;
  /** Moves one actor by one event and notifies its observers. */
  send(id: string, event: { readonly type: string }): TransitionRecord;
  tellFact(fact: LifecycleFact): void;
  readonly nodes: Map<string, TreeNode[]>;
  readonly traces: Map<string, JsonValue[]>;
  readonly gauges: Record<string, number>;
  observerCount(): number;
  nowMs: number;
}

export const createFakeSystem = (
  machines: readonly MachineEntry[],
  nowMs = 1_800_000_000_000,
): FakeSystem => {
  const actors = new Map<string, FakeActor>();
  const factListeners = new Set<(fact: LifecycleFact) => void>();
  let seq = 0;

  const rowOf = (actor: FakeActor): ActorRow => ({
    id: actor.id,
    machine: actor.machine.id,
    value: actor.snapshot.value as JsonValue,
    status: actor.snapshot.status,
    mailbox: actor.mailbox,
    handled: actor.handled,
    restarts: actor.restarts,
    generation: actor.restarts + 1,
    startedAtMs: actor.startedAtMs,
    parent: null,
  });

  const begin = (machine: AnyStateMachine, input: unknown): AnyMachineSnapshot =>
    initialTransition(machine, input)[0] as AnyMachineSnapshot;

  const system: FakeSystem = {
    nowMs,
    nodes: new Map(),
    traces: new Map(),
    gauges: { loopLagMs: 1.5 },
    add: (id, machine, input) => {
      const actor: FakeActor = {
        id,
        machine,
        snapshot: begin(machine, input),
        observers: new Set(),
        handled: 0,
        mailbox: 0,
        restarts: 0,
        startedAtMs: system.nowMs,
        deadlines: [],
      };
      actors.set(id, actor);
      return actor;
    },
    send: (id, event) => {
      const actor = actors.get(id);
      if (actor === undefined) throw new Error(`no actor ${id}`);
      const before = actor.snapshot;
      const { snapshot: after, taken, candidates } = dryRun(actor.machine, before, event);
      const lines = machineGraph(actor.machine).transitions.filter((line) => taken.includes(line.id));
      actor.snapshot = after;
      actor.handled += 1;
      seq += 1;
      const record: TransitionRecord = {
        seq,
        atMs: system.nowMs,
        actor: id,
        event,
        from: before.value,
        to: actor.snapshot.value,
        changed: before !== after,
        actions: lines.flatMap((line) => line.actions),
        effects: [],
        taken,
        candidates,
        microsteps: 1,
        durationUs: 9,
      };
      for (const observer of actor.observers) observer(record);
      return record;
    },
    actor: (id) => {
      const found = actors.get(id);
      if (found === undefined) throw new Error(`no actor ${id}`);
      return found;
    },
    tellFact: (fact) => {
      for (const listener of factListeners) listener(fact);
    },
    observerCount: () => [...actors.values()].reduce((sum, actor) => sum + actor.observers.size, 0),
    port: {
      machines: () => machines,
      actors: function* (prefix) {
        for (const actor of actors.values()) if (actor.id.startsWith(prefix)) yield rowOf(actor);
      },
      actor: (id) => {
        const actor = actors.get(id);
        if (actor === undefined) return undefined;
        const { machine, snapshot, deadlines } = actor;
        return {
          row: rowOf(actor),
          machine,
          snapshot,
          committed: true,
          deadlines,
          restarts: [],
          children: [],
        };
      },
      supervisor: () => undefined,
      children: (parent, { from, limit }) => {
        const nodes = system.nodes.get(parent ?? '');
        return nodes && { items: nodes.slice(from, from + limit), total: nodes.length };
      },
      observe: (id, observer) => {
        const actor = actors.get(id);
        actor?.observers.add(observer);
        return () => actor?.observers.delete(observer);
      },
      onFact: (listener) => {
        factListeners.add(listener);
        return () => factListeners.delete(listener);
      },
      nowMs: () => system.nowMs,
      gauges: () => system.gauges,
      traces: (namespace, entity, check) => system.traces.get(`${namespace}/${entity}/${check}`) ?? [],
      tell: async (id, message) => {
        system.send(id, message);
      },
      pause: (id) => actors.has(id),
      resume: (id) => actors.has(id),
      restart: async (id) => {
        const actor = actors.get(id);
        if (actor === undefined) return false;
        actor.restarts += 1;
        return true;
      },
      stop: async (id) => actors.delete(id),
    },
  };
  return system;
};
