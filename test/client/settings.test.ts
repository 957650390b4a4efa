// How the configuration of the client comes together, and what the two commands that look at it say.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, test } from 'node:test';
import { promisify } from 'node:util';
import { stamp } from '../../src/client/log.ts';
import { loadSettings, type Sources } from '../../src/client/settings/load.ts';
import { realFiles } from '../../src/client/settings/read-files.ts';
import { deepMerge, difference } from '../../src/model/earlier/json.ts';
import { redact, redactClient } from '../../src/model/earlier/redaction.ts';

const made: string[] = [];
afterEach(() => {
  for (const path of made.splice(0)) rmSync(path, { recursive: true, force: true });
});

const home = (files: Readonly<Record<string, string | object>>): string => {
  const path = mkdtempSync(join(tmpdir(), 'mon-client-'));
  made.push(path);
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(path, name)), { recursive: true });
    writeFileSync(join(path, name), typeof content === 'string' ? content : JSON.stringify(content));
  }
  return path;
};

const load = (more: Partial<Sources>) =>
  loadSettings({
    environment: {},
    hostname: 'box',
    address: '10.1.1.1',
    configDirs: [],
    files: { ...realFiles, exists: () => false },
    ...more,
  });

const told = (loaded: ReturnType<typeof load>) => loaded.notices.map(({ message }) => message);

test('a client without subscriptions is reported', () => {
  const { problems } = load({});
  assert.deepEqual(
    problems.map(({ message }) => message),
    ['client subscriptions must be an array'],
  );
});

test('with subscriptions alone a client has the name and address of its machine, and its own subscription', () => {
  const { settings, problems } = load({ environment: { MON_CLIENT_SUBSCRIPTIONS: 'web' } });
  assert.deepEqual(problems, []);
  assert.deepEqual(settings['client'], {
    name: 'box',
    address: '10.1.1.1',
    subscriptions: ['web', 'client:box'],
  });
  assert.deepEqual(settings['transport'], { reconnect_on_error: true, name: 'websocket' });
});

test('environment, file and directories are merged in this order; lists add up, the rest is replaced', () => {
  const dir = home({
    'config.json': { client: { name: 'from-file', subscriptions: ['b', 'c'], custom: { a: 1 } } },
    'a/1.json': {
      client: { custom: { b: 2 } },
      checks: { cpu: { command: 'true', standalone: true, interval: 5 } },
    },
    'a/deep/2.json': { client: { address: 'from-dir' } },
    'a/ignored.txt': 'no json',
    'b/1.json': { client: { custom: { a: 9 } } },
  });
  const { settings, problems, files } = load({
    environment: {
      SENSU_CLIENT_NAME: 'from-env',
      MON_CLIENT_SUBSCRIPTIONS: 'a,b',
      SENSU_CLIENT_ADDRESS: 'e',
    },
    configFile: join(dir, 'config.json'),
    configDirs: [join(dir, 'a'), join(dir, 'b')],
  });
  assert.deepEqual(problems, []);
  assert.deepEqual(settings['client'], {
    name: 'from-file',
    address: 'from-dir',
    subscriptions: ['a', 'b', 'c', 'client:from-file'],
    custom: { a: 9, b: 2 },
  });
  assert.deepEqual(
    files.map((path) => path.slice(dir.length + 1)),
    ['config.json', 'a/1.json', 'a/deep/2.json', 'b/1.json'],
  );
});

test('the environment names broker and port', () => {
  const { settings } = load({
    environment: {
      SENSU_TRANSPORT_NAME: 'redis',
      RABBITMQ_URL: 'amqp://x',
      REDIS_URL: 'redis://y',
      SENSU_API_PORT: '4568',
    },
  });
  assert.equal((settings['transport'] as { name: string }).name, 'redis');
  assert.equal(settings['rabbitmq'], 'amqp://x');
  assert.equal(settings['redis'], 'redis://y');
  assert.deepEqual(settings['api'], { port: 4568 });
  const sentinels = load({ environment: { REDIS_URL: 'redis://y', REDIS_SENTINEL_URLS: 'redis://s' } });
  assert.deepEqual(sentinels.settings['redis'], { sentinels: 'redis://s' });
});

