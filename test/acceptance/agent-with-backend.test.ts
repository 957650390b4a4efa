// The agent program and the backend program together: what runs on one machine is read from the other.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiClient, eventually, inDefault, startAgent, startBackend, tempDir } from './programs.ts';

interface SeenEvent {
  readonly check: { readonly status: number; readonly output: string; readonly occurrences: number };
}

const read = async (api: ApiClient, path: string): Promise<SeenEvent | undefined> => {
  const response = await api.call('GET', inDefault(path));
  return response.ok ? ((await response.json()) as SeenEvent) : undefined;
};

const checkOf = (name: string, command: string) => ({
  command,
  interval: 60,
  publish: true,
  subscriptions: ['linux'],
  handlers: [],
  metadata: { name, namespace: 'default' },
});

test('an agent registers, runs what it is asked to, and relays what it is given, also over a killed backend', () =>
  tempDir(async (dir) => {
    const backend = await startBackend(dir);
    const agentArgs = ['--name', 'web-01', '--subscriptions', 'linux', '--labels', 'region=us'];
    const agent = startAgent(backend, dir, [...agentArgs, '--disable-api=false', '--api-port', '0']);
    try {
      const { msg } = await agent.line('starting api on address');
      const port = /:(\d+)$/.exec(String(msg))?.[1];
      const api = await ApiClient.login(backend.api);
      await eventually('the entity', () => read(api, 'entities/web-01'));

      await api.post(
        inDefault('checks'),
        checkOf('hello', 'echo "{{ .name }} in {{ .labels.region }}"; exit 1'),
      );
      await api.post(inDefault('checks/hello/execute'), { check: 'hello', subscriptions: ['linux'] });
      const seen = await eventually('the result', () => read(api, 'events/web-01/hello'));
      assert.deepEqual([seen.check.output, seen.check.status], ['web-01 in us\n', 1]);

      await backend.program.kill('SIGKILL');
      const body = JSON.stringify({ check: { metadata: { name: 'backup' }, output: 'done', status: 0 } });
      const answer = await fetch(`http://127.0.0.1:${port}/events`, { method: 'POST', body });
      assert.equal(answer.status, 202);
      const agentPort = new URL(backend.agents).port;
      const again = await startBackend(dir, ['--agent-port', agentPort]);
      try {
        const later = await ApiClient.login(again.api);
        const relayed = await eventually('the relayed event', () => read(later, 'events/web-01/backup'));
        assert.deepEqual([relayed.check.output, relayed.check.occurrences], ['done', 1]);
      } finally {
        await again.program.kill();
      }
    } finally {
      await agent.kill('SIGKILL');
      await backend.program.kill('SIGKILL');
    }
  }));

test('an agent that is stopped with --deregister is gone at once, and one that is killed stays until it is missed', () =>
  tempDir(async (dir) => {
    const backend = await startBackend(dir);
    const agents = ['stopped', 'killed'].map((name) =>
      startAgent(backend, `${dir}/${name}`, ['--name', name, '--deregister']),
    );
    try {
      const api = await ApiClient.login(backend.api);
      for (const name of ['stopped', 'killed'])
        await eventually(`the entity ${name}`, () => read(api, `entities/${name}`));
      await agents[1]?.kill('SIGKILL');
      await agents[0]?.kill('SIGTERM');
      await eventually('the end of the entity', async () => {
        const { status } = await api.call('GET', inDefault('entities/stopped'));
        return status === 404;
      });
      assert.notEqual(await read(api, 'entities/killed'), undefined);
    } finally {
      for (const agent of agents) await agent.kill('SIGKILL');
      await backend.program.kill('SIGKILL');
    }
  }));
