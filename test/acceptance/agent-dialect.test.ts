// The conversation of the reference product, header by header and frame by frame: one of its agents with our
// backend, in both encodings, and our agent with one of its backends.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { agentStopped } from '../../src/wire/close.ts';
import { startBackend as startFakeBackend } from '../agent/fake-backend.ts';
import { ApiClient, eventually, inDefault, startAgent, startBackend, tempDir } from './programs.ts';
import { connectReferenceAgent, type Encoding, type Json, keepalive, result } from './reference-agent.ts';

const read = async (api: ApiClient, path: string): Promise<Json | undefined> => {
  const response = await api.call('GET', inDefault(path));
  return response.ok ? ((await response.json()) as Json) : undefined;
};

const lines = (rawHeaders: readonly string[], name: string): string[] =>
  rawHeaders.filter((_, at) => at % 2 === 1 && rawHeaders[at - 1]?.toLowerCase() === name);

const checkOf = {
  command: 'check-cpu -w {{ .labels.warn | default 75 }}',
  interval: 60,
  timeout: 10,
  publish: true,
  subscriptions: ['linux'],
  handlers: [],
  runtime_assets: ['check-cpu'],
  check_hooks: [{ 'non-zero': ['ps'] }],
  env_vars: ['A=b'],
  metadata: { name: 'cpu', namespace: 'default', labels: { x: 'y' } },
};
const assetOf = {
  builds: [
    { url: 'http://127.0.0.1/a.tgz', sha512: 'a'.repeat(128), filters: ["entity.system.os == 'linux'"] },
  ],
  metadata: { name: 'check-cpu', namespace: 'default' },
};
const hookOf = { command: 'ps aux', timeout: 60, metadata: { name: 'ps', namespace: 'default' } };

for (const encoding of ['application/octet-stream', 'application/json'] satisfies Encoding[])
  test(`an unmodified reference agent is at home with our backend, speaking ${encoding}`, () =>
    tempDir(async (dir) => {
      const backend = await startBackend(dir);
      try {
        const api = await ApiClient.login(backend.api);
        await api.post(inDefault('assets'), assetOf);
        await api.post(inDefault('hooks'), hookOf);
        await api.post(inDefault('checks'), checkOf);
        const agent = await connectReferenceAgent(backend.agents, encoding);

        assert.deepEqual(lines(agent.answer, 'accept'), ['application/octet-stream', 'application/json']);
        assert.deepEqual(lines(agent.answer, 'content-type'), [encoding]);
        assert.equal(lines(agent.answer, 'backend-id').length, 1);
        assert.deepEqual(lines(agent.answer, 'mon-ack'), []);
        assert.deepEqual(lines(agent.answer, 'sec-websocket-extensions'), []);

        const first = await agent.frame('entity_config');
        assert.deepEqual(first.payload.metadata, { name: 'not found', namespace: 'default' });
        assert.equal(first.payload.entity_class, 'agent');

        agent.send('keepalive', keepalive(1));
        const known = (payload: Json) => (payload.metadata as Json).name === 'web-01';
        const second = await agent.frame('entity_config', known);
        assert.deepEqual((second.payload.metadata as Json).labels, { region: 'us' });
        assert.deepEqual(second.payload.subscriptions, ['linux', 'web', 'entity:web-01']);
        const entity = await eventually('the entity', () => read(api, 'entities/web-01'));
        assert.equal(entity.sensu_agent_version, '6.12.0');
        assert.equal((entity.system as Json).platform_version, '22.04');
        const own = await eventually('its keepalive', () => read(api, 'events/web-01/keepalive'));
        assert.equal((own.check as Json).status, 0);

        await api.post(inDefault('checks/cpu/execute'), { check: 'cpu', subscriptions: ['linux'] });
        const { payload: request } = await agent.frame('check_request');
        const config = request.config as Json;
        assert.deepEqual(
          [config.command, config.interval, config.timeout, config.env_vars, config.check_hooks],
          [checkOf.command, 60, 10, ['A=b'], [{ 'non-zero': ['ps'] }]],
        );
        assert.deepEqual(
          [(request.assets as { metadata: Json }[])[0]?.metadata.name, (request.hooks as Json[])[0]?.command],
          ['check-cpu', 'ps aux'],
        );
        assert.ok(Math.abs(Number(request.issued) - Date.now() / 1000) < 30);

        agent.send('event', result(request, 1));
        const event = await eventually('the result', () => read(api, 'events/web-01/cpu'));
        const check = event.check as Json;
        assert.deepEqual(
          [check.status, check.output, check.duration, check.processed_by, check.issued],
          [2, 'CRITICAL cpu 99\n', 0.0123, 'web-01', request.issued],
        );
        const hook = (check.hooks as Json[])[0];
        assert.deepEqual(
          [hook?.command, hook?.output, hook?.status, hook?.duration],
          ['ps aux', 'PID ...', 0, 0.02],
        );

        // Broken or strange messages are dropped, and the session goes on.
        agent.sendRaw('no_such_type\n{}');
        agent.sendRaw('event\n\x0b{]');
        agent.send('event', result(request, 2, { status: 0, output: 'OK\n' }));
        await eventually('the session goes on', async () => {
          const later = (await read(api, 'events/web-01/cpu'))?.check as Json | undefined;
          return later?.output === 'OK\n' && later.status === 0;
        });

        // A proxy result: the agent's own entity with the name of another; the backend makes that one.
        agent.send('event', result(request, 3, { proxy_entity_name: 'router-1' }));
        const proxied = await eventually('the proxy entity', () => read(api, 'events/router-1/cpu'));
        assert.equal((proxied.entity as Json).entity_class, 'proxy');

        assert.equal(await agent.close(), 1001);
      } finally {
        await backend.program.kill('SIGKILL');
      }
    }));

