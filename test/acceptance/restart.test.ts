// A backend that is killed comes back as it was: entities, checks, histories, occurrences, and the very moment at which
// each wait ends. Looked at from outside, through the API.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import {
  ApiClient,
  type Backend,
  eventually,
  inDefault,
  startAgent,
  startBackend,
  tempDir,
} from './programs.ts';

interface Deadline {
  readonly name: string;
  readonly atMs: number;
}

interface ActorView {
  readonly row: { readonly value: unknown };
  readonly deadlines: readonly Deadline[];
}

interface EventView {
  readonly check: {
    readonly history: readonly { status: number }[];
    readonly occurrences: number;
    readonly state: string;
  };
}

const post = (api: ApiClient, status: number, more: object = {}): Promise<void> =>
  api.post(inDefault('events'), {
    entity: { entity_class: 'proxy', metadata: { name: 'router', namespace: 'default' } },
    check: { metadata: { name: 'uplink', namespace: 'default' }, interval: 10, status, output: 'x', ...more },
  });

const actor = (api: ApiClient, id: string): Promise<ActorView> =>
  api.get<ActorView>(`/api/inspect/v1/actors/${encodeURIComponent(id)}`);

const stateOf = async (api: ApiClient) => ({
  event: await api.get<EventView>(inDefault('events/router/uplink')),
  entity: await api.get(inDefault('entities/router')),
  check: await actor(api, 'check:default/router/uplink'),
});

const restart = async (backend: Backend): Promise<{ backend: Backend; api: ApiClient }> => {
  await backend.program.kill('SIGKILL');
  const next = await startBackend(backend.stateDir);
  return { backend: next, api: await ApiClient.login(next.api) };
};

test('after kill -9 histories, occurrences and the end of a TTL are as they were acknowledged', async () => {
  await tempDir(async (dir) => {
    let backend = await startBackend(dir);
    try {
      let api = await ApiClient.login(backend.api);
      for (const status of [0, 0, 1, 1, 2]) await post(api, status, { ttl: 600 });
      const before = await stateOf(api);
      assert.deepEqual(
        before.event.check.history.map(({ status }) => status),
        [0, 0, 1, 1, 2],
      );
      assert.deepEqual(before.check.row.value, {
        result: 'failing',
        acknowledgement: 'unacknowledged',
        ttl: 'waiting',
        delivery: 'idle',
      });

      ({ backend, api } = await restart(backend));
      const after = await stateOf(api);
      assert.deepEqual(after.event, before.event);
      assert.deepEqual(after.entity, before.entity);
      assert.deepEqual(after.check.row.value, before.check.row.value);
      const [was] = before.check.deadlines;
      const [is] = after.check.deadlines;
      assert.ok(was !== undefined && is !== undefined);
      assert.ok(Math.abs(is.atMs - was.atMs) < 1_000, `the TTL ended at ${was.atMs}, now at ${is.atMs}`);

      await post(api, 2, { ttl: 600 });
      const next = await api.get<EventView>(inDefault('events/router/uplink'));
      assert.equal(next.check.occurrences, before.event.check.occurrences + 1);
    } finally {
      await backend.program.kill();
    }
  });
});

test('a TTL that runs out after the restart is reported, and its silence is not told twice', async () => {
  await tempDir(async (dir) => {
    let backend = await startBackend(dir);
    try {
      let api = await ApiClient.login(backend.api);
      await post(api, 0, { interval: 1, ttl: 5 });
      ({ backend, api } = await restart(backend));
      const expired = await eventually('the expiry of the TTL', async () => {
        const event = await api.get<EventView>(inDefault('events/router/uplink'));
        return event.check.history.length > 1 && event;
      });
      assert.deepEqual(
        expired.check.history.map(({ status }) => status),
        [0, 1],
      );
      assert.deepEqual((await actor(api, 'check:default/router/uplink')).row.value, {
        result: 'failing',
        acknowledgement: 'unacknowledged',
        ttl: 'expired',
        delivery: 'idle',
      });
    } finally {
      await backend.program.kill();
    }
  });
});

test('an agent reconnects to the restarted backend and what it ran meanwhile arrives once', async () => {
  await tempDir(async (dir) => {
    let backend = await startBackend(dir);
    const port = new URL(backend.agents).port;
    const agent = startAgent(backend, dir, ['--name', 'host-1', '--subscriptions', 'linux']);
    try {
      let api = await ApiClient.login(backend.api);
      await eventually(
        'the agent registers',
        async () => (await api.call('GET', inDefault('entities/host-1'))).ok,
      );
      await api.post(inDefault('checks'), {
        metadata: { name: `slow-${randomUUID().slice(0, 8)}`, namespace: 'default' },
        command: 'sleep 2; echo late',
        subscriptions: ['linux'],
        interval: 3_600,
        publish: true,
      });
      const [{ metadata }] = await api.get<[{ metadata: { name: string } }]>(inDefault('checks'));
      await api.post(inDefault(`checks/${metadata.name}/execute`), {});
      await agent.line(metadata.name);
      await backend.program.kill('SIGKILL');
      backend = await startBackend(dir, ['--agent-port', port]);
      api = await ApiClient.login(backend.api);
      const event = await eventually('the result of the check that ran meanwhile', async () => {
        const response = await api.call('GET', inDefault(`events/host-1/${metadata.name}`));
        return response.ok && ((await response.json()) as EventView);
      });
      assert.equal(event.check.occurrences, 1);
    } finally {
      await agent.kill();
      await backend.program.kill();
    }
  });
});