test('a configuration with RabbitMQ settings and no transport name uses RabbitMQ', () => {
  const dir = home({ 'c.json': { rabbitmq: { host: 'broker' } } });
  const { settings } = load({ configFile: join(dir, 'c.json') });
  assert.equal((settings['transport'] as { name: string }).name, 'rabbitmq');
});

test('a file that is not there is a warning; it is ignored', () => {
  const loaded = load({
    configFile: '/nowhere/config.json',
    environment: { MON_CLIENT_SUBSCRIPTIONS: 'web' },
  });
  assert.deepEqual(loaded.problems, []);
  assert.deepEqual(told(loaded).slice(1, 3), [
    'config file does not exist or is not readable',
    'ignoring config file',
  ]);
});

test('bad JSON ends the loading and is all that is reported', () => {
  const dir = home({ 'a.json': '{"client": {"name": 1', 'b.json': { client: { address: 3 } } });
  const { problems, files } = load({ configDirs: [dir] });
  assert.deepEqual(
    problems.map(({ message }) => message),
    ['config file must be valid json'],
  );
  assert.match(JSON.stringify(problems[0]?.object), /a\.json/);
  assert.deepEqual(files, []);
});

test('a directory that is not there is an error', () => {
  const { problems } = load({ configDirs: ['/nowhere'] });
  assert.deepEqual(problems, [
    { object: { directory: '/nowhere' }, message: 'insufficient permissions for loading' },
  ]);
});

test('a byte order mark and an empty file are fine; linked directories are followed, loops end', () => {
  const dir = home({
    'x/a.json': '\uFEFF{"client":{"a":1,"subscriptions":["web"]}}',
    'x/b.json': ' \n',
    'y/c.json': { client: { c: 1 } },
  });
  symlinkSync(join(dir, 'y'), join(dir, 'x', 'linked'));
  symlinkSync(join(dir, 'nowhere.json'), join(dir, 'x', 'dangling.json'));
  const { settings, problems } = load({ configDirs: [join(dir, 'x')] });
  assert.deepEqual(problems, []);
  assert.equal((settings['client'] as { a: number }).a, 1);
  assert.equal((settings['client'] as { c: number }).c, 1);
});

test('a key called __proto__ is a key like any other', () => {
  const dir = home({ 'a.json': '{"__proto__":{"polluted":1},"client":{"__proto__":{"x":1}}}' });
  const { settings } = load({ configFile: join(dir, 'a.json'), configDirs: [dir] });
  assert.equal(({} as { polluted?: number }).polluted, undefined);
  assert.ok(Object.hasOwn(settings['client'] as object, '__proto__'));
});

test('changes by a file are reported, with secrets redacted', () => {
  const dir = home({ 'a.json': { client: { x: 1 } }, 'b.json': { client: { x: 2, password: 'p' } } });
  const { notices } = load({ configDirs: [dir] });
  const change = notices.find(({ message }) => message === 'config file applied changes');
  assert.deepEqual(change?.data, {
    file: join(dir, 'b.json'),
    changes: { client: { x: [1, 2], password: 'REDACTED' } },
  });
});

test('subscriptions that are not a list are left to the validation', () => {
  const dir = home({ 'a.json': { client: { subscriptions: 'web' } } });
  const loaded = load({ configFile: join(dir, 'a.json') });
  assert.ok(told(loaded).includes('unable to apply client overrides'));
  assert.ok(loaded.problems.some(({ message }) => message === 'client subscriptions must be an array'));
});

test('merging and comparing keep what they are given', () => {
  const base = { a: [1, 2], b: { c: 1 }, d: 'x' };
  assert.deepEqual(deepMerge(base, { a: [2, 3], b: { e: 2 }, d: null }), {
    a: [1, 2, 3],
    b: { c: 1, e: 2 },
    d: null,
  });
  assert.deepEqual(base, { a: [1, 2], b: { c: 1 }, d: 'x' });
  assert.deepEqual(difference(base, { a: [1, 2], b: { c: 2 }, f: 1 }), {
    b: { c: [1, 2] },
    d: ['x', null],
    f: [null, 1],
  });
});

