// Assets of an index, and commands that come as archives: from a server of this test.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { archive, entry, sha512 } from '../assets/archives.ts';
import { openProcess, runCtl } from './harness.ts';
import { runHere } from './in-process.ts';

const packed = gzipSync(
  archive(
    entry('bin/', '', '5'),
    entry('bin/entrypoint', '#!/bin/sh\necho "$MON_NAMESPACE $1"; exit $(($2))\n'),
  ),
);
const hash = sha512(packed);
const text = gzipSync(archive(entry('readme', 'no program')));

const startIndex = async (t: TestContext) => {
  const versions = ['0.9.0', '0.10.0', '0.10.0-rc.1'];
  const server = createServer((request, response) => {
    const known = /^\/api\/v1\/assets\/company\/tool(?:\/([^/]+)\/release_asset_builds)?$/.exec(
      request.url ?? '',
    );
    if (request.url === '/tool.tar.gz') return void response.end(packed);
    if (request.url === '/text.tar.gz') return void response.end(text);
    if (known === null) return void response.writeHead(404).end();
    const [, version] = known;
    const url = `http://${request.headers.host}/tool.tar.gz`;
    const builds = [
      { url: 'http://127.0.0.1:1/', sha512: 'a'.repeat(128), filters: ["entity.system.os == 'plan9'"] },
      { url, sha512: hash, filters: ["entity.system.os == 'linux'"] },
    ];
    const asset = {
      type: 'Asset',
      api_version: 'core/v2',
      metadata: { name: 'company/tool' },
      spec: { builds },
    };
    response.end(
      JSON.stringify(
        version === undefined
          ? { name: 'company/tool', versions: versions.map((one) => ({ version: one })) }
          : asset,
      ),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  return { index: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, versions };
};

test('assets come from the index that is named, outdated ones are found, and none is asked by itself', async (t) => {
  const { dir } = await openProcess(t);
  const { index, versions } = await startIndex(t);
  const say = async (...words: string[]) => (await runHere(words, { MON_CONFIG_DIR: dir })).text;
  assert.match(await say('asset', 'add', 'company/tool'), /name an index of assets with --index-url/);
  assert.match(await say('asset', 'add', 'tool', '--index-url', index), /is named NAMESPACE\/NAME/);
  assert.match(
    await say('asset', 'add', 'company/none', '--index-url', index),
    /the index has no such asset/,
  );
  const added = await say('asset', 'add', 'company/tool:0.9.0', '--index-url', index, '--rename', 'tool');
  assert.match(added, /^added asset: company\/tool:0\.9\.0\n[\s\S]*set-runtime-assets CHECK tool\n$/);
  assert.match(await say('asset', 'list'), / tool +http:\/\/127\.0\.0\.1:1\/ +aaaaaaa\n tool +http/);
  assert.match(await say('asset', 'outdated'), /─\n tool +company\/tool +0\.9\.0 +0\.10\.0\n$/);
  assert.match(
    await say('asset', 'add', 'company/tool', '--index-url', index, '--rename', 'tool'),
    /tool:0\.10\.0\n/,
  );
  assert.match(await say('asset', 'outdated'), /─\n$/);
  versions.push('1.0.0');
  assert.equal(JSON.parse(await say('asset', 'outdated', '--format', 'json'))[0].latest_version, '1.0.0');
});

test('a command is installed when its checksum is right, and runs with the variables of env', async (t) => {
  const { dir, folder } = await openProcess(t);
  const { index } = await startIndex(t);
  const env = { MON_CONFIG_DIR: dir, MON_CACHE_DIR: join(folder, 'cache') };
  const say = async (...words: string[]) => (await runHere(['command', ...words], env)).text;
  // What the program prints goes straight to the terminal.
  const run = (...words: string[]) => runCtl(['command', 'exec', 'tool', ...words], { env });
  const wrong = await say('install', 'tool', '--url', `${index}/tool.tar.gz`, '--checksum', 'b'.repeat(128));
  assert.match(wrong, /the checksum of .* is [0-9a-f]{128}, not b{128}: nothing was installed/);
  const useless = await say('install', 'tool', '--url', `${index}/text.tar.gz`, '--checksum', sha512(text));
  assert.match(useless, /text\.tar\.gz has no bin\/entrypoint: it is not a command/);
  assert.match(await say('list'), /─\n$/);
  assert.equal(
    await say('install', 'tool', '--url', `${index}/tool.tar.gz`, '--checksum', hash),
    'Installed tool\n',
  );
  assert.match(
    await say('install', 'tool', '--url', 'http://127.0.0.1:1/', '--checksum', hash),
    /installed already/,
  );
  assert.match(await say('list'), / tool +http\S+tool\.tar\.gz +[0-9a-f]{7}\n$/);
  assert.equal((await run('hello')).out, 'default hello\n');
  assert.match((await run('hello', '3')).err, /the command "tool" ended with 3/);
  assert.match(await say('exec', 'none'), /there is no command "none"; installed are tool/);
  assert.equal(await say('delete', 'tool', '--skip-confirm'), 'Deleted\n');
  const named = await say('install', 'other', 'company/tool', '--index-url', index);
  assert.equal(named, 'Installed other\n');
  assert.match(await say('install', '../x', 'company/tool', '--index-url', index), /an alias has letters/);
});
