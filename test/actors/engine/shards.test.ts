// A backend that hosts only some shards: they come up while it runs, and when they go, nothing of them is left.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shardCount } from '../../../src/cluster/limits.ts';
import { shardOf } from '../../../src/cluster/shards.ts';
import { type Event, eventSchema } from '../../../src/model/event/event.ts';
import { MemoryDisk, MemoryStore } from '../../../src/store/memory-store.ts';
import type { RecordKind, StoredRecord } from '../../../src/store/snapshot-store.ts';
import { privateSize } from '../../private-size.ts';
import { seeded, seed as testSeed } from '../../property.ts';
import { openSharded, type ShardedWorld } from './sharded-world.ts';
import { copyOf } from './world.ts';

const shardOfEntity = (entity: string): number => shardOf('default', entity);
const entities = Array.from({ length: 12 }, (_, index) => `web-${index}`);

/** Times are those of the last load; everything else has to be alike. */
const withoutTimes = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value, (key, item: unknown) =>
      /AtMs$|^(deliverySeries|lastIssued)$/.test(key) ? undefined : item,
    ),
  );

/** What a backend knows and keeps. */
const footprintOf = ({ world, shards }: ShardedWorld): unknown => {
  const { backend } = world;
  const { registry } = backend.runtime;
  const ids = registry.ids().filter((id) => /^(entity|check|client|system|schedule|job):/.test(id));
  const { entities: counted, events, largeEventBytes, deliveryBytesWaiting } = backend.gauges();
  return {
    open: shards.open(),
    actors: ids.toSorted().map((id) => [id, withoutTimes(registry.peek(id))]),
    lists: [...backend.events.named('', undefined)].map(({ key, event, silenced, rank }) => [
      key,
      event.check.occurrences,
      silenced,
      rank,
    ]),
    counts: backend.events.counts({ namespace: 'default' }),
    taken: backend.entityAllowance(),
    gauges: { counted, events, largeEventBytes, deliveryBytesWaiting },
    keys: backend.committer.keys,
  };
};

/** The same as a backend that is started now on what is stored, with the same shards. */
const assertLikeNew = async (sharded: ShardedWorld): Promise<void> => {
  const fresh = await openSharded({ disk: copyOf(sharded.world.disk) });
  try {
    fresh.world.clock.advance(sharded.world.nowMs - fresh.world.nowMs);
    for (const shard of sharded.shards.open()) await fresh.load(shard);
    await fresh.world.quiet();
    assert.deepEqual(footprintOf(sharded), footprintOf(fresh));
  } finally {
    await fresh.world.stop();
  }
};

test('a shard that is loaded brings its entities, checks and what is left of their waits', async (t) => {
  const first = await openSharded();
  t.after(() => first.world.stop());
  const [mine = '', other = ''] = entities;
  await first.load(shardOfEntity(mine));
  await first.world.post({ name: 'cpu', status: 2, ttl: 120 }, { name: mine });
  await assert.rejects(first.world.post({ name: 'cpu' }, { name: other }), /does not exist; try again/);
  assert.equal(first.world.backend.runtime.registry.has(`entity:default/${other}`), false);
  await first.world.advance(50_000);
  await first.stop(shardOfEntity(mine));
  assert.equal(first.world.backend.runtime.registry.has(`check:default/${mine}/cpu`), false);
  await first.world.advance(30_000);
  await first.load(shardOfEntity(mine), 2);
  assert.equal((await first.world.read(mine, 'cpu'))?.check.occurrences, 1);
  await first.world.advance(39_000);
  assert.doesNotMatch((await first.world.read(mine, 'cpu'))?.check.output ?? '', /Last check execution was/);
  await first.world.advance(3_000);
  assert.match((await first.world.read(mine, 'cpu'))?.check.output ?? '', /Last check execution was/);
});

test('whatever was loaded and given up before, a backend is like one that was just started with its shards', async (t) => {
  const random = seeded(testSeed);
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T;
  const sharded = await openSharded();
  t.after(() => sharded.world.stop());
  const { world, shards } = sharded;
  const all = [...new Set(entities.map(shardOfEntity))];
  await world.check('disk', { interval: 60 });
  const checkShard = shardOf('default', 'disk');
  // Until the report that nobody runs the check: it creates the namespace of the platform, which stays.
  await world.advance(60_000);
  for (let step = 0; step < 60; step += 1) {
    const roll = random();
    const shard = pick([...all, checkShard]);
    const isOpen = shards.isMine(shard);
    if (roll < 0.4) {
      if (!isOpen) await sharded.load(shard);
      else if (random() < 0.5) await sharded.stop(shard);
      else await sharded.drop(shard);
    } else {
      const here = entities.filter((entity) => shards.isMine(shardOfEntity(entity)));
      if (here.length === 0) continue;
      const output = random() < 0.2 ? 'x'.repeat(40_000) : 'ok';
      const check = { name: pick(['cpu', 'disk']), status: pick([0, 1, 2]), ttl: 3600, output };
      await world.post(check, { name: pick(here) });
    }
    await world.advance(1_000);
    if (step % 10 === 9) await assertLikeNew(sharded);
  }
  for (const shard of shards.open()) await sharded.drop(shard);
  await assertLikeNew(sharded);
});

