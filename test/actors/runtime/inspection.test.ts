// Looking at live actors: records, the tree, dry runs; and that a broken onlooker changes nothing.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AnyMachineSnapshot } from 'xstate';
import type { TransitionRecord } from '../../../src/actors/runtime/contract.ts';
import { observe } from '../../../src/actors/runtime/inspection/inspection.ts';
import { dryRun } from '../../../src/actors/runtime/statechart/dry-run.ts';
import { counterSpec, countOf, stage } from './counter.ts';

const setUp = () => {
  const set = stage({ whenFailing: 'quarantine' });
  set.root.startChild(counterSpec('a'));
  set.root.startChild(counterSpec('b'));
  const tell = (message: object, id = 'a'): void => {
    set.runtime.registry.tell(id, message as { type: string });
    set.clock.runTurns();
  };
  return { ...set, tell };
};

test('a watched actor leaves a record of each message: from, to, actions, effects, candidates', () => {
  const { runtime, tell } = setUp();
  const records: TransitionRecord[] = [];
  observe(runtime, 'a', (record) => records.push(record));
  tell({ type: 'persist' });
  tell({ type: 'ignored' });
  tell({ type: 'count' }, 'b');
  tell({ type: 'finish' });
  assert.deepEqual(
    records.map(({ seq, from, to, changed, actions, effects, taken, candidates }) => ({
      seq,
      from,
      to,
      changed,
      actions,
      effects,
      taken,
      candidates,
    })),
    [
      {
        seq: 1,
        from: 'counting',
        to: 'counting',
        changed: true,
        actions: ['add', 'persist'],
        effects: ['persist'],
        taken: ['counter.counting|persist|0'],
        candidates: [{ id: 'counter.counting|persist|0', guard: '', verdict: 'yes', taken: true }],
      },
      {
        seq: 2,
        from: 'counting',
        to: 'counting',
        changed: false,
        actions: [],
        effects: [],
        taken: [],
        candidates: [{ id: 'counter.counting|ignored|0', guard: 'isNever', verdict: 'no', taken: false }],
      },
      {
        seq: 3,
        from: 'counting',
        to: 'finished',
        changed: true,
        actions: [],
        effects: [],
        taken: ['counter.counting|finish|0'],
        candidates: [{ id: 'counter.counting|finish|0', guard: '', verdict: 'yes', taken: true }],
      },
    ],
  );
});

test('watching goes on after a restart and ends when the last onlooker leaves', () => {
  const { clock, runtime, tell } = setUp();
  const seen: string[] = [];
  const leave = [0, 1].map((who) =>
    observe(runtime, 'a', ({ event }) => seen.push(`${who} ${(event as { type: string }).type}`)),
  );
  tell({ type: 'boom' });
  clock.advance(1_000);
  tell({ type: 'count' });
  assert.deepEqual(seen, ['0 boom', '1 boom', '0 count', '1 count']);
  leave[0]?.();
  tell({ type: 'count' });
  assert.equal(seen.length, 5);
  leave[1]?.();
  tell({ type: 'count' });
  assert.equal(seen.length, 5);
  assert.equal(runtime.registry.cell('a')?.watch, undefined, 'nobody looks, nothing is attached');
  assert.equal(
    observe(runtime, 'nobody', () => {}),
    undefined,
  );
});

test('to watch one actor is not to inspect the system it shares with its siblings', () => {
  const { runtime, tell } = setUp();
  const { system } = runtime.registry.cell('a')?.life?.actor ?? assert.fail('it does not live');
  const inspected: string[] = [];
  system.inspect = () => {
    inspected.push('inspected');
    return { unsubscribe() {} };
  };
  const microsteps: number[] = [];
  observe(runtime, 'a', (record) => microsteps.push(record.microsteps));
  tell({ type: 'count' });
  tell({ type: 'count' }, 'b');
  assert.deepEqual([inspected, microsteps], [[], [1]]);
});

test('the last fifty transitions are kept', () => {
  const { runtime, tell } = setUp();
  observe(runtime, 'a', () => {});
  for (let count = 0; count < 51; count += 1) tell({ type: 'count' });
  const seqs = runtime.actor('a')?.transitions.map(({ seq }) => seq) ?? [];
  assert.deepEqual([seqs.length, seqs[0], seqs.at(-1)], [50, 2, 51]);
});

test('an onlooker that throws is reported, the actor and the others go on', () => {
  const { runtime, tell } = setUp();
  let seen = 0;
  observe(runtime, 'a', () => {
    throw new Error('onlooker');
  });
  observe(runtime, 'a', () => (seen += 1));
  tell({ type: 'count' });
  assert.equal(countOf(runtime, 'a'), 1);
  assert.equal(seen, 1);
  assert.equal(runtime.faults.count, 1);
});

