// Assets and the allow list as the agent uses them: what a check may run, and what it finds when it does.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { createAgent } from '../../src/agent/agent.ts';
import { loadAllowList } from '../../src/agent/checks/allow-list.ts';
import { program, serve, sha512 } from '../assets/archives.ts';
import { eventually } from '../eventually.ts';
import { startBackend } from './fake-backend.ts';
import { configOf, readableLog, requestOf, tempFolder } from './helpers.ts';

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

const listOf = (...entries: object[]) => loadAllowList('a.json', () => JSON.stringify(entries));

test('a command is compared with the allow list word by word', () => {
  const list = listOf({ exec: '/bin/echo', args: ['-w 80', 'hello', "'a b'"] });
  const allowed = (command: string) => list.permit(command).ok;
  for (const command of ['/bin/echo hello -w 80 hello', '/bin/echo "a b"', "  '/bin/echo'  hello "])
    assert.equal(allowed(command), true, command);
  for (const command of [
    '/bin/echohello',
    '/bin/echo hellohello',
    '/bin/echo 80 -w',
    '/bin/echo -w',
    'hello /bin/echo',
    '/bin/echo a b',
    '/bin/echo hello\n/bin/echo',
    '/bin/echo hello\nhello',
    '/bin/echo hello;hello',
    '/bin/echo $(hello)',
  ])
    assert.equal(allowed(command), false, JSON.stringify(command));
});

test('an entry of the allow list that no command could match stops the agent', () => {
  assert.throws(
    () => listOf({ exec: 'sh', args: ['-c id | wc'] }),
    /allow-list a\.json: entry 0\.args\.0: "\|" is shell syntax.*run without a shell/,
  );
});

test('an allow list that can not be read stops the agent', () => {
  const load = (path: string, text: string) => () => loadAllowList(path, () => text);
  assert.throws(load('a.txt', '[]'), /invalid file extension/);
  assert.throws(load('a.json', '[{"exec":"","args":[""]}]'), /exec cannot be empty/);
  assert.throws(load('a.yml', '- exec: a\n  args: []'), /args cannot be empty/);
  assert.throws(load('a.yml', '{'), /unable to read/);
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

test('programs of the assets of a hook come before those of the machine', async (t) => {
  const { url } = await serve(t, () => ({ status: 200, body: program }));
  const backend = await withAgent(t, {});
  const assets = [{ url, sha512: sha512(program), metadata: { name: 'team/check-it' } }];
  const hook = { metadata: { name: 'h', namespace: 'default' }, command: 'echo "$PATH"', timeout: 5 };
  const asked = { hooks: [hook], hook_assets: { h: { assets } } };
  backend.send('check_request', requestOf('exit 1', { check_hooks: [{ 'non-zero': ['h'] }] }, asked));
  const [event] = await backend.waitFor('event', 1);
  assert.match(event?.check.hooks?.[0]?.output ?? '', new RegExp(`^[^:]*${sha512(program)}[^:]*:`));
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

test('an allowed command runs without a shell, a second line of it does not run at all', async (t) => {
  const folder = tempFolder();
  const path = join(folder, 'allow.json');
  const digest = sha512(readFileSync('/bin/echo'));
  writeFileSync(
    path,
    JSON.stringify([
      { exec: '/bin/echo', args: ["'$(id) ; a  b'", join(folder, 'planted')], sha512: digest },
    ]),
  );
  const backend = await withAgent(t, { 'allow-list': path });
  const ask = async (command: string) => {
    const metadata = { name: `c${backend.frames.length}`, namespace: 'default' };
    const before = backend.frames.filter(({ type }) => type === 'event').length;
    backend.send('check_request', requestOf(command, { metadata }));
    const events = await backend.waitFor('event', before + 1);
    const { status, output } = events[before]?.check ?? {};
    return [status, output];
  };
  assert.deepEqual(await ask("/bin/echo '$(id) ; a  b'"), [0, '$(id) ; a  b\n']);
  const denied = [3, 'check command denied by the agent allow list'];
  assert.deepEqual(await ask(`/bin/echo\n> ${join(folder, 'planted')}`), denied);
  assert.equal(existsSync(join(folder, 'planted')), false);
});

test('a command that is not on the allow list is not run; its variables only where allowed', async (t) => {
  const path = join(tempFolder(), 'allow.json');
  const sum = sha512(readFileSync('/bin/sh'));
  const list = [
    { exec: '/usr/bin/printenv', args: ['A'] },
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
  assert.deepEqual(await ask('/usr/bin/printenv A'), [1, '']);
  assert.deepEqual(await ask('printenv A'), [0, 'b\n']);
  assert.deepEqual(await ask('/bin/sh -c true'), [0, '']);
  assert.deepEqual(await ask('/bin/cat /dev/null'), [3, 'check command denied by the agent allow list']);
});

test('a starting agent removes assets that were unused for long, unless configured to keep them', async (t) => {
  const stale = () => {
    const cacheDir = tempFolder();
    const asset = join(cacheDir, 'assets', 'a'.repeat(128));
    mkdirSync(asset, { recursive: true });
    const then = new Date(Date.now() - 8 * 86_400_000);
    utimesSync(asset, then, then);
    return { cacheDir, asset };
  };
  const [kept, unwanted] = [stale(), stale()];
  await withAgent(t, { 'cache-dir': kept.cacheDir, 'assets-keep-unused': '0s' });
  await withAgent(t, { 'cache-dir': unwanted.cacheDir, 'assets-keep-unused': '168h' });
  await eventually('the stale asset is gone', () => !existsSync(unwanted.asset));
  assert.ok(existsSync(kept.asset));
});
