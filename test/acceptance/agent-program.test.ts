// The agent program from outside: its process, its standard output, its signals, its exit codes.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { agentStopped } from '../../src/wire/close.ts';
import { startBackend } from '../agent/fake-backend.ts';
import { requestOf, tempFolder } from '../agent/helpers.ts';

const program = join(process.cwd(), 'bin', 'mon-agent.js');
const run = (args: readonly string[], environment: Record<string, string> = {}) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args], {
    encoding: 'utf8',
    env: { ...process.env, ...environment },
    timeout: 120_000,
  });
  return { status, stdout, stderr };
};

interface Running {
  readonly child: ChildProcess;
  readonly exited: Promise<{ code: number | null; signal: string | null }>;
  lines(): Record<string, unknown>[];
  /** Resolves with the first line that has this message. */
  said(message: string | RegExp): Promise<Record<string, unknown>>;
}

const start = (
  t: TestContext,
  args: readonly string[],
  environment: Record<string, string> = {},
): Running => {
  const child = spawn(process.execPath, [program, 'start', ...args], {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = new Promise<{ code: number | null; signal: string | null }>((resolve) =>
    child.once('exit', (code, signal) => resolve({ code, signal })),
  );
  t.after(() => child.kill('SIGKILL'));
  let text = '';
  const listeners = new Set<() => void>();
  child.stdout?.on('data', (chunk: Buffer) => {
    text += chunk.toString();
    for (const listener of [...listeners]) listener();
  });
  const lines = () =>
    text
      .slice(0, text.lastIndexOf('\n') + 1)
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  const said = (message: string | RegExp) =>
    new Promise<Record<string, unknown>>((resolve, reject) => {
      const giveUp = setTimeout(() => reject(new Error(`never said ${message}; said: ${text}`)), 120_000);
      const look = () => {
        const line = lines().find(({ msg }) =>
          typeof message === 'string' ? msg === message : message.test(String(msg)),
        );
        if (line === undefined) return;
        clearTimeout(giveUp);
        listeners.delete(look);
        resolve(line);
      };
      listeners.add(look);
      look();
    });
  return { child, exited, lines, said };
};

const quiet = () => ['--disable-api', '--disable-sockets', '--statsd-disable', '--cache-dir', tempFolder()];

test('the version is one line, help names the commands, no arguments are help', () => {
  assert.match(run(['version']).stdout, /^mon-agent version \d+\.\d+\.\d+\n$/);
  for (const args of [[], ['help']]) {
    const { status, stdout } = run(args);
    assert.equal(status, 0);
    assert.match(stdout, /start .*\n[\s\S]*doctor .*\n[\s\S]*version/);
  }
  const help = run(['start', '--help']).stdout;
  assert.match(help, /--keepalive-interval <number>\s+seconds between keepalives \(default: 20\)/);
  assert.equal(help.includes('P@ssw0rd'), false);
});

test('a setting that is wrong ends the program with 1 and one line that says which, from where, and why', () => {
  const { status, stdout } = run(['start'], { MON_KEEPALIVE_INTERVAL: 'soon' });
  assert.equal(status, 1);
  const line = JSON.parse(stdout);
  assert.equal(line.level, 'fatal');
  assert.equal(line.component, 'agent');
  assert.match(line.error, /keepalive-interval .*"soon" from environment variable MON_KEEPALIVE_INTERVAL/);
  const unknown = run(['start', '--keepalive-intervall', '5']);
  assert.equal(unknown.status, 1);
  assert.match(unknown.stderr, /unknown option.*\n.*Did you mean --keepalive-interval/);
});

test('SIGTERM says goodbye to the backend and ends with 0, also in the middle of a check', async (t) => {
  const backend = await startBackend();
  t.after(() => backend.stop());
  const agent = start(t, ['--backend-url', backend.url, '--name', 'web-01', ...quiet()]);
  await backend.waitFor('keepalive', 1);
  backend.send('check_request', requestOf('sleep 60'));
  backend.send(
    'check_request',
    requestOf('echo quick', { metadata: { name: 'quick', namespace: 'default' } }),
  );
  await backend.waitFor('event', 1);
  agent.child.kill('SIGTERM');
  assert.deepEqual(await agent.exited, { code: 0, signal: null });
  await backend.until(() => backend.closes.length === 1);
  assert.deepEqual(backend.closes[0], agentStopped);
  const line = await agent.said('signal "terminated" received, shutting down agent');
  assert.equal(line.level, 'warning');
  assert.equal(backend.frames.filter(({ type }) => type === 'event').length, 1);
});

test('SIGUSR1 steps through the log levels, for every part of the agent', async (t) => {
  const backend = await startBackend();
  t.after(() => backend.stop());
  const agent = start(t, ['--backend-url', backend.url, '--log-level', 'info', ...quiet()]);
  await agent.said('successfully connected');
  agent.child.kill('SIGUSR1');
  const line = await agent.said('set log level to debug');
  assert.equal(line.level, 'warning');
  backend.send('check_request', requestOf('true'));
  await agent.said('message received');
});

test('every line of the log is JSON with component, level, msg and time', async (t) => {
  const backend = await startBackend();
  t.after(() => backend.stop());
  const agent = start(t, ['--backend-url', backend.url, '--log-level', 'debug', ...quiet()]);
  await agent.said('successfully connected');
  for (const line of agent.lines()) {
    assert.deepEqual(
      [
        typeof line.component,
        typeof line.level,
        typeof line.msg,
        Number.isNaN(Date.parse(String(line.time))),
      ],
      ['string', 'string', 'string', false],
    );
  }
});

test('settings come from the file, the environment and the flags at once', async (t) => {
  const backend = await startBackend();
  t.after(() => backend.stop());
  const file = join(tempFolder(), 'agent.yml');
  writeFileSync(file, `name: from-file\nnamespace: file\nsubscriptions: [a, b]\nlabels: {Region: us}\n`);
  start(t, ['-c', file, '--backend-url', backend.url, '--deregister', ...quiet()], { MON_NAMESPACE: 'env' });
  const [keepalive] = await backend.waitFor('keepalive', 1);
  assert.equal(keepalive?.entity.metadata.name, 'from-file');
  assert.equal(keepalive?.entity.metadata.namespace, 'env');
  assert.deepEqual(keepalive?.entity.subscriptions, ['a', 'b']);
  assert.deepEqual(keepalive?.entity.metadata.labels, { Region: 'us' });
  assert.equal(keepalive?.entity.deregister, true);
});

test('an accepted event survives the agent being killed', async (t) => {
  const gone = await startBackend();
  await gone.stop();
  const cache = tempFolder();
  const flags = ['--backend-url', gone.url, '--disable-sockets', '--statsd-disable', '--cache-dir', cache];
  const first = start(t, [...flags, '--api-port', '0', '--log-level', 'info']);
  const { msg } = await first.said(/^starting api on address/);
  const port = /:(\d+)$/.exec(String(msg))?.[1];
  const body = JSON.stringify({ check: { metadata: { name: 'backup' }, output: 'done' } });
  const answer = await fetch(`http://127.0.0.1:${port}/events`, { method: 'POST', body });
  assert.equal(answer.status, 202);
  first.child.kill('SIGKILL');
  await first.exited;
  const backend = await startBackend({ port: Number(new URL(gone.url).port) });
  t.after(() => backend.stop());
  start(t, [...flags, '--api-port', '0']);
  const [event] = await backend.waitFor('event', 1);
  assert.equal(event?.check.output, 'done');
});
