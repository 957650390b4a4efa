// The agent's HTTP API, its disk queue, its sockets and its StatsD listener: over real sockets, against a backend.

import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { connect } from 'node:net';
import { test } from 'node:test';
import { type Agent, createAgent } from '../../src/agent/agent.ts';
import { startSockets } from '../../src/agent/local/sockets.ts';
import { no } from '../../src/program/stage.ts';
import { eventually } from '../eventually.ts';
import { type FakeBackend, startBackend } from './fake-backend.ts';
import { fakeClock } from './fake-clock.ts';
import { configOf, readableLog, tempFolder } from './helpers.ts';

const onAnyPort = { 'disable-api': 'false', 'disable-sockets': 'false', 'api-port': '0', 'socket-port': '0' };

interface Tools {
  readonly backend: FakeBackend;
  readonly agent: Agent;
  readonly log: ReturnType<typeof readableLog>;
  readonly api: (
    path: string,
    init?: RequestInit,
  ) => Promise<{ status: number; body: string; type: string | null }>;
}

const apiOf =
  (agent: Agent): Tools['api'] =>
  async (path, init) => {
    const response = await fetch(`http://127.0.0.1:${agent.ports().api}${path}`, init);
    return {
      status: response.status,
      body: await response.text(),
      type: response.headers.get('content-type'),
    };
  };

const withAgent = async (flags: Record<string, string>, body: (tools: Tools) => Promise<void>) => {
  const backend = await startBackend();
  const log = readableLog();
  const agent = createAgent(configOf({ 'backend-url': backend.url, ...onAnyPort, ...flags }), {
    log: log.log,
  });
  try {
    await agent.start();
    await body({ backend, agent, log, api: apiOf(agent) });
  } finally {
    await agent.stop();
    await backend.stop();
  }
};

const post = (event: unknown): RequestInit => ({ method: 'POST', body: JSON.stringify(event) });

/** Sends, half-closes if requested, and returns what was received until the peer closed. */
const overTcp = (port: number | undefined, text: string, halfClose: boolean): Promise<string> =>
  new Promise((resolve, reject) => {
    const socket = connect({ port: port ?? 0, host: '127.0.0.1', allowHalfOpen: true });
    let reply = '';
    socket.on('data', (chunk) => {
      reply += chunk.toString();
    });
    socket.on('end', () => {
      socket.end();
      resolve(reply);
    });
    socket.on('error', reject);
    if (halfClose) socket.end(text);
    else socket.write(text);
  });

const overUdp = (port: number | undefined, ...texts: string[]): Promise<void> =>
  new Promise((resolve) => {
    const socket = createSocket('udp4');
    const next = (at: number) => {
      const text = texts[at];
      if (text === undefined) socket.close(() => resolve());
      else socket.send(text, port ?? 0, '127.0.0.1', () => next(at + 1));
    };
    next(0);
  });

test('an event posted to the API reaches the backend as an event of the agent', () =>
  withAgent({}, async ({ backend, api }) => {
    const event = { check: { metadata: { name: 'backup' }, status: 1, output: 'late', ttl: 3600 } };
    assert.deepEqual(await api('/events', post(event)), { status: 202, body: '', type: null });
    const [sent] = await backend.waitFor('event', 1);
    assert.equal(sent?.entity.metadata.name, 'web-01');
    assert.deepEqual(
      [
        sent?.check.metadata.name,
        sent?.check.status,
        sent?.check.output,
        sent?.check.interval,
        sent?.check.ttl,
      ],
      ['backup', 1, 'late', 1, 3600],
    );
    assert.equal(sent?.check.processed_by, 'web-01');
    assert.equal(sent?.check.metadata.namespace, 'default');
    assert.ok((sent?.check.executed ?? 0) > 0 && (sent?.timestamp ?? 0) > 0);
  }));

test('handlers of metrics that a posted event names are asked for, with or without points', () =>
  withAgent({}, async ({ backend, api }) => {
    const check = { metadata: { name: 'load' }, output_metric_handlers: ['graphs'] };
    const points = [{ name: 'm', value: 1, timestamp: 1, tags: [] }];
    await api('/events', post({ check }));
    await api('/events', post({ check, metrics: { handlers: ['own'], points } }));
    const [bare, measured] = await backend.waitFor('event', 2);
    assert.deepEqual(bare?.metrics, { handlers: ['graphs'], points: [] });
    assert.deepEqual(measured?.metrics, { handlers: ['own', 'graphs'], points });
  }));

