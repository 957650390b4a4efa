// The shape of XState that the adapter relies on: a version of XState with another one fails here, by name, before anything
// subtle goes wrong.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type AnyMachineSnapshot,
  type AnyStateMachine,
  and,
  assign,
  createMachine,
  emit,
  enqueueActions,
  getInitialSnapshot,
  not,
  or,
  setup,
  stateIn,
  transition,
} from 'xstate';
import {
  activeNodes,
  type BuiltinEffect,
  builtinEffectOf,
  type Emitted,
  enqueueOf,
  type Facts,
  guardShapeOf,
  initialOf,
  isMachineSnapshot,
  limitMicrosteps,
  movedSnapshot,
  type NotedMicrostep,
  notingScope,
  rootOf,
  writtenTransitions,
} from '../../../../src/actors/runtime/statechart/xstate-internals.ts';
import { inertScope } from './by-xstate.ts';

const machine = setup({
  actions: { ring: emit({ type: 'rung' }), count: assign({ n: 1 }) },
  guards: { yes: () => true },
}).createMachine({
  id: 'm',
  context: { n: 0 },
  type: 'parallel',
  on: { go: { actions: 'ring' }, '*': {} },
  states: {
    one: {
      initial: 'a',
      states: {
        a: {
          tags: 'first',
          on: { go: [{ guard: 'yes', target: 'b' }] },
          always: { guard: not('yes'), target: 'b' },
        },
        b: { tags: 'second' },
      },
    },
    two: {},
  },
});
const start = getInitialSnapshot(machine) as AnyMachineSnapshot;

test('a snapshot has its active states, in the order in which they were entered', () => {
  assert.equal(isMachineSnapshot(start), true);
  assert.equal(isMachineSnapshot({ value: 'a' }), false);
  assert.deepEqual(
    activeNodes(start).map(({ id, order }) => [id, order]),
    [
      ['m', 0],
      ['m.one', 1],
      ['m.one.a', 2],
      ['m.two', 4],
    ],
  );
});

test('a snapshot in other states is one that XState goes on with', () => {
  const root = rootOf(machine);
  const one = root.states['one'];
  const nodes = [root, one, one?.states['b'], root.states['two']].filter((node) => node !== undefined);
  const moved = movedSnapshot(start, {
    value: { one: 'b', two: {} },
    context: start.context,
    nodes,
    hasTags: true,
  });
  const [byXState] = transition(machine, start, { type: 'go' });
  assert.deepEqual([...moved.tags], [...byXState.tags]);
  assert.deepEqual(moved.value, byXState.value);
  assert.equal(moved.matches({ one: 'b' }), true);
  assert.equal(transition(machine, moved, { type: 'go' })[0].status, 'active');
});

test('a state node has its transitions as they are written, eventless ones under no name', () => {
  const leaf = rootOf(machine).states['one']?.states['a'] ?? assert.fail('no such state');
  const shown = writtenTransitions(leaf).map(([event, refs]) => [
    event,
    refs.map(({ eventType, target, actions, reenter }) => [
      eventType,
      target?.map(({ id }: { id: string }) => id),
      actions,
      reenter,
    ]),
  ]);
  assert.deepEqual(shown, [
    ['go', [['go', ['m.one.b'], [], false]]],
    ['', [['', ['m.one.b'], [], false]]],
  ]);
  assert.deepEqual(
    writtenTransitions(rootOf(machine)).map(([event]) => event),
    ['go', '*'],
  );
  const { target, hasActions } = initialOf(rootOf(machine).states['one'] ?? assert.fail('no such state'));
  assert.deepEqual([target?.id, hasActions], ['m.one.a', false]);
});

/** What the function of an `enqueueActions` emits; throws when it wants more than that. */
const enqueued = (
  collect: Extract<BuiltinEffect, { type: 'enqueue' }>['collect'],
  facts: Facts,
): readonly Emitted[] => {
  const emitted: Emitted[] = [];
  const refuse = (): never => {
    throw new Error('more than emit');
  };
  collect({ ...facts, enqueue: enqueueOf((one) => emitted.push(one), refuse) });
  return emitted;
};

test('assign, emit and enqueueActions carry what they do; nothing else is taken for one of them', () => {
  const facts = { context: { n: 1 }, event: { type: 'go' } };
  const named = createMachine({}, {
    actions: {
      whole: assign(({ context }) => ({ n: context['n'] + 1 })),
      parts: assign({ n: ({ context }) => context['n'] + 2, fixed: 3 }),
      fixed: emit({ type: 'rung' }),
      made: emit(({ context }) => ({ type: 'rung', n: context['n'] })),
      many: enqueueActions(({ enqueue, context }) => {
        enqueue.emit({ type: 'rung' });
        if (context['n'] > 1) enqueue.assign({ n: 5 });
      }),
      own: () => {},
    },
  } as never) as AnyStateMachine;
  const done = (name: string): unknown => {
    const effect = builtinEffectOf(named, name);
    if (effect === undefined) return undefined;
    if (effect.type === 'assign') return effect.assign(facts);
    if (effect.type === 'enqueue') return enqueued(effect.collect, facts);
    return typeof effect.emit === 'function' ? effect.emit(facts) : effect.emit;
  };
  assert.deepEqual(['whole', 'parts', 'fixed', 'made', 'many', 'own', 'missing'].map(done), [
    { n: 2 },
    { n: 3, fixed: 3 },
    { type: 'rung' },
    { type: 'rung', n: 1 },
    [{ type: 'rung' }],
    undefined,
    undefined,
  ]);
  const many = builtinEffectOf(named, 'many');
  assert.ok(many?.type === 'enqueue');
  assert.throws(() => enqueued(many.collect, { ...facts, context: { n: 2 } }), /more than emit/);
  assert.equal(builtinEffectOf(named, { type: 'whole', params: {} }), undefined);
});

test('a guard is a function, a combination of others, or a question about the whole snapshot', () => {
  const shapes = [() => true, and(['yes']), or(['yes']), not('yes'), stateIn({ one: 'a' })].map(guardShapeOf);
  assert.deepEqual(
    shapes.map(({ type }) => type),
    ['function', 'and', 'or', 'not', 'ofState'],
  );
  assert.deepEqual(
    shapes.flatMap((shape) => ('parts' in shape ? [shape.parts] : [])),
    [['yes'], ['yes'], ['yes']],
  );
  const [, , , , where] = shapes;
  assert.ok(where?.type === 'ofState');
  assert.equal(where.ask(start, { context: {}, event: { type: 'go' } }), true);
});

test('the microsteps of one transition are told, of a scope of its own', () => {
  const noted: NotedMicrostep[] = [];
  const scope = inertScope(machine);
  machine.transition(start as never, { type: 'go' }, notingScope(scope, (step) => noted.push(step)) as never);
  machine.transition(start as never, { type: 'go' }, scope as never);
  assert.deepEqual(
    noted.map(({ transitions, snapshot }) => [transitions.map(({ eventType }) => eventType), snapshot.value]),
    [[['go'], { one: 'b', two: {} }]],
  );
});

test('XState stops a machine that does not come to rest, once it is told to', () => {
  const endless = createMachine({
    initial: 'a',
    states: { a: { on: { go: 'b' } }, b: { always: 'c' }, c: { always: 'b' } },
  });
  limitMicrosteps(endless, 10);
  const idle = getInitialSnapshot(endless);
  assert.throws(() => transition(endless, idle, { type: 'go' }), /10 microsteps/);
});
