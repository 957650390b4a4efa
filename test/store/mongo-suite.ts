// What the MongoDB store promises on any server that speaks the protocol: it keeps the contract, fences other writers, and
// comes back by itself after an outage.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { describe, it, type TestContext } from 'node:test';
import { createServer } from 'node:tls';
import { MongoClient } from 'mongodb';
import { openMongoStore } from '../../src/store/mongo-store.ts';
import { type Authority, makeAuthority } from '../http/certificates.ts';
import { describeStoreContract } from './contract.ts';
import type { TestServer } from './mongodb-server.ts';
import { put, record, stale, written } from './records.ts';
import { startRelay } from './relay.ts';

async function withDatabase<T>(
  url: string,
  work: (db: ReturnType<MongoClient['db']>) => Promise<T>,
): Promise<T> {
  const client = new MongoClient(url);
  try {
    return await work(client.db());
  } finally {
    await client.close();
  }
}

async function inTurn<T>(steps: readonly (() => Promise<T>)[], isForward: boolean): Promise<T[]> {
  const results: T[] = [];
  for (const step of steps) results.push(await step());
  return isForward ? results : results.reverse();
}

const holdsNoNestedList = (value: unknown): boolean =>
  typeof value !== 'object' ||
  value === null ||
  Object.values(value).every(
    (item) => holdsNoNestedList(item) && !(Array.isArray(value) && Array.isArray(item)),
  );

/** Declares the tests for a server that runs; `label` names it. */
export const describeMongoStore = (label: string, server: TestServer): void => {
  let databases = 0;
  const newUrl = (): string => {
    databases += 1;
    return `${server.url}/mon_test_${process.pid}_${databases}`;
  };

  describeStoreContract(label, {
    runs: 30,
    ...(server.isFerret ? { batchWrites: 64, accepts: holdsNoNestedList } : {}),
    createHome: async () => {
      const url = newUrl();
      return {
        open: () => openMongoStore({ url }),
        damage: (key) =>
          withDatabase(url, async (db) => {
            await db
              .collection<{ _id: string }>('check')
              .replaceOne({ _id: key }, { rev: 1, text: 'damaged' });
          }),
        quarantinedText: (key) =>
          withDatabase(url, async (db) => {
            const aside = await db.collection('quarantine').findOne({ kind: 'check', key });
            return aside ? JSON.stringify(aside) : undefined;
          }),
        dispose: () =>
          withDatabase(url, async (db) => {
            await db.dropDatabase();
          }),
      };
    },
  });

  /** TLS in front of the server. Resolves with its port. */
  const startTlsFront = async (t: TestContext, authority: Authority): Promise<number> => {
    const target = Number(new URL(server.url).port);
    const front = createServer(authority.issue('store'), (socket) => {
      const plain = connect(target, '127.0.0.1');
      for (const each of [socket, plain])
        each
          .on('error', () => {})
          .on('close', () => {
            socket.destroy();
            plain.destroy();
          });
      socket.pipe(plain).pipe(socket);
    });
    front.on('tlsClientError', () => {});
    front.listen(0, '127.0.0.1');
    await once(front, 'listening');
    t.after(() => front.close());
    return (front.address() as AddressInfo).port;
  };

  describe(`MongoDB store on ${label}`, () => {
    it('believes a server over TLS whose authority it is told to trust, unless the URL names another', async (t) => {
      const [authority, stranger] = [makeAuthority(t), makeAuthority(t)];
      const port = await startTlsFront(t, authority);
      const open = (trusted: Authority, query = '') => {
        const url = `mongodb://127.0.0.1:${port}/mon_test_tls?tls=true&directConnection=true${query}`;
        return openMongoStore({ url, serverSelectionMs: 2_000, authorities: () => [trusted.ca.toString()] });
      };
      const store = await open(authority);
      assert.deepEqual(await store.commit([put('tls', 1)]), [written]);
      await store.close();
      await assert.rejects(open(stranger), /certificate/);
      const named = await open(stranger, `&tlsCAFile=${encodeURIComponent(authority.caFile)}`);
      await named.close();
    });

    it('keeps records that can be read in a shell', async () => {
      const url = newUrl();
      const store = await openMongoStore({ url });
      await store.commit([put('default/web-01/cpu', 1, { context: { status: 2 } })]);
      await store.close();
      const row = await withDatabase(url, (db) =>
        db.collection('check').findOne({ 'state.context.status': 2 }),
      );
      assert.equal(String(row?._id), 'default/web-01/cpu');
      assert.ok(row?.savedAt instanceof Date);
    });

    it('lets exactly one of two writers win each revision, and tells the other', async (t) => {
      const url = newUrl();
      const openings = [openMongoStore({ url }), openMongoStore({ url })];
      // An open connection would keep the whole file running after a failure.
      t.after(async () => {
        for (const opening of await Promise.allSettled(openings))
          if (opening.status === 'fulfilled') await opening.value.close();
      });
      const stores = await Promise.all(openings);
      const wins = [0, 0];
      for (let rev = 1; rev <= 20; rev += 1) {
        const commits = stores.map((store, who) => () => store.commit([put('k', rev, { who })]));
        // FerretDB finds and replaces in two steps, which MongoDB does in one: there, one after the other has to do.
        const outcomes = server.isFerret
          ? await inTurn(rev % 2 === 0 ? commits : commits.toReversed(), rev % 2 === 0)
          : await Promise.all(commits.map((commit) => commit()));
        const winners = outcomes.map(([outcome]) => outcome?.written);
        assert.deepEqual([...winners].sort(), [false, true]);
        const who = winners.indexOf(true);
        wins[who] = (wins[who] ?? 0) + 1;
        assert.deepEqual((await stores[0]?.get('check', 'k'))?.state, { who });
        assert.deepEqual(outcomes[1 - who], [stale(rev)]);
      }
    });

    it('fails fast while the server can not be reached, and works again by itself when it can', async () => {
      const relay = await startRelay(Number(new URL(server.url).port));
      const name = newUrl().split('/').at(-1);
      const url = `mongodb://127.0.0.1:${relay.port}/${name}?directConnection=true`;
      const store = await openMongoStore({ url, serverSelectionMs: 300 });
      assert.deepEqual(await store.commit([put('k', 1)]), [written]);
      relay.cut();
      await assert.rejects(store.commit([put('k', 2)]), { name: 'StoreError', code: 'unavailable' });
      await assert.rejects(store.get('check', 'k'), { code: 'unavailable' });
      relay.mend();
      assert.deepEqual(await store.commit([put('k', 3)]), [written]);
      assert.deepEqual(await store.get('check', 'k'), record(3));
      await store.close();
      await relay.close();
    });

    it('refuses a store written in a later format', async () => {
      const url = newUrl();
      await withDatabase(url, (db) =>
        db.collection<{ _id: string }>('meta').insertOne({ _id: 'format', format: 99 } as never),
      );
      await assert.rejects(openMongoStore({ url }), (error: Error) => {
        assert.match(error.message, /has format 99, .* reads formats up to \d+/);
        return true;
      });
    });
  });
};
