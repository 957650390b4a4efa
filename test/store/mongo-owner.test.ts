// One backend at a time owns a MongoDB database: the second is told which one has it, a dead owner is replaced in time, and an
// owner that was replaced finds out and writes nothing more.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { after, type TestContext, test } from 'node:test';
import { type Collection, MongoClient } from 'mongodb';
import type { OwnerDocument } from '../../src/store/mongo-owner.ts';
import { openMongoStore } from '../../src/store/mongo-store.ts';
import { pidScope } from '../../src/store/process-identity.ts';
import type { StoreError, StoreWrite } from '../../src/store/snapshot-store.ts';
import { eventually } from '../eventually.ts';
import { startFastMongodb, startStandIn } from './mongodb-server.ts';
import { put, record, remove } from './records.ts';
import { startRelay } from './relay.ts';

const server = await startFastMongodb();
const standIn = await startStandIn();
after(() => Promise.all([server.stop(), standIn.stop()]));

const quick = { beatMs: 100, patienceMs: 2_000 };
const never = { beatMs: 100, patienceMs: 2 ** 31 };
let databases = 0;
const newUrl = (at = server.url): string => {
  databases += 1;
  return `${at}/mon_owner_${process.pid}_${databases}`;
};

const open = (url: string, lost: StoreError[] = [], ownerTimes = quick) =>
  openMongoStore({ url, ownerTimes, onOwnershipLost: (error) => void lost.push(error) });

const withMeta = async <T>(
  url: string,
  work: (meta: Collection<OwnerDocument>) => Promise<T>,
): Promise<T> => {
  const client = new MongoClient(url);
  try {
    return await work(client.db().collection<OwnerDocument>('meta'));
  } finally {
    await client.close();
  }
};

const deadElsewhere: OwnerDocument = {
  _id: 'owner',
  incarnation: 'dead',
  beat: 7,
  host: 'elsewhere',
  pid: 1,
  startTicks: '1',
  bootId: 'another',
  pidScope: 'another',
  since: '2020-01-01T00:00:00Z',
};

test('a second backend on the same database is refused, and told which one has it', async () => {
  const url = newUrl();
  const first = await open(url);
  await assert.rejects(
    open(url),
    new RegExp(`MongoDB at .* is in use by another backend \\(pid ${process.pid} on .*, since `),
  );
  await first.close();
  const next = await open(url, [], never);
  await next.close();
});

test('an owner on another machine is replaced once its beat stood still for long enough', async () => {
  const url = newUrl();
  await withMeta(url, (meta) => meta.insertOne(deadElsewhere));
  const next = await open(url);
  const owner = await withMeta(url, (meta) => meta.findOne({ _id: 'owner' }));
  assert.equal(owner?.pid, process.pid);
  await next.close();
});

test('an owner of this machine whose process is gone is replaced at once', {
  skip: pidScope() === '',
}, async () => {
  const url = newUrl();
  const { pid = 0 } = spawnSync('true');
  await withMeta(url, (meta) => meta.insertOne({ ...deadElsewhere, pid, pidScope: pidScope() }));
  const awaited: OwnerDocument[] = [];
  const standBy = {
    signal: new AbortController().signal,
    onOwner: (owner: OwnerDocument) => void awaited.push(owner),
    onOutage: () => {},
  };
  const next = await openMongoStore({ url, ownerTimes: never, onOwnershipLost: () => {}, standBy });
  assert.deepEqual(awaited, [], 'nobody stands by for a process that is gone');
  await next.close();
});

test('an owner that gives the database back while another waits is replaced at once', async () => {
  const url = newUrl();
  await withMeta(url, (meta) => meta.insertOne(deadElsewhere));
  const waiting = open(url, [], never);
  await withMeta(url, (meta) => meta.deleteOne({ _id: 'owner' }));
  await (await waiting).close();
});

test('of several that find a dead owner, or none, only one takes over', async () => {
  for (const isDead of [true, false]) {
    const url = newUrl();
    if (isDead) await withMeta(url, (meta) => meta.insertOne(deadElsewhere));
    const results = await Promise.allSettled([open(url), open(url), open(url)]);
    assert.deepEqual(results.map(({ status }) => status).sort(), ['fulfilled', 'rejected', 'rejected']);
    for (const result of results) if (result.status === 'fulfilled') await result.value.close();
  }
});

