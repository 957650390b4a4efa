// The parts of the HTTP room that need no socket: the resource table, seeding, access rules, settlement, frame reading.
import assert from 'node:assert/strict';
import test from 'node:test';
import { storeOutcome } from '../../src/actors/durable/store-outcome.ts';
import { openResources } from '../../src/actors/resources/open-resources.ts';
import { type ResourceChange, ResourceTable } from '../../src/actors/resources/resource-table.ts';
import { isSeeded, seedIfEmpty } from '../../src/actors/resources/seed.ts';
import { jsonCodec } from '../../src/http/edge/codec.ts';
import { readEventFrame } from '../../src/http/edge/frame-reader.ts';
import { settle } from '../../src/http/edge/settlement.ts';
import { authorize } from '../../src/http/rbac.ts';
import { MonError } from '../../src/model/errors.ts';
import { createTokenBucket } from '../../src/model/token-bucket.ts';
import { StoreError } from '../../src/store/snapshot-store.ts';
import { fc } from '../property.ts';
import { agentEvent } from './harness.ts';
import { MemoryCommitter, storeFull } from './memory-committer.ts';

const id = (name: string, segment = 'clusterroles') => ({ segment, namespace: '', name });

test('pages of any size, read while nothing changes, are the whole list in order', async () => {
  const names = fc.uniqueArray(fc.stringMatching(/^[a-z0-9._:-]{1,6}$/), { maxLength: 30 });
  await fc.assert(
    fc.asyncProperty(names, fc.integer({ min: 1, max: 7 }), async (all, limit) => {
      const table = new ResourceTable({ committer: new MemoryCommitter() });
      await Promise.all(all.map((name) => table.put(id(name), { name })));
      const read: unknown[] = [];
      let after: string | undefined;
      do {
        const page = table.list('clusterroles', { limit, ...(after === undefined ? {} : { after }) });
        assert.ok(page.items.length <= limit);
        read.push(...page.items.map(({ name }) => name));
        after = page.next;
      } while (after !== undefined);
      assert.deepEqual(read, [...all].sort());
    }),
    { numRuns: 60 },
  );
});

test('whatever fails to commit, readers and a restart see the same, and it is what was acknowledged', async () => {
  const step = fc.record({
    name: fc.constantFrom('a', 'b', 'c'),
    value: fc.option(fc.integer(), { nil: undefined }),
    fails: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 20 }), async (steps) => {
      const committer = new MemoryCommitter();
      const table = new ResourceTable({ committer });
      const model = new Map<string, number>();
      for (const { name, value, fails } of steps) {
        committer.failWith = fails ? storeFull() : null;
        const done = value === undefined ? table.delete(id(name)) : table.put(id(name), { value });
        await done.then(
          () => (value === undefined ? model.delete(name) : model.set(name, value)),
          () => {},
        );
      }
      committer.failWith = null;
      // Any write that succeeds takes along what is still due.
      await table.put(id('z'), {});
      const restarted = new ResourceTable({ committer });
      await restarted.load();
      for (const seen of [table, restarted])
        for (const name of ['a', 'b', 'c'])
          assert.equal(seen.get('clusterroles', '', name)?.value, model.get(name));
    }),
    { numRuns: 60 },
  );
});

test('a change is seen by readers and watchers after its commit, not before', async () => {
  const committer = new MemoryCommitter();
  const table = new ResourceTable({ committer });
  let commit = (): void => {};
  committer.gate = new Promise((done) => {
    commit = done;
  });
  const changes: ResourceChange[] = [];
  const stop = table.watch('clusterroles', (change) => changes.push(change));
  const write = table.put(id('r'), { value: 1 });
  await new Promise((done) => setImmediate(done));
  assert.equal(table.get('clusterroles', '', 'r'), undefined);
  assert.equal(changes.length, 0);
  commit();
  await write;
  assert.equal(table.get('clusterroles', '', 'r')?.value, 1);
  await table.delete(id('r'));
  stop();
  await table.put(id('r'), { value: 2 });
  assert.deepEqual(
    changes.map(({ type }) => type),
    ['put', 'deleted'],
  );
});

test('writes to one key queue up: of many creates one wins, and updates do not lose each other', async () => {
  const table = new ResourceTable({ committer: new MemoryCommitter() });
  const creates = await Promise.allSettled(Array.from({ length: 5 }, () => table.create(id('r'), { n: 0 })));
  assert.equal(creates.filter(({ status }) => status === 'fulfilled').length, 1);
  await Promise.all(
    Array.from({ length: 20 }, () => table.update(id('r'), (now) => ({ ...now, n: Number(now.n) + 1 }))),
  );
  assert.equal(table.get('clusterroles', '', 'r')?.n, 20);
});

test('a watcher that throws hurts neither the writer nor other watchers', async () => {
  const faults: Error[] = [];
  const table = new ResourceTable({
    committer: new MemoryCommitter(),
    onFault: (error) => faults.push(error),
  });
  let told = 0;
  table.watch('clusterroles', () => {
    throw new Error('boom');
  });
  table.watch('clusterroles', () => {
    told += 1;
  });
  await table.put(id('r'), {});
  assert.equal(told, 1);
  assert.equal(faults.length, 1);
});

test('what is in the table cannot be changed behind its back', async () => {
  const table = new ResourceTable({ committer: new MemoryCommitter() });
  await table.put(id('r'), { rules: [{ verbs: ['get'] }] });
  const rules = table.get('clusterroles', '', 'r')?.rules as { verbs: string[] }[];
  assert.throws(() => rules[0]?.verbs.push('*'), TypeError);
});

