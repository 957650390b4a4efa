// Real monitoring plugins, run by a real agent for a real backend: every status, performance data, a time-out, a command
// that does not exist, and an output of 5 MB.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { test } from 'node:test';
import { skipWithout } from '../requirements.ts';
import { ApiClient, eventually, inDefault, startAgent, startBackend, tempDir } from './programs.ts';

const plugins = '/usr/lib/nagios/plugins';
const missing = skipWithout(
  'plugins',
  existsSync(`${plugins}/check_load`)
    ? false
    : `no monitoring plugins in ${plugins} (Debian: monitoring-plugins-basic)`,
);

interface EventView {
  check: {
    status: number;
    output: string;
    state: string;
    duration: number;
    history: { status: number }[];
    occurrences: number;
  };
  entity: { metadata: { name: string }; entity_class: string };
  metadata: { labels?: Record<string, string> };
}

const definition = (name: string, command: string, more: object = {}) => ({
  metadata: { name, namespace: 'default' },
  command,
  subscriptions: ['plugins'],
  interval: 3_600,
  publish: true,
  ...more,
});

const cases: readonly {
  readonly name: string;
  readonly command: string;
  readonly more?: object;
  readonly status: number;
  readonly output: RegExp;
}[] = [
  {
    name: 'load-ok',
    command: `${plugins}/check_load -w 900,900,900 -c 999,999,999`,
    status: 0,
    output: /load average.*\|.*load1=/s,
  },
  {
    name: 'disk-warning',
    command: `${plugins}/check_disk -w 100% -c 0% -p /`,
    status: 1,
    output: /DISK WARNING.*\|/s,
  },
  {
    name: 'procs-critical',
    command: `${plugins}/check_procs -c 100000:`,
    status: 2,
    output: /PROCS CRITICAL/,
  },
  {
    name: 'tcp-critical',
    command: `${plugins}/check_tcp -H 127.0.0.1 -p 1 -t 3`,
    status: 2,
    output: /refused/i,
  },
  { name: 'usage-unknown', command: `${plugins}/check_tcp --no-such-option`, status: 3, output: /usage/i },
  {
    name: 'time-out',
    command: 'sleep 30',
    more: { timeout: 1 },
    status: 2,
    output: /^Execution timed out\n/,
  },
  { name: 'no-such-command', command: '/no/such/command', status: 127, output: /not found/ },
];

test('plugins of every status come through agent and backend', {
  skip: missing,
  timeout: 120_000,
}, async (t) => {
  await tempDir(async (dir) => {
    const backend = await startBackend(dir);
    const agent = startAgent(backend, dir, ['--name', 'plugin-host', '--subscriptions', 'plugins']);
    try {
      const api = await ApiClient.login(backend.api);
      await eventually(
        'the agent registers',
        async () => (await api.call('GET', inDefault('entities/plugin-host'))).ok,
      );
      for (const { name, command, more } of cases) {
        await api.post(inDefault('checks'), definition(name, command, more));
        await api.post(inDefault(`checks/${name}/execute`), {});
      }
      for (const { name, status, output } of cases) {
        await t.test(`${name}: status ${status}`, async () => {
          const { check } = await eventually(`an event of ${name}`, async () => {
            const response = await api.call('GET', inDefault(`events/plugin-host/${name}`));
            return response.ok && ((await response.json()) as EventView);
          });
          assert.equal(check.status, status);
          assert.match(check.output, output);
          assert.equal(check.state, status === 0 ? 'passing' : 'failing');
          assert.deepEqual(
            check.history.map((entry) => entry.status),
            [status],
          );
        });
      }
      await t.test('an output of 5 MB arrives, cut to what one message may hold, and says so', async () => {
        const command = "head -c 5000000 /dev/zero | tr '\\0' 'x'";
        await api.post(inDefault('checks'), definition('flood', command));
        await api.post(inDefault('checks/flood/execute'), {});
        const { check, metadata } = await eventually('an event of flood', async () => {
          const response = await api.call('GET', inDefault('events/plugin-host/flood'));
          return response.ok && ((await response.json()) as EventView);
        });
        assert.equal(check.status, 0);
        assert.ok(check.output.length > 100_000, `got ${check.output.length} characters`);
        assert.ok(Number(metadata.labels?.['mon.io/output_truncated_bytes']) > 3_000_000);
      });
    } finally {
      await agent.kill();
      await backend.program.kill();
    }
  });
});
