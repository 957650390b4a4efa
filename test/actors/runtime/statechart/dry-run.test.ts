// Which lines are told to have been taken, against what the states on both ends allow.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type AnyMachineSnapshot, assign, emit, getInitialSnapshot, setup } from 'xstate';
import { maxDryRunMicrosteps } from '../../../../src/actors/runtime/limits.ts';
import { dryRun } from '../../../../src/actors/runtime/statechart/dry-run.ts';
import { executorOf } from '../../../../src/actors/runtime/statechart/executor.ts';
import { machineGraph } from '../../../../src/http/inspect/machine-graph.ts';
import { activeStateIds } from '../../../../src/http/inspect/state-value.ts';
import { checkMachine } from '../../../../src/machines/check/check-machine.ts';
import { eventSchema } from '../../../../src/model/event/event.ts';
import { createFakeSystem } from '../../../http/inspect/fake-system.ts';
import { sampleMachine } from '../../../http/inspect/sample-machine.ts';
import { fc } from '../../../property.ts';
import { inertScope } from './by-xstate.ts';

const id = 'check:default/web-01/cpu';
const graph = machineGraph(checkMachine);

const resultOf = (status: number, ttl: number, n: number) => ({
  type: 'result.received',
  nowMs: n * 1000,
  silenced: [],
  event: eventSchema.parse({
    id: crypto.randomUUID(),
    timestamp: n,
    entity: { entity_class: 'agent', metadata: { name: 'web-01', namespace: 'default' } },
    check: {
      metadata: { name: 'cpu', namespace: 'default' },
      status,
      ttl,
      interval: 10,
      executed: n,
      handlers: ['x'],
    },
  }),
});

const steps = fc.array(
  fc.oneof(
    fc.record({ status: fc.constantFrom(0, 1, 2), ttl: fc.constantFrom(0, 30) }),
    fc.constant('delivered' as const),
    fc.constant('late' as const),
  ),
  { maxLength: 25 },
);

test('told lines leave active states, lead to active states, and explain every state that changed', () => {
  fc.assert(
    fc.property(steps, (made) => {
      const system = createFakeSystem([{ machine: checkMachine, title: '' }]);
      const actor = system.add(id, checkMachine, { namespace: 'default', entity: 'web-01', check: 'cpu' });
      for (const [index, step] of made.entries()) {
        const n = 1_000 + index * 10;
        const { pending } = actor.snapshot.context as { pending: { seq: number }[] };
        const event =
          step === 'delivered'
            ? { type: 'delivery.finished', seq: pending[0]?.seq ?? 0, nowMs: n * 1000 }
            : step === 'late'
              ? {
                  type: 'deadline.reached',
                  name: 'ttl',
                  nowMs: n * 1_000_000,
                  entityDown: false,
                  silenced: [],
                }
              : resultOf(step.status, step.ttl, n);
        const record = system.send(id, event);
        const lines = graph.transitions.filter((line) => record.taken.includes(line.id));
        const from = activeStateIds('check', record.from);
        const to = activeStateIds('check', record.to);
        assert.ok(lines.every((line) => from.includes(line.source)));
        assert.ok(lines.every((line) => line.targets.every((target) => to.includes(target))));
        const entered = to.filter((state) => !from.includes(state));
        assert.deepEqual(
          entered.filter((state) => !lines.some((line) => line.targets.includes(state))),
          [],
        );
      }
    }),
  );
});

test('a state that is left at once: both lines are taken', () => {
  const system = createFakeSystem([{ machine: sampleMachine, title: '' }]);
  system.add('sample:x', sampleMachine);
  system.send('sample:x', { type: 'go', n: 1 } as { type: string });
  const event = { type: 'xstate.done.state.sample.road.middle' };
  assert.deepEqual(system.send('sample:x', event).taken, [
    'sample.road.middle|xstate.done.state.sample.road.middle|0',
    'sample.road.decide||0',
  ]);
});

test('a dry run names what would be done, in order, and leaves the snapshot as it is', () => {
  const machine = setup({
    actions: { ring: emit({ type: 'rung' }), log: () => assert.fail('it was done'), count: assign({ n: 1 }) },
  }).createMachine({
    id: 'bell',
    context: { n: 0 },
    on: { planned: { actions: ['count', 'ring'] }, other: { actions: ['ring', 'log', 'count'] } },
  });
  const start = getInitialSnapshot(machine) as AnyMachineSnapshot;
  const ran = ['planned', 'other'].map((type) => dryRun(machine, start, { type }));
  assert.deepEqual(
    ran.map(({ actions, effects, snapshot, taken }) => ({ actions, effects, n: snapshot.context.n, taken })),
    [
      { actions: ['rung'], effects: [{ type: 'rung' }], n: 1, taken: ['bell|planned|0'] },
      { actions: ['rung', 'log'], effects: [{ type: 'rung' }], n: 1, taken: ['bell|other|0'] },
    ],
  );
  assert.equal(start.context.n, 0);
});

/** Turns once for every number up to `turns`, by the plan or, with an action it does not cover, by XState. */
const spinner = (turns: number, by: 'plan' | 'XState') =>
  setup({
    types: { context: {} as { n: number } },
    guards: { goesOn: ({ context }) => context.n < turns },
    actions: { count: assign({ n: ({ context }) => context.n + 1 }), look: () => {} },
  }).createMachine({
    id: 'spinner',
    context: { n: 0 },
    initial: 'idle',
    states: {
      idle: { on: { go: 'one' } },
      one: { always: { guard: 'goesOn', target: 'two', actions: 'count' } },
      two: {
        always: { guard: 'goesOn', target: 'one', actions: by === 'plan' ? ['count'] : ['count', 'look'] },
      },
    },
  });

for (const by of ['plan', 'XState'] as const) {
  test(`a dry run takes ${maxDryRunMicrosteps} microsteps and no more (by ${by})`, () => {
    const run = (turns: number) => {
      const machine = spinner(turns, by);
      return dryRun(machine, getInitialSnapshot(machine) as AnyMachineSnapshot, { type: 'go' });
    };
    assert.equal(run(maxDryRunMicrosteps - 1).snapshot.context.n, maxDryRunMicrosteps - 1);
    assert.throws(
      () => run(maxDryRunMicrosteps),
      /machine spinner does not come to rest: over 100 microsteps/,
    );
  });

  test(`a live machine that does not come to rest throws instead of going on for ever (by ${by})`, () => {
    const machine = spinner(Number.POSITIVE_INFINITY, by);
    const start = getInitialSnapshot(machine) as AnyMachineSnapshot;
    const { advance } = executorOf(machine);
    assert.throws(
      () => advance(start, { type: 'go' }, inertScope(machine), () => {}),
      /does not come to rest|Infinite loop/,
    );
  });
}
