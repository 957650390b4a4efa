import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import test from 'node:test';
import { Gauge } from 'prom-client';
import type { Call, OpenRoute } from '../../src/http/route.ts';
import { StoreError } from '../../src/store/snapshot-store.ts';
import { eventually } from '../eventually.ts';
import { sampleEvent } from '../machines/samples.ts';
import { openHouse } from './harness.ts';
import { openRealHouse } from './real-house.ts';

const seriesOfRequests = async ({
  api,
}: Awaited<ReturnType<typeof openHouse>>): Promise<readonly string[]> => {
  const text = await api.metrics.registry.getSingleMetricAsString('mon_http_request_duration_seconds');
  return text.match(/^mon_http_request_duration_seconds_count\S+(?= )/gm) ?? [];
};

test('health, version, readiness and metrics need no login', async (t) => {
  const house = await openHouse(t);
  const health = await house.ask('GET', '/health', { as: null });
  assert.equal(health.status, 200);
  assert.equal(health.json.Alarms, null);
  assert.equal(health.json.ClusterHealth[0].Healthy, true);
  assert.ok(Number.isSafeInteger(health.json.Header.cluster_id));
  assert.equal((await house.ask('GET', '/health?timeout=soon', { as: null })).status, 400);
  const version = await house.ask('GET', '/version', { as: null });
  assert.match(version.json.sensu_backend.split('#')[0], /^6\.\d+\.\d+$/);
  assert.equal(version.json.mon_backend, '0.1.0');
  assert.equal((await house.ask('GET', '/ready', { as: null })).text, 'ready\n');
  await house.ask('GET', '/api/core/v2/events');
  const metrics = await house.ask('GET', '/metrics', { as: null });
  assert.match(metrics.headers.get('content-type') ?? '', /^text\/plain; version=0\.0\.4/);
  assert.match(
    metrics.text,
    /mon_http_request_duration_seconds_count\{method="GET",route="\/api\/core\/v2\/events",status="200"\} 1/,
  );
  assert.match(metrics.text, /mon_agent_sessions 0/);
});

test('the cluster has this backend as its only member, and requires full permissions', async (t) => {
  const house = await openHouse(t);
  const { status, json } = await house.ask('GET', '/api/core/v2/cluster/members');
  assert.equal(status, 200);
  assert.deepEqual(
    json.members.map(({ name, clientURLs }: { name: string; clientURLs: string[] }) => [name, clientURLs]),
    [['backend-1', [house.url]]],
  );
  const health = await house.ask('GET', '/health', { as: null });
  assert.deepEqual(json.header, health.json.Header, 'the same numbers as in the health report');
  const id = await house.ask('GET', '/api/core/v2/cluster/id');
  assert.equal(Number.parseInt(id.json, 16), json.header.cluster_id);
  for (const path of ['members', 'id'])
    assert.equal((await house.ask('GET', `/api/core/v2/cluster/${path}`, { as: 'viewer' })).status, 403);
});

test('a sick or silent store shows in the health report, which still arrives', async (t) => {
  const house = await openHouse(t);
  t.mock.method(house.store, 'get', () => Promise.reject(new Error('disk on fire')));
  const sick = await house.ask('GET', '/health', { as: null });
  assert.equal(sick.status, 200);
  assert.equal(sick.json.ClusterHealth[0].Healthy, false);
  assert.match(sick.json.ClusterHealth[0].Err, /disk on fire/);
  t.mock.method(house.store, 'get', () => new Promise(() => {}));
  const silent = await house.ask('GET', '/health?timeout=0', { as: null });
  assert.equal(silent.json.ClusterHealth[0].Healthy, false);
});

test('while the store cannot be read or written, readiness is 503 with the reason, on both listeners', async (t) => {
  const house = await openHouse(t);
  const agents = house.agentUrl.replace('ws', 'http');
  const readiness = async (): Promise<string[]> => {
    const replies = await Promise.all([house.url, agents].map((url) => fetch(`${url}/ready`)));
    return Promise.all(replies.map(async (reply) => `${reply.status} ${await reply.text()}`));
  };
  const both = (text: string): string[] => [text, text];
  assert.deepEqual(await readiness(), both('200 ready\n'));
  house.store.fail(new StoreError('unavailable', 'MongoDB at db-1: connection refused'));
  await assert.rejects(house.backend.acceptEvent(sampleEvent()));
  assert.deepEqual(
    await readiness(),
    both("503 not ready: the store can't be written: MongoDB at db-1: connection refused\n"),
  );
  house.store.recover();
  await eventually('the store is written', () => house.backend.storeTrouble === undefined);
  t.mock.method(house.store, 'get', () => Promise.reject(new Error('disk on fire')));
  assert.deepEqual(await readiness(), both("503 not ready: the store can't be read: disk on fire\n"));
});

test('while starting up everything but the public routes says 503 and when to come back', async (t) => {
  const house = await openHouse(t, { serves: false });
  for (const path of ['/api/core/v2/events', '/auth', '/ready']) {
    const reply = await house.ask('GET', path, { as: null });
    assert.equal(reply.status, 503, path);
    assert.ok(Number(reply.headers.get('retry-after')) > 0);
  }
  assert.match((await house.ask('GET', '/auth', { as: null })).text, /^API unavailable during startup\./);
  assert.equal((await house.ask('GET', '/health', { as: null })).status, 200);
  assert.equal((await house.ask('GET', '/metrics', { as: null })).status, 200);
  assert.equal((await house.ask('GET', '/nothing', { as: null })).status, 404);
});

