// The agent against a backend: real sockets, real commands.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Agent, createAgent } from '../../src/agent/agent.ts';
import { type FakeOptions, startBackend } from './fake-backend.ts';
import { configOf, readableLog, requestOf } from './helpers.ts';

const withAgent = async (
  options: { backend?: FakeOptions; flags?: Record<string, string> },
  body: (tools: {
    backend: Awaited<ReturnType<typeof startBackend>>;
    agent: Agent;
    log: ReturnType<typeof readableLog>;
  }) => Promise<void>,
) => {
  const backend = await startBackend(options.backend);
  const log = readableLog();
  const agent = createAgent(configOf({ 'backend-url': backend.url, ...options.flags }), { log: log.log });
  try {
    await agent.start();
    await body({ backend, agent, log });
  } finally {
    await agent.stop();
    await backend.stop();
  }
};

test('the first frame of a session is a keepalive with sequence 1', () =>
  withAgent(
    { flags: { subscriptions: 'linux,web', labels: 'region=us', 'keepalive-check-labels': 'tier=web' } },
    async ({ backend }) => {
      const [keepalive] = await backend.waitFor('keepalive', 1);
      assert.equal(backend.frames[0]?.type, 'keepalive');
      assert.equal(keepalive?.sequence, 1);
      assert.equal(keepalive?.check.metadata.name, 'keepalive');
      assert.deepEqual(
        [keepalive?.check.interval, keepalive?.check.timeout, keepalive?.check.ttl],
        [20, 120, 0],
      );
      assert.equal(keepalive?.entity.metadata.name, 'web-01');
      assert.deepEqual(keepalive?.entity.subscriptions, ['linux', 'web']);
      assert.deepEqual(keepalive?.entity.metadata.labels, { region: 'us' });
      assert.deepEqual(keepalive?.metadata.labels, { tier: 'web' });
      assert.equal(keepalive?.entity.system.os, process.platform);
    },
  ));

test('the upgrade names the agent, its namespace, its subscriptions and its user', () =>
  withAgent(
    { flags: { subscriptions: 'a,b', namespace: 'prod', password: 'secret-1' } },
    async ({ backend, log }) => {
      await backend.waitFor('keepalive', 1);
      const headers = backend.requests[0]?.headers ?? {};
      assert.equal(headers['mon-agentname'], 'web-01');
      assert.equal(headers['mon-namespace'], 'prod');
      assert.equal(headers['mon-subscriptions'], 'a,b');
      assert.equal(headers['mon-ack'], '1');
      assert.equal(headers.authorization, `Basic ${Buffer.from('agent:secret-1').toString('base64')}`);
      assert.equal(log.text().includes('secret-1'), false);
    },
  ));

test('a requested check is run and its result sent', () =>
  withAgent({}, async ({ backend }) => {
    await backend.waitFor('keepalive', 1);
    const definition = { env_vars: ['A=b'], handlers: ['slack'], scheduler: 'memory' };
    const request = requestOf('echo CRITICAL; exit 2', definition);
    backend.send('check_request', request);
    const [event] = await backend.waitFor('event', 1);
    assert.deepEqual([event?.check.output, event?.check.status], ['CRITICAL\n', 2]);
    assert.equal(event?.check.issued, request.issued);
    assert.equal(event?.check.scheduler, 'memory');
    assert.equal(event?.check.processed_by, 'web-01');
    assert.deepEqual(event?.check.handlers, ['slack']);
    assert.equal(event?.sequence, 1);
    assert.match(event?.id ?? '', /^[0-9a-f-]{36}$/);
    assert.ok((event?.check.executed ?? 0) > 0 && (event?.check.duration ?? 0) > 0);
    assert.equal(event?.entity.metadata.name, 'web-01');
  }));

test('check variables and secrets reach the command, the later one wins', () =>
  withAgent({}, async ({ backend }) => {
    await backend.waitFor('keepalive', 1);
    const config = { env_vars: ['A=from=check', 'S=check'] };
    backend.send('check_request', requestOf('echo $A $S $T', config, { secrets: ['S=secret', 'T=hidden'] }));
    const [event] = await backend.waitFor('event', 1);
    assert.equal(event?.check.output, 'from=check check hidden\n');
    assert.equal(event?.check.secrets, null);
  }));

