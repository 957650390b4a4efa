// A database is served by one backend alone or by a cluster, never by both.
import assert from 'node:assert/strict';
import { after, type TestContext, test } from 'node:test';
import { MongoClient } from 'mongodb';
import { openMongoStore } from '../../src/store/mongo-store.ts';
import type { SharedStore } from '../../src/store/record-fence.ts';
import { startFastMongodb } from './mongodb-server.ts';

const server = await startFastMongodb();
after(() => server.stop());

const quick = { beatMs: 100, patienceMs: 2_000 };
let databases = 0;
const newUrl = (): string => {
  databases += 1;
  return `${server.url}/mon_exclusion_${process.pid}_${databases}`;
};

const kept = async (t: TestContext, opening: Promise<SharedStore>): Promise<SharedStore> => {
  const store = await opening;
  t.after(() => store.close());
  return store;
};
const alone = (url: string) => openMongoStore({ url, ownerTimes: quick, onOwnershipLost: () => {} });
const member = (url: string) => openMongoStore({ url, ownerTimes: quick, isMember: true });

const join = async ({ leases }: SharedStore, name: string) => {
  await leases.join({ incarnation: `${name}.1`, name, beat: 0, state: 'serving' });
  const beat = () => leases.beat(`${name}.1`, 'serving');
  await beat();
  return beat;
};

/** Beats until the test ends. */
const keepBeating = (t: TestContext, beat: () => Promise<unknown>): void => {
  const timer = setInterval(() => void beat().catch(() => {}), quick.beatMs);
  t.after(() => clearInterval(timer));
};

test('a backend alone does not start while a member lives, and is told what to do', async (t) => {
  const url = newUrl();
  const b1 = await kept(t, member(url));
  keepBeating(t, await join(b1, 'b1'));
  await assert.rejects(
    alone(url),
    /is served by a cluster \(b1\): stop every member first, or start with the --bus-url/,
  );
  await b1.leases.leave('b1.1');
  await kept(t, alone(url));
});

test('members that were killed are declared dead first: their heartbeats never succeed again', async (t) => {
  const url = newUrl();
  const beat = await join(await kept(t, member(url)), 'b1');
  await kept(t, alone(url));
  assert.equal(await beat(), false);
});

test('a member does not start while a backend serves alone, and is told what to do', async (t) => {
  const url = newUrl();
  const first = await alone(url);
  await assert.rejects(
    member(url),
    /is in use by another backend \(pid .*unless all of them have a --bus-url/,
  );
  await first.close();
  await kept(t, member(url));
});

test('a backend that served alone and was killed is removed first: it is told that it lost the database', async (t) => {
  const url = newUrl();
  const client = new MongoClient(url);
  t.after(() => client.close());
  const meta = client.db().collection<{ _id: string; incarnation: string }>('meta');
  await meta.insertOne({ _id: 'owner', incarnation: 'dead', beat: 3, pidScope: 'elsewhere' } as never);
  await kept(t, member(url));
  assert.equal(await meta.findOne({ _id: 'owner' }), null);
});

test('of a backend alone and a member that begin at once, at least one finds the other', async (t) => {
  const url = newUrl();
  // Both have looked for the other before either wrote that it is there.
  const b1 = await kept(t, member(url));
  const owner = await kept(t, alone(url));
  await assert.rejects(join(b1, 'b1'), /is in use by another backend/);
  assert.equal(await b1.leases.beat('b1.1', 'serving'), false, 'it never serves');
  await owner.close();
});
