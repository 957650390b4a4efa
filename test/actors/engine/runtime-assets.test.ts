// Runtime assets of handlers, mutators and filters: real archives over real HTTP, through the composed backend.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { createAssetStore } from '../../../src/assets/asset-store.ts';
import { entitySchema } from '../../../src/model/entity/entity.ts';
import { mutatorSchema } from '../../../src/model/pipeline/mutator.ts';
import { assetSchema } from '../../../src/model/resource/asset.ts';
import type { Trace } from '../../../src/pipeline/trace.ts';
import { readableLog, tempFolder } from '../../agent/helpers.ts';
import { archive, entry, serve, sha512 } from '../../assets/archives.ts';
import { handler, open, traceOf, until } from './real-pipelines.ts';
import type { Json, World } from './world.ts';

const backendEntity = entitySchema.parse({
  metadata: { name: 'backend' },
  entity_class: 'backend',
  system: { os: 'linux', network: {} },
});

const openWithAssets = async (t: TestContext) => {
  const cacheDir = tempFolder();
  const store = createAssetStore({
    cacheDir,
    ratePerSecond: 0,
    burst: 1,
    clock: { monotonicMs: () => performance.now() },
    log: readableLog().log,
  });
  return { ...(await open(t, { assets: { store, entity: backendEntity } })), cacheDir };
};

const asset = (world: World, name: string, fields: Json): Promise<void> =>
  world.define('assets', name, assetSchema.parse({ metadata: { name, namespace: 'default' }, ...fields }));

const delivered = async (world: World, check: Json): Promise<Trace> => {
  await world.post({ status: 2, ...check });
  await until(world, 'the delivery', async () => (await traceOf(world)) !== undefined);
  return (await traceOf(world)) as Trace;
};

const reasons = (trace: Trace): string[] =>
  trace.workflows.map(({ name, outcome, why }) => `${name} ${outcome}: ${why}`);

const tools = archive(
  entry('bin/notify', '#!/bin/sh\necho "$1 by $0, with $LD_LIBRARY_PATH"; cat > "$2"\n'),
  entry('bin/shout', '#!/bin/sh\ntr a-z A-Z\n'),
  entry('lib/b/late.js', 'function isBad(status) { return status >= worst }\n'),
  entry('lib/a.js', 'var worst = 2;\n'),
  entry('lib/notes.txt', 'no script'),
);

test('commands find what their assets brought, filters and mutators see their scripts', async (t) => {
  const { world, folder, cacheDir } = await openWithAssets(t);
  const { url, requests } = await serve(t, () => ({ status: 200, body: tools }));
  const builds = [
    { url, sha512: sha512(tools), filters: ["entity.system.os == 'plan9'"] },
    { url, sha512: sha512(tools), filters: ["entity.system.os == 'linux'"] },
  ];
  await asset(world, 'team/tools', { builds });
  const runtime_assets = ['team/tools'];
  await world.filter('bad', {
    action: 'allow',
    expressions: ['isBad(event.check.status)'],
    runtime_assets,
  });
  await world.define(
    'mutators',
    'shout',
    mutatorSchema.parse({
      metadata: { name: 'shout', namespace: 'default' },
      command: 'shout',
      runtime_assets,
    }),
  );
  await world.define(
    'mutators',
    'judge',
    mutatorSchema.parse({
      metadata: { name: 'judge', namespace: 'default' },
      type: 'javascript',
      eval: 'return "bad: " + isBad(event.check.status)',
      runtime_assets,
    }),
  );
  const command = (name: string) => `notify told ${join(folder, name)}; test -d "$TEAM_TOOLS_PATH/bin"`;
  await handler(world, 'a', { command: command('a'), runtime_assets, filters: ['bad'], mutator: 'shout' });
  await handler(world, 'b', { command: command('b'), runtime_assets, filters: ['bad'], mutator: 'judge' });
  const trace = await delivered(world, { handlers: ['a', 'b'] });
  assert.deepEqual(reasons(trace), ['a handled: exit status 0', 'b handled: exit status 0']);
  const path = join(cacheDir, sha512(tools));
  assert.equal(
    trace.workflows[0]?.handler?.output,
    `told by ${path}/bin/notify, with ${path}/lib${process.env['LD_LIBRARY_PATH'] ? `:${process.env['LD_LIBRARY_PATH']}` : ''}\n`,
  );
  assert.match(readFileSync(join(folder, 'a'), 'utf8'), /"STATUS":2/);
  assert.equal(readFileSync(join(folder, 'b'), 'utf8'), 'bad: true');
  assert.equal(requests.length, 1, 'fetched once');
});

test('an asset that can not be had is named in the trace, and stops only who needs it', async (t) => {
  const { world } = await openWithAssets(t);
  const { url } = await serve(t, () => ({ status: 200, body: tools }));
  const large = archive(entry('lib/large.js', `// ${'x'.repeat(1_100_000)}`));
  const heavy = await serve(t, () => ({ status: 200, body: large }));
  await asset(world, 'forged', { url, sha512: 'f'.repeat(128) });
  await asset(world, 'nowhere', { url: 'http://127.0.0.1:1/x.tgz', sha512: 'e'.repeat(128) });
  await asset(world, 'large', { url: heavy.url, sha512: sha512(large) });
  await world.filter('large', { action: 'allow', expressions: ['true'], runtime_assets: ['large'] });
  await handler(world, 'a', { command: 'true', runtime_assets: ['forged'] });
  await handler(world, 'b', { command: 'true', runtime_assets: ['nowhere'] });
  await handler(world, 'c', { command: 'true', runtime_assets: ['undefined'] });
  await handler(world, 'd', { command: 'true', filters: ['large'] });
  await handler(world, 'e', { command: 'true' });
  const [forged, nowhere, unknown, heavyFilter, fine] = reasons(
    await delivered(world, { handlers: ['a', 'b', 'c', 'd', 'e'] }),
  );
  assert.match(
    forged ?? '',
    /^a failed: could not be started: error getting runtime assets: .*"forged".* does not match/,
  );
  assert.match(
    nowhere ?? '',
    /^b failed: could not be started: error getting runtime assets: error fetching asset: .*ECONNREFUSED/,
  );
  assert.match(unknown ?? '', /^c failed: could not be started: runtime asset "undefined" does not exist/);
  assert.match(
    heavyFilter ?? '',
    /^d failed: large: filter large was not evaluated: the scripts .* larger than 1048576 bytes/,
  );
  assert.equal(fine, 'e handled: exit status 0');
});

test('a server that never answers holds up nobody who needs another asset', async (t) => {
  const { world } = await openWithAssets(t);
  const silent = createServer(() => {});
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    silent.closeAllConnections();
    silent.close();
  });
  const { url } = await serve(t, () => ({ status: 200, body: tools }));
  await asset(world, 'slow', {
    url: `http://127.0.0.1:${(silent.address() as AddressInfo).port}/`,
    sha512: 'd'.repeat(128),
  });
  await asset(world, 'quick', { url, sha512: sha512(tools) });
  await handler(world, 'waits', { command: 'true', runtime_assets: ['slow'] });
  await handler(world, 'goes', { command: 'true', runtime_assets: ['quick'] });
  await world.post({ name: 'held-up', status: 2, handlers: ['waits'] });
  const trace = await delivered(world, { handlers: ['goes'] });
  assert.deepEqual(reasons(trace), ['goes handled: exit status 0']);
  assert.equal(await traceOf(world, 'held-up'), undefined, 'the other still waits');
  silent.closeAllConnections();
  await until(world, 'the end of the wait', async () => (await traceOf(world, 'held-up')) !== undefined);
});
