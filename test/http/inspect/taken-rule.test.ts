// Which lines are told to have been taken, against what the states on both ends allow.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { machineGraph } from '../../../src/http/inspect/machine-graph.ts';
import { activeStateIds } from '../../../src/http/inspect/state-value.ts';
import { tellTransition } from '../../../src/http/inspect/taken-rule.ts';
import { checkMachine } from '../../../src/machines/check/check-machine.ts';
import { eventSchema } from '../../../src/model/event.ts';
import { fc } from '../../property.ts';
import { createFakeSystem } from './fake-system.ts';
import { sampleMachine } from './sample-machine.ts';

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
        const before = actor.snapshot;
        const record = system.send(id, event);
        const told = tellTransition(graph, checkMachine, before, event, record.to);
        const lines = graph.transitions.filter((line) => told.taken.includes(line.id));
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

test('a state that is left at once lights both lines', () => {
  const system = createFakeSystem([{ machine: sampleMachine, title: '' }]);
  const actor = system.add('sample:x', sampleMachine);
  system.send('sample:x', { type: 'go', n: 1 } as { type: string });
  const before = actor.snapshot;
  const event = { type: 'xstate.done.state.sample.road.middle' };
  const told = tellTransition(machineGraph(sampleMachine), sampleMachine, before, event, {
    road: 'end',
    lamp: 'off',
  });
  assert.deepEqual(told.taken, [
    'sample.road.middle|xstate.done.state.sample.road.middle|0',
    'sample.road.decide||0',
  ]);
});

test('nothing is told of a state before that nobody saw', () => {
  const told = tellTransition(graph, checkMachine, undefined, { type: 'check.deleted' }, {});
  assert.deepEqual(told, { candidates: [], taken: [] });
});
