// Stopping: in reverse order, awaited, each child within its own time, and no orphan whatever fails on the way.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Receipt } from '../../../src/actors/runtime/contract.ts';
import { createRuntime, createSupervisor } from '../../../src/actors/runtime/runtime.ts';
import { counterSpec, countOf, stage } from './counter.ts';
import { createSimulatedClock } from './simulated-clock.ts';

test('children stop in reverse order, each after the one behind it is down', async () => {
  const order: string[] = [];
  const child = (id: string) =>
    counterSpec(
      id,
      {},
      {
        end: async () => {
          order.push(`${id} begins`);
          await Promise.resolve();
          order.push(`${id} is down`);
        },
      },
    );
  const { clock, root } = stage({ children: [child('a'), child('b'), child('c')] });
  void root.stop().then(() => order.push('root'));
  await clock.settle();
  assert.deepEqual(order, [
    'c begins',
    'c is down',
    'b begins',
    'b is down',
    'a begins',
    'a is down',
    'root',
  ]);
});

test('a stop waits for the receipts that are held, then refuses what is left', async () => {
  const holds: Receipt[] = [];
  const told: string[] = [];
  const { clock, runtime, root } = stage();
  root.startChild(counterSpec('a', {}, { onPersist: (settle) => holds.push(settle) }));
  runtime.registry.tell('a', { type: 'persist' }, ({ type }) => told.push(`written ${type}`));
  clock.runTurns();
  runtime.registry.tell('a', { type: 'count' }, ({ type }) => told.push(`waiting ${type}`));
  let isStopped = false;
  void root.stopChild('a').then(() => (isStopped = true));
  assert.deepEqual(told, ['waiting busy']);
  await clock.advanceAsync(1_000);
  assert.equal(isStopped, false);
  holds[0]?.({ type: 'done' });
  await clock.settle();
  assert.deepEqual(told, ['waiting busy', 'written done']);
  assert.equal(isStopped, true);
});

test('a child that misses its time is abandoned and named, and its siblings still stop', async () => {
  const reasons: string[] = [];
  const stuck = counterSpec('stuck', { shutdownMs: 2_000 }, { end: () => new Promise(() => {}) });
  const { clock, runtime, root } = stage({ children: [counterSpec('a'), stuck] });
  runtime.facts.listen(
    (fact) => fact.type === 'stopped' && reasons.push(`${fact.actor} ${fact.reason.type}`),
  );
  const stopped = root.stop();
  clock.advance(1_999);
  assert.deepEqual(reasons, []);
  await clock.advanceAsync(1);
  await stopped;
  assert.deepEqual(reasons, ['stuck killed', 'a shutdown', 'root shutdown']);
  assert.equal(clock.timers, 0);
});

test('an abandoned child still answers for the receipts it held', async () => {
  const told: string[] = [];
  const { clock, runtime, root } = stage({
    children: [counterSpec('a', { shutdownMs: 100 }, { onPersist: () => {} })],
  });
  runtime.registry.tell('a', { type: 'persist' }, (outcome) =>
    told.push(outcome.type === 'busy' ? outcome.why : ''),
  );
  clock.runTurns();
  const stopped = root.stop();
  await clock.advanceAsync(100);
  await stopped;
  assert.deepEqual(told, ['stopped']);
});

test('a throw or a rejection in the cleanup is reported and the stop goes on', async () => {
  const { clock, runtime, root } = stage();
  root.startChild(counterSpec('a', {}, { end: () => Promise.reject(new Error('async')) }));
  root.startChild(
    counterSpec(
      'b',
      {},
      {
        end: () => {
          throw new Error('sync');
        },
      },
    ),
  );
  const stopped = root.stop();
  await clock.settle();
  await stopped;
  assert.equal(runtime.faults.count, 2);
  assert.equal(runtime.registry.size, 0);
});

