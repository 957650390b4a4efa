// The program mon-client from outside: it starts, reports to a backend, and ends in good order on a signal.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { eventually as patiently } from '../eventually.ts';
import { openLiveBackend } from '../http/earlier-api/live-backend.ts';
import { eventually } from './helpers.ts';

const start = (t: TestContext, config: object, ...args: string[]) => {
  const dir = mkdtempSync(join(tmpdir(), 'mon-client-'));
  writeFileSync(join(dir, 'config.json'), JSON.stringify(config));
  const child = spawn(process.execPath, ['bin/mon-client.js', '-c', join(dir, 'config.json'), ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let said = '';
  child.stdout.on('data', (chunk) => {
    said += chunk;
  });
  const exited = new Promise<number | null>((resolve) => child.once('exit', (code) => resolve(code)));
  t.after(() => {
    child.kill('SIGKILL');
    rmSync(dir, { recursive: true, force: true });
  });
  const lines = () =>
    said
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line));
  return { child, dir, exited, told: (text: string) => lines().filter(({ message }) => message === text) };
};

const client = (more: object = {}) => ({
  name: 'prog',
  address: 'a',
  subscriptions: ['web'],
  socket: { enabled: false },
  http_socket: { enabled: false },
  ...more,
});

test('the program registers, runs its checks, says goodbye on a signal, and ends with 0', async (t) => {
  const live = await openLiveBackend();
  t.after(() => live.close());
  const pidFile = join(tmpdir(), `mon-client-${process.pid}.pid`);
  t.after(() => rmSync(pidFile, { force: true }));
  const config = {
    client: client({ deregister: true }),
    websocket: { url: `ws://127.0.0.1:${live.port}` },
    checks: { alone: { command: 'echo $SENSU_LOADED_TEMPFILE', standalone: true, interval: 1 } },
  };
  const { child, dir, exited, told } = start(t, config, '-p', pidFile);
  await eventually(() => live.backend.clients.get('prog'), 'the client');
  assert.equal(readFileSync(pidFile, 'utf8'), `${child.pid}\n`);
  await eventually(() => told('publishing check result').length > 0, 'the check');
  const [{ payload }] = told('publishing check result');
  assert.equal(readFileSync(payload.check.output.trim(), 'utf8'), join(dir, 'config.json'));
  child.kill('SIGTERM');
  assert.equal(await exited, 0);
  assert.equal(told('received signal')[0]?.signal, 'TERM');
  assert.equal(live.backend.clients.get('prog'), undefined);
});

test('a backend that is not there is tried again and told of; the program stays and ends when asked', async (t) => {
  const { child, exited, told } = start(t, { client: client(), websocket: { url: 'ws://127.0.0.1:1' } });
  await eventually(() => told('transport connection error').length > 0);
  child.kill('SIGINT');
  assert.equal(await exited, 0);
});

test('in the background it outlives the terminal it was started from', async (t) => {
  const live = await openLiveBackend();
  t.after(() => live.close());
  const dir = mkdtempSync(join(tmpdir(), 'mon-client-'));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  const [pidFile, logFile, config] = ['pid', 'log', 'config.json'].map((name) => join(dir, name)) as [
    string,
    string,
    string,
  ];
  writeFileSync(
    config,
    JSON.stringify({
      client: client({ name: 'back' }),
      websocket: { url: `ws://127.0.0.1:${live.port}` },
      checks: { alone: { command: 'env | grep BACKGROUND', standalone: true, interval: 1 } },
    }),
  );
  const { exited } = start(t, {}, '-bv', '-c', config, '-p', pidFile, '-l', logFile);
  assert.equal(await exited, 0);
  await eventually(() => live.backend.clients.get('back'), 'the client');
  const pid = Number(readFileSync(pidFile, 'utf8'));
  t.after(() => {
    try {
      process.kill(pid, 'SIGKILL');
    } catch (error) {
      assert.equal((error as NodeJS.ErrnoException).code, 'ESRCH');
    }
  });
  process.kill(pid, 'SIGHUP');
  const ran = await patiently('a check', () => live.backend.readEvent('default', 'back', 'alone'));
  assert.deepEqual([ran.check.status, ran.check.output], [1, '']);
  process.kill(pid, 'SIGTERM');
  await eventually(() => readFileSync(logFile, 'utf8').includes('"received signal"'), 'the end');
});

test('a wrong password is reported by its status', async (t) => {
  const live = await openLiveBackend();
  t.after(() => live.close());
  const url = `ws://127.0.0.1:${live.port}`;
  const { child, exited, told } = start(t, { client: client(), websocket: { url, password: 'wrong' } });
  await eventually(() => told('transport connection error').length > 0);
  assert.equal(told('transport connection error')[0].reason, 'handshake failed with status 401');
  child.kill('SIGTERM');
  await exited;
});

test('an unknown transport or an unwritable pid file exits with status 2', async (t) => {
  const odd = start(t, { client: client(), transport: { name: 'smoke' } });
  assert.equal(await odd.exited, 2);
  assert.equal(odd.told('MON NOT RUNNING!').length, 1);
  const pid = start(t, { client: client() }, '-p', '/nowhere/at/all.pid');
  assert.equal(await pid.exited, 2);
  assert.equal(pid.told('could not write to pid file')[0]?.pid_file, '/nowhere/at/all.pid');
});