test('a changed event under the same id goes out under its own, a repeated one keeps it', () =>
  withAgent({}, async ({ backend, api }) => {
    const id = '6a1f6f0e-8c0f-4f77-9d3d-0e1a2b3c4d5e';
    const event = (output: string) => ({ id, check: { metadata: { name: 'load' }, output } });
    for (const output of ['a', 'a', 'b', 'b', 'a']) await api('/events', post(event(output)));
    const sent = await backend.waitFor('event', 5);
    const own = sent.map((one) => one.id === id);
    assert.deepEqual(own, [true, true, false, true, false]);
    assert.notEqual(sent[2]?.id, sent[4]?.id);
  }));

test('an event of another entity goes out as a result for a proxy of that name', () =>
  withAgent({}, async ({ backend, api }) => {
    const entity = { metadata: { name: 'router' }, entity_class: 'proxy' };
    await api('/events', post({ entity, check: { metadata: { name: 'ping' }, output: 'x' } }));
    const [sent] = await backend.waitFor('event', 1);
    assert.equal(sent?.entity.metadata.name, 'web-01');
    assert.equal(sent?.check.proxy_entity_name, 'router');
  }));

const metricsOnly = {
  metrics: { handlers: ['db'], points: [{ name: 'a', value: 1.5, timestamp: 1, tags: [] }] },
};

test('an event of metrics alone is accepted', () =>
  withAgent({}, async ({ backend, api }) => {
    assert.equal((await api('/events', post(metricsOnly))).status, 202);
    const [sent] = await backend.waitFor('event', 1);
    assert.deepEqual(sent?.metrics?.points?.[0]?.value, 1.5);
  }));

const check = (more: object) => ({ check: { metadata: { name: 'n' }, ...more } });
const refusals: readonly (readonly [string, unknown, string | RegExp])[] = [
  ['neither check nor metrics', {}, 'at least check or metrics need to be instantiated for this event\n'],
  ['null', null, 'an event must be provided\n'],
  [
    'a name with a blank',
    { check: { metadata: { name: 'a b' } } },
    'check name cannot contain spaces or special characters\n',
  ],
  ['no name', { check: { metadata: {} } }, 'check name must not be empty\n'],
  ['a ttl not above the interval', check({ ttl: 1 }), 'ttl must be greater than check interval\n'],
  ['a ttl below five seconds', check({ ttl: 3 }), 'minimum ttl is 5 seconds\n'],
  ['an id that is no UUID', { ...check({}), id: 'x' }, /^invalid event id: /],
  ['a status that is text', check({ status: 'bad' }), /status/],
];
for (const [what, event, message] of refusals)
  test(`an event with ${what} is refused with the reason`, () =>
    withAgent({}, async ({ api }) => {
      const { status, body } = await api('/events', post(event));
      assert.equal(status, 400);
      if (typeof message === 'string') assert.equal(body, message);
      else assert.match(body, message);
    }));

test('invalid JSON, empty bodies and too large bodies are rejected', () =>
  withAgent({}, async ({ api }) => {
    assert.deepEqual((await api('/events', { method: 'POST' })).body, 'EOF\n');
    assert.equal((await api('/events', { method: 'POST', body: '{' })).status, 400);
    const atLimit = JSON.stringify({ check: { metadata: { name: 'n' }, output: '' } });
    const padding = 1_048_576 - atLimit.length;
    const padded = (bytes: number) => post(check({ output: 'x'.repeat(bytes) }));
    assert.equal((await api('/events', padded(padding))).status, 202);
    assert.match((await api('/events', padded(padding + 1))).body, /too large/);
  }));

test('unknown paths are 404, other methods 405, and the version is reported', () =>
  withAgent({}, async ({ api }) => {
    assert.deepEqual(await api('/nope'), {
      status: 404,
      body: '404 page not found\n',
      type: 'text/plain; charset=utf-8',
    });
    assert.equal((await api('/events')).status, 405);
    const from = (origin: string) => ({
      ...post({ check: { metadata: { name: 'ping' } } }),
      headers: { origin },
    });
    for (const origin of ['http://evil.example', 'https://127.0.0.1.evil.example', 'null'])
      assert.equal((await api('/events', from(origin))).status, 403, origin);
    assert.equal((await api('/events', from('http://localhost:3031'))).status, 202);
    const version = await api('/version');
    assert.equal(version.type, 'application/json');
    assert.match(version.body, /^\{"version":"\d+\.\d+\.\d+"\}$/);
  }));

test('the actors of the agent are listed with their states', () =>
  withAgent({}, async ({ api }) => {
    const { body, status, type } = await api('/actors');
    assert.deepEqual([status, type], [200, 'application/json']);
    const rows = JSON.parse(body) as Record<string, unknown>[];
    assert.deepEqual(
      rows.map(({ id, machine, restarts }) => [id, machine, restarts]),
      [
        ['queue', 'deliveryQueue', 0],
        ['connection', 'agentConnection', 0],
      ],
    );
    assert.ok(['connecting', 'connected', 'backingOff'].includes(String(rows[1]?.['state'])));
    assert.equal((await api('/actors', { method: 'DELETE' })).status, 405);
  }));

