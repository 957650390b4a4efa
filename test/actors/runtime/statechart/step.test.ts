// Steps of the plan beside XState's own: whatever the plan says of a message, XState says, too.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type AnyEventObject,
  type AnyMachineSnapshot,
  type AnyStateMachine,
  assign,
  createActor,
  emit,
  enqueueActions,
  getInitialSnapshot,
  setup,
} from 'xstate';
import { decided } from '../../../../src/actors/runtime/statechart/decision.ts';
import { plannedStepOf } from '../../../../src/actors/runtime/statechart/step.ts';
import { checkMachine } from '../../../../src/machines/check/check-machine.ts';
import { allMachines } from '../../../../src/main/all-machines.ts';
import { idOf, sampleEvent } from '../../../machines/samples.ts';
import { walkOf } from '../../../machines/walks.ts';
import { fc, seeded } from '../../../property.ts';
import { byXState, seen } from './by-xstate.ts';

/** Walks a machine by XState; returns how many of the steps were by the plan, and how many changed no state. */
const compare = (
  machine: AnyStateMachine,
  input: unknown,
  facts: readonly ((snapshot: AnyMachineSnapshot) => AnyEventObject)[],
) => {
  const takePlannedStep = plannedStepOf(machine);
  let snapshot = getInitialSnapshot(machine, input as never) as AnyMachineSnapshot;
  const count = { planned: 0, stayed: 0 };
  for (const fact of facts) {
    const event = fact(snapshot);
    const planned = takePlannedStep(snapshot, decided(machine, snapshot, event));
    const { next, seen: wanted } = byXState(machine, snapshot, event);
    if (planned !== undefined) {
      assert.deepEqual(seen(planned.snapshot, planned.emitted), wanted);
      count.planned += 1;
    }
    if (JSON.stringify(next.value) === JSON.stringify(snapshot.value)) count.stayed += 1;
    snapshot = next;
  }
  return count;
};

for (const { machine, title } of allMachines) {
  const walk = walkOf(machine);
  test(`${title}: a step of the plan does what XState does`, () => {
    let planned = 0;
    fc.assert(
      fc.property(fc.integer(), (seed) => {
        const random = seeded(seed);
        let nowMs = 1_700_000_000_000;
        const fact = ({ context }: AnyMachineSnapshot): AnyEventObject => {
          nowMs += Math.floor(random() * 30_000);
          const make = walk.facts[Math.floor(random() * walk.facts.length)];
          if (make === undefined) throw new Error('a walk without facts');
          return make({ random, nowMs, context });
        };
        planned += compare(
          machine,
          walk.input,
          Array.from({ length: walk.length }, () => fact),
        ).planned;
      }),
      { numRuns: 60 },
    );
    assert.ok(planned > 0, 'no step of this machine was by the plan');
  });
}

test('the first result of a check and all that follow it are steps of the plan', () => {
  const walk = walkOf(checkMachine);
  let ids = 0;
  const fact = (snapshot: AnyMachineSnapshot): AnyEventObject => {
    const result = walk.facts[0]?.({ random: () => 0, nowMs: 1_700_000_000_000, context: snapshot.context });
    ids += 1;
    const id = `00000000-0000-4000-8000-${String(ids).padStart(12, '0')}`;
    const event = (result as unknown as { event: object }).event;
    return { ...result, event: { ...event, id } } as unknown as AnyEventObject;
  };
  assert.deepEqual(compare(checkMachine, walk.input, Array(20).fill(fact)), { planned: 20, stayed: 19 });
});

test('an event that is delivered takes steps of the plan only: out to the pipelines and back', () => {
  const takePlannedStep = plannedStepOf(checkMachine);
  const input = { namespace: 'default', entity: 'web-01', check: 'cpu' };
  const idle = getInitialSnapshot(checkMachine, input) as AnyMachineSnapshot;
  const event = sampleEvent({ status: 2, id: idOf(1), check: { ttl: 20, handlers: ['slack'] } });
  const received = takePlannedStep(
    idle,
    decided(checkMachine, idle, { type: 'result.received', event, nowMs: 1_000, silenced: [] }),
  );
  assert.deepEqual(received?.snapshot.value, {
    result: 'failing',
    acknowledgement: 'unacknowledged',
    ttl: 'waiting',
    delivery: 'delivering',
  });
  assert.deepEqual(
    received.emitted.map(({ type }) => type),
    ['persist', 'deadline.set', 'deliver'],
  );
  const finished = takePlannedStep(
    received.snapshot,
    decided(checkMachine, received.snapshot, { type: 'delivery.finished', seq: 1, nowMs: 2_000 }),
  );
  assert.deepEqual(finished?.snapshot.value, {
    result: 'failing',
    acknowledgement: 'unacknowledged',
    ttl: 'waiting',
    delivery: 'idle',
  });
});