test('the same request twice is run once', () =>
  withAgent({}, async ({ backend, log }) => {
    await backend.waitFor('keepalive', 1);
    const request = requestOf('echo once');
    backend.send('check_request', request);
    backend.send('check_request', request);
    backend.send(
      'check_request',
      requestOf('echo other', { metadata: { name: 'other', namespace: 'default' } }),
    );
    await backend.waitFor('event', 2);
    const repeated = log.lines().filter(({ error }) => String(error).includes('already been received'));
    assert.deepEqual(
      repeated.map(({ level, check }) => [level, check]),
      [['warning', 'cpu']],
    );
    assert.equal(backend.frames.filter(({ body }) => body.check.metadata.name === 'cpu').length, 1);
  }));

test('a check that is still running is not run again, another proxy entity of it is', () =>
  withAgent({}, async ({ backend, log }) => {
    await backend.waitFor('keepalive', 1);
    backend.send('check_request', requestOf('sleep 1; echo slow'));
    backend.send('check_request', requestOf('echo second'));
    backend.send('check_request', requestOf('echo proxy', { proxy_entity_name: 'router' }));
    const events = await backend.waitFor('event', 2);
    assert.deepEqual(
      events.map(({ check }) => check.output),
      ['proxy\n', 'slow\n'],
    );
    assert.equal(events[0]?.check.proxy_entity_name, 'router');
    assert.ok(log.lines().some(({ error }) => error === 'check execution still in progress: cpu'));
  }));

test('an invalid check becomes a result that says what is wrong', () =>
  withAgent({}, async ({ backend }) => {
    await backend.waitFor('keepalive', 1);
    backend.send('check_request', requestOf('true', { interval: 0 }));
    backend.send(
      'check_request',
      requestOf('true', { interval: -5, metadata: { name: 'mem', namespace: 'default' } }),
    );
    const [first, second] = await backend.waitFor('event', 2);
    assert.equal(first?.check.status, 3);
    assert.equal(
      first?.check.output,
      'given check is invalid: check interval must be greater than 0 or a valid cron schedule must be provided',
    );
    assert.match(second?.check.output ?? '', /^given check is invalid: .*interval/);
    assert.equal(second?.check.metadata.name, 'mem');
  }));

test('a check request that comes before the entity configuration is dropped', () =>
  withAgent({ backend: { entityConfig: null } }, async ({ backend }) => {
    await backend.until(() => backend.sockets().length === 1);
    backend.send(
      'check_request',
      requestOf('echo early', { metadata: { name: 'early', namespace: 'default' } }),
    );
    backend.send('entity_config', {
      metadata: { name: 'not found', namespace: 'default' },
      entity_class: 'agent',
    });
    await backend.waitFor('keepalive', 1);
    backend.send('check_request', requestOf('echo late'));
    const [event] = await backend.waitFor('event', 1);
    assert.equal(event?.check.output, 'late\n');
  }));

test('values from events about this entity are not accepted as shell syntax, values of this machine are', () =>
  withAgent(
    {
      flags: { labels: 'own=-w 80' },
      backend: {
        entityConfig: {
          metadata: { name: 'web-01', namespace: 'default', labels: { own: '-w 80', planted: 'x; id' } },
          entity_class: 'agent',
          unvouched: true,
        },
      },
    },
    async ({ backend }) => {
      await backend.waitFor('keepalive', 1);
      backend.send('check_request', requestOf('echo {{ .labels.own }}'));
      const [own] = await backend.waitFor('event', 1);
      assert.equal(own?.check.output, '-w 80\n');
      const metadata = { name: 'planted', namespace: 'default' };
      backend.send('check_request', requestOf('echo {{ .labels.planted }}', { metadata }));
      const [, planted] = await backend.waitFor('event', 2);
      assert.equal(planted?.check.status, 3);
      assert.match(planted?.check.output ?? '', /the value of \.labels\.planted came with an event/);
    },
  ));