test('healthz says whether there is a backend', async (t) => {
  let refusing = true;
  const backend = await startBackend({
    refuseWith: () => (refusing ? { status: 503, body: 'later' } : null),
  });
  const agent = createAgent(configOf({ 'backend-url': backend.url, ...onAnyPort }), {
    log: readableLog().log,
  });
  t.after(() => Promise.all([agent.stop(), backend.stop()]));
  await agent.start();
  const api = apiOf(agent);
  const before = await api('/healthz');
  assert.deepEqual([before.status, before.body], [503, 'mon backend unavailable']);
  refusing = false;
  await backend.waitFor('keepalive', 1);
  const after = await api('/healthz');
  assert.deepEqual([after.status, after.body], [200, 'ok']);
});

test('metrics of the process and of the conversation are shown', () =>
  withAgent({}, async ({ backend, api }) => {
    await backend.waitFor('keepalive', 1);
    const { body } = await api('/metrics');
    assert.match(body, /^mon_build_info\{version="[^"]+",nodeversion="[^"]+"\} 1$/m);
    assert.match(body, /^mon_agent_new_connections 1$/m);
    assert.match(body, /^process_resident_memory_bytes \d+$/m);
  }));

test('events accepted while there was no backend outlive the agent and go out in order, each once', async (t) => {
  const lost = await startBackend();
  await lost.stop();
  const config = configOf({ 'backend-url': lost.url, ...onAnyPort });
  const live = () => {
    const agent = createAgent(config, { log: readableLog().log });
    t.after(() => agent.stop());
    return agent;
  };
  const first = live();
  await first.start();
  for (let at = 0; at < 5; at += 1)
    assert.equal((await apiOf(first)('/events', post(check({ output: `e${at}` })))).status, 202);
  await first.stop();
  const backend = await startBackend({ port: Number(new URL(lost.url).port) });
  t.after(() => backend.stop());
  const second = live();
  await second.start();
  const sent = await backend.waitFor('event', 5);
  assert.deepEqual(
    sent.map((event) => event.check.output),
    ['e0', 'e1', 'e2', 'e3', 'e4'],
  );
  await second.stop();
  // A third life finds nothing left to send: its first event is the one it was given.
  const third = live();
  await third.start();
  await apiOf(third)('/events', post(check({ output: 'last' })));
  assert.equal((await backend.waitFor('event', 6))[5]?.check.output, 'last');
});

