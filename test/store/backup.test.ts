// The backup file: whatever is cut off or altered in it is noticed before anything is written, and a restore ends in a store
// that holds what the other one held.
import assert from 'node:assert/strict';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { gunzipSync, gzipSync } from 'node:zlib';
import { BackupError } from '../../src/store/backup/backup-format.ts';
import { type ExportItem, exportable } from '../../src/store/backup/consistent-export.ts';
import { restoreBackup, verifyBackup } from '../../src/store/backup/restore-backup.ts';
import { refuseToReplace, writeBackup } from '../../src/store/backup/write-backup.ts';
import { newMarker } from '../../src/store/format-marker.ts';
import { openLmdbStore } from '../../src/store/lmdb-store.ts';
import {
  recordKinds,
  type SnapshotStore,
  StoreError,
  type StoreWrite,
} from '../../src/store/snapshot-store.ts';
import { seed, seeded } from '../property.ts';
import { removeDir, temporaryDir } from './lmdb-home.ts';
import { collect, put, record, remove } from './records.ts';

const inDir = (name: string, run: (dir: string) => Promise<void>): void => {
  test(name, async () => {
    const dir = temporaryDir();
    try {
      await run(dir);
    } finally {
      removeDir(dir);
    }
  });
};

const open = (dir: string, purpose: 'serve' | 'restore' | 'inspect' = 'serve') =>
  openLmdbStore({ dir, purpose });

const contentsOf = async (store: SnapshotStore): Promise<string> => {
  const all: unknown[] = [];
  for (const kind of recordKinds) all.push(kind, await collect(store.scan(kind)));
  return JSON.stringify(all);
};

/** A store with some records of two kinds, and its backup. */
const madeBackup = async (dir: string, count = 2_500): Promise<{ file: string; contents: string }> => {
  const store = await open(join(dir, 'from'));
  const writes: StoreWrite[] = [];
  for (let n = 0; n < count; n += 1)
    writes.push(
      put(`default/host-${n}/cpu`, n + 1, { text: `é 漢 🙂 ${n}`, n }, n % 5 === 0 ? 'entity' : 'check'),
    );
  await store.commit(writes);
  const file = join(dir, 'made.backup');
  const result = await writeBackup(file, {
    ...{ store: store.name, marker: store.marker },
    items: exportable(store).export(),
  });
  assert.equal(result.records, count);
  const contents = await contentsOf(store);
  await store.close();
  return { file, contents };
};

inDir('a store and what was restored from its backup hold the same, revisions included', async (dir) => {
  const { file, contents } = await madeBackup(dir);
  assert.equal(statSync(file).mode & 0o777, 0o600);
  assert.throws(() => refuseToReplace(file), /is there already/);
  const verified = await verifyBackup(file);
  const into = await open(join(dir, 'into'), 'restore');
  await restoreBackup(into, verified, 'into');
  assert.equal(await contentsOf(into), contents);
  await into.close();
  await (await open(join(dir, 'into'))).close();
});

inDir('of a key that comes again the last line counts, also when the key is gone', async (dir) => {
  async function* items(): AsyncGenerator<ExportItem> {
    const at = (key: string, rev: number): ExportItem => ({
      type: 'record',
      kind: 'check',
      key,
      record: record(rev),
    });
    yield at('changed', 1);
    yield at('deleted', 1);
    yield at('made-again', 7);
    yield { type: 'changes' };
    yield at('changed', 2);
    yield { type: 'gone', kind: 'check', key: 'deleted' };
    yield at('new', 1);
    yield at('changed', 5);
    yield { type: 'gone', kind: 'check', key: 'made-again' };
    yield at('made-again', 1);
    yield at('short-lived', 1);
    yield { type: 'gone', kind: 'check', key: 'short-lived' };
  }
  const file = join(dir, 'b');
  await writeBackup(file, { store: 'test', marker: newMarker(), items: items() });
  const verified = await verifyBackup(file);
  assert.deepEqual([verified.counts, verified.records], [{ check: 3 }, 3]);
  const into = await open(join(dir, 'into'), 'restore');
  await restoreBackup(into, verified, 'into');
  const found = (await collect(into.scan('check'))).map((entry) => [entry.key, entry.record.rev]);
  assert.deepEqual(found, [
    ['changed', 5],
    ['made-again', 1],
    ['new', 1],
  ]);
  await into.close();
});