test('a request that arrives while the API closes gets an error of the catalogue', async (t) => {
  const house = await openHouse(t);
  let report = (_error: Error): void => {};
  const socket = connect(Number(new URL(house.url).port), '127.0.0.1');
  t.after(() => socket.destroy());
  let answer = '';
  socket.setEncoding('utf8').on('data', (chunk: string) => {
    answer += chunk;
  });
  let isAsked = false;
  t.mock.method(house.store, 'get', () => {
    isAsked = true;
    return new Promise((_, reject) => {
      report = reject;
    });
  });
  socket.write('GET /health?timeout=60 HTTP/1.1\r\nHost: x\r\n\r\n');
  await eventually('the first request is under way', () => isAsked);
  const closed = house.api.close();
  const ended = once(socket, 'close');
  const arrived = once(house.api.server.app.server, 'request');
  socket.write('GET /version HTTP/1.1\r\nHost: x\r\n\r\n');
  await arrived;
  report(new Error('no matter'));
  await Promise.all([ended, closed]);
  const last = answer.slice(answer.lastIndexOf('HTTP/1.1'));
  assert.match(last, /^HTTP\/1\.1 503 /);
  assert.match(last, /connection: close/i);
  assert.match(last, /retry-after: \d+/i);
  assert.match(last, /\{"message":"the backend is stopping; repeat the request","code":0\}$/);
});

test('strangers who ask every route by every method are one group in the metrics', async (t) => {
  const house = await openHouse(t);
  const before = await seriesOfRequests(house);
  const urls = new Set(house.api.routes.filter(({ access }) => access !== 'public').map(({ url }) => url));
  for (const url of [...urls].slice(0, 25))
    for (const method of ['GET', 'PUT', 'POST', 'DELETE', 'PATCH', 'OPTIONS'])
      await house.ask(method, url.replaceAll(/:\w+/g, 'x'), { as: null });
  const after = await seriesOfRequests(house);
  const added = after.filter((series) => !before.includes(series));
  assert.ok(added.length > 0);
  const open = [...house.api.routes].filter(({ access }) => access === 'open').map(({ url }) => url);
  const others = added.filter((series) => !open.some((url) => series.includes(`route="${url}"`)));
  assert.deepEqual(
    others.filter((series) => !series.includes('method="any",route="unauthenticated"')),
    [],
  );
});

test('headers beyond 16 kB are refused', async (t) => {
  const house = await openHouse(t);
  const socket = connect(Number(new URL(house.url).port), '127.0.0.1');
  t.after(() => socket.destroy());
  socket.write(`GET /version HTTP/1.1\r\nHost: x\r\nX-Long: ${'x'.repeat(20_000)}\r\n\r\n`);
  let answer = '';
  for await (const chunk of socket) answer += chunk;
  assert.match(answer, /^HTTP\/1\.1 431 /);
});

test('the document, its page and the metrics are cached for anonymous requests', async (t) => {
  const house = await openHouse(t);
  const { registry } = house.api.metrics;
  let scrapes = 0;
  const count = () => {
    scrapes += 1;
  };
  new Gauge({ name: 'test_scrapes', help: 'x', registers: [registry], collect: count });
  await Promise.all(Array.from({ length: 20 }, () => house.ask('GET', '/metrics', { as: null })));
  assert.equal(scrapes, 1);
  house.clock.nowMs += 1_000;
  await house.ask('GET', '/metrics', { as: null });
  assert.equal(scrapes, 2, 'a second later it is made anew');
  for (const url of ['/openapi.json', '/docs/api']) {
    const route = house.api.routes.find((one) => one.url === url) as OpenRoute;
    const answers = [await route.handle({} as Call), await route.handle({} as Call)];
    assert.equal(answers[0]?.body, answers[1]?.body, 'the same bytes');
    const first = await house.ask('GET', url, { as: null });
    const tag = first.headers.get('etag') ?? assert.fail('it has a tag');
    const again = await house.ask('GET', url, { as: null, headers: { 'If-None-Match': tag } });
    assert.deepEqual([first.status, again.status, again.text], [200, 304, '']);
  }
});

test('the number of open connections is limited; one more is closed, and they are counted', async (t) => {
  const house = await openHouse(t, { maxConnections: 2 });
  const port = Number(new URL(house.url).port);
  const sockets = [connect(port, '127.0.0.1'), connect(port, '127.0.0.1')];
  for (const socket of sockets) {
    socket.write('GET /version HTTP/1.1\r\nHost: x\r\n\r\n');
    await once(socket, 'data');
  }
  assert.match(await house.api.metrics.text(), /^mon_http_connections 2$/m);
  const third = connect(port, '127.0.0.1');
  await once(third.resume(), 'close');
  sockets[0]?.destroy();
  await eventually('there is room again', async () => {
    const socket = connect(port, '127.0.0.1');
    socket.write('GET /version HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk;
    });
    await new Promise((resolve) => socket.once('close', resolve).on('error', () => {}));
    return text.startsWith('HTTP/1.1 200');
  });
  sockets[1]?.destroy();
});

test('an unknown path is answered once, and is not an internal error', async (t) => {
  const house = await openRealHouse(t);
  for (const path of ['/', '/nowhere', '/api/core/v2/%zz', `/api/core/v2/namespaces/${'n'.repeat(2_000)}`]) {
    const response = await fetch(house.url + path);
    assert.ok([400, 401, 404].includes(response.status), `${path}: ${response.status}`);
    await response.text();
  }
  assert.deepEqual(house.faults, []);
});
