// Every backend knows what the configuration is, soon after it changed: simulated with a bus that loses messages, and on a real
// nats-server that is restarted.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { realClock } from '../../src/actors/runtime/time/clock.ts';
import type { Bus } from '../../src/cluster/bus.ts';
import { type Change, Changes } from '../../src/cluster/changed.ts';
import type { ClusterClock } from '../../src/cluster/clock.ts';
import { maxPendingChanges } from '../../src/cluster/limits.ts';
import { MemoryBusServer } from '../../src/cluster/memory-bus.ts';
import { openNatsBus } from '../../src/cluster/nats-bus.ts';
import { subjectsOf } from '../../src/cluster/subjects.ts';
import { createSimulatedClock } from '../actors/runtime/simulated-clock.ts';
import { eventually } from '../eventually.ts';
import { seed, seeded } from '../property.ts';
import { natsSkipReason, startNats } from './nats-server.ts';

const subject = subjectsOf('test').changed;

/** The configuration in the store: a version for each name. */
type Store = Map<string, number>;

const member = (name: string, bus: Bus, clock: ClusterClock, store: Store, readMs = () => 0) => {
  const copy: Store = new Map(store);
  const reads = { some: 0, all: 0 };
  const reports: string[] = [];
  let failures = 0;
  const reading = async (): Promise<void> => {
    const delayMs = readMs();
    if (delayMs > 0) await new Promise<void>((resolve) => clock.setTimer(resolve, delayMs));
    if (failures === 0) return;
    failures -= 1;
    throw new Error('the store is away');
  };
  const changes = new Changes({
    bus,
    subject,
    clock,
    sender: `${name}.1`,
    read: async (list) => {
      await reading();
      reads.some += 1;
      for (const each of list) copy.set(each.key, store.get(each.key) ?? 0);
    },
    readAll: async () => {
      await reading();
      reads.all += 1;
      for (const [key, value] of store) copy.set(key, value);
    },
    report: (_level, message) => reports.push(message),
  });
  return {
    copy,
    reads,
    reports,
    close: () => changes.close(),
    failNext(count: number): void {
      failures = count;
    },
    change(key: string): void {
      const value = (store.get(key) ?? 0) + 1;
      store.set(key, value);
      copy.set(key, value);
      const change: Change = { kind: 'resource', key };
      changes.tell(change);
    },
  };
};

const simulated = (from: number) => {
  const clock = createSimulatedClock();
  const random = seeded(from);
  const server = new MemoryBusServer({ clock, random });
  const store: Store = new Map();
  const join = (name: string, readMs?: () => number) =>
    member(name, server.connect(name), clock, store, readMs);
  return { clock, random, server, store, join };
};

test('a change is read by the others at once, and only what changed', async () => {
  const { clock, store, join } = simulated(1);
  const [one, two] = [join('b1'), join('b2')];
  await clock.advanceAsync(1_000);
  const before = { ...two.reads };
  one.change('cpu');
  await clock.advanceAsync(5);
  assert.deepEqual(two.copy, store);
  assert.deepEqual(two.reads, { some: before.some + 1, all: before.all });
  assert.equal(one.reads.some, 0);
});

test('a lost change is noticed by its number, and everything is read', async () => {
  const { clock, store, server, join } = simulated(1);
  const [one, two] = [join('b1'), join('b2')];
  await clock.advanceAsync(1_000);
  const { all } = two.reads;
  server.faults = { lost: 1, doubled: 0, maxDelayMs: 0 };
  one.change('cpu');
  await clock.advanceAsync(1);
  server.faults = { lost: 0, doubled: 0, maxDelayMs: 0 };
  one.change('disk');
  await clock.advanceAsync(5);
  assert.deepEqual(two.copy, store);
  assert.equal(two.reads.all, all + 1);
  // Nothing follows the lost one but the repeated number.
  server.faults = { lost: 1, doubled: 0, maxDelayMs: 0 };
  one.change('memory');
  await clock.advanceAsync(1);
  server.faults = { lost: 0, doubled: 0, maxDelayMs: 0 };
  await clock.advanceAsync(600);
  assert.deepEqual(two.copy, store);
  assert.equal(two.reads.all, all + 2);
});