inDir('a file that is cut off anywhere, or altered anywhere, is refused', async (dir) => {
  const { file } = await madeBackup(dir, 1_500);
  const whole = readFileSync(file);
  const text = gunzipSync(whole);
  const random = seeded(seed);
  const other = join(dir, 'other');
  const refused = async (bytes: Buffer, what: string): Promise<void> => {
    writeFileSync(other, bytes);
    await assert.rejects(verifyBackup(other), BackupError, `${what}, seed ${seed}`);
  };
  for (let n = 0; n < 20; n += 1) {
    const length = Math.floor(random() * whole.length);
    await refused(whole.subarray(0, length), `cut off at ${length} of ${whole.length}`);
  }
  for (let n = 0; n < 40; n += 1) {
    const at = Math.floor(random() * text.length);
    const altered = Buffer.from(text);
    altered[at] = (altered[at] ?? 0) ^ (1 << Math.floor(random() * 7));
    await refused(gzipSync(altered, { level: 1 }), `byte ${at} of the text altered`);
  }
  const lines = text.toString().trimEnd().split('\n');
  const relined = (these: readonly string[]): Buffer => gzipSync(`${these.join('\n')}\n`, { level: 1 });
  await refused(relined(lines.slice(0, -1)), 'without its end');
  await refused(relined([...lines, '{}']), 'with something after its end');
  await refused(relined(lines.toSpliced(700, 1)), 'without one line');
  await refused(relined([lines[0] ?? '', ...lines.slice(1).reverse()]), 'in another order');
  await refused(Buffer.from('just some text'), 'no backup');
  await refused(Buffer.alloc(0), 'an empty file');
});

inDir('an error about a file says where it is wrong and what to do', async (dir) => {
  const { file } = await madeBackup(dir, 1_500);
  const lines = gunzipSync(readFileSync(file)).toString().split('\n');
  const other = join(dir, 'other');
  lines[1_200] = String(lines[1_200]).replace('"n":', '"N":');
  writeFileSync(other, gzipSync(lines.join('\n')));
  await assert.rejects(verifyBackup(other), {
    message: `${other} was altered: the checksum of lines 1001 to 1503 differs. Take another copy or another backup`,
  });
  writeFileSync(other, readFileSync(file).subarray(0, 5_000));
  await assert.rejects(verifyBackup(other), /is cut off: it ends after line \d+\. Take another copy/);
  await assert.rejects(verifyBackup(join(dir, 'nothing')), /can't be read: ENOENT/);
});

inDir('a backup of a newer program is refused with both versions named', async (dir) => {
  const file = join(dir, 'b');
  async function* none(): AsyncGenerator<ExportItem> {}
  await writeBackup(file, { store: 'test', marker: { format: 99, migrated: 99 }, items: none() });
  await assert.rejects(
    verifyBackup(file),
    /made by mon-backend \d\S* \(backup format 1, store format 99\); this is mon-backend \d\S*, which reads backup formats up to 1 and store formats up to \d+/,
  );
});

inDir('a store that holds something is refused and left as it is', async (dir) => {
  const { file } = await madeBackup(dir, 10);
  const verified = await verifyBackup(file);
  const into = await open(join(dir, 'into'));
  await into.commit([put('mine', 1)]);
  await assert.rejects(
    restoreBackup(into, verified, 'the-store'),
    /the-store is not empty \(1 check records\)/,
  );
  assert.equal(await into.count('check'), 1);
  await into.commit([remove('mine', 2)]);
  await restoreBackup(into, verified, 'the-store');
  await into.close();
});

inDir(
  'an unfinished restore is not served from, and ends with a second run of the same backup',
  async (dir) => {
    const { file, contents } = await madeBackup(dir);
    const verified = await verifyBackup(file);
    const into = await open(join(dir, 'into'), 'restore');
    let batches = 0;
    const failing = new Proxy(into, {
      get: (target, name) => {
        if (name === 'commit') batches += 1;
        if (batches > 2) throw new Error('killed');
        const value: unknown = Reflect.get(target, name, target);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
    await assert.rejects(restoreBackup(failing, verified, 'into'), /killed/);
    assert.ok((await into.count('check')) > 0, 'it was killed in the middle');
    await into.close();
    for (const purpose of ['serve', 'inspect'] as const)
      await assert.rejects(
        open(join(dir, 'into'), purpose),
        /a restore into .* was not finished .*run mon-backend restore/,
      );
    const again = await open(join(dir, 'into'), 'restore');
    const { file: another } = await madeBackup(join(dir, 'another'), 3).catch(() => ({ file: '' }));
    if (another !== '')
      await assert.rejects(
        restoreBackup(again, await verifyBackup(another), 'into'),
        /unfinished restore of another backup/,
      );
    const there = (await again.count('check')) + (await again.count('entity'));
    let written = 0;
    let commits = 0;
    const watched = new Proxy(again, {
      get: (target, name) => {
        if (name === 'commit')
          return (writes: readonly StoreWrite[]) => {
            commits += 1;
            if (commits === 1) throw new StoreError('unavailable', 'out of reach for a moment');
            written += writes.length;
            return target.commit(writes);
          };
        const value: unknown = Reflect.get(target, name, target);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
    await restoreBackup(watched, verified, 'into');
    assert.equal(written, verified.records - there, 'what is there is not written again');
    assert.equal(await contentsOf(again), contents);
    await again.close();
    await (await open(join(dir, 'into'))).close();
  },
);
