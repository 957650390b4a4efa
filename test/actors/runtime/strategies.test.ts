// Strategies on live trees: who goes down, who comes back, in which order, and when a supervisor gives up.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ExitReason, RestartType, Strategy } from '../../../src/actors/runtime/contract.ts';
import { stepUntil } from '../../eventually.ts';
import { counterSpec, type Stage, stage } from './counter.ts';

const generations = ({ root }: Stage): Record<string, number> =>
  Object.fromEntries(root.children().map(({ id, generation }) => [id, generation]));

const upIds = ({ root }: Stage): string[] =>
  root
    .children()
    .filter(({ state }) => state === 'up')
    .map(({ id }) => id);

/** Three siblings, the middle one of the given type; it ends for the given reason. */
const endMiddle = async (
  strategy: Strategy,
  restart: RestartType,
  reason: ExitReason['type'],
): Promise<Stage> => {
  let begins = 0;
  const middle = counterSpec(
    'b',
    { restart, startTimeoutMs: 500 },
    // A second start that never answers ends as `killed`.
    { begin: () => (begins++ === 1 && reason === 'killed' ? new Promise(() => {}) : { input: {} }) },
  );
  const set = stage({ strategy, children: [counterSpec('a'), middle, counterSpec('c')] });
  if (reason === 'normal') set.runtime.registry.tell('b', { type: 'finish' });
  if (reason === 'abnormal') set.runtime.registry.tell('b', { type: 'boom' });
  if (reason === 'shutdown') await set.root.stopChild('b');
  if (reason === 'killed') await set.root.restartChild('b');
  await set.clock.advanceAsync(2_000);
  return set;
};

const affected: Record<Strategy, readonly string[]> = {
  one_for_one: ['b'],
  one_for_all: ['a', 'b', 'c'],
  rest_for_one: ['b', 'c'],
};
const isRestarted = (restart: RestartType, reason: ExitReason['type']): boolean => {
  // An asked stop is for good, whatever the type.
  if (reason === 'shutdown' || restart === 'temporary') return false;
  return restart === 'permanent' || reason !== 'normal';
};

for (const strategy of Object.keys(affected) as Strategy[]) {
  for (const restart of ['permanent', 'transient', 'temporary'] as const) {
    for (const reason of ['normal', 'shutdown', 'abnormal', 'killed'] as const) {
      const restarted = isRestarted(restart, reason);
      test(`${strategy}: a ${restart} child that ends ${reason} is ${restarted ? 'restarted' : 'gone'}`, async () => {
        const set = await endMiddle(strategy, restart, reason);
        const earlier = reason === 'killed' ? 2 : 1;
        const expected: Record<string, number> = { a: 1, b: earlier, c: 1 };
        if (restarted) for (const id of affected[strategy]) expected[id] = (expected[id] ?? 0) + 1;
        else delete expected['b'];
        assert.deepEqual(generations(set), expected);
        assert.deepEqual(upIds(set), Object.keys(expected));
        await set.root.stop();
      });
    }
  }
}

test('one_for_all stops in reverse order, waits, and starts again in order', async () => {
  const order: string[] = [];
  const child = (id: string) => counterSpec(id, {}, { end: () => void order.push(`-${id}`) });
  const { clock, runtime, facts } = stage({
    strategy: 'one_for_all',
    children: [child('a'), child('b'), child('c')],
  });
  runtime.registry.tell('b', { type: 'boom' });
  clock.advance(1_000);
  assert.deepEqual(order, ['-b', '-c', '-a']);
  assert.deepEqual(facts.slice(-6), [
    'restarting b',
    'stopped c',
    'stopped a',
    'started a',
    'started b',
    'started c',
  ]);
});

test('a bystander that is slow to stop is awaited before anybody comes back', async () => {
  let release: () => void = () => {};
  const slow = counterSpec('a', {}, { end: () => new Promise<void>((resolve) => (release = resolve)) });
  const set = stage({ strategy: 'one_for_all', children: [slow, counterSpec('b')] });
  set.runtime.registry.tell('b', { type: 'boom' });
  await set.clock.advanceAsync(3_000);
  assert.deepEqual(upIds(set), []);
  release();
  await set.clock.advanceAsync(999);
  assert.deepEqual(upIds(set), [], 'the back-off begins when all are down');
  await set.clock.advanceAsync(1);
  assert.deepEqual(upIds(set), ['a', 'b']);
});