test('a load that is stopped or dropped half-way ends, and leaves nothing', async (t) => {
  const sharded = await openSharded();
  t.after(() => sharded.world.stop());
  const [entity = ''] = entities;
  const shard = shardOfEntity(entity);
  await sharded.load(shard);
  await sharded.world.post({ name: 'cpu', status: 2 }, { name: entity });
  await sharded.stop(shard);
  for (const end of ['stop', 'drop'] as const) {
    const host = sharded.world.backend.shards;
    const loading = host?.load(shard, 1);
    const refused = assert.rejects(async () => loading, /was given up while it was loaded/);
    await sharded[end](shard);
    await sharded.world.drive(refused);
    await assertLikeNew(sharded);
  }
  await sharded.load(shard);
  assert.equal((await sharded.world.read(entity, 'cpu'))?.check.occurrences, 1);
});

test('a write that the store refuses as stale drops its shard at once, and says so', async (t) => {
  const sharded = await openSharded();
  t.after(() => sharded.world.stop());
  const [entity = ''] = entities;
  const shard = shardOfEntity(entity);
  await sharded.load(shard);
  await sharded.world.post({ name: 'cpu', status: 0 }, { name: entity });
  // Another backend wrote it meanwhile.
  const key = `default/${entity}/cpu`;
  const cell = sharded.world.disk.cells('check').get(key);
  assert.ok(cell);
  sharded.world.disk.cells('check').set(key, { ...cell, rev: cell.rev + 100 });
  await assert.rejects(sharded.world.post({ name: 'cpu', status: 2 }, { name: entity }));
  assert.deepEqual(sharded.stale, [shard]);
  assert.equal(sharded.shards.isMine(shard), false);
  await sharded.world.quiet();
  await assertLikeNew(sharded);
});

test('a check is scheduled by the backend with the shard of its definition alone', async (t) => {
  const sharded = await openSharded();
  t.after(() => sharded.world.stop());
  const { world } = sharded;
  await world.check('disk', { interval: 10 });
  const { registry } = world.backend.runtime;
  assert.equal(registry.has('schedule:default/disk'), false);
  await sharded.load(shardOf('default', 'disk'));
  assert.equal(registry.has('schedule:default/disk'), true);
  await sharded.stop(shardOf('default', 'disk'));
  assert.equal(registry.has('schedule:default/disk'), false);
  await world.advance(120_000);
  assert.equal(world.backend.gauges()['checksStopped'], 0);
});

test('silence that nobody could hear is not held against an agent: its wait begins anew', async (t) => {
  const sharded = await openSharded();
  t.after(() => sharded.world.stop());
  const { world } = sharded;
  const [entity = ''] = entities;
  const shard = shardOfEntity(entity);
  await sharded.load(shard);
  const keepalive = world.event(
    { name: 'keepalive', interval: 20, timeout: 60 },
    { name: entity, entity_class: 'agent' },
  );
  await world.drive(
    new Promise<void>((resolve) => world.backend.acceptFrame('keepalive', keepalive, () => resolve())),
  );
  await world.advance(50_000);
  await sharded.stop(shard);
  await world.advance(600_000);
  await sharded.load(shard, 2);
  await world.advance(59_000);
  assert.equal((await world.read(entity, 'keepalive'))?.check.status, 0);
  await world.advance(2_000);
  assert.equal((await world.read(entity, 'keepalive'))?.check.status, 1);
});

test('what a shard still had to tell is told by the backend that takes it, and by no other', async (t) => {
  const disk = new MemoryDisk();
  const hang = (): Promise<void> => new Promise(() => {});
  const first = await openSharded({ disk, handle: hang });
  const second = await openSharded({ disk });
  t.after(() => second.world.stop());
  const [entity = ''] = entities;
  const shard = shardOfEntity(entity);
  await first.load(shard);
  await first.world.post({ name: 'cpu', status: 2 }, { name: entity });
  // An event without a check is kept until its handlers are done with it.
  const metrics = { handlers: ['record'], points: [] };
  await first.world.drive(
    first.world.backend.acceptEvent(
      eventSchema.parse({ ...first.world.event({}, { name: entity }), check: undefined, metrics }) as Event,
    ),
  );
  await first.world.advance(1_000);
  assert.deepEqual(
    first.world.told.map(({ check }) => check),
    ['cpu', ''],
  );
  await first.drop(shard);
  await second.load(shard, 2);
  await second.world.advance(1_000);
  assert.deepEqual(second.world.told.map(({ check }) => check).toSorted(), ['', 'cpu']);
  await second.stop(shard, 2);
  await second.load(shard, 3);
  await second.world.advance(1_000);
  assert.equal(second.world.told.length, 2);
  await first.world.crash();
});

