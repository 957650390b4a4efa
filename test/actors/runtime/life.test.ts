// One life after another: deadlines, late callbacks, asynchronous starts, final states.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LiveActor, Origin } from '../../../src/actors/runtime/contract.ts';
import { type CounterOptions, counterSpec, countOf, stage } from './counter.ts';

const setUp = (options: CounterOptions = {}, startTimeoutMs?: number) => {
  const stageSet = stage();
  stageSet.root.startChild(counterSpec('a', startTimeoutMs === undefined ? {} : { startTimeoutMs }, options));
  const tell = (message: object): void => stageSet.runtime.registry.tell('a', message as { type: string });
  const reached = (): readonly string[] =>
    (stageSet.runtime.registry.peek('a') as unknown as { context: { reached: readonly string[] } }).context
      .reached;
  return { ...stageSet, tell, reached };
};

test('a deadline arrives as a message at its wall time', () => {
  const { clock, tell, reached } = setUp();
  tell({ type: 'wait', atMs: clock.wallMs() + 5_000 });
  clock.advance(4_999);
  assert.deepEqual(reached(), []);
  clock.advance(1);
  assert.deepEqual(reached(), ['wait']);
});

test('a deadline that was cleared or moved before its turn is not delivered', () => {
  const { clock, runtime, tell, reached } = setUp();
  tell({ type: 'wait', atMs: clock.wallMs() + 1_000 });
  clock.runTurns();
  // Already in the mailbox when the deadline comes, and handled before it.
  tell({ type: 'unwait' });
  tell({ type: 'wait', atMs: clock.wallMs() + 9_000 });
  clock.hold(1_000);
  clock.advance(0);
  assert.deepEqual(reached(), []);
  clock.advance(8_000);
  assert.deepEqual(reached(), ['wait']);
  assert.equal(runtime.deadlines.size, 0);
});

test('the behaviour makes the message of a deadline when its turn comes, and may make none', () => {
  const asked: string[] = [];
  const { clock, tell, reached } = setUp({
    onDeadline: (name, nowMs) => {
      asked.push(`${name} ${nowMs - 1_700_000_000_000}`);
      return undefined;
    },
  });
  tell({ type: 'wait', atMs: clock.wallMs() + 2_000 });
  clock.advance(2_000);
  assert.deepEqual(asked, ['wait 2000']);
  assert.deepEqual(reached(), []);
});

test('deadlines are not lost on a full mailbox and do not outlive their life', () => {
  const { clock, runtime, tell, reached } = setUp({ capacity: 1 });
  tell({ type: 'wait', atMs: clock.wallMs() + 1_000 });
  clock.runTurns();
  tell({ type: 'count' });
  clock.hold(1_000);
  clock.advance(0);
  assert.deepEqual(reached(), ['wait']);
  tell({ type: 'wait', atMs: clock.wallMs() + 100 });
  clock.runTurns();
  tell({ type: 'boom' });
  clock.runTurns();
  assert.equal(runtime.deadlines.size, 1, 'only the restart is armed');
  clock.advance(1_500);
  assert.deepEqual(reached(), []);
});

test('what an earlier life left behind cannot reach the next one', () => {
  const lives: LiveActor[] = [];
  const { clock, runtime, tell } = setUp({ onNamed: (_name, actor) => lives.push(actor) });
  tell({ type: 'effects' });
  tell({ type: 'boom' });
  clock.advance(1_000);
  const outcomes: string[] = [];
  lives[0]?.tell({ type: 'count' }, (outcome) => outcomes.push(outcome.type));
  lives[0]?.setDeadline('late', clock.wallMs() + 1);
  clock.advance(100);
  assert.deepEqual(outcomes, ['busy']);
  assert.equal(countOf(runtime, 'a'), 0);
  assert.equal(runtime.deadlines.size, 0);
  assert.equal(lives[0]?.generation, 1);
});

test('an actor tells itself through its mailbox, not by a call', () => {
  let depth = 0;
  const { clock, runtime, tell } = setUp({
    onNamed: (name, actor) => {
      depth += 1;
      assert.equal(depth, 1);
      if (name === 'first') actor.tell({ type: 'count' });
      depth -= 1;
    },
  });
  tell({ type: 'effects' });
  clock.runTurns();
  assert.equal(countOf(runtime, 'a'), 1);
});

test('mail for an actor that is still starting waits for it, the first message goes before it', async () => {
  let begun: ((origin: Origin) => void) | undefined;
  const order: string[] = [];
  const { clock, runtime, root } = setUp({
    begin: () => new Promise((resolve) => (begun = resolve)),
    firstMessage: () => ({ type: 'effects' }),
    onNamed: (name) => order.push(`${name} ${countOf(runtime, 'a')}`),
  });
  runtime.registry.tell('a', { type: 'count' });
  await clock.settle();
  assert.equal(root.counts().starting, 1);
  begun?.({ input: {} });
  await clock.settle();
  assert.deepEqual(order, ['first 0', 'second 0']);
  assert.equal(countOf(runtime, 'a'), 1);
});

test('a start that takes too long is a failed start, and its late answer changes nothing', async () => {
  const begun: ((origin: Origin) => void)[] = [];
  const { clock, runtime, facts } = setUp(
    { begin: () => new Promise((resolve) => begun.push(resolve)) },
    2_000,
  );
  await clock.advanceAsync(2_000);
  assert.deepEqual(facts, ['started root', 'restarting a']);
  begun[0]?.({ input: {} });
  await clock.settle();
  assert.equal(runtime.registry.peek('a'), undefined);
  await clock.advanceAsync(1_000);
  begun[1]?.({ input: {} });
  await clock.settle();
  assert.equal(countOf(runtime, 'a'), 0);
});

test('an actor restored from plain data goes on where it was', () => {
  const snapshot = { status: 'active', value: 'counting', context: { count: 7, reached: [] } } as never;
  const { clock, runtime, tell } = setUp({ begin: () => ({ snapshot }) });
  tell({ type: 'count' });
  clock.runTurns();
  assert.equal(countOf(runtime, 'a'), 8);
});

test('a snapshot in a state that no longer exists fails the start, it never becomes the initial state', () => {
  const snapshot = { status: 'active', value: 'vanished', context: { count: 7, reached: [] } } as never;
  const { runtime, facts } = setUp({ begin: () => ({ snapshot }) });
  assert.equal(runtime.registry.peek('a'), undefined);
  assert.deepEqual(facts, ['started root', 'restarting a']);
});

test('a final state ends the actor; a transient one is gone and its id is free', () => {
  const { clock, runtime, root, facts } = stage();
  root.startChild(counterSpec('t', { restart: 'transient' }));
  runtime.registry.tell('t', { type: 'finish' });
  clock.runTurns();
  assert.equal(runtime.registry.has('t'), false);
  assert.deepEqual(facts.slice(1), ['started t', 'stopped t']);
  assert.deepEqual(root.startChild(counterSpec('t')), { started: true });
});

test('death is told once, at the end of the life, or at once when there is none', () => {
  const { clock, runtime, tell } = setUp();
  const notices: string[] = [];
  const watch = () => runtime.registry.watch('a', ({ reason }) => notices.push(reason.type));
  watch();
  watch()();
  tell({ type: 'boom' });
  clock.runTurns();
  assert.deepEqual(notices, ['abnormal'], 'once, and not to the one who stopped watching');
  watch();
  watch()();
  clock.runTurns();
  assert.deepEqual(notices, ['abnormal', 'notFound']);
  clock.advance(5_000);
  tell({ type: 'boom' });
  clock.advance(5_000);
  assert.deepEqual(notices, ['abnormal', 'notFound']);
});