test('a temporary bystander goes down with the others and does not come back', () => {
  const set = stage({
    strategy: 'one_for_all',
    children: [counterSpec('a'), counterSpec('t', { restart: 'temporary' })],
  });
  set.runtime.registry.tell('a', { type: 'boom' });
  set.clock.advance(1_000);
  assert.deepEqual(upIds(set), ['a']);
  assert.equal(set.runtime.registry.has('t'), false);
});

for (const strategy of ['one_for_all', 'rest_for_one', 'one_for_one'] as const) {
  test(`${strategy}: a child started later is restarted like the fixed ones`, () => {
    const set = stage({ strategy, children: [counterSpec('fixed')] });
    set.root.startChild(counterSpec('later'));
    set.runtime.registry.tell('later', { type: 'boom' });
    set.clock.advance(1_000);
    assert.deepEqual(generations(set), { fixed: strategy === 'one_for_all' ? 2 : 1, later: 2 });
    set.runtime.registry.tell('fixed', { type: 'boom' });
    set.clock.advance(2_000);
    assert.equal(generations(set)['later'], strategy === 'one_for_one' ? 2 : 3);
  });
}

for (const strategy of ['one_for_all', 'rest_for_one'] as const) {
  test(`${strategy}: another child that fails during the restart is part of the next try`, () => {
    let begins = 0;
    const flaky = counterSpec(
      'c',
      {},
      { begin: () => (begins++ === 1 ? { input: { failsAtStart: true } } : { input: {} }) },
    );
    const set = stage({ strategy, children: [counterSpec('a'), counterSpec('b'), flaky, counterSpec('d')] });
    set.runtime.registry.tell('b', { type: 'boom' });
    set.clock.advance(1_000);
    assert.deepEqual(upIds(set), strategy === 'one_for_all' ? [] : ['a', 'b']);
    set.clock.advance(3_000);
    assert.deepEqual(upIds(set), ['a', 'b', 'c', 'd']);
  });
}

test('rest_for_one: an earlier sibling that fails meanwhile widens the group', () => {
  const set = stage({
    strategy: 'rest_for_one',
    children: [counterSpec('a'), counterSpec('b'), counterSpec('c')],
  });
  set.runtime.registry.tell('c', { type: 'boom' });
  set.clock.advance(500);
  set.runtime.registry.tell('a', { type: 'boom' });
  set.clock.advance(999);
  assert.deepEqual(upIds(set), []);
  set.clock.advance(1);
  assert.deepEqual(generations(set), { a: 2, b: 2, c: 2 });
});

test('the fixed children start one after the other, an asynchronous one is awaited', async () => {
  let begun: () => void = () => {};
  const slow = counterSpec(
    'a',
    {},
    { begin: () => new Promise((resolve) => (begun = () => resolve({ input: {} }))) },
  );
  const set = stage({ strategy: 'rest_for_one', children: [slow, counterSpec('b')] });
  let isReady = false;
  void set.root.ready().then(() => (isReady = true));
  await set.clock.settle();
  assert.deepEqual(upIds(set), []);
  assert.equal(isReady, false);
  begun();
  await set.clock.settle();
  assert.deepEqual(upIds(set), ['a', 'b']);
  assert.equal(isReady, true);
});

const untilUp = (set: Stage, id: string, stepMs: number): void =>
  stepUntil(
    `${id} is up`,
    () => set.runtime.registry.peek(id) !== undefined,
    () => set.clock.advance(stepMs),
    1_000,
  );

/** Crashes the child as soon as it is up, `times` times; returns how long that took. */
const crashRepeatedly = (set: Stage, id: string, times: number): void => {
  for (let count = 0; count < times; count += 1) {
    untilUp(set, id, 100);
    set.runtime.registry.tell(id, { type: 'boom' });
    set.clock.runTurns();
  }
};