test('a handler that ends after its shard went and came back says nothing of the delivery that runs now', async (t) => {
  const ends: (() => void)[] = [];
  const sharded = await openSharded({ handle: () => new Promise((resolve) => ends.push(resolve)) });
  const { world } = sharded;
  t.after(() => world.crash());
  const [entity = ''] = entities;
  const shard = shardOfEntity(entity);
  await sharded.load(shard);
  await world.post({ name: 'cpu', status: 2 }, { name: entity });
  await world.advance(1_000);
  assert.equal(world.told.length, 1);
  await sharded.stop(shard);
  await sharded.load(shard, 2);
  await world.advance(1_000);
  assert.equal(world.told.length, 2);
  const stored = (): number => world.disk.cells('delivery').size;
  ends[0]?.();
  await world.advance(1_000);
  assert.equal(stored(), 1);
  ends[1]?.();
  await world.advance(1_000);
  assert.equal(stored(), 0);
});

test('a delivery whose record is read while its shard goes is not delivered here', async (t) => {
  const disk = new MemoryDisk();
  const first = await openSharded({ disk, handle: () => new Promise(() => {}) });
  t.after(() => first.world.crash());
  const [entity = ''] = entities;
  const shard = shardOfEntity(entity);
  await first.load(shard);
  await first.world.post({ name: 'cpu', status: 2 }, { name: entity });
  await first.drop(shard);
  const reads: (() => void)[] = [];
  class SlowStore extends MemoryStore {
    override async get(kind: RecordKind, key: string): Promise<StoredRecord | undefined> {
      const record = await super.get(kind, key);
      if (kind === 'delivery') await new Promise<void>((resolve) => reads.push(resolve));
      return record;
    }
  }
  const second = await openSharded({ store: () => new SlowStore({ disk }) });
  t.after(() => second.world.crash());
  await second.load(shard, 2);
  assert.equal(reads.length, 1);
  await second.stop(shard, 2);
  for (const answer of reads) answer();
  await second.world.advance(1_000);
  assert.deepEqual(second.world.told, []);
  await assertLikeNew(second);
});

test('a bulk job belongs to the shard of its id, and goes on where that is', async (t) => {
  const disk = new MemoryDisk();
  const [first, second] = [await openSharded({ disk }), await openSharded({ disk })];
  t.after(() => Promise.all([first.world.stop(), second.world.stop()]));
  const [entity = ''] = entities;
  // The id is drawn.
  await Promise.all(Array.from({ length: shardCount }, (_, shard) => first.load(shard)));
  await first.world.post({ name: 'cpu', status: 2 }, { name: entity });
  const { jobs } = first.world.backend;
  const job = await first.world.drive(
    jobs.submit('default', {
      action: 'delete',
      parameters: {},
      by: { username: 'ann', groups: [] },
      events: [`${entity}/cpu`],
    }),
  );
  const moved = new Set([shardOf('default', job.id), shardOfEntity(entity)]);
  const known = (): number => privateSize(first.world.backend, '#jobs', '#known');
  assert.equal(known(), 1);
  for (const shard of moved) await first.stop(shard);
  assert.deepEqual(await first.world.drive(jobs.list('default')), []);
  // Nothing of it would ever leave again: its end is told elsewhere.
  assert.equal(known(), 0);
  for (const shard of moved) await second.load(shard, 2);
  const { jobs: others } = second.world.backend;
  const found = await second.world.drive(others.list('default'));
  assert.deepEqual(
    found.map(({ id }) => id),
    [job.id],
  );
  await second.world.advance(60_000);
  assert.equal(await second.world.read(entity, 'cpu'), undefined);
});

test('a silence whose time was over while no backend had its shard ends with the next load', async (t) => {
  const sharded = await openSharded();
  t.after(() => sharded.world.stop());
  const { world } = sharded;
  const silence = await world.silence({ check: 'cpu', expire_at: Math.floor(world.nowMs / 1000) + 60 });
  const { name } = silence.metadata;
  const stored = (): unknown => world.backend.resources.get('silenced', 'default', name);
  await world.advance(120_000);
  assert.ok(stored());
  await sharded.load(shardOf('default', name));
  await world.advance(1_000);
  assert.equal(stored(), undefined);
});

test('entities of a shard that went take no place under the limit here', async (t) => {
  const sharded = await openSharded({ entityLimit: 1 });
  t.after(() => sharded.world.stop());
  const [one = '', other = ''] = entities;
  await sharded.load(shardOfEntity(one));
  await sharded.world.post({ name: 'cpu' }, { name: one });
  await sharded.load(shardOfEntity(other));
  await assert.rejects(sharded.world.post({ name: 'cpu' }, { name: other }), /entity limit is reached/);
  await sharded.stop(shardOfEntity(one));
  await sharded.world.post({ name: 'cpu' }, { name: other });
});
