// Readers see committed state only: while the store fails, nothing shows that a crash would take back. A real backend on a
// store that fails for a while.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createEarlierApi } from '../../src/http/earlier-api/server.ts';
import { silentLog } from '../../src/http/log.ts';
import { MemoryStore } from '../../src/store/memory-store.ts';
import { StoreError } from '../../src/store/snapshot-store.ts';
import { eventually } from '../eventually.ts';
import { agentEvent, basicHeader, newId } from './harness.ts';
import { openRealHouse, realAdmin, realPassword } from './real-house.ts';

type Json = Record<string, unknown>;

test('uncommitted state is not readable, is marked in live views, and becomes readable after recovery', async (t) => {
  const store = new MemoryStore();
  const house = await openRealHouse(t, { store });
  const Authorization = await house.login();
  const read = async (path: string): Promise<unknown> => {
    const reply = await fetch(house.url + path, { headers: { Authorization } });
    assert.equal(reply.status, 200, path);
    return reply.json();
  };
  const write = async (method: string, path: string, body: object): Promise<number> => {
    const reply = await fetch(`${house.url}/api/core/v2/namespaces/default/${path}`, {
      method,
      headers: { Authorization, 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
    await reply.text();
    return reply.status;
  };
  const event = (status: number) => {
    const { check, ...rest } = agentEvent('cpu', newId(), 'web-01');
    return { ...rest, check: { ...check, status } };
  };
  const entity = (label: string) => ({
    entity_class: 'proxy',
    metadata: { name: 'router', namespace: 'default', labels: { label } },
  });
  const earlier = createEarlierApi({
    backend: house.backend,
    authenticator: house.api.authenticator,
    log: silentLog,
    wallMs: () => Date.now(),
    version: '0.1.0',
  });
  const { port } = await earlier.listen('127.0.0.1', 0);
  t.after(() => earlier.close());
  const posted = async (status: number): Promise<number> => {
    const reply = await fetch(`http://127.0.0.1:${port}/results`, {
      method: 'POST',
      headers: { Authorization: basicHeader(realAdmin, realPassword), 'Content-Type': 'application/json' },
      body: JSON.stringify({ name: 'app', output: '', status, source: 'c1' }),
    });
    await reply.text();
    return reply.status;
  };
  const result = async (): Promise<unknown> => {
    const headers = { Authorization: basicHeader(realAdmin, realPassword) };
    const reply = await fetch(`http://127.0.0.1:${port}/results/c1/app`, { headers });
    return ((await reply.json()) as { check: Json }).check['status'];
  };
  const client = async (method: 'GET' | 'POST', address: string) => {
    const reply = await fetch(`http://127.0.0.1:${port}/clients${method === 'GET' ? '/c1' : ''}`, {
      method,
      headers: { Authorization: basicHeader(realAdmin, realPassword), 'Content-Type': 'application/json' },
      ...(method === 'POST' && {
        body: JSON.stringify({ name: 'c1', address, subscriptions: ['web'], keepalives: false }),
      }),
    });
    const text = await reply.text();
    return { status: reply.status, body: text === '' ? {} : (JSON.parse(text) as Json) };
  };

  assert.equal(await write('POST', 'events', event(0)), 201);
  assert.ok((await write('PUT', 'entities/router', entity('old'))) < 300);
  assert.ok((await client('POST', '10.0.0.1')).status < 300);
  assert.equal(await posted(0), 202);
  const statusOf = (item: unknown) => (item as { check: { status: number } }).check.status;
  const labelOf = (item: unknown) =>
    (item as { metadata: { labels: { label: string } } }).metadata.labels.label;
  const shown = async () => {
    const base = '/api/core/v2/namespaces/default';
    const events = (await read(`${base}/events`)) as unknown[];
    const selected = (await read(
      `${base}/events?fieldSelector=${encodeURIComponent('event.check.status == "2"')}`,
    )) as unknown[];
    const entities = (await read(`${base}/entities`)) as unknown[];
    return {
      event: statusOf(await read(`${base}/events/web-01/cpu`)),
      events: events.map(statusOf),
      selected: selected.length,
      entity: labelOf(await read(`${base}/entities/router`)),
      entities: entities.map((item) => (item as { metadata: { labels?: Json } }).metadata.labels?.['label']),
      client: (await client('GET', '')).body['address'],
      result: await result(),
      resultAsEvent: statusOf(await read(`${base}/events/c1/app`)),
    };
  };
  const before = await shown();
  assert.deepEqual(
    [before.event, before.entity, before.client, before.result, before.resultAsEvent],
    [0, 'old', '10.0.0.1', 0, 0],
  );
  const committed = async () =>
    ((await read(`/api/inspect/v1/actors/${encodeURIComponent('check:default/web-01/cpu')}`)) as Json)[
      'committed'
    ];
  assert.equal(await committed(), true);

  store.fail(new StoreError('unavailable', 'planted'));
  assert.equal(await write('POST', 'events', event(2)), 503);
  assert.equal(await write('PUT', 'entities/router', entity('new')), 503);
  assert.equal((await client('POST', '10.0.0.2')).status, 500);
  assert.equal(await posted(1), 500);
  assert.deepEqual(await shown(), before);
  assert.equal(await committed(), false, 'the live state is ahead, and says so');

  store.recover();
  await eventually('the commit of what was kept due', async () => {
    const now = await shown();
    const isNew = now.event === 2 && now.selected === 1 && now.entity === 'new' && now.client === '10.0.0.2';
    return isNew && now.result === 1 && now.resultAsEvent === 1;
  });
  assert.equal(await committed(), true);
});