test('a dry run tells what would happen and does nothing', () => {
  const { runtime, tell } = setUp();
  tell({ type: 'count' });
  const { machine, snapshot } = runtime.actor('a') ?? assert.fail('there is no actor');
  const run = (type: string) => dryRun(machine, snapshot as AnyMachineSnapshot, { type });
  const result = run('persist');
  assert.deepEqual(result?.effects, [{ type: 'persist', count: 1 }]);
  const finished = run('finish');
  assert.equal(finished?.snapshot.status, 'done');
  assert.throws(() => run('boom.assign'), /boom in context/);
  assert.equal(countOf(runtime, 'a'), 1);
  assert.equal(runtime.registry.has('a'), true);
});

test('a paused actor keeps its mail and its deadlines waiting, over a restart too, until it goes on', async () => {
  const { clock, runtime, tell } = setUp();
  tell({ type: 'wait', atMs: clock.wallMs() + 1_000 });
  assert.equal(runtime.pause('a'), true);
  const outcomes: string[] = [];
  runtime.registry.tell('a', { type: 'count' }, ({ type }) => outcomes.push(type));
  clock.advance(2_000);
  assert.equal(countOf(runtime, 'a'), 0);
  const { paused, mailbox } = runtime.actor('a')?.info ?? assert.fail('it is gone');
  assert.deepEqual([paused, mailbox, outcomes], [true, 2, []]);
  const restarted = runtime.supervisor('root')?.restartChild('a');
  clock.runTurns();
  await restarted;
  tell({ type: 'count' });
  assert.equal(countOf(runtime, 'a'), 0);
  tell({ type: 'count' }, 'b');
  assert.equal(countOf(runtime, 'b'), 1, 'nobody else is held up');
  assert.equal(runtime.resume('a'), true);
  clock.runTurns();
  assert.deepEqual(outcomes, ['done']);
  assert.equal(runtime.actor('a')?.info.paused, false);
  assert.equal(runtime.pause('nobody'), false);
});

test('a paused actor can be stopped; who waited for it is refused', async () => {
  const { clock, runtime, root } = setUp();
  runtime.pause('a');
  const outcomes: string[] = [];
  runtime.registry.tell('a', { type: 'count' }, ({ type }) => outcomes.push(type));
  const stopped = root.stopChild('a');
  clock.runTurns();
  await stopped;
  assert.deepEqual(outcomes, ['busy']);
  assert.equal(runtime.registry.has('a'), false);
});

test('the tree shows supervisors, actors, states, restarts, mailboxes and waits', () => {
  const { clock, runtime, root, tell } = setUp();
  const inner = root.startSupervisor({ id: 'inner', strategy: 'rest_for_one' });
  assert.ok(inner.started);
  inner.supervisor.startChild(counterSpec('deep'));
  tell({ type: 'boom' });
  clock.advance(1_000);
  tell({ type: 'wait', atMs: clock.wallMs() + 5_000 });
  clock.advance(2_000);
  runtime.registry.tell('a', { type: 'count' });
  const [node] = runtime.tree();
  assert.ok(node?.kind === 'supervisor');
  assert.equal(node.supervisor.counts.total, 3);
  const [a, , below] = node.children ?? [];
  assert.ok(a?.kind === 'actor' && below?.kind === 'supervisor');
  const { startedAtMs, ...rest } = a.actor;
  assert.deepEqual(rest, {
    id: 'a',
    machine: 'counter',
    value: 'counting',
    state: 'up',
    paused: false,
    parent: 'root',
    mailbox: 1,
    handled: 1,
    restarts: 1,
    generation: 2,
    ageMs: 2_000,
  });
  assert.equal(startedAtMs, clock.wallMs() - 2_000);
  assert.equal(below.supervisor.parent, 'root');
  const detail = runtime.actor('a');
  assert.deepEqual(detail?.deadlines, [
    { name: 'wait', atMs: clock.wallMs() + 3_000, armedAtMs: clock.wallMs() - 2_000 },
  ]);
  assert.deepEqual(
    detail?.failures.map(({ error }) => error),
    ['boom'],
  );
  assert.deepEqual(
    [...runtime.actors('d')].map(({ id }) => id),
    ['deep'],
  );
  const [shallow] = runtime.tree('root', { depth: 1, maxChildren: 2 });
  assert.ok(shallow?.kind === 'supervisor');
  assert.deepEqual([shallow.children?.length, shallow.omitted], [2, 1]);
  assert.deepEqual(runtime.tree('nobody'), []);
});

test('the figures of the runtime add up', () => {
  const { runtime, tell } = setUp();
  tell({ type: 'count' });
  tell({ type: 'count' }, 'nobody');
  const stats = runtime.stats();
  assert.deepEqual(
    [stats.actors, stats.supervisors, stats.messages, stats.deadLetters, stats.faults],
    [2, 1, 1, 1, 0],
  );
  assert.equal(stats.facts.started, 3);
  assert.equal(stats.restarts, 0);
  tell({ type: 'boom' });
  assert.equal(runtime.stats().restarts, 1);
});