test('an actor may have itself stopped by its own effect: the message in hand is finished', async () => {
  const told: string[] = [];
  const { clock, runtime, root } = stage();
  root.startChild(
    counterSpec(
      'a',
      {},
      {
        onNamed: (name) => {
          if (name === 'first') void root.stopChild('a').then(() => told.push('stopped'));
          else told.push('second effect');
        },
      },
    ),
  );
  runtime.registry.tell('a', { type: 'effects' }, ({ type }) => told.push(type));
  await clock.settle();
  assert.deepEqual(told, ['second effect', 'done', 'stopped']);
});

test('stopping while a restart is due leaves nothing that could bring the child back', async () => {
  const { clock, runtime, root, facts } = stage();
  root.startChild(counterSpec('a'));
  runtime.registry.tell('a', { type: 'boom' });
  clock.runTurns();
  await root.stopChild('a');
  clock.advance(120_000);
  assert.deepEqual(facts, ['started root', 'started a', 'restarting a', 'stopped a']);
  assert.equal(clock.timers, 0);
});

test('an old retry does not start a child a second time after a restart by hand', async () => {
  const { clock, runtime, root } = stage();
  root.startChild(counterSpec('a'));
  runtime.registry.tell('a', { type: 'boom' });
  clock.advance(500);
  await root.restartChild('a');
  runtime.registry.tell('a', { type: 'count' });
  clock.advance(60_000);
  assert.equal(countOf(runtime, 'a'), 1);
  assert.equal(root.child('a')?.generation, 2);
});

test('a child that fails to start stays a child and is tried again', () => {
  let begins = 0;
  const { clock, runtime, root } = stage();
  root.startChild(counterSpec('a', {}, { begin: () => ({ input: { failsAtStart: begins++ < 2 } }) }));
  assert.equal(root.counts().backingOff, 1);
  clock.advance(1_000);
  assert.equal(root.counts().backingOff, 1);
  clock.advance(2_000);
  assert.equal(countOf(runtime, 'a'), 0);
});

test('a supervisor restarted while a child is in back-off neither doubles nor loses it', async () => {
  const { clock, runtime, root } = stage();
  const inner = root.startSupervisor({ id: 'inner', strategy: 'one_for_one' });
  assert.ok(inner.started);
  inner.supervisor.startChild(counterSpec('a'));
  runtime.registry.tell('a', { type: 'boom' });
  clock.advance(500);
  await root.restartChild('inner');
  clock.advance(60_000);
  assert.equal(inner.supervisor.child('a')?.generation, 2);
  assert.equal(inner.supervisor.counts().up, 1);
});

test('an id is used once in the whole runtime, and is free when its actor is gone', async () => {
  const { clock, root, facts } = stage();
  root.startChild(counterSpec('a'));
  const inner = root.startSupervisor({ id: 'inner', strategy: 'one_for_one' });
  assert.ok(inner.started);
  assert.deepEqual(root.startChild(counterSpec('a')), { started: false, why: 'duplicateId' });
  assert.deepEqual(inner.supervisor.startChild(counterSpec('a')), { started: false, why: 'duplicateId' });
  assert.deepEqual(root.startSupervisor({ id: 'inner', strategy: 'one_for_one' }), {
    started: false,
    why: 'duplicateId',
  });
  assert.equal(facts.filter((fact) => fact.startsWith('duplicateId')).length, 3);
  root.startChild(
    counterSpec('slow', {}, { end: () => new Promise((resolve) => clock.setTimer(resolve, 1_000)) }),
  );
  const stopped = root.stopChild('slow');
  assert.deepEqual(root.startChild(counterSpec('slow')), { started: false, why: 'stopping' });
  await clock.advanceAsync(1_000);
  await stopped;
  assert.deepEqual(root.startChild(counterSpec('slow')), { started: true });
  await root.stopChild('inner');
  await root.stop();
  assert.deepEqual(root.startChild(counterSpec('late')), { started: false, why: 'stopping' });
});

