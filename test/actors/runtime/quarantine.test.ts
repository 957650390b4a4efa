// Many unrelated children: the one that keeps failing is parked, and only a fault they share restarts them all.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stepUntil } from '../../eventually.ts';
import { counterSpec, type Stage, stage } from './counter.ts';

const partition = (): Stage => stage({ whenFailing: 'quarantine' });

const crash = (set: Stage, id: string): void => {
  for (let waited = 0; set.runtime.registry.peek(id) === undefined; waited += 100) {
    assert.ok(waited < 120_000, `${id} did not come back`);
    set.clock.advance(100);
  }
  set.runtime.registry.tell(id, { type: 'boom' });
  set.clock.runTurns();
};

test('five failures in a minute are retried, the sixth parks the child and not its siblings', () => {
  const set = partition();
  set.root.startChild(counterSpec('poisoned'));
  set.root.startChild(counterSpec('healthy'));
  for (let count = 0; count < 5; count += 1) crash(set, 'poisoned');
  assert.equal(set.root.counts().quarantined, 0);
  crash(set, 'poisoned');
  assert.deepEqual(
    { ...set.root.counts(), total: 0 },
    {
      total: 0,
      starting: 0,
      up: 1,
      halting: 0,
      gone: 0,
      backingOff: 0,
      quarantined: 1,
    },
  );
  const told: string[] = [];
  set.runtime.registry.tell('poisoned', { type: 'count' }, (outcome) =>
    told.push(outcome.type === 'busy' ? outcome.why : outcome.type),
  );
  assert.deepEqual(told, ['restarting'], 'nobody waits a minute for an answer');
  assert.ok(set.facts.includes('quarantined poisoned'));
  assert.deepEqual(set.exits, []);
});

test('a parked child is retried every minute, and a quiet minute makes it one like the others', () => {
  const set = partition();
  set.root.startChild(counterSpec('a'));
  for (let count = 0; count < 6; count += 1) crash(set, 'a');
  set.clock.advance(59_999);
  assert.equal(set.root.counts().quarantined, 1);
  set.clock.advance(1);
  assert.equal(set.root.counts().up, 1);
  crash(set, 'a');
  assert.equal(set.root.counts().quarantined, 1, 'it failed again: parked again at once');
  set.clock.advance(60_000);
  set.clock.advance(60_000);
  crash(set, 'a');
  assert.equal(set.root.counts().backingOff, 1, 'a minute without a failure is forgiven');
});

test('a restart by hand takes a child out of quarantine at once', async () => {
  const set = partition();
  set.root.startChild(counterSpec('a'));
  for (let count = 0; count < 6; count += 1) crash(set, 'a');
  await set.root.restartChild('a');
  assert.equal(set.root.counts().up, 1);
  crash(set, 'a');
  assert.equal(set.root.counts().backingOff, 1);
});

test('more than a tenth of the children failing together restart the supervisor, one less does not', () => {
  for (const [failing, expected] of [
    [10, 1],
    [11, 2],
  ] as const) {
    const set = stage();
    const inner = set.root.startSupervisor({ id: 'p', strategy: 'one_for_one', whenFailing: 'quarantine' });
    assert.ok(inner.started);
    for (let index = 0; index < 100; index += 1) inner.supervisor.startChild(counterSpec(`c${index}`));
    for (let index = 0; index < failing; index += 1) set.runtime.registry.tell(`c${index}`, { type: 'boom' });
    set.clock.advance(5_000);
    assert.equal(inner.supervisor.generation, expected, `${failing} of 100`);
    assert.equal(inner.supervisor.counts().up, 100);
  }
});

test('poison is the message and not the child: it counts once', () => {
  const set = partition();
  set.root.startChild(counterSpec('a'));
  for (let count = 0; count < 12; count += 1) {
    stepUntil(
      'a is up',
      () => set.runtime.registry.peek('a') !== undefined,
      () => set.clock.advance(100),
      1_000,
    );
    set.runtime.registry.tell('a', { type: 'boom', event: { id: 'same' } } as never);
    set.clock.advance(100);
  }
  assert.equal(set.root.counts().quarantined, 0);
  assert.equal(set.root.counts().up, 1);
});

test('twenty thousand children: a thousand crash and come back, all stop, nothing is left', async () => {
  const set = partition();
  const count = 20_000;
  for (let index = 0; index < count; index += 1) {
    assert.ok(set.root.startChild(counterSpec(`c${index}`)).started);
  }
  for (let index = 0; index < 1_000; index += 1) {
    set.runtime.registry.tell(`c${(index * 7_919) % count}`, { type: 'boom' });
  }
  set.clock.runTurns();
  assert.equal(set.root.counts().backingOff, 1_000);
  set.clock.advance(1_200);
  assert.equal(set.root.counts().up, count);
  let told = 0;
  for (let index = 0; index < count; index += 1)
    set.runtime.registry.tell(`c${index}`, { type: 'count' }, () => (told += 1));
  set.clock.runTurns();
  assert.equal(told, count);
  await set.root.stop();
  assert.equal(set.runtime.registry.size, 0);
  assert.equal(set.runtime.deadlines.size, 0);
  assert.equal(set.clock.timers, 0);
});

test('twenty thousand restarted together come back in turns, not in one', async () => {
  const set = stage();
  const inner = set.root.startSupervisor({ id: 'p', strategy: 'one_for_one', whenFailing: 'quarantine' });
  assert.ok(inner.started);
  for (let index = 0; index < 2_000; index += 1) inner.supervisor.startChild(counterSpec(`c${index}`));
  await set.root.restartChild('p');
  assert.ok(inner.supervisor.counts().up <= 200, `${inner.supervisor.counts().up} started in one go`);
  set.clock.runTurns();
  assert.equal(inner.supervisor.counts().up, 2_000);
});
