// The contract of SnapshotStore, run on every implementation: what the rest of the house may rely on.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { maxKeyBytes, maxRecordBytes } from '../../src/store/limits.ts';
import { compareKeys } from '../../src/store/record-key.ts';
import { type SnapshotStore, StoreError, type StoreWrite } from '../../src/store/snapshot-store.ts';
import { fc } from '../property.ts';
import { collect, put, record, remove, stale, written } from './records.ts';

interface Home {
  /** Opens the store on this home's data; the one before is closed by then. */
  open(): Promise<SnapshotStore>;
  /** Stores bytes under a key that can't be read back, at revision 1. */
  damage(key: string): Promise<void>;
  /** What lies in the quarantine for the key, as text. */
  quarantinedText(key: string): Promise<string | undefined>;
  dispose(): Promise<void>;
}

export interface ContractOptions {
  readonly skip?: string | false;
  readonly createHome: () => Promise<Home>;
  /** Cases per property: fewer where a commit crosses a network. */
  readonly runs?: number;
  /** Size of a full batch: fewer on a stand-in whose writes take time in proportion to what is stored. */
  readonly batchWrites?: number;
  /** What JSON data the server behind the store is known not to take, though the real one does. */
  readonly accepts?: (state: unknown) => boolean;
}

export function describeStoreContract(name: string, options: ContractOptions): void {
  const full = options.batchWrites ?? 1_024;
  const check = (title: string, body: (store: SnapshotStore, home: Home) => Promise<unknown>) =>
    it(title, async () => {
      const home = await options.createHome();
      const store = await home.open();
      try {
        await body(store, home);
      } finally {
        await store.close();
        await home.dispose();
      }
    });

  describe(`store contract: ${name}`, { skip: options.skip ?? false }, () => {
    check('gives back what was written, field by field', async (store) => {
      const state = {
        value: { result: 'passing' },
        context: { list: [1, 2.5, -0.25, null, true], text: 'é 漢 🙂' },
      };
      assert.deepEqual(await store.commit([put('default/web-01/cpu', 1, state)]), [written]);
      assert.deepEqual(await store.get('check', 'default/web-01/cpu'), record(1, state));
    });

    check(
      'writes what is first and what is last as all else, with outcomes in the order of the batch',
      async (store) => {
        await store.commit([put('gone', 3, undefined, 'delivery'), put('kept', 9, undefined, 'delivery')]);
        const outcomes = await store.commit([
          { ...remove('gone', 4, 'delivery'), order: 'last' },
          put('k', 1),
          { ...put('new', 2, undefined, 'delivery'), order: 'first' },
          { ...put('kept', 4, undefined, 'delivery'), order: 'first' },
          { ...put('other', 1, undefined, 'delivery'), order: 'first' },
        ]);
        assert.deepEqual(outcomes, [written, written, written, stale(9), written]);
        const left = (await collect(store.scan('delivery'))).map(({ key, record: { rev } }) => [key, rev]);
        assert.deepEqual(left, [
          ['kept', 9],
          ['new', 2],
          ['other', 1],
        ]);
      },
    );

    check('keeps field names that a database could take for its own', async (store) => {
      const state = JSON.parse(
        '{"a.b":1,"$set":{"$gt":""},"":2,"_bsontype":"ObjectId","\\uff0e\\uff04\\uff3c":3,"__proto__":{"x":1},"10":1}',
      );
      await store.commit([put('k', 1, state)]);
      const read = (await store.get('check', 'k'))?.state;
      assert.equal(JSON.stringify(read), JSON.stringify(state));
      assert.equal(({} as { x?: unknown }).x, undefined);
    });

    check('gives back any JSON data unchanged', async (store) => {
      let rev = 0;
      const property = fc.asyncProperty(
        fc.jsonValue({ maxDepth: 4 }).filter(options.accepts ?? (() => true)),
        async (state) => {
          rev += 1;
          await store.commit([put('k', rev, state)]);
          assert.equal(JSON.stringify((await store.get('check', 'k'))?.state), JSON.stringify(state));
        },
      );
      await fc.assert(property, { numRuns: options.runs ?? 100 });
    });

    check('shares nothing with the caller', async (store) => {
      const state = { list: [1] };
      await store.commit([put('k', 1, state)]);
      state.list.push(2);
      const first = (await store.get('check', 'k'))?.state as { list: number[] } | undefined;
      first?.list.push(3);
      assert.deepEqual((await store.get('check', 'k'))?.state, { list: [1] });
    });

    check('knows nothing of a key that was never written', async (store) => {
      assert.equal(await store.get('check', 'nobody'), undefined);
      assert.equal(await store.get('entity', 'nobody'), undefined);
    });

    check('keeps kinds apart', async (store) => {
      await store.commit([put('k', 1, 'check', 'check'), put('k', 2, 'entity', 'entity')]);
      assert.equal((await store.get('check', 'k'))?.state, 'check');
      assert.equal((await store.get('entity', 'k'))?.state, 'entity');
      assert.equal(await store.count('check'), 1);
    });

    check('refuses a revision that is not newer, and says which one it holds', async (store) => {
      await store.commit([put('k', 5, 'new')]);
      assert.deepEqual(await store.commit([put('k', 4, 'older')]), [stale(5)]);
      assert.deepEqual(await store.commit([remove('k', 3)]), [stale(5)]);
      assert.equal((await store.get('check', 'k'))?.state, 'new');
      assert.deepEqual(await store.commit([put('k', 6, 'newest')]), [written]);
    });

    check(
      'writes the rest of a batch in which one write is stale, and tells the outcomes in order',
      async (store) => {
        await store.commit([put('b', 9)]);
        const outcomes = await store.commit([put('a', 1), put('b', 2), remove('absent', 1), put('c', 1)]);
        assert.deepEqual(outcomes, [written, stale(9), written, written]);
        assert.deepEqual(await store.get('check', 'c'), record(1));
      },
    );

    check('deletes, and forgets the revision with it', async (store) => {
      await store.commit([put('k', 5)]);
      assert.deepEqual(await store.commit([remove('k', 6)]), [written]);
      assert.equal(await store.get('check', 'k'), undefined);
      assert.deepEqual(await store.commit([put('k', 1, 'again')]), [written]);
      assert.equal((await store.get('check', 'k'))?.state, 'again');
    });

    check('takes an empty batch', async (store) => {
      assert.deepEqual(await store.commit([]), []);
    });

    check(`takes a batch of ${full} writes, twice`, async (store) => {
      const batch = (rev: number) => Array.from({ length: full }, (_, n) => put(`k${n}`, rev, { n }));
      assert.ok((await store.commit(batch(1))).every((outcome) => outcome.written));
      assert.ok((await store.commit(batch(2))).every((outcome) => outcome.written));
      assert.equal(await store.count('check'), full);
      assert.equal((await store.get('check', `k${full - 1}`))?.rev, 2);
    });

    check('takes several batches at once', async (store) => {
      const batches = Array.from({ length: store.maxConcurrentCommits + 1 }, (_, n) =>
        store.commit(Array.from({ length: 20 }, (_, m) => put(`batch${n}/k${m}`, 1))),
      );
      await Promise.all(batches);
      assert.equal(await store.count('check'), 20 * batches.length);
    });

    check('scans in ascending byte order of the key', async (store) => {
      const keys = ['b', 'a/b', 'a', 'a/a/c', 'a-b', 'Z', 'é', '~', '\u{1f600}', '\uff5e', 'a/a'];
      await store.commit(keys.map((key) => put(key, 1)));
      const scanned = (await collect(store.scan('check'))).map((entry) => entry.key);
      assert.deepEqual(scanned, [...keys].sort(compareKeys));
      assert.deepEqual(
        scanned,
        [...keys].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))),
      );
    });

    check('scans a prefix and nothing beside it', async (store) => {
      await store.commit(['a/1', 'a/2', 'a', 'a0', 'a-', 'b/1'].map((key) => put(key, 1)));
      const scanned = await collect(store.scan('check', { prefix: 'a/' }));
      assert.deepEqual(scanned, [
        { key: 'a/1', record: record(1) },
        { key: 'a/2', record: record(1) },
      ]);
      assert.equal(await store.count('check', 'a/'), 2);
      assert.equal(await store.count('check', 'a'), 5);
      assert.equal(await store.count('check', 'c'), 0);
    });

    check('pages by the last key of the page before, whatever the size of the page', async (store) => {
      const keys = Array.from({ length: full / 2 }, (_, n) => `ns/${String(n).padStart(4, '0')}`);
      await store.commit([...keys.map((key) => put(key, 1)), put('other', 1)]);
      const limit = Math.floor(full / 13);
      const seen: string[] = [];
      for (let page = await pageAfter(''); page.length > 0; page = await pageAfter(page.at(-1) ?? '')) {
        assert.ok(page.length <= limit);
        seen.push(...page);
      }
      assert.deepEqual(seen, keys);

      async function pageAfter(after: string): Promise<string[]> {
        const query = after === '' ? { prefix: 'ns/', limit } : { prefix: 'ns/', limit, after };
        return (await collect(store.scan('check', query))).map((entry) => entry.key);
      }
    });

    check('lets a scan be left early, and a limit of zero be asked for', async (store) => {
      await store.commit(Array.from({ length: full / 4 }, (_, n) => put(`k${n}`, 1)));
      for await (const _ of store.scan('check')) break;
      assert.deepEqual(await collect(store.scan('check', { limit: 0 })), []);
      assert.equal((await collect(store.scan('check', { limit: 1 }))).length, 1);
    });

    check('starts a page at a prefix when `after` lies before it', async (store) => {
      await store.commit(['a/1', 'b/1', 'b/2'].map((key) => put(key, 1)));
      const entries = await collect(store.scan('check', { prefix: 'b/', after: 'a/1' }));
      assert.deepEqual(
        entries.map((entry) => entry.key),
        ['b/1', 'b/2'],
      );
    });

    check(`takes a key of ${maxKeyBytes} bytes and refuses a longer one`, async (store) => {
      const longest = 'é'.repeat(maxKeyBytes / 2);
      assert.deepEqual(await store.commit([put(longest, 1)]), [written]);
      assert.deepEqual(await store.get('check', longest), record(1));
      await assert.rejects(store.commit([put(`${longest}x`, 1)]), invalid(/at most 1900 bytes/));
    });

    check('refuses keys that no store could keep, and writes nothing of the batch', async (store) => {
      for (const key of ['', 'a\u0000b', 'a\nb', '\u{10ffff}']) {
        await assert.rejects(store.commit([put('fine', 1), put(key, 1)]), invalid(/key/));
      }
      assert.equal(await store.get('check', 'fine'), undefined);
    });

    check('refuses a record that is no JSON or too large, and names it', async (store) => {
      const circular: { self?: unknown } = {};
      circular.self = circular;
      await assert.rejects(store.commit([put('k1', 1, circular)]), invalid(/check k1/));
      await assert.rejects(store.commit([put('k2', 1, 10n)]), invalid(/check k2/));
      await assert.rejects(store.commit([put('k3', 1, 'x'.repeat(maxRecordBytes))]), invalid(/check k3/));
    });

    check('keeps a record of 1 MiB', async (store) => {
      await store.commit([put('big', 1, 'x'.repeat(1024 * 1024))]);
      const read = (await store.get('check', 'big'))?.state as string | undefined;
      assert.equal(read?.length, 1024 * 1024);
    });

    check('finds everything again after it was closed and opened', async (store, home) => {
      await store.commit([put('a', 3), put('b', 1), put('s', 2, {}, 'silence')]);
      await store.commit([remove('b', 2)]);
      await store.close();
      const again = await home.open();
      assert.deepEqual(await collect(again.scan('check')), [{ key: 'a', record: record(3) }]);
      assert.deepEqual(await again.commit([put('a', 3)]), [stale(3)]);
      assert.equal(await again.count('silence'), 1);
      await again.close();
    });

    check(
      'boot-with-one-bad-record: serves the rest, keeps the bad bytes aside and reports them',
      async (store, home) => {
        await store.commit([put('a', 1), put('bad', 1), put('z', 1)]);
        await store.close();
        await home.damage('bad');
        const again = await home.open();
        assert.deepEqual(
          (await collect(again.scan('check'))).map((entry) => entry.key),
          ['a', 'z'],
        );
        assert.deepEqual(
          again.quarantined().map(({ kind, key }) => ({ kind, key })),
          [{ kind: 'check', key: 'bad' }],
        );
        assert.notEqual(again.quarantined()[0]?.reason, '');
        assert.equal(await again.get('check', 'bad'), undefined);
        assert.equal(again.quarantined().length, 1);
        assert.deepEqual(await again.commit([put('bad', 1, 'healed')]), [written]);
        assert.equal((await again.get('check', 'bad'))?.state, 'healed');
        await again.close();
        assert.match((await home.quarantinedText('bad')) ?? '', /damaged/);
      },
    );

    check('is not fooled by a damaged record into refusing a write', async (store, home) => {
      await store.commit([put('bad', 1)]);
      await store.close();
      await home.damage('bad');
      const again = await home.open();
      assert.deepEqual(await again.commit([put('bad', 1, 'healed')]), [written]);
      assert.equal(again.quarantined().length, 1);
      await again.close();
    });

    check('refuses everything after it was closed, and may be closed twice', async (store) => {
      await store.close();
      await store.close();
      await assert.rejects(store.commit([put('k', 1)]), { name: 'StoreError', code: 'closed' });
      await assert.rejects(store.get('check', 'k'), { code: 'closed' });
      await assert.rejects(collect(store.scan('check')), { code: 'closed' });
    });

    check('ends the commits under way before it closes', async (store, home) => {
      const commits = [store.commit([put('a', 1)])];
      await store.close();
      await Promise.all(commits);
      const again = await home.open();
      assert.deepEqual(await again.get('check', 'a'), record(1));
      await again.close();
    });

    check('behaves like a map with revisions, whatever is asked of it', async (store) => {
      const model = new Map<string, { rev: number; state: unknown }>();
      const write = fc.record({
        key: fc.constantFrom('a', 'b', 'c/d', 'c/e'),
        rev: fc.integer({ min: 1, max: 6 }),
        isPut: fc.boolean(),
      });
      const batch = fc.uniqueArray(write, { selector: (item) => item.key, maxLength: 4 });
      const property = fc.asyncProperty(fc.array(batch, { maxLength: 12 }), async (batches) => {
        const reset = await store.commit([...model].map(([key]) => remove(key, 100)));
        assert.ok(reset.every((outcome) => outcome.written));
        model.clear();
        for (const items of batches) {
          const writes: StoreWrite[] = items.map(({ key, rev, isPut }) =>
            isPut ? put(key, rev) : remove(key, rev),
          );
          const expected = items.map(({ key, rev, isPut }) => {
            const held = model.get(key);
            if (held && held.rev >= rev) return stale(held.rev);
            if (isPut) model.set(key, { rev, state: { n: rev } });
            else model.delete(key);
            return written;
          });
          assert.deepEqual(await store.commit(writes), expected);
        }
        const held = [...model]
          .sort(([a], [b]) => compareKeys(a, b))
          .map(([key, { rev }]) => ({ key, record: record(rev) }));
        assert.deepEqual(await collect(store.scan('check')), held);
      });
      await fc.assert(property, { numRuns: Math.ceil((options.runs ?? 100) / 4) });
    });
  });
}

const invalid = (message: RegExp) => (error: unknown) => {
  assert.ok(error instanceof StoreError, String(error));
  assert.equal(error.code, 'invalid');
  assert.match(error.message, message);
  return true;
};