test('a wrong spec is thrown at whoever wrote it', () => {
  const { root } = stage();
  const wrong = (spec: object, says: RegExp) => assert.throws(() => root.startChild(spec as never), says);
  wrong({ ...counterSpec('a'), restrat: 'permanent' }, /unknown key restrat/);
  wrong({ ...counterSpec('a'), restart: 'always' }, /restart must be permanent, transient or temporary/);
  wrong({ ...counterSpec('') }, /id must be/);
  wrong(counterSpec('a', {}, { capacity: 0 }), /capacity must be at least 1/);
  assert.throws(
    () => root.startSupervisor({ id: 's', strategy: 'one_for_all', whenFailing: 'quarantine' }),
    /quarantine needs strategy one_for_one/,
  );
  assert.equal(root.size, 0);
});

test('a fault in the supervisor itself stops its children before it is told', () => {
  const clock = createSimulatedClock();
  const exits: string[] = [];
  const runtime = createRuntime({
    clock,
    random: () => {
      throw new Error('no luck');
    },
  });
  const root = createSupervisor(
    runtime,
    { id: 'root', strategy: 'one_for_one' },
    { onExit: ({ type }) => exits.push(type) },
  );
  const ended: string[] = [];
  for (const id of ['a', 'b', 'c']) root.startChild(counterSpec(id, {}, { end: () => void ended.push(id) }));
  runtime.registry.tell('a', { type: 'boom' });
  clock.runTurns();
  assert.deepEqual(ended, ['a', 'c', 'b']);
  assert.deepEqual(exits, ['abnormal']);
  assert.equal(runtime.faults.count, 1);
  assert.equal(runtime.registry.size, 0);
});

test('a listener that throws and a log that throws hurt nobody', () => {
  const clock = createSimulatedClock();
  const broken = (): never => {
    throw new Error('report');
  };
  const runtime = createRuntime({
    clock,
    random: () => 0,
    log: { info: broken, warn: broken, error: broken },
  });
  runtime.facts.listen(broken);
  runtime.faults.listen(broken);
  const root = createSupervisor(runtime, { id: 'root', strategy: 'one_for_one' });
  root.startChild(counterSpec('a'));
  runtime.registry.tell('a', { type: 'boom' });
  clock.advance(1_000);
  assert.equal(countOf(runtime, 'a'), 0);
  assert.ok(runtime.faults.count > 0);
});

test('a cleanup that ends after its actor was abandoned and restarted does not touch the new life', async () => {
  let finish: () => void = () => {};
  const { clock, runtime, root } = stage();
  const end = (): Promise<void> => new Promise((resolve) => (finish = resolve));
  root.startChild(counterSpec('a', { shutdownMs: 1_000 }, { end }));
  const restarted = root.restartChild('a');
  await clock.advanceAsync(1_000);
  await restarted;
  assert.equal(root.child('a')?.generation, 2);
  finish();
  await clock.settle();
  runtime.registry.tell('a', { type: 'count' });
  clock.runTurns();
  assert.equal(countOf(runtime, 'a'), 1);
});

test('an actor that ended by itself still answers for what it holds, and a stop waits for that', async () => {
  const holds: Receipt[] = [];
  const told: string[] = [];
  const { clock, runtime, root } = stage();
  const options = { onPersist: (settle: Receipt) => void holds.push(settle) };
  root.startChild(counterSpec('gone', { restart: 'transient' }, options));
  root.startChild(counterSpec('back', {}, options));
  for (const id of ['gone', 'back']) {
    runtime.registry.tell(id, { type: 'persist' }, ({ type }) => told.push(`${id} ${type}`));
    runtime.registry.tell(id, { type: 'finish' });
  }
  clock.runTurns();
  assert.equal(runtime.registry.has('gone'), false);
  void root.stop().then(() => told.push('root'));
  await clock.advanceAsync(100);
  holds[1]?.({ type: 'done' });
  await clock.settle();
  assert.deepEqual(told, ['back done', 'root']);
  await clock.advanceAsync(5_000);
  assert.deepEqual(told, ['back done', 'root', 'gone busy']);
});