test('of several on standby one takes over, the others stand by for that one, and the wait can be ended', async () => {
  const url = newUrl();
  const first = await open(url);
  const end = new AbortController();
  const reason = new Error('enough');
  const waiting = [1, 2, 3].map(() => {
    const owners: string[] = [];
    const standBy = {
      signal: end.signal,
      onOwner: ({ incarnation }: OwnerDocument) => {
        if (owners.at(-1) !== incarnation) owners.push(incarnation);
      },
      onOutage: () => {},
    };
    const opened = openMongoStore({ url, ownerTimes: never, onOwnershipLost: () => {}, standBy });
    return { owners, opened };
  });
  await eventually('three on standby', () => waiting.every(({ owners }) => owners.length === 1));
  await first.close();
  const next = await Promise.any(waiting.map(({ opened }) => opened));
  const others = () => waiting.filter(({ owners }) => owners.length === 2);
  await eventually('two that stand by for the new owner', () => others().length === 2);
  const [one, other] = others();
  assert.equal(one?.owners[1], other?.owners[1]);
  end.abort(reason);
  const results = await Promise.allSettled(waiting.map(({ opened }) => opened));
  const rejected = results.filter((result) => result.status === 'rejected');
  assert.deepEqual(
    rejected.map((result) => result.reason),
    [reason, reason],
  );
  await next.close();
});

test('an owner that was replaced is told, and leaves the claim of the other', async () => {
  const url = newUrl();
  const lost: StoreError[] = [];
  const first = await open(url, lost);
  await withMeta(url, (meta) => meta.updateOne({ _id: 'owner' }, { $set: { incarnation: 'another' } }));
  await eventually('the loss', () => lost.length > 0);
  assert.match(lost[0]?.message ?? '', /another backend took over the database/);
  await assert.rejects(first.commit([put('k', 1)]), /another backend took over the database/);
  await first.close();
  assert.equal(await withMeta(url, (meta) => meta.countDocuments({ incarnation: 'another' })), 1);
});

test('an owner whose beat is old confirms its ownership before it commits', async () => {
  const url = newUrl();
  // A beat that never comes by itself, and counts as old at once.
  const store = await open(url, [], { beatMs: 2 ** 30, patienceMs: 0 });
  await store.commit([put('k', 1)]);
  await withMeta(url, (meta) => meta.updateOne({ _id: 'owner' }, { $set: { incarnation: 'another' } }));
  await assert.rejects(store.commit([put('k', 2)]), /another backend took over the database/);
  assert.deepEqual(await store.get('check', 'k'), record(1));
  await store.close();
});

/** A write of the first owner is held up on the network until a second one has taken over. */
const delayWrite = async (t: TestContext, key: string, write: StoreWrite, patienceMs: number) => {
  const url = newUrl();
  const relay = await startRelay(Number(new URL(url).port));
  const through = `mongodb://127.0.0.1:${relay.port}${new URL(url).pathname}?directConnection=true`;
  // Its heartbeat never comes, and counts as recent for half of `patienceMs`.
  const first = await open(through, [], { beatMs: 2 ** 30, patienceMs });
  t.after(() => Promise.all([relay.close(), first.close()]));
  await first.commit([put(key, 1, 'before')]);
  relay.stall();
  const delayed = first.commit([write]).then(
    () => 'acknowledged',
    (error: unknown) => String(error),
  );
  const second = await open(url, [], quick);
  t.after(() => second.close());
  assert.equal((await second.get('check', key))?.rev, 1);
  relay.mend();
  return { delayed, second };
};

test('a write that was held up until another backend had taken over is not acknowledged', async (t) => {
  const { delayed } = await delayWrite(t, 'k', put('k', 2, 'late'), quick.patienceMs);
  assert.match(await delayed, /another backend took over the database/);
});

test('the owner overwrites what the owner before it had written too late', async (t) => {
  const { delayed, second } = await delayWrite(t, 'k', put('k', 7, 'late'), never.patienceMs);
  await delayed;
  assert.deepEqual(await second.get('check', 'k'), record(7, 'late'));
  assert.deepEqual(await second.commit([put('k', 2, 'new'), put('other', 1)]), [
    { written: true, rev: 8 },
    { written: true },
  ]);
  assert.deepEqual(await second.get('check', 'k'), { ...record(2, 'new'), rev: 8 });
  assert.deepEqual(await second.commit([remove('k', 3)]), [{ written: true, rev: 9 }]);
  assert.equal(await second.get('check', 'k'), undefined);
});

test('a claim whose reply was lost is still one claim', async () => {
  const url = newUrl(standIn.url);
  const admin = new MongoClient(standIn.url);
  await admin.db('admin').command({
    configureFailPoint: 'failCommand',
    mode: { times: 1 },
    data: { failCommands: ['insert'], loseReply: true },
  });
  await admin.close();
  const store = await open(url).catch(() => open(url, [], never));
  await store.close();
});
