// Every row of the table of the earlier API, over a real socket: code, body and headers.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { earlierRoutes } from '../../../src/http/earlier-api/router.ts';
import { type LiveBackend, openLiveBackend, password } from './live-backend.ts';

interface Row {
  readonly ask: string;
  readonly body?: unknown;
  readonly code: number;
  /** What the JSON of the answer holds, at least; absent: the answer has no body. */
  readonly holds?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

const issued = { issued: Number };
const check = { check: { name: 'cpu', status: 2, history: [2] }, client: 'c1' };
const incident = {
  id: String,
  client: { name: 'c1', password: 'REDACTED' },
  check: { name: 'cpu', status: 2, type: 'standard', history: ['2'], total_state_change: 0 },
  occurrences: 1,
  occurrences_watermark: 1,
  last_ok: null,
  action: 'create',
  timestamp: Number,
  silenced: false,
  silenced_by: [],
};
const silence = { id: 'web:*', subscription: 'web', check: null, expire: -1, expire_on_resolve: false };
const aggregate = { clients: 2, checks: 1 };
const ofWeb = { ok: 1, warning: 0, critical: 1, unknown: 0, total: 2, stale: 0 };
const info = {
  sensu: { version: '0.1.0', settings: { hexdigest: String } },
  transport: { name: 'websocket', keepalives: { messages: 0, consumers: 1 }, connected: true },
  redis: { connected: true },
  servers: [{ id: String, tessen: { enabled: false }, timestamp: Number }],
};

/** In this order: some of them change what the next ones see. */
const rows: readonly Row[] = [
  { ask: 'GET /info', code: 200, holds: info },
  { ask: 'HEAD /info', code: 200 },
  { ask: 'POST /info', body: {}, code: 405, headers: { allow: 'GET, HEAD' } },
  { ask: 'GET /health', code: 204 },
  { ask: 'GET /health?consumers=1&messages=0', code: 204 },
  { ask: 'GET /health?consumers=9', code: 412, holds: [/^keepalive consumers \(1\) less than/, /^result/] },
  {
    ask: 'GET /settings',
    code: 200,
    holds: { checks: { disk: { interval: 30, secret: 'REDACTED' } }, transport: { name: 'websocket' } },
  },
  { ask: 'GET /settings?redacted=false', code: 200, holds: { checks: { disk: { secret: 'x' } } } },

  { ask: 'GET /clients', code: 200, holds: [{ name: 'c1', password: 'REDACTED' }, { name: 'c2' }] },
  {
    ask: 'GET /clients?limit=1&offset=1',
    code: 200,
    holds: [{ name: 'c2' }],
    headers: { 'x-pagination': '{"limit":1,"offset":1,"total":2}' },
  },
  { ask: 'GET /clients?filter.rack.row=7', code: 200, holds: [{ name: 'c1' }] },
  { ask: 'POST /clients', body: { name: 'c3', address: 'a' }, code: 201, holds: { name: 'c3' } },
  { ask: 'POST /clients', body: { name: 'c3' }, code: 400 },
  { ask: 'POST /clients', body: { name: 'c3', address: 'a', keepalive: { thresholds: 1 } }, code: 400 },
  { ask: 'DELETE /clients', code: 405, headers: { allow: 'GET, HEAD, POST' } },
  {
    ask: 'GET /clients/c3',
    code: 200,
    holds: { keepalives: false, version: '0.1.0', subscriptions: ['client:c3'], timestamp: Number },
  },
  { ask: 'GET /clients/none', code: 404 },
  { ask: 'GET /clients/', code: 404 },
  { ask: 'GET /clients/c1/', code: 404 },
  { ask: 'POST /clients/', body: { name: 'c3', address: 'a' }, code: 404 },
  {
    ask: 'GET /clients/c1/history',
    code: 200,
    holds: [
      { check: 'cpu', history: [2], last_execution: Number, last_status: 2, last_result: { output: 'bad' } },
      { check: 'keepalive', history: [0] },
    ],
  },
  { ask: 'GET /clients/none/history', code: 200, holds: [] },
  { ask: 'DELETE /clients/c3', code: 202, holds: issued },
  { ask: 'DELETE /clients/c3', code: 404 },

  { ask: 'GET /checks', code: 200, holds: [{ name: 'disk', subscribers: ['web'], interval: 30 }] },
  { ask: 'GET /checks/disk', code: 200, holds: { name: 'disk', command: 'true' } },
  { ask: 'GET /checks/alone', code: 404 },
  { ask: 'GET /checks/none', code: 404 },
  { ask: 'POST /request', body: { check: 'disk', reason: 'r', creator: 'ada' }, code: 202, holds: issued },
  { ask: 'POST /request', body: { check: 'disk', subscribers: ['client:c1'] }, code: 202, holds: issued },
  { ask: 'POST /request', body: { check: 'disk', subscribers: 'web' }, code: 400 },
  { ask: 'POST /request', body: { check: 'disk', reason: 1 }, code: 400 },
  { ask: 'POST /request', body: { check: 'none' }, code: 404 },
  { ask: 'POST /request', body: {}, code: 400 },

  { ask: 'GET /results', code: 200, holds: [check, {}, { client: 'c2', check: { name: 'cpu' } }, {}] },
  { ask: 'GET /results/c1', code: 200, holds: [check, { check: { name: 'keepalive' } }] },
  { ask: 'GET /results/none', code: 200, holds: [] },
  { ask: 'GET /results/c1/cpu', code: 200, holds: check },
  { ask: 'GET /results/c1/none', code: 404 },
  { ask: 'POST /results', body: { name: 'app', output: 'x', source: 'site' }, code: 202, holds: issued },
  { ask: 'GET /results/site/app', code: 200, holds: { check: { status: 0, origin: 'sensu-api' } } },
  { ask: 'POST /results', body: { name: 'app', output: 'x' }, code: 202, holds: issued },
  { ask: 'GET /clients/sensu-api', code: 200, holds: { address: 'unknown', keepalives: false } },
  { ask: 'POST /results', body: { name: 'app' }, code: 400 },
  { ask: 'POST /results', body: { name: 'app', output: 'x', ttl: 'x' }, code: 400 },
  { ask: 'POST /results', body: '[]', code: 400 },
  { ask: 'DELETE /results/site/app', code: 204 },
  { ask: 'DELETE /results/site/app', code: 404 },

  ...['/events', '/incidents'].flatMap((base): Row[] => [
    { ask: `GET ${base}`, code: 200, holds: [incident] },
    { ask: `GET ${base}/c1`, code: 200, holds: [incident] },
    { ask: `GET ${base}/none`, code: 200, holds: [] },
    { ask: `GET ${base}/c1/cpu`, code: 200, holds: incident },
    { ask: `GET ${base}/c2/cpu`, code: 404 },
    { ask: `DELETE ${base}/c2/cpu`, code: 404 },
  ]),
  { ask: 'POST /resolve', body: { client: 'c1' }, code: 400 },
  { ask: 'POST /resolve', body: { client: 'c1', check: 'none' }, code: 404 },

  { ask: 'GET /aggregates', code: 200, holds: [{ name: 'a:b' }, { name: 'web' }] },
  { ask: 'GET /aggregates/web', code: 200, holds: { ...aggregate, results: ofWeb } },
  {
    ask: 'GET /aggregates/web?max_age=60',
    code: 200,
    holds: { ...aggregate, results: { ...ofWeb, critical: 0, total: 1, stale: 1 } },
  },
  { ask: 'GET /aggregates/none', code: 404 },
  { ask: 'GET /aggregates/a:b', code: 200, holds: { clients: 1 } },
  {
    ask: 'GET /aggregates/web/clients',
    code: 200,
    holds: [
      { name: 'c1', checks: ['cpu'] },
      { name: 'c2', checks: ['cpu'] },
    ],
  },
  { ask: 'GET /aggregates/none/clients', code: 404 },
  { ask: 'GET /aggregates/web/checks', code: 200, holds: [{ name: 'cpu', clients: ['c1', 'c2'] }] },
  { ask: 'GET /aggregates/none/checks', code: 404 },
  {
    ask: 'GET /aggregates/web/results/critical',
    code: 200,
    holds: [{ check: 'cpu', summary: [{ output: 'bad', total: 1, clients: ['c1'] }] }],
  },
  { ask: 'GET /aggregates/web/results/critical?max_age=60', code: 200, holds: [] },
  { ask: 'GET /aggregates/web/results/bad', code: 400 },
  { ask: 'GET /aggregates/none/results/ok', code: 404 },
  { ask: 'DELETE /aggregates/web', code: 204 },
  { ask: 'DELETE /aggregates/web', code: 404 },
  { ask: 'GET /aggregates', code: 200, holds: [{ name: 'a:b' }] },

  { ask: 'POST /silenced', body: { subscription: 'web', reason: 'r', creator: 'ada' }, code: 201 },
  { ask: 'POST /silenced', body: { check: 'cpu', expire: 60, begin: 9_999_999_999 }, code: 201 },
  { ask: 'POST /silenced', body: {}, code: 400 },
  { ask: 'POST /silenced', body: { subscription: 'a b' }, code: 400 },
  { ask: 'POST /silenced', body: { check: 'a:b' }, code: 400 },
  { ask: 'POST /silenced', body: { check: 'a', expire: 'x' }, code: 400 },
  { ask: 'GET /silenced', code: 200, holds: [{ id: '*:cpu', begin: 9_999_999_999 }, silence] },
  { ask: 'GET /silenced/ids/web:*', code: 200, holds: { ...silence, reason: 'r', creator: 'ada' } },
  { ask: 'GET /silenced/ids/none', code: 404 },
  { ask: 'GET /silenced/subscriptions/web', code: 200, holds: [silence] },
  { ask: 'GET /silenced/checks/none', code: 200, holds: [] },
  { ask: 'POST /silenced/clear', body: { id: 'web:*' }, code: 204 },
  { ask: 'POST /silenced/clear', body: { check: 'cpu' }, code: 204 },
  { ask: 'POST /silenced/clear', body: { check: 'cpu' }, code: 404 },
  { ask: 'POST /silenced/clear', body: {}, code: 400 },

  { ask: 'POST /stashes', body: { path: 'a/b', content: { x: 1 } }, code: 201, holds: { path: 'a/b' } },
  { ask: 'POST /stashes', body: { path: 'c', content: {}, expire: 60 }, code: 201, holds: { path: 'c' } },
  { ask: 'POST /stashes', body: { path: 'a', content: 'x' }, code: 400 },
  { ask: 'POST /stashes', body: { content: {} }, code: 400 },
  { ask: 'POST /stashes', body: { path: 'a', content: {}, expire: -1 }, code: 400 },
  { ask: 'POST /stashes', body: { path: 'a'.repeat(256), content: {} }, code: 400 },
  {
    ask: 'GET /stashes',
    code: 200,
    holds: [
      { path: 'a/b', content: { x: 1 }, expire: -1 },
      { path: 'c', content: {}, expire: Number },
    ],
  },
  ...['/stash', '/stashes'].flatMap((base): Row[] => [
    { ask: `POST ${base}/d/e`, body: { y: 2 }, code: 201, holds: { path: 'd/e' } },
    { ask: `POST ${base}/d/e`, body: '5', code: 400 },
    { ask: `GET ${base}/d/e`, code: 200, holds: { y: 2 } },
    { ask: `DELETE ${base}/d/e`, code: 204 },
    { ask: `DELETE ${base}/d/e`, code: 404 },
    { ask: `GET ${base}/d/e`, code: 404 },
  ]),

  { ask: 'DELETE /incidents/c1/cpu', code: 202, holds: issued },
  { ask: 'DELETE /events/c1/cpu', code: 404 },
  {
    ask: 'GET /results/c1/cpu',
    code: 200,
    holds: { check: { status: 0, force_resolve: true, output: 'Resolving on request of the API' } },
  },
  {
    ask: 'POST /results',
    body: { name: 'cpu', output: 'x', status: 1, source: 'c2' },
    code: 202,
    holds: issued,
  },
  { ask: 'POST /resolve', body: { client: 'c2', check: 'cpu' }, code: 202, holds: issued },
  { ask: 'GET /events', code: 200, holds: [] },
  { ask: 'DELETE /checks/cpu', code: 202, holds: issued },
  { ask: 'DELETE /checks/none', code: 202, holds: issued },
  { ask: 'GET /results/c1/cpu', code: 404 },
  { ask: 'DELETE /clients/c1?invalidate=true&invalidate_expire=3600', code: 202, holds: issued },
  { ask: 'GET /clients/c1', code: 404 },

  { ask: 'GET /nothing', code: 404 },
  { ask: 'GET /', code: 404 },
  { ask: 'OPTIONS /clients', code: 200 },
];

let live: LiveBackend;
before(async () => {
  live = await openLiveBackend();
  const { clients } = live.backend;
  await live.define('disk', { command: 'true', subscriptions: ['web'], interval: 30 }, { secret: 'x' });
  await live.define('alone', { command: 'true', subscriptions: ['web'], interval: 30 }, { standalone: true });
  const more: Readonly<Record<string, object>> = { c1: { password: 'p', rack: { row: 7 } }, c2: {} };
  for (const [name, attributes] of Object.entries(more))
    await clients.keepalive(
      { name, address: 'a', subscriptions: ['web'], version: '1.9.0', timestamp: 1, ...attributes },
      'websocket',
    );
  const cpu = { name: 'cpu', output: 'ok', status: 0, aggregates: ['web'] };
  await clients.result({ client: 'c2', check: cpu });
  const old = Math.floor(Date.now() / 1000) - 3_600;
  const bad = { output: 'bad', status: 2, executed: old, aggregates: ['web', 'a:b'] };
  await clients.result({ client: 'c1', check: { ...cpu, ...bad } });
});
after(() => live.close());

const agrees = (actual: unknown, wanted: unknown, where: string): void => {
  if (wanted === Number || wanted === String) {
    assert.equal(typeof actual, wanted === Number ? 'number' : 'string', where);
    return;
  }
  if (wanted instanceof RegExp) return assert.match(String(actual), wanted, where);
  if (Array.isArray(wanted)) {
    assert.ok(Array.isArray(actual), where);
    assert.equal(actual.length, wanted.length, `${where}: ${JSON.stringify(actual)}`);
    for (const [at, one] of wanted.entries()) agrees(actual[at], one, `${where}[${at}]`);
    return;
  }
  if (typeof wanted !== 'object' || wanted === null) return assert.equal(actual, wanted, where);
  for (const [key, one] of Object.entries(wanted))
    agrees((actual as Record<string, unknown> | undefined)?.[key], one, `${where}.${key}`);
};

const credentials = `Basic ${Buffer.from(`admin:${password}`).toString('base64')}`;
const everywhere = {
  'access-control-allow-origin': '*',
  'access-control-allow-methods': 'GET, POST, PUT, DELETE, OPTIONS',
  'access-control-allow-credentials': 'true',
  'access-control-allow-headers': 'Origin, X-Requested-With, Content-Type, Accept, Authorization',
  connection: 'close',
};

for (const { ask, body, code, holds, headers } of rows) {
  test(`${ask}${body === undefined ? '' : ` ${JSON.stringify(body).slice(0, 60)}`} -> ${code}`, async () => {
    const [method = '', path = ''] = ask.split(' ');
    const reply = await fetch(live.url + path, {
      method,
      headers: { Authorization: credentials },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await reply.text();
    assert.equal(reply.status, code, text);
    for (const [name, value] of Object.entries({ ...everywhere, ...headers }))
      assert.equal(reply.headers.get(name), value, name);
    assert.match(reply.headers.get('x-request-id') ?? '', /^[0-9a-f-]{36}$/);
    if (holds === undefined) {
      assert.equal(text, '');
      return;
    }
    assert.equal(reply.headers.get('content-type'), 'application/json');
    agrees(JSON.parse(text), holds, 'body');
  });
}

test('no route is left out of the table', () => {
  const asked = rows.map(({ ask }) => {
    const [method = '', path = ''] = ask.split(' ');
    return { method, path: path.split('?')[0] ?? '' };
  });
  const missing = earlierRoutes.filter(({ method, path }) => {
    const pattern = new RegExp(`^${path.replace(/:\w+/g, '[^/]+').replace(/\*\w+/g, '.+')}$`);
    return !asked.some((one) => one.method === method && pattern.test(one.path));
  });
  assert.deepEqual(
    missing.map(({ method, path }) => `${method} ${path}`),
    [],
  );
});