interface Tally {
  readonly log: string;
}

const nextLeaf = { target: 'three', actions: ['note', 'tell'] } as const;

/** Parallel in compound in parallel, with answers on every level, and some that the plan does not cover. */
const nested = setup({
  types: { context: {} as Tally, events: {} as { type: string; n: number } },
  guards: {
    odd: ({ event }) => event.n % 2 === 1,
    long: ({ context }) => context.log.length > 12,
    throwing: ({ event }) => {
      if (event.n > 5) throw new Error('no such number');
      return false;
    },
  },
  actions: {
    note: assign(({ context, event }) => ({ log: `${context.log}${event.type}${event.n}` })),
    reset: assign({ log: '' }),
    tell: emit(({ context }) => ({ type: 'told', log: context.log })),
    ring: emit({ type: 'rung' }),
    both: enqueueActions(({ enqueue }) => {
      enqueue.emit({ type: 'rung' });
      enqueue.assign({ log: 'x' });
    }),
    named: assign(({ self }) => ({ log: typeof self.id })),
    look: () => {},
  },
}).createMachine({
  type: 'parallel',
  context: { log: '' },
  on: { a: { actions: 'ring' }, f: { actions: ['note', 'tell'] }, g: { actions: 'named' } },
  states: {
    left: {
      initial: 'one',
      on: { b: { actions: ['tell', 'note'] }, c: { target: '.two', actions: 'note' } },
      states: {
        one: {
          on: {
            b: { guard: 'odd', actions: 'note' },
            d: 'two',
            e: { actions: 'both' },
            h: nextLeaf,
            j: { actions: 'look' },
            k: 'end',
          },
        },
        end: { type: 'final' },
        three: { on: { b: { actions: 'tell' }, h: ['four'] } },
        four: { entry: 'ring', on: { h: { target: 'one', actions: 'note' } } },
        two: {
          type: 'parallel',
          on: { b: { guard: 'long', actions: 'reset' }, d: 'one' },
          states: {
            up: { on: { a: { guard: 'odd', actions: ['note', 'tell'] }, f: { actions: 'ring' } } },
            down: { on: { a: { guard: 'throwing', actions: 'ring' }, f: { actions: 'tell' } } },
          },
        },
      },
    },
    right: { on: { b: { guard: 'odd', actions: ['note', 'note', 'ring'] } } },
  },
});

test('regions within regions answer from the inside out, as XState lets them', () => {
  const commands = fc.array(
    fc.record({ type: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'h', 'h', 'unknown'), n: fc.nat(5) }),
    { maxLength: 40 },
  );
  const total = { planned: 0, stayed: 0 };
  fc.assert(
    fc.property(commands, (events) => {
      const { planned, stayed } = compare(
        nested,
        undefined,
        events.map((event) => () => event),
      );
      total.planned += planned;
      total.stayed += stayed;
    }),
    { numRuns: 500 },
  );
  assert.ok(total.planned > total.stayed / 2, `only ${total.planned} of ${total.stayed} were by the plan`);
});

test('what the plan does not cover is left to XState, and nothing was done before', () => {
  const takePlannedStep = plannedStepOf(nested);
  const start = getInitialSnapshot(nested) as AnyMachineSnapshot;
  const two = byXState(nested, start, { type: 'd', n: 0 }).next;
  const left = {
    'a list of actions made up on the way': takePlannedStep(start, { type: 'e', n: 0 }),
    'an action that asks for its actor': takePlannedStep(start, { type: 'g', n: 0 }),
    'an action of no kind that XState has': takePlannedStep(start, { type: 'j', n: 0 }),
    'a state that ends something': takePlannedStep(start, { type: 'k', n: 0 }),
    'a guard that throws': takePlannedStep(two, { type: 'a', n: 6 }),
    "XState's own messages": takePlannedStep(start, { type: 'xstate.stop' }),
    'a machine that has ended': takePlannedStep({ ...start, status: 'done' } as never, { type: 'b', n: 1 }),
  };
  assert.deepEqual(
    Object.entries(left).filter(([, step]) => step !== undefined),
    [],
  );
});

test('what an action throws reaches the caller', () => {
  const machine = setup({
    actions: {
      fail: assign(() => {
        throw new Error('boom');
      }),
    },
  }).createMachine({ context: {}, on: { a: { actions: 'fail' } } });
  const snapshot = createActor(machine).getSnapshot() as AnyMachineSnapshot;
  assert.throws(() => plannedStepOf(machine)(snapshot, { type: 'a' }), /boom/);
});