test('a read that fails is tried again, and more changes than are kept lead to a full read', async () => {
  const { clock, store, join } = simulated(1);
  const one = join('b1');
  let readMs = 0;
  const two = join('b2', () => readMs);
  await clock.advanceAsync(1_000);
  two.failNext(2);
  one.change('cpu');
  await clock.advanceAsync(1_000);
  assert.deepEqual(two.copy, store);
  assert.equal(two.reports.length, 2);
  assert.match(two.reports[0] ?? '', /could not be read: the store is away; it is tried again/);
  const { all } = two.reads;
  readMs = 100;
  for (let index = 0; index <= maxPendingChanges + 1; index += 1) one.change(`check-${index}`);
  clock.advance(1);
  await clock.advanceAsync(500);
  assert.deepEqual(two.copy, store);
  assert.equal(two.reads.all, all + 1);
});

test('what a stranger says on the subject changes nothing', async () => {
  const { clock, server, join } = simulated(1);
  const two = join('b2');
  const { all } = two.reads;
  const stranger = server.connect('stranger');
  for (const text of ['', '{', 'null', '{"sender":1,"seq":2}', '{"sender":"x","seq":"2"}'])
    stranger.publish(subject, Buffer.from(text));
  await clock.advanceAsync(10);
  assert.equal(two.reports.length, 5);
  assert.deepEqual(two.reads, { some: 0, all });
});

const runs = Number(process.env['MON_TEST_SEEDS'] ?? 8);

test(`all backends agree within a second after the last fault, whatever was lost (seed ${seed})`, async () => {
  for (let run = 0; run < runs; run += 1) {
    const { clock, random, server, store, join } = simulated(seed + run);
    const members = ['b1', 'b2', 'b3', 'b4'].map((name) => join(name, () => random() * 30));
    for (let step = 0; step < 40; step += 1) {
      const dice = random();
      server.faults = { lost: random() * 0.6, doubled: random() * 0.3, maxDelayMs: random() * 100 };
      if (dice < 0.6) members[Math.floor(random() * members.length)]?.change(`c${Math.floor(random() * 5)}`);
      else if (dice < 0.7) members[Math.floor(random() * members.length)]?.failNext(1);
      else if (dice < 0.75) server.stop();
      else if (dice < 0.85) server.start();
      await clock.advanceAsync(random() * 200);
    }
    server.start();
    server.faults = { lost: 0, doubled: 0, maxDelayMs: 5 };
    await clock.advanceAsync(1_000);
    for (const { copy } of members) assert.deepEqual(copy, store, `run ${run}`);
    for (const each of members) each.close();
  }
});

test('on NATS: backends agree, also about what changed while the server was away', {
  skip: natsSkipReason(),
}, async (t) => {
  const server = await startNats();
  t.after(() => server.stop());
  const store: Store = new Map();
  const members: ReturnType<typeof member>[] = [];
  for (const name of ['b1', 'b2', 'b3']) {
    const bus = await openNatsBus({ urls: [server.url], name, clock: realClock, report: () => {} });
    t.after(() => bus.drain(0));
    const each = member(name, bus, realClock, store);
    t.after(each.close);
    members.push(each);
  }
  const agree = () =>
    eventually('all to agree', () =>
      members.every(({ copy }) => [...store].every(([key, value]) => copy.get(key) === value)),
    );
  for (const [index, each] of members.entries()) each.change(`before-${index}`);
  await agree();
  await server.kill();
  for (const [index, each] of members.entries()) each.change(`away-${index}`);
  await server.start();
  await agree();
  for (const [index, each] of members.entries()) each.change(`after-${index}`);
  await agree();
});
