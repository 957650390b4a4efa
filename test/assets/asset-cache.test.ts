// Purging removes unused assets from the disk, and nothing else.
import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { openAssetCache } from '../../src/assets/asset-cache.ts';
import { createAssetStore } from '../../src/assets/asset-store.ts';
import { entitySchema } from '../../src/model/entity/entity.ts';
import { assetSchema } from '../../src/model/resource/asset.ts';
import { readableLog, tempFolder } from '../agent/helpers.ts';
import { program, serve, sha512 } from './archives.ts';

const hourMs = 3_600_000;
const entity = entitySchema.parse({ metadata: { name: 'a' }, entity_class: 'agent' });
const name = (digit: string) => digit.repeat(128);

/** Puts an asset there that was used so long ago. */
const place = (cacheDir: string, sha: string, hoursAgo: number): void => {
  const path = join(cacheDir, sha);
  mkdirSync(join(path, 'bin'), { recursive: true });
  writeFileSync(join(path, 'bin', 'tool'), 'x');
  const then = new Date(Date.now() - hoursAgo * hourMs);
  utimesSync(path, then, then);
};

const cacheIn = (cacheDir: string) => openAssetCache(cacheDir, readableLog().log);

test('only assets unused for longer than allowed are removed, and no other files', async () => {
  const dir = tempFolder();
  place(dir, name('a'), 3);
  place(dir, name('b'), 1);
  mkdirSync(join(dir, 'notes'));
  const then = new Date(0);
  utimesSync(join(dir, 'notes'), then, then);
  assert.equal(await cacheIn(dir).purge(2 * hourMs), 1);
  assert.deepEqual(readdirSync(dir).sort(), [name('b'), 'notes'].sort());
});

test('a cache that is not there is empty', async () => {
  assert.equal(await cacheIn(join(tempFolder(), 'none')).purge(0), 0);
});

test('what is held stays, however old, until the last holder lets go; use makes it young again', async () => {
  const dir = tempFolder();
  const cache = cacheIn(dir);
  place(dir, name('a'), 3);
  const [first, second] = [cache.hold(name('a')), cache.hold(name('a'))];
  place(dir, name('a'), 3);
  assert.equal(await cache.purge(2 * hourMs), 0);
  first();
  first();
  place(dir, name('a'), 3);
  assert.equal(await cache.purge(2 * hourMs), 0);
  second();
  assert.equal(await cache.purge(2 * hourMs), 0, 'it was used just now');
  place(dir, name('a'), 3);
  assert.equal(await cache.purge(2 * hourMs), 1);
});

const storeWith = async (t: TestContext) => {
  const bytes = gzipSync(program);
  const { url, requests } = await serve(t, () => ({ status: 200, body: bytes }));
  const cacheDir = join(tempFolder(), 'assets');
  const clock = { monotonicMs: () => performance.now() };
  const store = createAssetStore({ cacheDir, ratePerSecond: 100, burst: 100, clock, log: readableLog().log });
  const asset = assetSchema.parse({ metadata: { name: 'tool' }, url, sha512: sha512(bytes) });
  const age = () => {
    const then = new Date(Date.now() - 3 * hourMs);
    utimesSync(join(cacheDir, sha512(bytes)), then, then);
  };
  return { store, asset, age, requests };
};

test('an asset under a lease outlives a purge; after it, it goes, and is fetched again when it is wanted', async (t) => {
  const { store, asset, age, requests } = await storeWith(t);
  const lease = store.lease();
  assert.ok((await lease.install([asset], entity)).ok);
  age();
  assert.equal(await store.purge(hourMs), 0);
  lease.release();
  age();
  assert.equal(await store.purge(hourMs), 1);
  assert.ok((await store.lease().install([asset], entity)).ok);
  assert.equal(requests.length, 2);
});

test('an asset installed without a lease stays as long as the program', async (t) => {
  const { store, asset, age } = await storeWith(t);
  assert.ok((await store.install([asset], entity)).ok);
  age();
  assert.equal(await store.purge(hourMs), 0);
});
