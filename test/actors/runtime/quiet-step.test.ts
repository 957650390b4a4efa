// Quiet steps beside XState's own: whatever a quiet step says of a message, XState says, too.
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
  transition,
} from 'xstate';
import { quietStepOf } from '../../../src/actors/runtime/quiet-step.ts';
import { allMachines } from '../../../src/machines/all-machines.ts';
import { checkMachine } from '../../../src/machines/check/check-machine.ts';
import { idOf, sampleEvent } from '../../machines/samples.ts';
import { walks } from '../../machines/walks.ts';
import { fc, seeded } from '../../property.ts';

interface Seen {
  readonly value: unknown;
  readonly context: unknown;
  readonly states: readonly string[];
  readonly emitted: readonly unknown[];
}

const seen = (snapshot: AnyMachineSnapshot, emitted: readonly unknown[]): Seen => ({
  value: snapshot.value,
  context: snapshot.context,
  // A set: XState itself keeps no order of them.
  states: snapshot._nodes.map(({ id }) => id).sort(),
  emitted,
});

const byXState = (machine: AnyStateMachine, snapshot: AnyMachineSnapshot, event: AnyEventObject) => {
  const [next, actions] = transition(machine, snapshot, event);
  const emitted = actions
    .filter(({ type }): boolean => (type as string) === 'xstate.emit')
    .map(({ params }) => (params as unknown as { event: unknown }).event);
  return { next: next as AnyMachineSnapshot, seen: seen(next as AnyMachineSnapshot, emitted) };
};

/** Walks a machine by XState; returns how many of the steps were quiet, and how many changed no state. */
const compare = (
  machine: AnyStateMachine,
  input: unknown,
  facts: readonly ((snapshot: AnyMachineSnapshot) => AnyEventObject)[],
) => {
  const takeQuietStep = quietStepOf(machine);
  let snapshot = getInitialSnapshot(machine, input as never) as AnyMachineSnapshot;
  const count = { quiet: 0, stayed: 0 };
  for (const fact of facts) {
    const event = fact(snapshot);
    const quiet = takeQuietStep(snapshot, event);
    const { next, seen: wanted } = byXState(machine, snapshot, event);
    if (quiet !== undefined) {
      assert.deepEqual(seen(quiet.snapshot, quiet.emitted), wanted);
      count.quiet += 1;
    }
    if (JSON.stringify(next.value) === JSON.stringify(snapshot.value)) count.stayed += 1;
    snapshot = next;
  }
  return count;
};

for (const { machine, title } of allMachines) {
  const walk = walks[machine.id];
  if (walk === undefined) throw new Error(`no walk for the machine ${machine.id}`);
  test(`${title}: a quiet step does what XState does`, () => {
    let quiet = 0;
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
        quiet += compare(
          machine,
          walk.input,
          Array.from({ length: walk.length }, () => fact),
        ).quiet;
      }),
      { numRuns: 60 },
    );
    assert.ok(quiet > 0, 'no step of this machine was quiet');
  });
}

test('the first result of a check and all that follow it are quiet steps', () => {
  const [check] = allMachines;
  const walk = walks.check;
  if (check === undefined || walk === undefined) throw new Error('no check machine');
  let ids = 0;
  const fact = (snapshot: AnyMachineSnapshot): AnyEventObject => {
    const result = walk.facts[0]?.({ random: () => 0, nowMs: 1_700_000_000_000, context: snapshot.context });
    ids += 1;
    const id = `00000000-0000-4000-8000-${String(ids).padStart(12, '0')}`;
    const event = (result as unknown as { event: object }).event;
    return { ...result, event: { ...event, id } } as unknown as AnyEventObject;
  };
  assert.deepEqual(compare(check.machine, walk.input, Array(20).fill(fact)), { quiet: 20, stayed: 19 });
});

