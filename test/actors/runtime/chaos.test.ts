// One bad actor harms nobody else (promise 14), and nothing is left of actors that come and go (promise 16). Seeded;
// on a simulated clock.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { ActorMessage, ChildSpec, Outcome } from '../../../src/actors/runtime/contract.ts';
import { observe } from '../../../src/actors/runtime/inspection/inspection.ts';
import { seed, seeded } from '../../property.ts';
import { counterBehaviour, countOf, type Stage, stage } from './counter.ts';

interface Sent extends ActorMessage {
  readonly event: { readonly id: string };
}

/** As an event is: what makes it the same when it is sent again is its id. */
const event = (type: string, id: string): Sent => ({ type, event: { id } });

const spec = (id: string): ChildSpec => ({ id, restart: 'permanent', behaviour: counterBehaviour() });

const population = 2_000;
const badShare = 0.01;

const populated = (size: number): { set: Stage; ids: readonly string[] } => {
  const set = stage({ whenFailing: 'quarantine' });
  const ids = Array.from({ length: size }, (_, index) => `actor:${index}`);
  for (const id of ids) assert.ok(set.root.startChild(spec(id)).started);
  return { set, ids };
};

test('1 % of 2,000 actors throw on every event: the others handle all of theirs and are never restarted', (t) => {
  t.diagnostic(`seed ${seed}`);
  const random = seeded(seed);
  const { set, ids } = populated(population);
  const bad = new Set<string>();
  while (bad.size < population * badShare) bad.add(ids[Math.floor(random() * population)] as string);
  const good = ids.filter((id) => !bad.has(id));
  const outcomes = new Map<string, Outcome['type'][]>(ids.map((id) => [id, []]));
  const rounds = 100;
  for (let round = 0; round < rounds; round += 1) {
    for (const id of ids) {
      const message = event(bad.has(id) ? 'boom' : 'count', `${id} ${round}`);
      set.runtime.registry.tell(id, message, (outcome) => outcomes.get(id)?.push(outcome.type));
    }
    set.clock.advance(1_000);
  }
  for (const id of good) {
    assert.equal(countOf(set.runtime, id), rounds);
    assert.equal(set.root.child(id)?.generation, 1, `${id} was restarted`);
  }
  assert.ok(good.every((id) => outcomes.get(id)?.every((type) => type === 'done')));
  for (const id of bad) {
    const told = outcomes.get(id) ?? [];
    assert.ok(told.length >= rounds - 1, 'every sender is told, but one that may still wait for a restart');
    assert.ok(!told.includes('done'));
    assert.equal(set.root.child(id)?.state, 'quarantined');
    assert.ok((set.root.child(id)?.restarts ?? 0) <= 7, 'after 1, 2, 4, 8 and 16 s, then once a minute');
  }
  assert.deepEqual(set.exits, [], 'the supervisor stands');
  assert.equal(set.runtime.faults.count, 0);
});

test('an event that crashes its actor twice is parked within a minute, and the actor goes on with the next', () => {
  const { set, ids } = populated(20);
  const [id] = ids as [string];
  const poison = event('boom', 'poison');
  const refusals: Outcome[] = [];
  for (let second = 0; second < 60; second += 1) {
    set.runtime.registry.tell(id, poison, (outcome) => refusals.push(outcome));
    set.runtime.registry.tell(id, event('count', `good ${second}`));
    set.clock.advance(1_000);
  }
  set.clock.advance(2_000);
  assert.equal(set.runtime.facts.counts().poisonParked, 1);
  assert.ok((set.root.child(id)?.restarts ?? 0) <= 3);
  const parked = refusals.filter((outcome) => outcome.type === 'poison');
  assert.ok(parked.length >= 50, `${parked.length} of 60 were turned away unhandled`);
  assert.ok((countOf(set.runtime, id) ?? 0) >= 50, 'what came beside it was handled');
});

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const heapBytes = (): number => {
  collectGarbage();
  return process.memoryUsage().heapUsed;
};

interface Baseline {
  readonly actors: number;
  readonly supervisors: number;
  readonly deadlines: number;
  readonly timers: number;
  readonly queueDepth: number;
  readonly children: number;
  readonly total: number;
}

const baselineOf = ({ clock, runtime, root }: Stage): Baseline => {
  const { actors, supervisors, deadlines, queueDepth } = runtime.stats();
  const { total } = root.counts();
  const children = root.children().length;
  return { actors, supervisors, deadlines, timers: clock.timers, queueDepth, children, total };
};

test('10,000 lives started, crashed and stopped leave every count where it was', async (t) => {
  t.diagnostic(`seed ${seed}`);
  const random = seeded(seed);
  const set = stage({ whenFailing: 'quarantine' });
  for (let index = 0; index < 1_000; index += 1) set.root.startChild(spec(`bystander:${index}`));
  set.clock.advance(1_000);
  const before = baselineOf(set);
  const heapBefore = heapBytes();
  const batch = 100;
  for (let done = 0; done < 10_000; done += batch) {
    const ids = Array.from({ length: batch }, (_, index) => `guest:${done + index}`);
    for (const id of ids) {
      set.root.startChild(spec(id));
      const detach = observe(set.runtime, id, () => {});
      set.runtime.registry.watch(id, () => {});
      const { registry, clock } = set.runtime;
      registry.tell(id, {
        type: 'wait',
        atMs: clock.wallMs() + 60_000,
        forgiving: random() < 0.5,
      } as ActorMessage);
      registry.tell(id, { type: 'count' });
      registry.tell(id, { type: 'boom' });
      if (random() < 0.5) detach?.();
    }
    set.clock.runTurns();
    // Some are stopped while they are up, some while they wait for their restart, some after it.
    set.clock.advance(Math.floor(random() * 3_000));
    const stopped = ids.map((id) => set.root.stopChild(id));
    set.clock.runTurns();
    await Promise.all(stopped);
    // So many failures in one half minute are a fault that all share: the next ones come after it.
    set.clock.advance(31_000);
    set.facts.length = 0;
  }
  set.clock.advance(120_000);
  assert.deepEqual(baselineOf(set), before);
  assert.equal(set.runtime.faults.count, 0);
  assert.deepEqual(set.exits, []);
  const growth = heapBytes() - heapBefore;
  assert.ok(growth < 2_000_000, `the heap grew by ${growth} bytes, ${growth / 10_000} a life`);
  await set.root.stop();
  assert.equal(set.runtime.stats().actors, 0);
  assert.equal(set.clock.timers, 0);
});