test('what the backend has stored about the entity replaces the local settings', () =>
  withAgent(
    {
      flags: { labels: 'region=us,api_key=hush', subscriptions: 'old', 'keepalive-handlers': 'slack' },
      backend: {
        entityConfig: {
          metadata: { name: 'web-01', namespace: 'default', labels: { region: 'eu' } },
          entity_class: 'agent',
          subscriptions: ['new', 'entity:web-01'],
          keepalive_handlers: ['pagerduty'],
        },
      },
    },
    async ({ backend, log }) => {
      const [keepalive] = await backend.waitFor('keepalive', 1);
      assert.deepEqual(keepalive?.entity.metadata.labels, { region: 'eu' });
      assert.deepEqual(keepalive?.entity.subscriptions, ['new', 'entity:web-01']);
      const told = log.lines().find(({ differs }) => differs !== undefined);
      assert.deepEqual(told?.differs, ['labels', 'subscriptions', 'keepalive_handlers']);
      const flags = log.lines().filter(({ flag }) => flag !== undefined);
      assert.deepEqual(
        flags.map(({ flag, local, stored }) => [flag, local, stored]),
        [
          ['--labels', { region: 'us', api_key: 'REDACTED' }, { region: 'eu' }],
          ['--subscriptions', ['old'], ['new']],
          ['--keepalive-handlers', ['slack'], ['pagerduty']],
        ],
      );
      assert.match(
        String(flags[2]?.msg),
        /^--keepalive-handlers has no effect: its value is \["slack"\], but the entity stored by the backend has \["pagerduty"\]; change keepalive_handlers of entity web-01 there/,
      );
    },
  ));

test('an agent that manages its entity keeps its own settings and does not wait', () =>
  withAgent(
    { flags: { 'agent-managed-entity': 'true' }, backend: { entityConfig: null } },
    async ({ backend }) => {
      const [keepalive] = await backend.waitFor('keepalive', 1);
      // A backend of the reference product knows the second one.
      assert.deepEqual(keepalive?.entity.metadata.labels, {
        'mon.io/managed_by': 'mon-agent',
        'sensu.io/managed_by': 'sensu-agent',
      });
      assert.equal(keepalive?.entity.metadata.created_by, 'agent');
    },
  ));

test('labels on the redact list leave the machine hidden', () =>
  withAgent({ flags: { labels: 'Api_Key=abc,region=us' } }, async ({ backend }) => {
    const [keepalive] = await backend.waitFor('keepalive', 1);
    assert.deepEqual(keepalive?.entity.metadata.labels, { Api_Key: 'REDACTED', region: 'us' });
  }));

test('events without an acknowledgement are sent again after a reconnect, same ids, same order', () =>
  withAgent({ backend: { ackAtOnce: false } }, async ({ backend }) => {
    await backend.waitFor('keepalive', 1);
    for (const name of ['a', 'b', 'c'])
      backend.send('check_request', requestOf(`echo ${name}`, { metadata: { name, namespace: 'default' } }));
    const before = (await backend.waitFor('event', 3)).map(({ id }) => id);
    backend.ack([before[0] ?? '']);
    await backend.until(() => true);
    // The ack must have been read before the line is cut: a second request is its receipt.
    backend.send('check_request', requestOf('echo d', { metadata: { name: 'd', namespace: 'default' } }));
    const all = (await backend.waitFor('event', 4)).map(({ id }) => id);
    for (const socket of backend.sockets()) socket.terminate();
    const again = (await backend.waitFor('event', 7)).slice(4).map(({ id }) => id);
    assert.deepEqual(again, [before[1], before[2], all[3]]);
  }));

test('an event that the backend refuses is not sent again', () =>
  withAgent({ backend: { ackAtOnce: false } }, async ({ backend, log }) => {
    await backend.waitFor('keepalive', 1);
    backend.send('check_request', requestOf('echo x'));
    const [event] = await backend.waitFor('event', 1);
    backend.refuse(event?.id ?? '', 'check is invalid: nope');
    backend.send('check_request', requestOf('echo y'));
    const second = (await backend.waitFor('event', 2))[1];
    for (const socket of backend.sockets()) socket.terminate();
    const third = (await backend.waitFor('event', 3))[2];
    assert.equal(third?.id, second?.id);
    assert.ok(log.lines().some(({ error }) => error === 'check is invalid: nope'));
  }));