test('a record that cannot be read is reported and left out; the rest is there', async () => {
  const committer = new MemoryCommitter();
  const first = await openResources({ committer });
  await first.table.put(id('key-1', 'apikeys'), { username: 'a' });
  await first.table.put(id('r'), {});
  for (const [key, record] of committer.records)
    if (key.includes('apikeys')) committer.records.set(key, { ...record, state: { sealed: 'AAAA' } });
  const faults: Error[] = [];
  const second = await openResources({ committer, onFault: (error) => faults.push(error) });
  assert.equal(faults.length, 1);
  assert.equal(second.table.count('apikeys'), 0);
  assert.ok(second.table.get('clusterroles', '', 'r'));
});

test('an empty store is seeded once, and a seeding cut short is done again', async () => {
  const committer = new MemoryCommitter();
  const hash = async (password: string) => `hash of ${password}`;
  const options = { adminUsername: 'root', adminPassword: 'secret-one', hash };
  const half = (await openResources({ committer })).table;
  let writes = 0;
  const put = committer.put.bind(committer);
  committer.put = (...parameters) => {
    writes += 1;
    committer.failWith = writes > 9 ? storeFull() : null;
    put(...parameters);
  };
  await assert.rejects(seedIfEmpty(half, options), /store is full/);
  committer.put = put;
  committer.failWith = null;
  const { table } = await openResources({ committer });
  assert.equal(isSeeded(table), false);
  assert.equal(await seedIfEmpty(table, options), true);
  assert.equal(await seedIfEmpty(table, { ...options, adminPassword: 'other' }), false);
  assert.equal(table.get('users', '', 'root')?.password_hash, 'hash of secret-one');
  const admin = { username: 'root', groups: ['cluster-admins'], via: 'password' } as const;
  const everything = { verb: 'delete', resource: 'namespaces', namespace: '', resourceName: 'x' };
  assert.equal(authorize(table, admin, everything).allow, true);
  const agent = { username: 'agent', groups: ['system:agents'], via: 'password' } as const;
  assert.equal(
    authorize(table, agent, { ...everything, verb: 'create', resource: 'events', namespace: 'default' })
      .allow,
    true,
  );
  assert.equal(authorize(table, agent, everything).allow, false);
  assert.ok(!JSON.stringify([...committer.records]).includes('"secret-one"'));
  await assert.rejects(
    seedIfEmpty((await openResources({ committer: new MemoryCommitter() })).table, {
      ...options,
      adminUsername: 'agent',
    }),
    /cannot be called agent/,
  );
});

test('an outcome is settled by kind: accepted, refused for good, or offered again', () => {
  const failed = (error: Error) => settle(storeOutcome(error), 1).type;
  assert.equal(settle({ type: 'done' }, 1).type, 'accept');
  assert.equal(failed(new MonError('storeFull')), 'offerAgain');
  assert.equal(failed(new MonError('unavailable')), 'offerAgain');
  assert.equal(failed(storeFull()), 'offerAgain');
  assert.equal(failed(new MonError('invalid')), 'refuse');
  assert.equal(failed(new MonError('notFound')), 'refuse');
  assert.equal(failed(new MonError('paymentRequired')), 'refuse');
  assert.equal(failed(new StoreError('invalid', 'the record is too large')), 'refuse');
  const crashed = { type: 'fault', error: new Error('x') } as const;
  assert.deepEqual(
    [1, 2, 3].map((offers) => settle(crashed, offers).type),
    ['offerAgain', 'offerAgain', 'refuse'],
  );
  assert.equal(settle({ type: 'poison', message: 'x' }, 1).type, 'refuse');
  for (const why of ['mailboxFull', 'restarting', 'stopped', 'noActor'] as const)
    assert.equal(settle({ type: 'busy', why, message: 'x' }, 99).type, 'offerAgain');
});

test('connections are accepted at the configured rate and burst, at n and n+1', () => {
  let nowMs = 0;
  const rate = createTokenBucket(4, 8, nowMs);
  const taken = () => Array.from({ length: 20 }, () => rate.take(nowMs)).filter((wait) => wait === 0).length;
  assert.equal(taken(), 8);
  nowMs += 1_000;
  assert.equal(taken(), 4);
  nowMs += 3_600_000;
  assert.equal(taken(), 8);
  assert.equal(createTokenBucket(0, 0, 0).take(0), 0);
});

const identity = { namespace: 'default', agentName: 'web-01', mayReportFor: () => false };
const readFrame = (payload: Buffer) => readEventFrame('event', payload, jsonCodec, identity);

test('no payload makes the frame reader throw, and none pollutes a prototype', () => {
  const mutated = fc.tuple(fc.nat(), fc.uint8Array({ minLength: 1, maxLength: 4 })).map(([at, bytes]) => {
    const payload = Buffer.from(JSON.stringify(agentEvent()));
    payload.set(bytes, at % (payload.length - 4));
    return payload;
  });
  const replaced = fc
    .tuple(
      fc.constantFrom('entity', 'check', 'metrics', 'id', 'metadata', 'pipelines', 'timestamp'),
      fc.jsonValue(),
    )
    .map(([key, value]) => Buffer.from(JSON.stringify({ ...agentEvent(), [key]: value })));
  const bytes = fc.uint8Array({ maxLength: 200 }).map((array) => Buffer.from(array));
  fc.assert(
    fc.property(
      fc.oneof(
        mutated,
        replaced,
        bytes,
        fc.json().map((text) => Buffer.from(text)),
      ),
      (payload) => {
        const read = readFrame(payload);
        if (read.ok) assert.equal(read.event.entity.metadata.namespace, 'default');
        else assert.ok(read.message.length > 0);
        assert.equal(Object.keys(Object.prototype).length, 0);
      },
    ),
    { numRuns: 2_000 },
  );
});
