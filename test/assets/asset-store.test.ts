// The asset store: real archives over real HTTP; archives that mean harm; filters.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { filtersHold } from '../../src/assets/asset-filter.ts';
import { createAssetStore } from '../../src/assets/asset-store.ts';
import { readTar, unpackTar } from '../../src/assets/tar.ts';
import { assetSchema } from '../../src/model/asset.ts';
import { entitySchema } from '../../src/model/entity.ts';
import { readableLog, tempFolder } from '../agent/helpers.ts';
import { archive, entry, program, serve, sha512 } from './archives.ts';

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
    /^error extracting asset: the archive ends too early/,
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

test('the first build whose filters hold is taken; none is no failure', async (t) => {
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

test('filters run in a sandbox that ends them', async () => {
  assert.deepEqual(
    await filtersHold(["entity.labels.arch == 'x'", 'hour(3600) == 1', 'weekday(0) == 4'], entity),
    { ok: true, value: true },
  );
  const endless = await filtersHold(['while (true) {}'], entity);
  assert.ok(!endless.ok);
  const greedy = await filtersHold(['var a = []; while (true) a.push(new Array(1000).join("x"))'], entity);
  assert.ok(!greedy.ok);
  const throwing = await filtersHold(['entity.nope.deeper'], entity);
  assert.ok(!throwing.ok);
  assert.match(throwing.message, /^filter "entity.nope.deeper" failed: /);
  assert.deepEqual(await filtersHold(["typeof process == 'undefined'"], entity), { ok: true, value: true });
});

const harmful: readonly (readonly [string, Buffer])[] = [
  ['climbs out', archive(entry('../evil', 'x'))],
  ['is absolute', archive(entry('/tmp/mon-evil', 'x'))],
  ['links out', archive(entry('link', '', '2', '../..'))],
  ['links to an absolute place', archive(entry('link', '', '2', '/etc'))],
  ['hard-links out', archive(entry('link', '', '1', '../../etc/passwd'))],
];
for (const [what, bytes] of harmful)
  test(`an archive that ${what} is refused`, () => {
    const root = join(tempFolder(), 'in');
    mkdirSync(root);
    assert.throws(() => unpackTar(bytes, root), /leads out of the archive/);
    assert.equal(existsSync(join(root, '..', 'evil')), false);
  });

test('what the system tar packs is unpacked the same, long names and links included', (t) => {
  const source = tempFolder();
  const long = 'd'.repeat(90);
  mkdirSync(join(source, long, long), { recursive: true });
  writeFileSync(join(source, long, long, 'file'), 'deep');
  writeFileSync(join(source, 'plain'), 'x'.repeat(1025), { mode: 0o755 });
  spawnSync('ln', ['-s', 'plain', join(source, 'soft')]);
  spawnSync('ln', [join(source, 'plain'), join(source, 'hard')]);
  for (const format of ['gnu', 'pax']) {
    const packed = spawnSync('tar', [`--format=${format}`, '-C', source, '-cf', '-', '.'], {
      maxBuffer: 1e8,
    });
    if (packed.status !== 0) return t.skip(`no tar on this machine knows --format=${format}`);
    const root = tempFolder();
    unpackTar(packed.stdout, root);
    assert.equal(readFileSync(join(root, long, long, 'file'), 'utf8'), 'deep');
    for (const name of ['plain', 'soft', 'hard']) assert.equal(readFileSync(join(root, name)).length, 1025);
  }
  assert.throws(() => readTar(archive(entry('a', 'x')).fill(0x39, 124, 135)), /ends too early|damaged/);
});
