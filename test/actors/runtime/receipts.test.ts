// What a sender is told: exactly once, after the effects and what they hold, whatever happens to the actor.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LiveActor, Outcome, Receipt } from '../../../src/actors/runtime/contract.ts';
import { fc } from '../../property.ts';
import { type CounterOptions, counterSpec, countOf, stage } from './counter.ts';

const short = (outcome: Outcome): string => (outcome.type === 'busy' ? outcome.why : outcome.type);

const setUp = (options: CounterOptions = {}, shutdownMs?: number) => {
  const stageSet = stage({ whenFailing: 'quarantine' });
  stageSet.root.startChild(counterSpec('a', shutdownMs === undefined ? {} : { shutdownMs }, options));
  const told: string[] = [];
  const tell = (message: { type: string }, name = message.type): void =>
    stageSet.runtime.registry.tell('a', message, (outcome) => told.push(`${name} ${short(outcome)}`));
  return { ...stageSet, told, tell };
};

test('effects are performed after the transition, in order', () => {
  const seen: string[] = [];
  const { clock, tell, told } = setUp({ onNamed: (name) => seen.push(name) });
  tell({ type: 'effects' });
  clock.runTurns();
  assert.deepEqual(seen, ['first', 'second']);
  assert.deepEqual(told, ['effects done']);
});

test('what a failed transition had asked for is not performed', () => {
  const seen: string[] = [];
  const { clock, tell, told } = setUp({ onNamed: (name) => seen.push(name) });
  tell({ type: 'boom' });
  clock.advance(5_000);
  tell({ type: 'count' });
  clock.runTurns();
  assert.deepEqual(seen, []);
  assert.deepEqual(told, ['boom fault', 'count done']);
});

test('a held receipt is told when the last hold is released; the first outcome that is not done wins', () => {
  const holds: Receipt[] = [];
  const { clock, tell, told } = setUp({
    onPersist: (settle) => holds.push(settle),
    onNamed: (_name, actor: LiveActor) => holds.push(actor.holdReceipt()),
  });
  tell({ type: 'persist' });
  tell({ type: 'effects' });
  clock.runTurns();
  assert.deepEqual(told, []);
  holds[0]?.({ type: 'done' });
  assert.deepEqual(told, ['persist done']);
  holds[1]?.({ type: 'fault', error: new Error('disk') });
  assert.deepEqual(told, ['persist done'], 'the other hold is still open');
  holds[2]?.({ type: 'done' });
  holds[2]?.({ type: 'done' });
  holds[1]?.({ type: 'done' });
  assert.deepEqual(told, ['persist done', 'effects fault']);
});

test('holding a receipt outside of performing is a mistake and says so', () => {
  let kept: LiveActor | undefined;
  const { clock, tell } = setUp({
    onNamed: (_name, actor) => {
      kept = actor;
    },
  });
  tell({ type: 'effects' });
  clock.runTurns();
  assert.throws(() => kept?.holdReceipt(), /only be called while an effect is performed/);
});

test('a message no state knows fails with words; one that a guard turned away is done', () => {
  const { clock, tell, told, facts } = setUp();
  tell({ type: 'nonsense' });
  tell({ type: 'ignored' });
  clock.runTurns();
  assert.deepEqual(told, ['nonsense fault', 'ignored done']);
  assert.ok(facts.includes('unknownMessage a'));
});

test('a throw while performing fails this message and crashes the actor', () => {
  const { clock, runtime, tell, told } = setUp();
  tell({ type: 'boom.perform' });
  clock.runTurns();
  assert.deepEqual(told, ['boom.perform fault']);
  assert.equal(runtime.registry.peek('a'), undefined);
  clock.advance(1_000);
  assert.equal(countOf(runtime, 'a'), 0);
});

test('mail waits for the first restart and is refused before a later, longer one', () => {
  const { clock, tell, told } = setUp();
  tell({ type: 'boom' });
  tell({ type: 'count' }, 'kept');
  clock.advance(1_000);
  assert.deepEqual(told, ['boom fault', 'kept done']);
  for (const times of [1, 2]) {
    tell({ type: 'boom' }, `boom ${times + 1}`);
    tell({ type: 'count' }, `after ${times + 1}`);
    clock.advance(times === 1 ? 2_000 : 0);
  }
  clock.runTurns();
  assert.deepEqual(told.slice(2), ['boom 2 fault', 'after 2 done', 'boom 3 fault', 'after 3 restarting']);
  tell({ type: 'count' }, 'new');
  assert.equal(told.at(-1), 'new restarting');
  clock.advance(4_000);
  tell({ type: 'count' }, 'back');
  clock.runTurns();
  assert.equal(told.at(-1), 'back done');
});

test('a receipt whose holder is lost in a crash is refused within a second', () => {
  const { clock, tell, told } = setUp({ onPersist: () => {} });
  tell({ type: 'persist' });
  tell({ type: 'boom' });
  clock.runTurns();
  assert.deepEqual(told, ['boom fault']);
  clock.advance(1_000);
  assert.deepEqual(told, ['boom fault', 'persist restarting']);
});

test('a commit that ends after the crash still answers for what it wrote', () => {
  const holds: Receipt[] = [];
  const { clock, tell, told } = setUp({ onPersist: (settle) => holds.push(settle) });
  tell({ type: 'persist' });
  tell({ type: 'boom' });
  clock.advance(500);
  holds[0]?.({ type: 'done' });
  clock.advance(5_000);
  assert.deepEqual(told, ['boom fault', 'persist done']);
});

