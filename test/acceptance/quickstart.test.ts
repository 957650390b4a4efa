// What a newcomer does first: `npm start`, a check that turns red, a kill, and a second start that finds it all again.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { hostname } from 'node:os';
import { test } from 'node:test';
import { isAlive } from '../is-alive.ts';
import { eventually, tempDir } from './programs.ts';

interface Event {
  readonly check: { readonly metadata: { readonly name: string }; readonly status: number };
}

interface Quickstart {
  readonly process: ChildProcess;
  readonly exited: Promise<number | null>;
  readonly api: string;
}

const quickstart = async (home: string): Promise<Quickstart> => {
  const child = spawn(process.execPath, ['dist/src/main/quickstart.js'], {
    env: {
      ...process.env,
      QUICKSTART_HOME: home,
      QUICKSTART_API_PORT: '0',
      QUICKSTART_AGENT_PORT: '0',
      QUICKSTART_QUIET_AGENT: 'yes',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exited = new Promise<number | null>((done) => child.once('exit', done));
  let said = '';
  const api = await new Promise<string>((found, fail) => {
    const hear = (text: Buffer): void => {
      said += text.toString();
      const address = /dashboard\s+(\S+)\/ui\//.exec(said)?.[1];
      if (address !== undefined) found(address);
    };
    child.stdout.on('data', hear);
    child.stderr.on('data', hear);
    exited.then((code) => fail(new Error(`the quick start ended with ${code}:\n${said}`)));
  });
  return { process: child, exited, api };
};

const childrenOf = (pid: number): number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').map(Number);

/** Generous: a check runs every ten seconds, and the machine may be busy. */
const timeoutMs = 120_000;

const call = async (api: string, home: string, path: string, init: RequestInit = {}): Promise<unknown> => {
  const key = readFileSync(`${home}/api-key`, 'utf8').trim();
  const headers = { authorization: `Key ${key}`, 'content-type': 'application/merge-patch+json' };
  const response = await fetch(`${api}/api/core/v2/namespaces/default${path}`, { ...init, headers });
  assert.ok(response.ok, `${path} answered ${response.status}`);
  return response.json();
};

const statusOf = async (api: string, home: string, name: string): Promise<number | undefined> => {
  const events = (await call(api, home, '/events')) as Event[];
  return events.find(({ check }) => check.metadata.name === name)?.check.status;
};

const skip = existsSync('/proc/self/task') ? false : 'needs /proc to see who is still running';

test('a start, a check that turns red, a kill, and a start that finds it again', { skip }, async () => {
  await tempDir(async (home) => {
    const first = await quickstart(home);
    for (const name of ['load', 'disk', 'memory'])
      await eventually(`the check ${name} ran`, () => statusOf(first.api, home, name), timeoutMs);

    // Every machine uses more than one per cent of its memory.
    const labels = { memory_warning: '1', memory_critical: '101' };
    await call(first.api, home, `/entities/${hostname()}`, {
      method: 'PATCH',
      body: JSON.stringify({ metadata: { labels } }),
    });
    const isFailing = async (): Promise<boolean> => (await statusOf(first.api, home, 'memory')) === 1;
    await eventually('memory fails', isFailing, timeoutMs);
    const alerts = `${home}/alerts.log`;
    await eventually('the handler wrote its line', async () => statSync(alerts).size > 0, timeoutMs);
    assert.equal((statSync(alerts).mode & 0o077).toString(8), '0', 'nobody else reads the alerts');
    const log = readFileSync(`${home}/mon-backend.log`, 'utf8');
    assert.doesNotMatch(
      log,
      /can work as it stands|nobody was notified/,
      'no warning of what is as it should be',
    );

    const started = childrenOf(first.process.pid ?? 0);
    assert.equal(started.length, 2, 'a backend and an agent');
    first.process.kill('SIGKILL');
    await eventually('nobody is left running', async () => !started.some(isAlive), timeoutMs);

    const second = await quickstart(home);
    assert.equal(await statusOf(second.api, home, 'memory'), 1, 'known before the agent said a word');
    second.process.kill('SIGINT');
    assert.equal(await second.exited, 0);
  });
});