test('an event that is delivered takes quiet steps only: out to the pipelines and back', () => {
  const takeQuietStep = quietStepOf(checkMachine);
  const input = { namespace: 'default', entity: 'web-01', check: 'cpu' };
  const idle = getInitialSnapshot(checkMachine, input) as AnyMachineSnapshot;
  const event = sampleEvent({ status: 2, id: idOf(1), check: { ttl: 20, handlers: ['slack'] } });
  const received = takeQuietStep(idle, { type: 'result.received', event, nowMs: 1_000, silenced: [] });
  assert.deepEqual(received?.snapshot.value, { result: 'failing', ttl: 'waiting', delivery: 'delivering' });
  assert.deepEqual(
    received.emitted.map(({ type }) => type),
    ['persist', 'deadline.set', 'deliver'],
  );
  const finished = takeQuietStep(received.snapshot, { type: 'delivery.finished', seq: 1, nowMs: 2_000 });
  assert.deepEqual(finished?.snapshot.value, { result: 'failing', ttl: 'waiting', delivery: 'idle' });
});

interface Tally {
  readonly log: string;
}

const nextLeaf = { target: 'three', actions: ['note', 'tell'] } as const;

/** Parallel in compound in parallel, with answers on every level, and some that are not quiet. */
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
        one: { on: { b: { guard: 'odd', actions: 'note' }, d: 'two', e: { actions: 'both' }, h: nextLeaf } },
        three: { on: { b: { actions: 'tell' }, h: ['four'] } },
        // Entered with an action: XState's business.
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
  const total = { quiet: 0, stayed: 0 };
  fc.assert(
    fc.property(commands, (events) => {
      const { quiet, stayed } = compare(
        nested,
        undefined,
        events.map((event) => () => event),
      );
      total.quiet += quiet;
      total.stayed += stayed;
    }),
    { numRuns: 500 },
  );
  assert.ok(total.quiet > total.stayed / 2, `only ${total.quiet} of ${total.stayed} were quiet`);
});

test('what a quiet step cannot do is left to XState, and nothing was done before', () => {
  const takeQuietStep = quietStepOf(nested);
  const start = getInitialSnapshot(nested) as AnyMachineSnapshot;
  const two = byXState(nested, start, { type: 'd', n: 0 }).next;
  const three = byXState(nested, start, { type: 'h', n: 0 }).next;
  const left = {
    'a state with states of its own': takeQuietStep(start, { type: 'd', n: 0 }),
    'a state that is entered with an action': takeQuietStep(three, { type: 'h', n: 0 }),
    'a list of actions made up on the way': takeQuietStep(start, { type: 'e', n: 0 }),
    'an action that asks for its actor': takeQuietStep(start, { type: 'g', n: 0 }),
    'a guard that throws': takeQuietStep(two, { type: 'a', n: 6 }),
    "XState's own messages": takeQuietStep(start, { type: 'xstate.stop' }),
    'a machine that has ended': takeQuietStep({ ...start, status: 'done' } as never, { type: 'b', n: 1 }),
  };
  assert.deepEqual(
    Object.entries(left).filter(([, step]) => step !== undefined),
    [],
  );
});

test('a machine with eventless transitions or wildcards takes no quiet step', () => {
  const ring = emit({ type: 'rung' });
  const base = setup({ actions: { ring } });
  const eventless = base.createMachine({
    initial: 'one',
    on: { a: { actions: 'ring' } },
    states: { one: { always: { guard: () => false, target: 'two' } }, two: {} },
  });
  const wildcard = base.createMachine({ on: { a: { actions: 'ring' }, '*': { actions: 'ring' } } });
  for (const machine of [eventless, wildcard]) {
    assert.equal(
      quietStepOf(machine)(getInitialSnapshot(machine) as AnyMachineSnapshot, { type: 'a' }),
      undefined,
    );
  }
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
  assert.throws(() => quietStepOf(machine)(snapshot, { type: 'a' }), /boom/);
});
