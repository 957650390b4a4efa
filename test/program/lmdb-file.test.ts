// The file of an embedded store that is empty or cut off is refused before it is mapped.
import assert from 'node:assert/strict';
import {
  closeSync,
  copyFileSync,
  mkdirSync,
  openSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { openEventQueue } from '../../src/agent/queue/event-queue.ts';
import { openingFiles } from '../../src/program/lmdb-file.ts';
import { openLmdbStore } from '../../src/store/lmdb-store.ts';
import { StoreError } from '../../src/store/snapshot-store.ts';
import { readableLog, tempFolder } from '../agent/helpers.ts';
import { collect, put } from '../store/records.ts';

const filled = async (): Promise<{ dir: string; file: string; size: number }> => {
  const dir = join(tempFolder(), 'store');
  const store = await openLmdbStore({ dir });
  for (let round = 1; round <= 20; round += 1)
    await store.commit(
      Array.from({ length: 20 }, (_, at) => put(`k${round}/${at}`, 1, { text: 'x'.repeat(3_000 + round) })),
    );
  await store.close();
  const file = join(dir, 'data.mdb');
  return { dir, file, size: statSync(file).size };
};

const refusal = (what: RegExp) => (error: unknown) => {
  assert.ok(error instanceof StoreError, String(error));
  assert.equal(error.code, 'invalid');
  assert.match(error.message, what);
  return true;
};

for (const [what, share] of [
  ['half', 0.5],
  ['only its first pages', 0.02],
] as const)
  test(`a store of which ${what} is left is refused, and not changed`, async () => {
    const { dir, file, size } = await filled();
    const left = Math.floor((size * share) / 4096) * 4096;
    truncateSync(file, left);
    await assert.rejects(
      openLmdbStore({ dir }),
      refusal(/data\.mdb is truncated: it has \d+ of \d+ bytes\. Nothing was changed/),
    );
    assert.equal(statSync(file).size, left);
  });

test('a file that lacks only unused pages is a complete store, wherever it is truncated', async () => {
  const { file, size } = await filled();
  const pages = size / 4096;
  let opened = 0;
  for (let cut = 1; cut < pages; cut = Math.ceil(cut * 1.5)) {
    const copy = join(tempFolder(), 'store');
    mkdirSync(copy);
    copyFileSync(file, join(copy, 'data.mdb'));
    truncateSync(join(copy, 'data.mdb'), (pages - cut) * 4096);
    const store = await openLmdbStore({ dir: copy }).catch((error) => {
      refusal(/is truncated/)(error);
      return null;
    });
    if (store === null) continue;
    opened += 1;
    assert.equal((await collect(store.scan('check'))).length, 400);
    for (let round = 2; round < 12; round += 1)
      await store.commit(
        Array.from({ length: 400 }, (_, at) =>
          put(`k${1 + Math.floor(at / 20)}/${at % 20}`, round, { round }),
        ),
      );
    await store.close();
  }
  assert.ok(opened < 3, `${opened} cut files were opened`);
});

test('a file with overwritten first pages is rejected before it is mapped', async () => {
  const { dir, file, size } = await filled();
  const pages = openSync(file, 'r+');
  writeSync(pages, Buffer.alloc(8192, 0xa5), 0, 8192, 0);
  closeSync(pages);
  await assert.rejects(
    openLmdbStore({ dir }),
    refusal(
      /data\.mdb is damaged: its first page is not the first page of an LMDB file\. Nothing was changed/,
    ),
  );
  assert.equal(statSync(file).size, size);
});

test('an empty file is not a new store', async () => {
  const { dir, file } = await filled();
  truncateSync(file, 0);
  await assert.rejects(openLmdbStore({ dir }), refusal(/data\.mdb is empty, although it was written before/));
});

test('a whole store is opened again, and its files are for their owner only', async () => {
  const { dir } = await filled();
  const store = await openLmdbStore({ dir });
  assert.equal(await store.count('check'), 400);
  await store.close();
  for (const name of ['.', 'data.mdb', 'lock.mdb', 'owner.json'])
    assert.equal((statSync(join(dir, name)).mode & 0o077).toString(8), '0', name);
});

test('a queue of an earlier agent that is empty or cut off is refused with its path', async () => {
  const cacheDir = tempFolder();
  const { log } = readableLog();
  await (await openEventQueue(cacheDir, log)).close();
  writeFileSync(join(cacheDir, 'queue', 'data.mdb'), '');
  await assert.rejects(openEventQueue(cacheDir, log), /could not open api queue .*data\.mdb is empty/);
});

test('a store that cannot be opened loses nothing; only what the attempt made is removed', async () => {
  const { dir, file, size } = await filled();
  const fails = () => {
    throw new Error('out of memory');
  };
  assert.throws(() => openingFiles(dir, fails), /out of memory/);
  assert.equal(statSync(file).size, size);
  const empty = tempFolder();
  const failsLate = () => {
    writeFileSync(join(empty, 'data.mdb'), 'half');
    fails();
  };
  assert.throws(() => openingFiles(empty, failsLate), /out of memory/);
  assert.equal(statSync(join(empty, 'data.mdb'), { throwIfNoEntry: false }), undefined);
});