test('a binary StatsD event with nanoseconds, without check, is no reason to end a session', () =>
  tempDir(async (dir) => {
    const backend = await startBackend(dir);
    try {
      const api = await ApiClient.login(backend.api);
      const agent = await connectReferenceAgent(backend.agents, 'application/octet-stream');
      agent.send('keepalive', keepalive(1));
      await eventually('the entity', () => read(api, 'entities/web-01'));
      const { check: _, ...event } = result({ config: {}, issued: 0 }, 1);
      const points = [{ name: 'foo.value', value: 2, timestamp: 1.7e18, tags: [] }];
      agent.send('event', { ...event, metrics: { handlers: ['influx'], points } });
      agent.send('keepalive', keepalive(2));
      await eventually('the second keepalive', async () => {
        const own = await read(api, 'events/web-01/keepalive');
        return own?.sequence === 2;
      });
      assert.deepEqual(
        backend.program.lines.filter(({ msg }) => msg === 'message dropped'),
        [],
      );
      assert.equal(await agent.close(), 1001);
    } finally {
      await backend.program.kill('SIGKILL');
    }
  }));

const storedConfig = {
  metadata: { name: 'web-01', namespace: 'default', labels: { region: 'us', warn: '80' } },
  entity_class: 'agent',
  user: 'agent',
  subscriptions: ['linux', 'entity:web-01'],
  deregister: false,
  deregistration: {},
  redact: ['password'],
};

const requestOf = (config: Json) => ({
  config: {
    handlers: ['slack'],
    high_flap_threshold: 0,
    interval: 60,
    low_flap_threshold: 0,
    publish: true,
    runtime_assets: null,
    subscriptions: ['linux'],
    proxy_entity_name: '',
    check_hooks: [{ 'non-zero': ['ps'] }],
    stdin: false,
    subdue: null,
    ttl: 0,
    timeout: 10,
    round_robin: false,
    output_metric_format: '',
    output_metric_handlers: null,
    env_vars: ['A=b'],
    metadata: { name: 'cpu', namespace: 'default', labels: { x: 'y' }, created_by: 'admin' },
    secrets: null,
    pipelines: [{ name: 'incident', type: 'Pipeline', api_version: 'core/v2' }],
    ...config,
  },
  assets: [],
  hooks: [
    {
      metadata: { name: 'ps', namespace: 'default' },
      command: 'echo procs',
      timeout: 60,
      stdin: false,
      runtime_assets: null,
    },
  ],
  issued: 1_700_000_000,
  hook_assets: {},
  secrets: null,
});

test('our agent is at home with a reference backend: its headers, JSON, and no acknowledgements', async (t) => {
  const backend = await startFakeBackend({
    acknowledges: false,
    accepts: ['application/octet-stream', 'application/json'],
    entityConfig: storedConfig,
  });
  t.after(() => backend.stop());
  await tempDir(async (dir) => {
    const agent = startAgent({ agents: backend.url }, dir, [
      '--name',
      'web-01',
      '--subscriptions',
      'linux,web',
    ]);
    try {
      const [hello] = await backend.waitFor('keepalive', 1);
      const headers = backend.requests[0]?.headers;
      assert.deepEqual(
        [
          'sensu-agentname',
          'sensu-namespace',
          'sensu-subscriptions',
          'sensu-user',
          'accept',
          'authorization',
        ].map((name) => headers?.[name]),
        ['web-01', 'default', 'linux,web', 'agent', 'application/json', 'Basic YWdlbnQ6UEBzc3cwcmQh'],
      );
      const entity = hello?.entity as unknown as Json;
      assert.deepEqual(
        [
          hello?.sequence,
          hello?.check.metadata.name,
          hello?.check.interval,
          hello?.check.timeout,
          hello?.check.ttl,
        ],
        [1, 'keepalive', 20, 120, 0],
      );
      assert.match(String(entity.sensu_agent_version), /^\d+\.\d+\.\d+$/);
      assert.deepEqual((entity.metadata as Json).labels, { region: 'us', warn: '80' });

      backend.send(
        'check_request',
        requestOf({ command: 'echo "$A {{ .labels.warn | default 75 }}"; exit 2' }),
      );
      const [event] = await backend.waitFor('event', 1);
      assert.deepEqual(
        [event?.check.output, event?.check.status, event?.check.processed_by, event?.sequence],
        ['b 80\n', 2, 'web-01', 1],
      );
      assert.equal(event?.check.command, 'echo "$A {{ .labels.warn | default 75 }}"; exit 2');
      assert.equal(event?.check.secrets, null);
      assert.deepEqual(event?.pipelines, [{ name: 'incident', type: 'Pipeline', api_version: 'core/v2' }]);
      const [hook] = event?.check.hooks ?? [];
      assert.deepEqual([hook?.command, hook?.output, hook?.status], ['echo procs', 'procs\n', 0]);

      assert.deepEqual(await agent.kill(), { code: 0, signal: null });
      await backend.until(() => backend.closes.length === 1);
      assert.deepEqual(backend.closes, [agentStopped]);
    } finally {
      await agent.kill('SIGKILL');
    }
  });
});
