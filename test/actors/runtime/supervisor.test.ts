// Supervisors from outside: starting, crashing, backing off, stopping.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { counterSpec, countOf, stage } from './counter.ts';

test('a started actor handles messages in order and tells the receipt when done', () => {
  const { clock, runtime, root } = stage();
  assert.deepEqual(root.startChild(counterSpec('a')), { started: true });
  const outcomes: string[] = [];
  runtime.registry.tell('a', { type: 'count' }, (outcome) => outcomes.push(outcome.type));
  assert.deepEqual(outcomes, [], 'a tell never runs the machine inside the sender');
  clock.runTurns();
  assert.deepEqual(outcomes, ['done']);
  assert.equal(countOf(runtime, 'a'), 1);
});

test('a crashed actor comes back after one second from its origin, with the mail that waited', () => {
  const { clock, runtime, root, facts } = stage();
  root.startChild(counterSpec('a'));
  const outcomes: string[] = [];
  runtime.registry.tell('a', { type: 'count', by: 5 } as never);
  runtime.registry.tell('a', { type: 'boom' }, (outcome) => outcomes.push(outcome.type));
  runtime.registry.tell('a', { type: 'count' }, (outcome) => outcomes.push(outcome.type));
  clock.runTurns();
  assert.deepEqual(outcomes, ['fault']);
  assert.equal(runtime.registry.peek('a'), undefined);
  clock.advance(999);
  assert.equal(runtime.registry.peek('a'), undefined);
  clock.advance(1);
  assert.equal(countOf(runtime, 'a'), 1);
  assert.deepEqual(outcomes, ['fault', 'done']);
  assert.deepEqual(facts, ['started root', 'started a', 'restarting a', 'started a']);
});

test('stopping everything resolves, and what comes after is a dead letter', async () => {
  const { clock, runtime, root } = stage();
  root.startChild(counterSpec('a'));
  root.startChild(counterSpec('b'));
  await root.stop();
  const outcomes: string[] = [];
  runtime.registry.tell('a', { type: 'count' }, (o) => outcomes.push(o.type === 'busy' ? o.why : o.type));
  assert.deepEqual(outcomes, ['noActor']);
  assert.equal(runtime.registry.size, 0);
  assert.equal(runtime.supervisors.size, 0);
  assert.equal(clock.timers, 0);
});
