// Members, leases and fenced records in MongoDB: on the stand-in with faults, and on FerretDB for compatibility.
import assert from 'node:assert/strict';
import { after, describe, it, type TestContext } from 'node:test';
import { MongoClient } from 'mongodb';
import type { LeaseStore } from '../../src/cluster/lease-store.ts';
import { openMongoStore } from '../../src/store/mongo-store.ts';
import type { Lease, RecordFence, SharedStore } from '../../src/store/record-fence.ts';
import { mongodbSkipReason, startMongodb, startStandIn, type TestServer } from './mongodb-server.ts';
import { collect, put, record, remove, stale, written } from './records.ts';

const standIn = await startStandIn('rs0');
after(() => standIn.stop());

let databases = 0;

const open = async (t: TestContext, server: TestServer, url?: string): Promise<SharedStore> => {
  databases += 1;
  const store = await openMongoStore({ url: url ?? `${server.url}/mon_leases_${process.pid}_${databases}` });
  t.after(() => store.close());
  return store;
};

const administer = async (command: Record<string, unknown>): Promise<void> => {
  const client = new MongoClient(standIn.url, { directConnection: true });
  try {
    await client.db('admin').command(command);
  } finally {
    await client.close();
  }
};

const failOnce = (data: Record<string, unknown>): Promise<void> =>
  administer({ configureFailPoint: 'failCommand', mode: { times: 1 }, data });

const join = (leases: LeaseStore, incarnation: string): Promise<void> =>
  leases.join({ incarnation, name: incarnation, beat: 0, state: 'serving' });

/** A fence that holds every shard under one epoch; `lose` ends its lease. */
const holding = (epoch: number) => {
  let isHeld = true;
  const fence: RecordFence = {
    leaseOf: (kind, key) => {
      if (kind === 'resource') return undefined;
      return key.startsWith('foreign') ? 'foreign' : { shard: 3, epoch };
    },
    holds: (lease: Lease) => isHeld && lease.epoch === epoch,
    isFresh: () => true,
    confirm: async () => {},
  };
  return Object.assign(fence, {
    lose: () => {
      isHeld = false;
    },
  });
};

const describeLeases = (label: string, server: () => TestServer): void => {
  it(`${label}: of two members that claim a lease one gets it, and each taking has a new epoch`, async (t) => {
    const { leases } = await open(t, server());
    const unclaimed = { shard: 7, owner: '', epoch: 0 };
    await Promise.all([leases.claim('a.1', [unclaimed]), leases.claim('b.1', [unclaimed])]);
    const [lease] = await leases.leases();
    assert.ok(lease !== undefined && ['a.1', 'b.1'].includes(lease.owner));
    assert.equal(lease.epoch, 1);
    // It is not as it was seen.
    await leases.claim('c.1', [unclaimed]);
    await leases.claim('c.1', [{ shard: 8, owner: '', epoch: 0 }]);
    await leases.release([
      { ...lease, epoch: 2 },
      { ...lease, owner: 'c.1' },
    ]);
    assert.deepEqual(
      (await leases.leases()).find(({ shard }) => shard === 7),
      lease,
    );
    await leases.release([lease]);
    await leases.claim('c.1', [{ shard: 7, owner: '', epoch: 1 }]);
    assert.deepEqual(
      [...(await leases.leases())].sort((one, other) => one.shard - other.shard),
      [
        { shard: 7, owner: 'c.1', epoch: 2 },
        { shard: 8, owner: 'c.1', epoch: 1 },
      ],
    );
  });

  it(`${label}: a declaration of death counts only for the beat it names, and is for ever`, async (t) => {
    const { leases } = await open(t, server());
    await join(leases, 'a.1');
    assert.equal(await leases.beat('a.1', 'serving'), true);
    const seen = { incarnation: 'a.1', name: 'a.1', beat: 1, state: 'serving' } as const;
    assert.deepEqual(await leases.members(), [seen]);
    assert.equal(await leases.beat('a.1', 'draining'), true);
    await leases.declareDead([seen]);
    assert.equal(await leases.beat('a.1', 'serving'), true, 'it lives: it went on beating');
    await leases.declareDead([{ ...seen, beat: 3 }]);
    assert.equal(await leases.beat('a.1', 'serving'), false);
    await join(leases, 'a.1');
    assert.equal(await leases.beat('a.1', 'serving'), false);
    assert.equal(await leases.beat('unknown.1', 'serving'), false);
  });

  it(`${label}: an owner that never joined can be declared dead, and cannot join any more`, async (t) => {
    const { leases } = await open(t, server());
    await leases.declareDead([{ incarnation: 'late.1', name: '', beat: -1, state: 'serving' }]);
    await join(leases, 'late.1');
    assert.equal(await leases.beat('late.1', 'serving'), false);
    await join(leases, 'b.1');
    await leases.forget(['late.1', 'b.1']);
    assert.deepEqual(
      (await leases.members()).map(({ incarnation }) => incarnation),
      ['b.1'],
    );
    await leases.leave('b.1');
    assert.equal(await leases.beat('b.1', 'serving'), false);
  });

  it(`${label}: a write under an earlier epoch is refused, whatever its revision is`, async (t) => {
    const early = await open(t, server());
    databases += 1;
    const url = `${server().url}/mon_leases_${process.pid}_${databases}`;
    const [old, next] = [await open(t, server(), url), await open(t, server(), url)];
    await early.close();
    const fence = holding(4);
    old.fenceWith(fence);
    next.fenceWith(holding(5));
    assert.deepEqual(await old.commit([put('k', 1), put('gone', 1)]), [written, written]);
    assert.deepEqual(await old.commit([put('k', 7)]), [written]);
    // The next owner read revision 1, before the write of revision 7 arrived.
    assert.deepEqual(await next.commit([put('k', 2)]), [written]);
    assert.deepEqual(await old.commit([put('k', 9), remove('k', 10)]).catch(String), [stale(2), stale(2)]);
    assert.deepEqual(await next.get('check', 'k'), record(2));
    // What the next owner deleted is not brought back by an update.
    assert.deepEqual(await next.commit([remove('gone', 2)]), [written]);
    fence.lose();
    assert.deepEqual(await old.commit([put('gone', 3)]), [stale(3)]);
    assert.equal(await next.get('check', 'gone'), undefined);
    assert.deepEqual(await next.commit([put('k', 3), put('new', 6)]), [written, written]);
    assert.deepEqual(await next.get('check', 'new'), record(6));
  });
};