test('exactly n restarts are survived, n+1 make the supervisor give up', () => {
  const set = stage({ intensity: 3, children: [counterSpec('a'), counterSpec('b')] });
  crashRepeatedly(set, 'a', 3);
  set.clock.advance(10_000);
  assert.deepEqual(upIds(set), ['a', 'b']);
  crashRepeatedly(set, 'a', 1);
  assert.deepEqual(set.exits, ['abnormal']);
  assert.ok(set.facts.includes('intensityExceeded root'));
  assert.equal(set.runtime.registry.size, 0, 'nobody is left running');
  assert.equal(set.clock.timers, 0);
});

test('the window slides: three failures now and three a minute later are survived', () => {
  const set = stage({ intensity: 3, children: [counterSpec('a')] });
  crashRepeatedly(set, 'a', 3);
  set.clock.advance(70_000);
  crashRepeatedly(set, 'a', 3);
  set.clock.advance(70_000);
  assert.deepEqual(set.exits, []);
  assert.deepEqual(upIds(set), ['a']);
});

for (const jumpMs of [-3_600_000, 3_600_000]) {
  test(`a wall clock set by ${jumpMs / 60_000} minutes between failures changes nothing`, () => {
    const set = stage({ intensity: 3, children: [counterSpec('a')] });
    crashRepeatedly(set, 'a', 2);
    set.clock.jumpWall(jumpMs);
    crashRepeatedly(set, 'a', 1);
    assert.deepEqual(set.exits, []);
    crashRepeatedly(set, 'a', 1);
    assert.deepEqual(set.exits, ['abnormal']);
  });
}

test('back-off grows with each failure and begins anew after a quiet minute', () => {
  const waits: number[] = [];
  const set = stage({ intensity: 100, children: [counterSpec('a')] });
  set.runtime.facts.listen((fact) => fact.type === 'restarting' && waits.push(fact.inMs));
  crashRepeatedly(set, 'a', 8);
  untilUp(set, 'a', 1_000);
  set.clock.advance(59_000);
  crashRepeatedly(set, 'a', 1);
  untilUp(set, 'a', 1_000);
  set.clock.advance(60_000);
  crashRepeatedly(set, 'a', 1);
  assert.deepEqual(
    waits,
    [1, 2, 4, 8, 16, 32, 60, 60, 60, 1].map((seconds) => seconds * 1_000),
  );
});

test('a supervisor that gives up is restarted by its parent, with the children started later', () => {
  const set = stage();
  const inner = set.root.startSupervisor({ id: 'inner', strategy: 'one_for_one', intensity: 0 });
  assert.ok(inner.started);
  inner.supervisor.startChild(counterSpec('a'));
  inner.supervisor.startChild(counterSpec('t', { restart: 'temporary' }));
  set.runtime.registry.tell('a', { type: 'boom' });
  set.clock.runTurns();
  assert.equal(set.root.counts().backingOff, 1);
  const answers: string[] = [];
  set.runtime.registry.tell('a', { type: 'count' }, ({ type }) => answers.push(type));
  set.clock.advance(1_000);
  assert.deepEqual(answers, ['done'], 'mail told after the escalation reaches the child that came back');
  assert.equal(inner.supervisor.generation, 2);
  assert.deepEqual(
    inner.supervisor.children().map(({ id }) => id),
    ['a'],
  );
  assert.equal(set.runtime.registry.has('t'), false);
});

test('intensities multiply up to the top, which exits', () => {
  const set = stage({ intensity: 1 });
  const inner = set.root.startSupervisor({ id: 'inner', strategy: 'one_for_one', intensity: 1 });
  assert.ok(inner.started);
  inner.supervisor.startChild(counterSpec('a'));
  crashRepeatedly(set, 'a', 3);
  assert.deepEqual(set.exits, []);
  crashRepeatedly(set, 'a', 1);
  assert.deepEqual(set.exits, ['abnormal']);
  assert.equal(set.runtime.supervisors.size, 0);
});