test('results produced without a backend connection are sent after connecting', async () => {
  const backend = await startBackend();
  const port = Number(new URL(backend.url).port);
  const log = readableLog();
  const agent = createAgent(configOf({ 'backend-url': backend.url }), { log: log.log });
  await agent.start();
  await backend.waitFor('keepalive', 1);
  backend.send('check_request', requestOf('sleep 0.3; echo meanwhile'));
  // The request has been read when a later one is answered.
  backend.send('check_request', requestOf('echo now', { metadata: { name: 'now', namespace: 'default' } }));
  await backend.waitFor('event', 1);
  await backend.stop();
  const second = await startBackend({ port });
  try {
    const [event] = await second.waitFor('event', 1);
    assert.equal(event?.check.output, 'meanwhile\n');
    assert.equal((await second.waitFor('keepalive', 1))[0]?.sequence, 1);
  } finally {
    await agent.stop();
    await second.stop();
  }
});

test('five megabytes of output are truncated to fit one message, and the truncation is reported', () =>
  withAgent({}, async ({ backend }) => {
    await backend.waitFor('keepalive', 1);
    backend.send('check_request', requestOf('yes "a\\"b" | head -c 5000000'));
    const [event] = await backend.waitFor('event', 1);
    const kept = event?.check.output.length ?? 0;
    assert.ok(kept > 500_000 && kept < 1_048_576);
    assert.equal(event?.metadata.labels?.['mon.io/output_truncated_bytes'], String(5_000_000 - kept));
  }));

test('an invalid frame makes the agent reconnect', () =>
  withAgent({}, async ({ backend }) => {
    await backend.waitFor('keepalive', 1);
    backend.sendRaw('no newline');
    await backend.waitFor('keepalive', 2);
    assert.equal(backend.requests.length, 2);
  }));

test('a message of an unknown type is logged and the session goes on', () =>
  withAgent({}, async ({ backend, log }) => {
    await backend.waitFor('keepalive', 1);
    backend.sendRaw('hook_request\n{}');
    backend.sendRaw('check_request\n{broken');
    backend.send('check_request', requestOf('echo on'));
    await backend.waitFor('event', 1);
    assert.ok(log.lines().some(({ error }) => error === 'unknown message type: hook_request'));
    assert.equal(backend.requests.length, 1);
  }));

const refusal =
  'handshake failed with status 401: bad credentials: check --user and --password, or the certificate';

test('a refused handshake is logged with status and reason, and tried again', async () => {
  let refusals = 2;
  const refuseWith = () => (refusals-- > 0 ? { status: 401, body: 'bad credentials\n' } : null);
  await withAgent({ backend: { refuseWith } }, async ({ backend, log, agent }) => {
    await backend.waitFor('keepalive', 1);
    assert.equal(agent.connection(), 'connected');
    const failures = log.lines().filter(({ msg }) => msg === 'reconnection attempt failed');
    assert.deepEqual(
      failures.map(({ error }) => error),
      [refusal, refusal],
    );
  });
});

test('a stopping agent says goodbye and reports nothing of the checks it ends', async (t) => {
  const backend = await startBackend();
  const agent = createAgent(configOf({ 'backend-url': backend.url }), { log: readableLog().log });
  t.after(() => Promise.all([agent.stop(), backend.stop()]));
  await agent.start();
  await backend.waitFor('keepalive', 1);
  backend.send('check_request', requestOf('sleep 30'));
  backend.send(
    'check_request',
    requestOf('echo quick', { metadata: { name: 'quick', namespace: 'default' } }),
  );
  await backend.waitFor('event', 1);
  await agent.stop();
  await backend.until(() => backend.closes.length === 1);
  assert.deepEqual(backend.closes, [{ code: 1001, reason: 'agent stopped' }]);
  assert.equal(backend.frames.filter(({ type }) => type === 'event').length, 1);
});

test('without acknowledgements, an event counts as delivered when its bytes were written', () =>
  withAgent({ backend: { acknowledges: false } }, async ({ backend }) => {
    await backend.waitFor('keepalive', 1);
    for (let at = 0; at < 40; at += 1)
      backend.send(
        'check_request',
        requestOf('echo x', { metadata: { name: `c${at}`, namespace: 'default' } }),
      );
    const events = await backend.waitFor('event', 40);
    assert.equal(events.length, 40);
  }));