describe('leases and fenced records in MongoDB', () => {
  describeLeases('stand-in', () => standIn);

  it('orders configuration by its revision alone, and refuses what another backend owns', async (t) => {
    const store = await open(t, standIn);
    const fence = holding(5);
    store.fenceWith(fence);
    assert.deepEqual(await store.commit([put('c', 2, {}, 'resource'), put('foreign', 1)]), [
      written,
      stale(1),
    ]);
    assert.deepEqual(await store.commit([put('c', 1, {}, 'resource')]), [stale(2)]);
    assert.equal(await store.get('check', 'foreign'), undefined);
  });

  it('does not acknowledge what was written under a lease that ended meanwhile', async (t) => {
    const store = await open(t, standIn);
    const fence = holding(5);
    store.fenceWith(fence);
    assert.deepEqual(await store.commit([put('k', 1)]), [written]);
    await failOnce({ failCommands: ['update'], blockConnection: true, blockTimeMS: 100 });
    const late = store.commit([put('k', 2)]);
    fence.lose();
    assert.deepEqual(await late, [stale(2)]);
  });

  it('applies a fenced write once though its reply was lost, also over an earlier one without an answer', async (t) => {
    const store = await open(t, standIn);
    store.fenceWith(holding(5));
    await store.commit([put('k', 1)]);
    await failOnce({ failCommands: ['update'], loseReply: true });
    assert.deepEqual(await store.commit([put('k', 2)]), [written]);
    await store.commit([put('k', 9)]);
    assert.deepEqual(await store.commit([put('k', 3)]), [{ written: true, rev: 10 }]);
    assert.deepEqual(await store.get('check', 'k'), { ...record(3), rev: 10 });
  });

  it('waits for a confirmed heartbeat before and after a commit, and rejects if there is none', async (t) => {
    const store = await open(t, standIn);
    let confirmed = 0;
    let isOwner = true;
    store.fenceWith({
      ...holding(5),
      isFresh: () => false,
      confirm: async () => {
        confirmed += 1;
        if (!isOwner) throw new Error('replaced');
      },
    });
    assert.deepEqual(await store.commit([put('k', 1)]), [written]);
    assert.equal(confirmed, 2);
    isOwner = false;
    await assert.rejects(store.commit([put('k', 2)]), /replaced/);
    assert.deepEqual(await store.get('check', 'k'), record(1));
  });

  it('finds the records of a shard, and those that a single backend left', async (t) => {
    const store = await open(t, standIn);
    await store.commit([put('a', 1), put('b', 1), put('c', 1)]);
    assert.equal(await store.assignShards('check', (key) => (key === 'b' ? 4 : 3)), 3);
    assert.equal(await store.assignShards('check', () => 9), 0);
    store.fenceWith(holding(5));
    assert.deepEqual(await store.commit([put('a', 2), put('d', 1)]), [written, written]);
    const keys = async (shard: number) =>
      (await collect(store.scanShard('check', shard))).map(({ key }) => key);
    assert.deepEqual([await keys(3), await keys(4), await keys(9)], [['a', 'c', 'd'], ['b'], []]);
  });

  it('rejects while there is no primary, and goes on with the next', async (t) => {
    const store = await open(t, standIn);
    await join(store.leases, 'a.1');
    await administer({ replSetStepDown: 1 });
    let isAlive = false;
    for (let tries = 0; tries < 50 && !isAlive; tries += 1)
      isAlive = await store.leases.beat('a.1', 'serving').catch((error: unknown) => {
        assert.equal((error as { code?: unknown }).code, 'unavailable');
        return false;
      });
    assert.equal(isAlive, true);
    const [member] = await store.leases.members();
    assert.ok(member !== undefined && member.beat >= 1);
  });
});

const reason = mongodbSkipReason();
describe('leases and fenced records in FerretDB', { skip: reason }, () => {
  let server: TestServer | undefined;
  after(() => server?.stop());
  it('starts', async () => {
    server = await startMongodb();
  });
  describeLeases('server', () => server as TestServer);
});