test('a full mailbox refuses message n+1 and counts it', () => {
  const { clock, tell, told, facts } = setUp({ capacity: 3 });
  for (let n = 1; n <= 4; n += 1) tell({ type: 'count' }, `${n}`);
  assert.deepEqual(told, ['4 mailboxFull']);
  clock.runTurns();
  assert.deepEqual(told, ['4 mailboxFull', '1 done', '2 done', '3 done']);
  assert.ok(facts.includes('mailboxFull a'));
});

test('a producer ten times as fast as its consumer is refused, and nothing piles up', () => {
  const { clock, runtime, told, tell } = setUp({ capacity: 100 });
  let deepest = 0;
  for (let round = 0; round < 200; round += 1) {
    for (let n = 0; n < 3_000; n += 1) tell({ type: 'count' });
    deepest = Math.max(deepest, runtime.registry.cell('a')?.mailboxDepth ?? 0);
    clock.runTurns();
  }
  assert.equal(deepest, 100);
  assert.equal(told.filter((outcome) => outcome === 'count done').length, 200 * 100);
  assert.equal(told.length, 200 * 3_000, 'everybody was told');
});

test('a receipt that throws hurts nobody and is reported', () => {
  const { clock, runtime, tell, told } = setUp();
  runtime.registry.tell('a', { type: 'count' }, () => {
    throw new Error('receipt');
  });
  tell({ type: 'count' });
  clock.runTurns();
  assert.deepEqual(told, ['count done']);
  assert.equal(runtime.faults.count, 1);
});

test('an ask resolves when done, and rejects with a reason of the catalogue', async () => {
  const { clock, runtime } = setUp({ onPersist: () => {} });
  const ask = (message: { type: string }, id = 'a') => runtime.registry.ask(id, message, 3_000);
  const answers = Promise.allSettled([
    ask({ type: 'count' }),
    ask({ type: 'nonsense' }),
    ask({ type: 'persist' }),
    ask({ type: 'count' }, 'nobody'),
    runtime.registry.ask('a', { type: 'count' }, 0),
  ]);
  clock.advance(3_000);
  const kinds = (await answers).map((answer) =>
    answer.status === 'fulfilled'
      ? 'done'
      : ((answer.reason as { kind?: string }).kind ?? answer.reason.name),
  );
  assert.deepEqual(kinds, ['done', 'internal', 'deadlineExceeded', 'unavailable', 'RangeError']);
});

test('an ask that gave up takes its message back', async () => {
  const { clock, runtime } = setUp({ begin: () => new Promise(() => {}) });
  const answer = assert.rejects(runtime.registry.ask('a', { type: 'count' }, 1_000), {
    kind: 'deadlineExceeded',
  });
  assert.equal(runtime.registry.cell('a')?.mailboxDepth, 1);
  clock.advance(1_000);
  await answer;
  assert.equal(runtime.registry.cell('a')?.mailboxDepth, 0);
});

test('the same event in two successive crashes is parked, not the actor', () => {
  const { clock, told, tell, facts, root } = setUp();
  const poison = (): void => tell({ type: 'boom', event: { id: 'e-1' } } as never);
  poison();
  clock.advance(1_000);
  poison();
  clock.advance(1_200);
  assert.ok(facts.includes('poisonParked a'));
  poison();
  clock.runTurns();
  assert.deepEqual(told, ['boom fault', 'boom poison', 'boom poison']);
  assert.equal(root.counts().up, 1, 'the third did not reach the machine');
  tell({ type: 'boom', event: { id: 'e-2' } } as never);
  clock.advance(0);
  assert.equal(told.at(-1), 'boom fault', 'another event is not parked');
});

test('whatever is sent and whatever happens, every receipt is told exactly once', async () => {
  const action = fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom('count', 'persist', 'effects', 'nonsense') },
    { weight: 2, arbitrary: fc.constantFrom('boom', 'boom.perform', 'release', 'turn', 'second') },
    { weight: 1, arbitrary: fc.constantFrom('restart', 'stop', 'finish', 'start', 'minute') },
  );
  await fc.assert(
    fc.asyncProperty(fc.array(action, { maxLength: 40 }), async (actions) => {
      const holds: Receipt[] = [];
      const { clock, runtime, root } = stage({ whenFailing: 'quarantine' });
      const start = () =>
        root.startChild(counterSpec('a', {}, { capacity: 5, onPersist: (settle) => holds.push(settle) }));
      start();
      const told: number[] = [];
      for (const name of actions) {
        if (name === 'release') holds.pop()?.({ type: 'done' });
        else if (name === 'turn') clock.runTurns();
        else if (name === 'second') clock.advance(1_000);
        else if (name === 'minute') clock.advance(60_000);
        else if (name === 'start') start();
        else if (name === 'stop') void root.stopChild('a');
        else if (name === 'restart') root.restartChild('a').catch(() => {});
        else {
          const index = told.push(0) - 1;
          runtime.registry.tell('a', { type: name }, () => {
            told[index] = (told[index] ?? 0) + 1;
          });
        }
      }
      clock.runTurns();
      void root.stop();
      await clock.advanceAsync(10_000);
      assert.deepEqual(
        told,
        told.map(() => 1),
      );
      assert.equal(root.phase, 'gone');
    }),
    { numRuns: Number(process.env.MON_MODEL_RUNS ?? 200) },
  );
});
