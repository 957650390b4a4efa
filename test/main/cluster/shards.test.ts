// Backends that share the shards of one store: under load through all of them one falls silent, and the others take its shards over.
import assert from 'node:assert/strict';
import { after, type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { shardOf } from '../../../src/cluster/shards.ts';
import { type CheckEvent, eventSchema } from '../../../src/model/event/event.ts';
import { eventually } from '../../eventually.ts';
import { seeded, seed as testSeed } from '../../property.ts';
import { startFastMongodb } from '../../store/mongodb-server.ts';
import { ClusterWorld, patienceMs, type RunningBackend, usedShards } from './cluster-world.ts';

const server = await startFastMongodb();
after(() => server.stop());
let databases = 0;

const newCluster = (t: TestContext): ClusterWorld => {
  databases += 1;
  const cluster = new ClusterWorld(`${server.url}/mon_shards_${process.pid}_${databases}`);
  t.after(() => cluster.close());
  return cluster;
};

const idOf = (entity: number, number: number): string =>
  `00000000-0000-4000-8000-${String(entity * 1_000_000 + number).padStart(12, '0')}`;

const eventOf = (entity: string, check: object, id: string): CheckEvent =>
  eventSchema.parse({
    timestamp: Math.floor(Date.now() / 1000),
    entity: { metadata: { name: entity, namespace: 'default' }, entity_class: 'agent', subscriptions: [] },
    check: {
      metadata: { name: 'cpu', namespace: 'default' },
      interval: 60,
      status: 2,
      executed: Math.floor(Date.now() / 1000),
      handlers: ['record'],
      ...check,
    },
    metadata: { namespace: 'default' },
    id,
  }) as CheckEvent;

/** More than a take-over takes, so that only a wait that does not begin anew ends in an alarm. */
const silenceSeconds = 30;

const keepaliveOf = (entity: string, id: string): CheckEvent =>
  eventOf(
    entity,
    {
      metadata: { name: 'keepalive', namespace: 'default' },
      status: 0,
      interval: 1,
      timeout: silenceSeconds,
      handlers: [],
    },
    id,
  );

const agents = 16;
const names = Array.from({ length: 2_000 }, (_, index) => `web-${index}`)
  .filter((name) => shardOf('default', name) < usedShards)
  .slice(0, agents);

/** Agents that send one event after the other to whichever backend serves, and stay alive until they are told to stop. */
const load = (cluster: ClusterWorld, serving: () => readonly RunningBackend[]) => {
  const random = seeded(testSeed);
  let isOver = false;
  const acknowledged = names.map(() => 0);
  const alive = names.map(() => 0);
  const any = (): RunningBackend => {
    const backends = serving();
    return backends[Math.floor(random() * backends.length)] as RunningBackend;
  };
  const work = names.map(async (name, entity) => {
    for (let number = 1; !isOver; number += 1) {
      await cluster.offer(eventOf(name, {}, idOf(entity, number)), any);
      acknowledged[entity] = number;
      await sleep(100);
    }
  });
  const beats = names.map(async (name, entity) => {
    for (let number = 500_000; !isOver; number += 1) {
      await cluster.offer(keepaliveOf(name, idOf(entity, number)), any, 'keepalive');
      alive[entity] = (alive[entity] ?? 0) + 1;
      await sleep(500);
    }
  });
  return {
    acknowledged,
    /** Until every agent was heard for so many more seconds. */
    goesOn: async (seconds: number): Promise<void> => {
      const before = [...alive];
      await eventually(
        'every agent to be heard',
        () => alive.every((count, entity) => count - (before[entity] ?? 0) >= 2 * seconds),
        patienceMs,
      );
    },
    stop: async (): Promise<void> => {
      isOver = true;
      await Promise.all([...work, ...beats]);
    },
  };
};

/** Every event that was acknowledged is there, once; was handed to a handler; and nobody was called silent. */
const assertAllKept = async (cluster: ClusterWorld, acknowledged: readonly number[]): Promise<void> => {
  const told = new Set(cluster.told.map(({ event }) => event.id));
  const alive = cluster.backends.at(-1);
  for (const [entity, name] of names.entries()) {
    const event = await alive?.backend.readEvent('default', name, 'cpu');
    assert.equal(event?.check.occurrences, acknowledged[entity], name);
    for (let number = 1; number <= (acknowledged[entity] ?? 0); number += 1)
      assert.ok(told.has(idOf(entity, number)), `${name} ${number} was handled`);
  }
  const alarms = cluster.told.filter(
    ({ event }) => event.check?.metadata.name === 'keepalive' && event.check.status !== 0,
  );
  assert.deepEqual(
    alarms.map(({ event }) => event.check?.output),
    [],
  );
};

test('a backend falls silent under load: its shards are taken over, nothing is lost or applied twice, nobody is called silent', async (t) => {
  const cluster = newCluster(t);
  const [one, two, three] = [await cluster.start('b1'), await cluster.start('b2'), await cluster.start('b3')];
  await cluster.settled([one, two, three]);
  let serving: readonly RunningBackend[] = [one, two, three];
  const running = load(cluster, () => serving);
  await running.goesOn(2);
  // Agents still reach it for a while, and it goes on with what it has.
  one.halt();
  await cluster.settled([two, three]);
  serving = [two, three];
  await running.goesOn(2);
  await running.stop();
  await assertAllKept(cluster, running.acknowledged);
});

test('a backend that drains hands its shards over under load; one that joins gets its share', async (t) => {
  const cluster = newCluster(t);
  const one = await cluster.start('b1');
  await cluster.settled([one]);
  let serving: readonly RunningBackend[] = [one];
  const running = load(cluster, () => serving);
  await running.goesOn(1);
  const two = await cluster.start('b2');
  serving = [one, two];
  await eventually('a share of the second', () => two.accepted().length > 0, patienceMs);
  await cluster.settled([one, two]);
  await running.goesOn(1);
  serving = [two];
  await one.runner.drain();
  await cluster.settled([two]);
  await running.goesOn(1);
  await running.stop();
  assert.deepEqual([one.stale, two.stale], [[], []]);
  assert.deepEqual([one.backend.events.size, one.backend.runtime.registry.ids('entity:')], [0, []]);
  await assertAllKept(cluster, running.acknowledged);
});

test('what a backend wrote that was alone is taken over by the first of a cluster, and by those that join', async (t) => {
  const cluster = newCluster(t);
  await cluster.alone('b0', async (backend) => {
    for (const [entity, name] of names.entries())
      await backend.acceptEvent(eventOf(name, { ttl: 86_400 }, idOf(entity, 1)));
  });
  const occurrences = async ({ backend }: RunningBackend): Promise<unknown[]> => {
    const found: unknown[] = [];
    for (const name of names)
      found.push((await backend.readEvent('default', name, 'cpu'))?.check.occurrences);
    return found;
  };
  const one = await cluster.start('b1');
  await cluster.settled([one]);
  assert.deepEqual(
    await occurrences(one),
    names.map(() => 1),
  );
  assert.equal(one.backend.events.size, names.length);
  for (const [entity, name] of names.entries())
    await cluster.offer(eventOf(name, {}, idOf(entity, 2)), () => one);
  const two = await cluster.start('b2');
  await eventually('a share of the second', () => two.accepted().length > 0, patienceMs);
  await one.runner.drain();
  await cluster.settled([two]);
  assert.deepEqual(
    await occurrences(two),
    names.map(() => 2),
  );
});
