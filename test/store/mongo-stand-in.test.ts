// The MongoDB store on the stand-in: everything it promises anywhere, and the faults that only the stand-in can produce.
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { MongoClient } from 'mongodb';
import { openMongoStore } from '../../src/store/mongo-store.ts';
import type { StoreWrite } from '../../src/store/snapshot-store.ts';
import { describeMongoStore } from './mongo-suite.ts';
import { startStandIn } from './mongodb-server.ts';
import { collect, put, record, remove, written } from './records.ts';

const server = await startStandIn();
const replicaSet = await startStandIn('rs0');
after(() => Promise.all([server.stop(), replicaSet.stop()]));

describeMongoStore('the stand-in', server);
describeMongoStore('a stand-in that announces a replica set', replicaSet);

const administer = async (url: string, command: Record<string, unknown>): Promise<void> => {
  const client = new MongoClient(url, { directConnection: true });
  try {
    await client.db('admin').command(command);
  } finally {
    await client.close();
  }
};

describe('MongoDB store on a replica set that fails', () => {
  it('applies a write once and reports it as written when the reply was lost', async () => {
    const url = `${replicaSet.url}/mon_lost_reply`;
    const store = await openMongoStore({ url });
    await store.commit([put('k', 1)]);
    await administer(replicaSet.url, {
      configureFailPoint: 'failCommand',
      mode: { times: 1 },
      data: { failCommands: ['update'], loseReply: true },
    });
    assert.deepEqual(await store.commit([put('k', 2)]), [written]);
    assert.deepEqual(await store.get('check', 'k'), record(2));
    await store.close();
  });

  it('opens a new database although another process inserts the format marker at the same moment', async () => {
    const url = `${replicaSet.url}/mon_two_openers`;
    await administer(replicaSet.url, {
      configureFailPoint: 'failCommand',
      mode: { times: 1 },
      data: { failCommands: ['update'], errorCode: 11_000 },
    });
    const store = await openMongoStore({ url });
    assert.deepEqual(await store.commit([put('k', 1)]), [written]);
    await store.close();
  });

  it('repeats a read and a count that the driver gave up', async (t) => {
    const store = await openMongoStore({ url: `${replicaSet.url}/mon_repeated_reads` });
    t.after(() => store.close());
    await store.commit([put('a', 1), put('b', 1)]);
    const failTwice = (command: string) =>
      administer(replicaSet.url, {
        configureFailPoint: 'failCommand',
        mode: { times: 2 },
        data: { failCommands: [command], closeConnection: true },
      });
    await failTwice('aggregate');
    assert.equal(await store.count('check'), 2);
    await failTwice('find');
    assert.deepEqual(await store.get('check', 'b'), record(1));
    await failTwice('find');
    assert.equal((await collect(store.scan('check'))).length, 2);
  });

  it('counts a range of keys without the documents', async (t) => {
    const store = await openMongoStore({ url: `${replicaSet.url}/mon_counts` });
    t.after(() => store.close());
    await store.commit(['a/1', 'a/2', 'a/', 'b/1', 'a0'].map((key) => put(key, 1)));
    assert.deepEqual(
      await Promise.all(['', 'a/', 'b/', 'c/'].map((prefix) => store.count('check', prefix))),
      [5, 3, 1, 0],
    );
  });

  it('writes again once a new primary is elected', async () => {
    const url = `${replicaSet.url}/mon_election`;
    const store = await openMongoStore({ url, serverSelectionMs: 30_000 });
    await store.commit([put('k', 1)]);
    await administer(replicaSet.url, { replSetStepDown: 1 });
    assert.deepEqual(await store.commit([put('k', 2)]), [written]);
    await store.close();
  });

  it('reports a server that is shutting down as an outage, and writes once it is back', async () => {
    const url = `${replicaSet.url}/mon_refused`;
    const store = await openMongoStore({ url });
    await administer(replicaSet.url, {
      configureFailPoint: 'failCommand',
      mode: { times: 2 },
      data: { failCommands: ['update'], errorCode: 11_600 },
    });
    await assert.rejects(store.commit([put('k', 1)]), { name: 'StoreError', code: 'unavailable' });
    assert.deepEqual(await store.commit([put('k', 1)]), [written]);
    await store.close();
  });

  it('sends nothing that counts on a write which failed, and deletes nothing before what was to be written', async (t) => {
    const url = `${replicaSet.url}/mon_in_order`;
    const store = await openMongoStore({ url });
    t.after(() => store.close());
    await store.commit([put('k', 1, 'old', 'delivery')]);
    await administer(replicaSet.url, {
      configureFailPoint: 'failCommand',
      // The driver tries a write twice.
      mode: { times: 2 },
      data: { failCommands: ['update'], errorCode: 11_600 },
    });
    const writes: StoreWrite[] = [
      put('k', 1),
      { ...put('new', 1, undefined, 'delivery'), order: 'first' },
      { ...remove('k', 2, 'delivery'), order: 'last' },
    ];
    await assert.rejects(store.commit(writes), { name: 'StoreError', code: 'unavailable' });
    assert.equal(await store.get('check', 'k'), undefined);
    assert.equal(await store.get('delivery', 'new'), undefined);
    assert.equal((await store.get('delivery', 'k'))?.state, 'old');
    assert.deepEqual(await store.commit(writes), [written, written, written]);
    assert.deepEqual(await store.get('check', 'k'), record(1));
    assert.deepEqual(await store.get('delivery', 'new'), record(1));
    assert.equal(await store.get('delivery', 'k'), undefined);
  });
});