test('redaction hides exact keys at any depth and nothing else', () => {
  const shown = redact({ password: 'a', Password: 'b', passwords: 'c', list: [{ secret: { deep: 1 } }] });
  assert.deepEqual(shown, {
    password: 'REDACTED',
    Password: 'b',
    passwords: 'c',
    list: [{ secret: 'REDACTED' }],
  });
  assert.deepEqual(redact({ password: 'a', mine: 'b' }, ['mine']), { password: 'a', mine: 'REDACTED' });
});

test('a redact list that is not one of strings never uncovers what the default hides', () => {
  const shown = (own: unknown) => redactClient({ redact: own, password: 'a', mine: 'b' });
  for (const own of [[{}], [null], 'mine', { mine: true }, undefined])
    assert.deepEqual(shown(own), { redact: own, password: 'REDACTED', mine: 'b' });
  assert.deepEqual(shown(['mine', {}]), { redact: ['mine', {}], password: 'REDACTED', mine: 'REDACTED' });
  assert.deepEqual(shown(['mine']), { redact: ['mine'], password: 'a', mine: 'REDACTED' });
});

test('a log line is stamped with microseconds and an offset without a colon', () => {
  assert.match(stamp(new Date()), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}000[+-]\d{4}$/);
});

const run = async (...args: string[]) => {
  const environment = { PATH: process.env['PATH'] ?? '' };
  try {
    const { stdout } = await promisify(execFile)(process.execPath, ['bin/mon-client.js', ...args], {
      env: environment,
    });
    return { code: 0, stdout, stderr: '' };
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
    return { code, stdout, stderr };
  }
};

test('--validate_config says what is wrong and how it went', async () => {
  const dir = home({
    'good.json': { client: { name: 'c1', subscriptions: [] } },
    'bad.json': { client: { name: 'a b', subscriptions: [] } },
  });
  const good = await run('--validate_config', '-c', join(dir, 'good.json'));
  assert.deepEqual(good, { code: 0, stdout: 'configuration is valid\n', stderr: '' });
  const bad = await run('--validate_config', '-c', join(dir, 'bad.json'));
  assert.equal(bad.code, 2);
  assert.ok(bad.stdout.startsWith('configuration is invalid\n'));
  const { errors } = JSON.parse(bad.stdout.slice('configuration is invalid\n'.length));
  assert.equal(errors[0].message, 'client name cannot contain spaces or special characters');
  assert.equal(errors[0].object.name, 'a b');
});

test('--print_config prints everything but secrets', async () => {
  const dir = home({ 'c.json': { client: { name: 'c1', subscriptions: [], service: { password: 'x' } } } });
  const { code, stdout } = await run('-P', '-c', join(dir, 'c.json'));
  assert.equal(code, 0);
  assert.equal(JSON.parse(stdout).client.service.password, 'REDACTED');
  assert.ok(stdout.includes('\n  "client": {'));
});

test('options that are wrong end with 1, a wrong configuration with 2', async () => {
  const level = await run('-L', 'loud');
  assert.equal(level.code, 1);
  assert.match(level.stdout + level.stderr, /Unknown log level: loud/);
  assert.equal((await run('--no-such-option')).code, 1);
  assert.equal((await run('-h')).code, 0);
  assert.match((await run('-V')).stdout, /^\d+\.\d+\.\d+/);
  const dir = home({ 'bad.json': { client: { name: 'a b', subscriptions: [] } } });
  const started = await run('-c', join(dir, 'bad.json'));
  assert.equal(started.code, 2);
  const lines = started.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  assert.deepEqual(
    lines.filter(({ level: at }) => at === 'fatal').map(({ message }) => message),
    ['client name cannot contain spaces or special characters', 'MON NOT RUNNING!'],
  );
});
