// Assets: real archives over real HTTP; archives that mean harm; filters; the allow list.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { createAgent } from '../../src/agent/agent.ts';
import { loadAllowList } from '../../src/agent/allow-list.ts';
import { filtersHold } from '../../src/agent/asset-filter.ts';
import { createAssetStore } from '../../src/agent/asset-store.ts';
import { realClock } from '../../src/agent/clock.ts';
import { readTar, unpackTar } from '../../src/agent/tar.ts';
import { entitySchema } from '../../src/model/entity.ts';
import { requestedAssetSchema } from '../../src/wire/messages.ts';
import { startBackend } from './fake-backend.ts';
import { configOf, readableLog, requestOf, tempFolder } from './helpers.ts';

const sha512 = (bytes: Buffer) => createHash('sha512').update(bytes).digest('hex');
const entity = entitySchema.parse({
  metadata: { name: 'a', labels: { arch: 'x' } },
  entity_class: 'agent',
  system: { os: 'linux', network: {} },
});

/** One tar entry: what the archives of attackers are made of. */
const entry = (path: string, data = '', type = '0', target = ''): Buffer => {
  const header = Buffer.alloc(512);
  header.write(path, 0);
  header.write('0000755\0', 100);
  header.write(`${Buffer.byteLength(data).toString(8).padStart(11, '0')}\0`, 124);
  header.write(type, 156);
  header.write(target, 157);
  header.write('ustar\x0000', 257);
  const body = Buffer.alloc(Math.ceil(Buffer.byteLength(data) / 512) * 512);
  body.write(data);
  return Buffer.concat([header, body]);
};
const archive = (...entries: Buffer[]) => Buffer.concat([...entries, Buffer.alloc(1024)]);
const program = archive(entry('bin/', '', '5'), entry('bin/check-it', '#!/bin/sh\necho from the asset\n'));

const serve = async (t: TestContext, answer: () => { status: number; body: Buffer; location?: string }) => {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(`${request.url} ${request.headers.authorization ?? ''}`);
    const { status, body, location } = answer();
    response.writeHead(status, location === undefined ? {} : { Location: location }).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/a.tgz`, requests };
};

const storeIn = (cacheDir: string, burst = 100, { log } = readableLog()) =>
  createAssetStore({ cacheDir, ratePerSecond: 1.39, burst, clock: realClock, log });
const assetOf = (asset: object) =>
  requestedAssetSchema.parse({ metadata: { name: 'team/check-it' }, ...asset });

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
    { ...first.value },
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
  assert.deepEqual([Object.keys(none.value), requests.length], [[], 0]);
  assert.deepEqual(
    log.lines().map(({ level, asset }) => [level, asset]),
    [['warning', 'team/check-it']],
  );
  const some = await store.install(
    [assetOf({ builds: [build('false'), build("entity.system.os == 'linux'")] })],
    entity,
  );
  assert.ok(some.ok && some.value.TEAM_CHECK_IT_PATH !== undefined);
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

test('the allow list looks at what is left of a command', () => {
  const path = join(tempFolder(), 'allow.yaml');
  writeFileSync(
    path,
    '- exec: /bin/echo\n  args: ["-n", "hello"]\n- exec: env\n  args: [""]\n  enable_env: true\n',
  );
  const list = loadAllowList(path, (name) => readFileSync(name, 'utf8'));
  const allowed = (command: string) => list.permit(command).ok;
  assert.deepEqual(['/bin/echo hello -n', '/bin/echo', 'env', '/bin/echo hello; rm', 'ls', ''].map(allowed), [
    true,
    true,
    true,
    false,
    false,
    false,
  ]);
});

test('an allow list that can not be read stops the agent', () => {
  const load = (path: string, text: string) => () => loadAllowList(path, () => text);
  assert.throws(load('a.txt', '[]'), /invalid file extension/);
  assert.throws(load('a.json', '[{"exec":"","args":[""]}]'), /exec cannot be empty/);
  assert.throws(load('a.yml', '- exec: a\n  args: []'), /args cannot be empty/);
  assert.throws(load('a.yml', '{'), /can't be read/);
  assert.equal(loadAllowList('', () => '').permit('anything').ok, true);
});

const withAgent = async (t: TestContext, flags: Record<string, string>) => {
  const backend = await startBackend();
  const agent = createAgent(configOf({ 'backend-url': backend.url, ...flags }), { log: readableLog().log });
  t.after(async () => {
    await agent.stop();
    await backend.stop();
  });
  await agent.start();
  await backend.waitFor('keepalive', 1);
  return backend;
};

test('a check runs the program its asset brought', async (t) => {
  const { url } = await serve(t, () => ({ status: 200, body: program }));
  const backend = await withAgent(t, {});
  const assets = [{ url, sha512: sha512(program), metadata: { name: 'team/check-it' } }];
  const command = `check-it; test -d $${'{{ assetPath "team/check-it" }}'} && echo found`;
  backend.send('check_request', requestOf(command, { runtime_assets: ['team/check-it'] }, { assets }));
  const [event] = await backend.waitFor('event', 1);
  assert.equal(event?.check.output, 'from the asset\nfound\n');
});

test('an asset that can not be had fails the check; disabled assets too', async (t) => {
  const { url } = await serve(t, () => ({ status: 200, body: program }));
  const assets = [{ url, sha512: 'b'.repeat(128), metadata: { name: 'x' } }];
  const backend = await withAgent(t, {});
  backend.send('check_request', requestOf('true', {}, { assets }));
  const [event] = await backend.waitFor('event', 1);
  assert.equal(event?.check.status, 3);
  assert.match(
    event?.check.output ?? '',
    /^error getting assets for check: could not validate downloaded asset/,
  );
  const disabled = await withAgent(t, { 'disable-assets': 'true' });
  disabled.send('check_request', requestOf('true', {}, { assets }));
  const [refused] = await disabled.waitFor('event', 1);
  assert.equal(refused?.check.output, 'check requested assets, but they are disabled on this agent');
});

test('a command that is not on the allow list is not run; its variables only where allowed', async (t) => {
  const path = join(tempFolder(), 'allow.json');
  const sum = sha512(readFileSync('/bin/sh'));
  const list = [
    { exec: 'echo', args: ['$A'] },
    { exec: 'printenv', args: ['A'], enable_env: true },
    { exec: '/bin/sh', args: ['-c', 'true'], sha512: sum },
    { exec: '/bin/cat', args: ['/dev/null'], sha512: sum },
  ];
  writeFileSync(path, JSON.stringify(list));
  const backend = await withAgent(t, { 'allow-list': path });
  const ask = async (command: string, annotations = {}) => {
    const metadata = { name: `c${backend.frames.length}`, namespace: 'default', annotations };
    const before = backend.frames.filter(({ type }) => type === 'event').length;
    backend.send('check_request', requestOf(command, { env_vars: ['A=b'], metadata }));
    const event = (await backend.waitFor('event', before + 1))[before];
    return [event?.check.status, event?.check.output];
  };
  assert.deepEqual(await ask('rm -rf /tmp/nothing'), [3, 'check command denied by the agent allow list']);
  assert.deepEqual(await ask('ls', { allow_list_on_deny_status: '1' }), [
    1,
    'check command denied by the agent allow list',
  ]);
  assert.deepEqual(await ask('echo $A'), [0, '\n']);
  assert.deepEqual(await ask('printenv A'), [0, 'b\n']);
  assert.deepEqual(await ask('/bin/sh -c true'), [0, '']);
  assert.deepEqual(await ask('/bin/cat /dev/null'), [3, 'check command denied by the agent allow list']);
});
