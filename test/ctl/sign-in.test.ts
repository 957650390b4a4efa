import assert from 'node:assert/strict';
import { chmod, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { openCtl, runCtl, signInFlags, tempFolder } from './harness.ts';

const modeOf = async (path: string): Promise<string> => ((await stat(path)).mode & 0o777).toString(8);
const saved = async (dir: string) => JSON.parse(await readFile(join(dir, 'config.json'), 'utf8'));

test('configure keeps tokens in a file that only its user reads, also in a folder that was open', async (t) => {
  const { dir, ok, url } = await openCtl(t);
  assert.equal(await modeOf(dir), '700');
  assert.equal(await modeOf(join(dir, 'config.json')), '600');
  await chmod(dir, 0o755);
  await chmod(join(dir, 'config.json'), 0o644);
  await ok('config', 'set-namespace', 'web');
  assert.equal(await modeOf(dir), '700');
  assert.equal(await modeOf(join(dir, 'config.json')), '600');
  const context = (await saved(dir)).contexts.default;
  assert.equal(context.api_url, url);
  assert.equal(context.namespace, 'web');
  assert.match(await ok('config', 'view'), /^=== Active Configuration\nContext: +default\nAPI URL: +http/);
});

test('a wrong password is said and nothing is kept', async (t) => {
  const { house } = await openCtl(t);
  const dir = await tempFolder(t);
  const env = { MON_CONFIG_DIR: dir };
  const flags = ['-n', '--url', house.url, '--username', 'nobody', '--password', 'wrong-password'];
  const ran = await runCtl(['configure', ...flags], { env });
  assert.equal(ran.code, 1);
  assert.match(ran.err, /^Error: unable to authenticate with error: bad username or password\n$/);
  await assert.rejects(stat(join(dir, 'config.json')));
  const asked = await runCtl(['configure'], { env });
  assert.equal(asked.code, 1);
  assert.match(asked.err, /there is no terminal to ask for "Backend API URL/);
});

test('each context has a backend of its own, and config use goes from one to the other', async (t) => {
  const { dir, ok, url, run } = await openCtl(t);
  await ok('configure', '--context', 'second', ...signInFlags(url), '--namespace', 'web', '--format', 'json');
  assert.equal((await saved(dir)).current, 'second');
  assert.match(await ok('config', 'list'), / +default +http.*\n \* +second +http/);
  await ok('config', 'use', 'default');
  assert.equal((await saved(dir)).current, 'default');
  assert.equal(JSON.parse(await ok('config', 'view', '--context', 'second')).namespace, 'web');
  const unknown = await run(['config', 'use', 'third']);
  assert.equal(unknown.code, 1);
  assert.match(unknown.err, /no context "third": known are default, second/);
  await ok('config', 'delete', 'second');
  assert.doesNotMatch(await ok('config', 'list'), /second/);
});

test('a flag wins over the environment, MON_ over SENSU_, and both over the file', async (t) => {
  const { run } = await openCtl(t);
  const namespaceOf = async (args: readonly string[], env: Record<string, string>) =>
    JSON.parse((await run(['config', 'view', '--format', 'json', ...args], { env })).out).namespace;
  assert.equal(await namespaceOf([], {}), 'default');
  assert.equal(await namespaceOf([], { SENSU_NAMESPACE: 'old' }), 'old');
  assert.equal(await namespaceOf([], { SENSU_NAMESPACE: 'old', MON_NAMESPACE: 'new' }), 'new');
  assert.equal(await namespaceOf(['--namespace', 'flag'], { MON_NAMESPACE: 'new' }), 'flag');
});

test('logout ends the login at the backend too', async (t) => {
  const { dir, ok, run, url } = await openCtl(t);
  const { access_token: token } = (await saved(dir)).contexts.default;
  assert.equal(await ok('logout'), 'You have been logged out\n');
  assert.equal((await saved(dir)).contexts.default.access_token, undefined);
  const reply = await fetch(`${url}/api/core/v2/namespaces`, {
    headers: { authorization: `Bearer ${token}` },
  });
  assert.equal(reply.status, 401);
  assert.equal((await run(['config', 'view'])).err, 'Error: no active configuration found\n');
  assert.equal((await run(['logout'])).err, 'Error: You are not logged in\n');
  await ok('login', '-n', ...signInFlags(url).slice(1));
  assert.match(await ok('config', 'view'), /Username: +root-of-test/);
});

test('a backend that can not be reached is named, with what to do', async (t) => {
  const dir = await tempFolder(t);
  const login = (url: string, ...more: string[]) =>
    runCtl(['login', ...signInFlags(url), ...more], { env: { MON_CONFIG_DIR: dir } });
  const silent = createServer(() => {});
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  const { port } = silent.address() as AddressInfo;
  t.after(() => {
    silent.closeAllConnections();
    silent.close();
  });
  const slow = await login(`http://127.0.0.1:${port}`, '--timeout', '300ms');
  assert.deepEqual(
    [slow.code, slow.err],
    [
      1,
      `Error: unable to reach http://127.0.0.1:${port}: no answer within 0.3 s; --timeout sets a longer time\n`,
    ],
  );
  assert.match((await login('http://127.0.0.1:1')).err, /nothing listens there; is the backend running/);
  assert.match((await login(`https://127.0.0.1:${port}`, '--timeout', '300ms')).err, /unable to reach https/);
  assert.match((await login('ftp://x')).err, /must begin with http:\/\/ or https:\/\/ \(got "ftp:\/\/x"\)/);
});

test('a broken configuration file is named and left as it is', async (t) => {
  const dir = await tempFolder(t);
  const path = join(dir, 'config.json');
  for (const text of ['{', '[]', '{"current":"a","contexts":{"a":{"api_url":7}}}']) {
    await writeFile(path, text);
    const ran = await runCtl(['config', 'set-format', 'json'], { env: { MON_CONFIG_DIR: dir } });
    assert.equal(ran.code, 1);
    assert.ok(ran.err.startsWith(`Error: ${path}: `), ran.err);
    assert.equal(await readFile(path, 'utf8'), text);
  }
});

test('words that are no command end with 64, other mistakes with 1', async (t) => {
  const dir = await tempFolder(t);
  const run = (...args: string[]) => runCtl(args, { env: { MON_CONFIG_DIR: dir } });
  const bare = await run();
  assert.equal(bare.code, 0);
  assert.match(bare.out, /^Usage: mon-ctl/);
  assert.equal((await run('nonsense')).code, 64);
  assert.equal((await run('config')).code, 64);
  const unknown = await run('config', 'nonsense');
  assert.equal(unknown.code, 64);
  assert.match(unknown.err, /unknown command "nonsense" for "mon-ctl config"/);
  const missing = await run('config', 'use');
  assert.equal(missing.code, 1);
  assert.match(missing.err, /Error: invalid argument\(s\) received: /);
  assert.equal((await run('version', '--nonsense')).code, 1);
  assert.equal((await run('config', 'use', '--help')).code, 0);
});

test('mon-ctl version loads neither the parser nor a library', async (t) => {
  const coverage = await tempFolder(t);
  const ran = await runCtl(['version'], { env: { NODE_V8_COVERAGE: coverage } });
  assert.match(ran.out, /^mon-ctl version \d+\.\d+\.\d+/);
  const [report = ''] = await readdir(coverage);
  const { result } = JSON.parse(await readFile(join(coverage, report), 'utf8'));
  const loaded = (result as { url: string }[]).map(({ url }) => url).filter((url) => url.startsWith('file:'));
  const libraries = loaded.flatMap((url) => /node_modules\/([^/]+)/.exec(url)?.[1] ?? []);
  assert.deepEqual([...new Set(libraries)], []);
  assert.ok(loaded.some((url) => url.endsWith('ctl/commands/version.js')));
  const rooms = loaded.flatMap(
    (url) =>
      /dist\/src\/(ctl\/client|ctl\/kinds|ctl\/parser|model\/resource-kind|store|http|actors)/.exec(
        url,
      )?.[1] ?? [],
  );
  assert.deepEqual(rooms, []);
});