test('tokens are filled in, and the event keeps the command as it was defined', () =>
  withAgent({ flags: { labels: 'port=8080,secret=abc' } }, async ({ backend }) => {
    await backend.waitFor('keepalive', 1);
    const command =
      'echo {{ .name }} {{ .labels.port }} {{ .labels.nope | default 80 }} {{ .labels.secret }}';
    backend.send('check_request', requestOf(command));
    const [event] = await backend.waitFor('event', 1);
    assert.equal(event?.check.output, 'web-01 8080 80 abc\n');
    assert.equal(event?.check.command, command);
  }));

test('a token without a value fails the check before anything is run', () =>
  withAgent({}, async ({ backend }) => {
    await backend.waitFor('keepalive', 1);
    backend.send('check_request', requestOf('echo {{ .labels.nope }}'));
    const [event] = await backend.waitFor('event', 1);
    assert.equal(event?.check.status, 3);
    assert.equal(
      event?.check.output,
      'error while substituting check tokens: command: unmatched token: template: command:1:15: executing "command" at <.labels.nope>: map has no entry for key "nope"',
    );
  }));

const hook = (name: string, command: string, more: object = {}) => ({
  metadata: { name, namespace: 'default' },
  command,
  timeout: 5,
  stdin: false,
  runtime_assets: null,
  ...more,
});

test('hooks: they run for the status they name, each once, in order; a missing one shows', () =>
  withAgent({}, async ({ backend }) => {
    await backend.waitFor('keepalive', 1);
    const config = {
      check_hooks: [{ critical: ['h', 'gone'] }, { 'non-zero': ['h', 'in'] }, { ok: ['never'] }],
    };
    const hooks = [
      hook('h', 'echo ran'),
      hook('in', 'grep -o \'"status":2\'', { stdin: true }),
      hook('never', 'true'),
    ];
    backend.send('check_request', requestOf('exit 2', config, { hooks }));
    const [event] = await backend.waitFor('event', 1);
    assert.deepEqual(
      event?.check.hooks?.map((result) => [result?.metadata.name, result?.status, result?.output]),
      [
        ['h', 0, 'ran\n'],
        ['gone', 2, 'hook gone: missing hook config\n'],
        ['in', 0, '"status":2\n'],
      ],
    );
  }));

test('a hook past its timeout has status 2', () =>
  withAgent({}, async ({ backend }) => {
    await backend.waitFor('keepalive', 1);
    const request = { hooks: [hook('slow', 'sleep 20', { timeout: 1 })] };
    backend.send('check_request', requestOf('exit 1', { check_hooks: [{ '1': ['slow'] }] }, request));
    const [event] = await backend.waitFor('event', 1);
    assert.equal(event?.check.hooks?.[0]?.status, 2);
    assert.match(event?.check.hooks?.[0]?.output ?? '', /^Execution timed out/);
  }));

test('discarded output does not leave the machine, its metrics do', () =>
  withAgent({}, async ({ backend }) => {
    await backend.waitFor('keepalive', 1);
    const config = {
      discard_output: true,
      output_metric_format: 'graphite_plaintext',
      output_metric_handlers: ['db'],
    };
    backend.send('check_request', requestOf('echo a.b 1 1700000000', config));
    const [event] = await backend.waitFor('event', 1);
    assert.equal(event?.check.output, '');
    assert.equal(event?.metrics?.points?.[0]?.name, 'a.b');
  }));

test('a command that asks for it reads the event on its input', () =>
  withAgent({ flags: { labels: 'password=abc' } }, async ({ backend }) => {
    await backend.waitFor('keepalive', 1);
    backend.send('check_request', requestOf('cat', { stdin: true }));
    const [event] = await backend.waitFor('event', 1);
    const read = JSON.parse(event?.check.output ?? '{}');
    assert.equal(read.check.metadata.name, 'cpu');
    assert.equal(read.entity.metadata.labels.password, 'REDACTED');
  }));