test('two agents do not share a cache directory', () => {
  const shared = { 'cache-dir': tempFolder() };
  return withAgent(shared, async ({ backend }) => {
    const flags = { 'backend-url': backend.url, ...onAnyPort, ...shared };
    const second = createAgent(configOf(flags), { log: readableLog().log });
    await assert.rejects(second.start(), /could not open api queue .* \(is mon-agent already running\?/);
  });
});

test('a result on the TCP socket is answered as soon as it is whole', () =>
  withAgent({}, async ({ backend, agent }) => {
    const { socket } = agent.ports();
    assert.equal(await overTcp(socket, '{"name":"n","output":"o","status":1}', true), 'ok');
    assert.equal(
      await overTcp(socket, '{"name":"m","output":"o","status":0,"client":"router","handlers":["h"]}', false),
      'ok',
    );
    const others =
      '"source":"x","issued":7,"ttl":9,"handler":"x","subscribers":["x"],"proxy_entity_name":"x"';
    assert.equal(await overTcp(socket, `{"name":"l","output":"o","status":0,${others}}`, false), 'ok');
    const [first, second, third] = await backend.waitFor('event', 3);
    assert.deepEqual([first?.check.metadata.name, first?.check.status, first?.check.interval], ['n', 1, 1]);
    assert.ok((first?.check.executed ?? 0) > 0);
    assert.deepEqual([second?.check.proxy_entity_name, second?.check.handlers], ['router', ['h']]);
    // What the interface does not list is ignored (section 2.9).
    const { proxy_entity_name, ttl, handlers, subscriptions, issued } = third?.check ?? {};
    assert.deepEqual([proxy_entity_name, ttl, handlers, subscriptions, issued], ['', 0, [], [], 0]);
  }));

test('a result that comes in pieces is one result', () =>
  withAgent({}, async ({ backend, agent }) => {
    const socket = connect(agent.ports().socket ?? 0, '127.0.0.1');
    const replied = new Promise((resolve) => socket.once('data', (chunk) => resolve(chunk.toString())));
    socket.setNoDelay();
    socket.write('{"name":"n","output":"{}"');
    await new Promise((resolve) => setImmediate(resolve));
    socket.write(',"status":0}');
    assert.equal(await replied, 'ok');
    assert.equal((await backend.waitFor('event', 1))[0]?.check.output, '{}');
    socket.destroy();
  }));

test('a ping is answered with pong, a result without output or status with nothing, rubbish with invalid', () =>
  withAgent({}, async ({ agent, log }) => {
    const { socket } = agent.ports();
    assert.equal(await overTcp(socket, ' ping ', true), 'pong');
    assert.equal(await overTcp(socket, '{"name":"n","status":0}', true), '');
    assert.equal(await overTcp(socket, '{"name":"n","output":"o"}', true), '');
    assert.equal(await overTcp(socket, 'garbage', true), 'invalid');
    for (const why of ['a check output must be provided', 'result.status is required'])
      assert.ok(
        log.lines().some(({ error }) => error === why),
        why,
      );
  }));

test('rubbish on a TCP connection that stays open is answered after five seconds, not before', async (t) => {
  const clock = fakeClock();
  const { log } = readableLog();
  const sockets = await startSockets({
    host: '127.0.0.1',
    port: 0,
    clock,
    log,
    prepare: () => no('never whole'),
    accept: () => assert.fail('nothing was sent that could be accepted'),
  });
  t.after(() => sockets.close());
  const socket = connect(sockets.port, '127.0.0.1');
  let reply = '';
  socket.on('data', (chunk) => {
    reply += chunk.toString();
  });
  socket.write('garbage');
  await eventually('the garbage arrived', () => clock.pending() > 0);
  clock.advance(4_999);
  // A second connection that is answered shows that the first had its chance.
  assert.equal(await overTcp(sockets.port, ' ping ', true), 'pong');
  assert.equal(reply, '');
  clock.advance(1);
  await once(socket, 'end');
  assert.equal(reply, 'invalid');
});

test('an invalid datagram does not deafen the UDP socket', () =>
  withAgent({}, async ({ backend, agent }) => {
    await overUdp(
      agent.ports().socket,
      ' ping ',
      'garbage',
      '',
      '{"name":"x"}',
      '{"name":"n","output":"o","status":0}',
    );
    const [event] = await backend.waitFor('event', 1);
    assert.equal(event?.check.metadata.name, 'n');
  }));

test('statsd lines become one event of metrics a flush', () =>
  withAgent(
    {
      'statsd-disable': 'false',
      'statsd-metrics-port': '0',
      'statsd-flush-interval': '1',
      'statsd-event-handlers': 'influx',
    },
    async ({ backend, agent }) => {
      await overUdp(agent.ports().statsd, 'foo:1|c\nbad\nfoo:2|c\n', 'temp:5|g');
      const [event] = await backend.waitFor('event', 1);
      assert.deepEqual(event?.metrics?.handlers, ['influx']);
      assert.equal(event?.check, undefined);
      const values = new Map(event?.metrics?.points?.map((point) => [point.name, point.value]));
      assert.equal(values.get('foo.value'), 3);
      assert.equal(values.get('temp.value'), 5);
    },
  ));

test('a port in use stops the agent for every listener, with advice', () =>
  withAgent({}, async ({ backend, agent }) => {
    const { api, socket } = agent.ports();
    const flags = { 'backend-url': backend.url, 'disable-api': 'false', 'api-port': String(api) };
    const taken = createAgent(configOf(flags), { log: readableLog().log });
    await assert.rejects(taken.start(), /EADDRINUSE/);
    await taken.stop();
    const sockets = { 'backend-url': backend.url, 'disable-sockets': 'false', 'socket-port': String(socket) };
    const other = createAgent(configOf(sockets), { log: readableLog().log });
    await assert.rejects(
      other.start(),
      /sockets cannot listen on .*EADDRINUSE.*--socket-port.*--disable-sockets/,
    );
    await other.stop();
  }));

/** A stop that waits for the request would never end; one that does not takes milliseconds. */
const stopPatienceMs = 20_000;

test('a request to the API that never ends does not hold up the stop', () =>
  withAgent({}, async ({ agent }) => {
    const socket = connect(agent.ports().api ?? 0, '127.0.0.1');
    let isClosed = false;
    socket.on('close', () => {
      isClosed = true;
    });
    let answer = '';
    socket.on('error', () => {});
    socket.on('data', (chunk) => {
      answer += chunk.toString();
    });
    socket.write(
      'POST /events HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 200000\r\n\r\n',
    );
    await eventually('the request is under way', () => answer !== '');
    // It is never idle: if the stop waited for it, the time limit of the request would end it, with an answer.
    const drip = setInterval(() => socket.writable && socket.write('x'), 50);
    const stopped = agent.stop();
    try {
      await eventually('the agent closes the connection', () => isClosed, stopPatienceMs);
    } finally {
      // A stop that waits for the request ends now.
      clearInterval(drip);
      socket.destroy();
      await stopped;
    }
    assert.match(answer, /^HTTP\/1\.1 100 Continue\r\n\r\n$/);
  }));
