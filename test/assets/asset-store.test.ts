// The asset store: real archives over real HTTP; archives that mean harm; filters.
import assert from 'node:assert/strict';
import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { firstThatHolds } from '../../src/assets/asset-filter.ts';
import { createAssetStore } from '../../src/assets/asset-store.ts';
import { entitySchema } from '../../src/model/entity/entity.ts';
import { assetSchema } from '../../src/model/resource/asset.ts';
import { readableLog, tempFolder } from '../agent/helpers.ts';
import { program, serve, sha512 } from './archives.ts';

const entity = entitySchema.parse({
  metadata: { name: 'a', labels: { arch: 'x' } },
  entity_class: 'agent',
  system: { os: 'linux', network: {} },
});

const storeIn = (cacheDir: string, burst = 100, { log } = readableLog()) =>
  createAssetStore({
    cacheDir,
    ratePerSecond: 1.39,
    burst,
    clock: { monotonicMs: () => performance.now() },
    log,
  });
const assetOf = (asset: object) => assetSchema.parse({ metadata: { name: 'team/check-it' }, ...asset });

test('an asset is fetched once, however many want it, and is found by its variables', async (t) => {
  const bytes = gzipSync(program);
  const { url, requests } = await serve(t, () => ({ status: 200, body: bytes }));
  const cache = join(tempFolder(), 'assets');
  mkdirSync(join(cache, 'unpacking-leftover'), { recursive: true });
  const store = storeIn(cache);
  const asset = assetOf({ url, sha512: sha512(bytes).toUpperCase(), headers: { Authorization: 'Bearer x' } });
  const [first, second] = await Promise.all([store.install([asset], entity), store.install([asset], entity)]);
  assert.ok(first.ok && second.ok);
  const path = join(cache, sha512(bytes));
  assert.deepEqual(
    { ...first.value.variables },
    {
      PATH: join(path, 'bin'),
      LD_LIBRARY_PATH: join(path, 'lib'),
      CPATH: join(path, 'include'),
      TEAM_CHECK_IT_PATH: path,
    },
  );
  assert.deepEqual(requests, ['/a.tgz Bearer x']);
  // Another life finds it in the cache.
  assert.ok((await storeIn(cache).install([asset], entity)).ok);
  assert.equal(requests.length, 1);
  assert.deepEqual(readdirSync(cache), [sha512(bytes)]);
});

const failures: readonly (readonly [string, number, Buffer, string | undefined, RegExp])[] = [
  [
    'a wrong checksum',
    200,
    program,
    'a'.repeat(128),
    /^could not validate downloaded asset "team\/check-it" \(2\.\d kB\): sha512 of downloaded asset \([0-9a-f]{128}\) does not match/,
  ],
  ['a missing file', 404, Buffer.from('no'), undefined, /^error fetching asset: Response Code 404$/],
  [
    'no archive',
    200,
    Buffer.from('hello'),
    undefined,
    /^error extracting asset: given file does not appear valid/,
  ],
  [
    'an empty file',
    200,
    Buffer.alloc(0),
    undefined,
    /^error extracting asset: unable to read asset header: EOF/,
  ],
  [
    'half an archive',
    200,
    program.subarray(0, 1030),
    undefined,
    /^error extracting asset: the archive is truncated/,
  ],
  ['no checksum', 200, program, '', /has no SHA-512 checksum/],
];
for (const [what, status, body, sum, message] of failures)
  test(`an asset with ${what} is refused with the reason and leaves nothing behind`, async (t) => {
    const { url } = await serve(t, () => ({ status, body }));
    const cache = tempFolder();
    const result = await storeIn(cache).install([assetOf({ url, sha512: sum ?? sha512(body) })], entity);
    assert.ok(!result.ok);
    assert.match(result.message, message);
    assert.deepEqual(readdirSync(cache), []);
  });

test('downloads beyond the rate are refused, not queued', async (t) => {
  const bytes = program;
  const { url } = await serve(t, () => ({ status: 404, body: bytes }));
  const store = storeIn(tempFolder(), 1);
  const asset = assetOf({ url, sha512: sha512(bytes) });
  await store.install([asset], entity);
  const second = await store.install([asset], entity);
  assert.deepEqual(second, { ok: false, message: "can't download asset due to rate limit" });
});

test('the first build whose filters match is used; no match is not an error', async (t) => {
  const { url, requests } = await serve(t, () => ({ status: 200, body: program }));
  const build = (filter: string) => ({ url, sha512: sha512(program), filters: [filter] });
  const log = readableLog();
  const store = storeIn(tempFolder(), 100, log);
  const none = await store.install([assetOf({ builds: [build("entity.system.os == 'plan9'")] })], entity);
  assert.ok(none.ok, JSON.stringify(none));
  assert.deepEqual([Object.keys(none.value.variables), requests.length], [[], 0]);
  assert.deepEqual(
    log.lines().map(({ level, asset }) => [level, asset]),
    [['warning', 'team/check-it']],
  );
  const some = await store.install(
    [assetOf({ builds: [build('false'), build("entity.system.os == 'linux'")] })],
    entity,
  );
  assert.ok(some.ok && some.value.variables.TEAM_CHECK_IT_PATH !== undefined);
});

const held = (...lists: string[][]) => firstThatHolds(lists, entity);

test('filters run in a sandbox that ends them', async () => {
  assert.deepEqual(await held(["entity.labels.arch == 'x'", 'hour(3600) == 1', 'weekday(0) == 4']), {
    ok: true,
    value: 0,
  });
  const greedy = await held(['var a = []; while (true) a.push(new Array(1000).join("x"))']);
  assert.ok(!greedy.ok);
  const throwing = await held(['entity.nope.deeper']);
  assert.ok(!throwing.ok);
  assert.match(throwing.message, /^filter "entity.nope.deeper" failed: /);
  assert.deepEqual(await held(["typeof process == 'undefined'"]), { ok: true, value: 0 });
  assert.deepEqual(await held(['false'], []), { ok: true, value: 1 });
  assert.deepEqual(await held(['false']), { ok: true, value: null });
});

test('the filters of all builds of an asset share one time limit', async () => {
  const slow = 'var end = Date.now() + 300; while (Date.now() < end) {} false';
  const answer = await held(...Array.from({ length: 40 }, () => [slow]));
  assert.ok(!answer.ok);
  assert.match(answer.message, /failed: interrupted/);
});

/** How often the main thread gets a turn while the work goes on. */
const turnsDuring = async (work: Promise<unknown>): Promise<number> => {
  let turns = 0;
  const timer = setInterval(() => {
    turns += 1;
  }, 5);
  await work;
  clearInterval(timer);
  return turns;
};

test('a filter that never ends leaves the main thread free, and the filters behind it are evaluated', async () => {
  const endless = held(['while (true) {}']);
  const behind = held(['true']);
  assert.ok((await turnsDuring(endless)) > 10);
  assert.equal((await endless).ok, false);
  assert.deepEqual(await behind, { ok: true, value: 0 });
});

test('a filter that hangs in native code loses its thread, and those behind it get another', async () => {
  const hanging = held(['Array.prototype.indexOf.call({ length: 9007199254740991 }, 1)']);
  const behind = held(['true']);
  const answer = await hanging;
  assert.ok(!answer.ok);
  assert.deepEqual(await behind, { ok: true, value: 0 });
});
