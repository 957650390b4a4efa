import assert from 'node:assert/strict';
import test from 'node:test';
import { StoreError } from '../../src/store/snapshot-store.ts';
import { newId, openHouse } from './harness.ts';
import { storeFull } from './memory-committer.ts';

const base = '/api/core/v2/namespaces/default/events';
const event = (entity = 'switch-1', check = 'port', extra: object = {}) => ({
  entity: { entity_class: 'proxy', metadata: { name: entity, namespace: 'default' } },
  check: {
    metadata: { name: check, namespace: 'default' },
    status: 1,
    output: 'down',
    interval: 60,
    ...extra,
  },
});

test('a posted event is answered 201 with an empty body and can be read back', async (t) => {
  const house = await openHouse(t);
  const posted = await house.ask('POST', base, { body: event() });
  assert.equal(posted.status, 201);
  assert.equal(posted.text, '');
  const read = await house.ask('GET', `${base}/switch-1/port`);
  assert.equal(read.status, 200);
  assert.match(read.headers.get('etag') ?? '', /^"[0-9a-f]+"$/);
  assert.match(read.headers.get('content-type') ?? '', /^application\/json/);
  assert.equal(read.json.check.status, 1);
  assert.match(read.json.id, /^[0-9a-f-]{36}$/);
  assert.equal(read.json.entity.metadata.created_by, 'admin');
  const ofEntity = await house.ask('GET', `${base}/switch-1`);
  assert.equal(ofEntity.json.length, 1);
});

test('the answer to a write waits for the commit and tells its failure', async (t) => {
  const house = await openHouse(t);
  // Logs in while the store works.
  await house.ask('GET', base);
  house.store.fail(storeFull());
  assert.equal((await house.ask('POST', base, { body: event() })).status, 507);
  house.store.fail(new StoreError('unavailable', 'the store is away'));
  assert.equal((await house.ask('POST', base, { body: event() })).status, 503);
  house.store.recover();
  t.mock.method(house.backend, 'acceptEvent', () => Promise.reject(new TypeError('a bug')));
  const fault = await house.ask('POST', base, { body: event() });
  assert.equal(fault.status, 500);
  assert.deepEqual(fault.json, { message: 'internal error occurred', code: 0 });
});

test('what the address says is filled in, and must not be contradicted', async (t) => {
  const house = await openHouse(t);
  const bare = { entity: { entity_class: 'proxy' }, check: { status: 0, interval: 1 } };
  assert.equal((await house.ask('PUT', `${base}/web-01/cpu`, { body: bare })).status, 201);
  const read = await house.backend.readEvent('default', 'web-01', 'cpu');
  assert.equal(read?.entity.metadata.name, 'web-01');
  assert.equal(read?.check.metadata.namespace, 'default');
  const other = await house.ask('PUT', `${base}/web-02/cpu`, { body: event('web-01', 'cpu') });
  assert.equal(other.status, 400);
  assert.deepEqual(other.json, {
    message: 'the name of the resource (web-01) does not match the name of the URI (web-02)',
    code: 1,
  });
  const elsewhere = await house.ask('POST', '/api/core/v2/namespaces/other/events', { body: event() });
  assert.equal(elsewhere.status, 400);
  assert.match(elsewhere.json.message, /the namespace of the resource \(default\) does not match/);
});

test('a PUT names the class of its entity, and an interval or cron, unless it is a copy without one', async (t) => {
  const house = await openHouse(t);
  const put = (entity: object, check: object) =>
    house.ask('PUT', `${base}/web-01/cpu`, { body: { entity, check: { status: 0, ...check } } });
  for (const entity of [{}, { entity_class: '' }, { entity_class: null }]) {
    const reply = await put(entity, { interval: 60 });
    assert.deepEqual([reply.status, reply.json.code], [400, 1]);
    assert.equal(reply.json.message, 'entity.entity_class is required: "agent" or "proxy"');
  }
  const proxy = { entity_class: 'proxy' };
  for (const check of [{}, { interval: null }, { cron: '' }]) {
    const reply = await put(proxy, check);
    assert.deepEqual([reply.status, reply.json.code], [400, 1]);
    assert.equal(reply.json.message, 'check.interval (in seconds) or check.cron is required');
  }
  for (const check of [{ interval: 60 }, { cron: '* * * * *' }, { interval: 0 }])
    assert.equal((await put(proxy, check)).status, 201, JSON.stringify(check));
  // A POST may leave both out.
  const posted = { entity: { metadata: { name: 'x' } }, check: { metadata: { name: 'y' } } };
  assert.equal((await house.ask('POST', base, { body: posted })).status, 201);
});

test('bad bodies are 400 with a sentence, code 1 and nosniff', async (t) => {
  const house = await openHouse(t);
  for (const [body, wanted] of [
    ['{"entity":', /not valid JSON/],
    ['[]', /must be an object/],
    ['', /object/],
    [{ check: { metadata: { name: 'x' } } }, /event must contain an entity/],
    [{ entity: { metadata: { name: 'x' } } }, /event must contain a check or metrics/],
    [event('sw', 'a b'), /check name cannot contain spaces or special characters/],
    [event('sw', 'x', { interval: -5 }), /check\.interval must be a whole number, 0 or more \(got -5\)/],
    ['{"__proto__":{"polluted":1},"entity":{}}', /__proto__/],
    ['{"entity":{"constructor":{"prototype":{"x":1}}}}', /constructor/],
  ] as const) {
    const reply = await house.ask('POST', base, { body, headers: { 'Content-Type': 'application/json' } });
    assert.equal(reply.status, 400, JSON.stringify(body));
    assert.equal(reply.json.code, 1);
    assert.match(reply.json.message, wanted);
    assert.equal(reply.headers.get('x-content-type-options'), 'nosniff');
  }
  assert.equal(({} as { polluted?: number }).polluted, undefined);
  assert.deepEqual((await house.ask('GET', base)).json, []);
});

test('a body of 512,000 bytes is accepted, one byte more is rejected', async (t) => {
  const house = await openHouse(t);
  const shell = JSON.stringify(event('sw', 'big', { output: '' })).length;
  const fits = event('sw', 'big', { output: 'x'.repeat(512_000 - shell) });
  assert.equal(JSON.stringify(fits).length, 512_000);
  assert.equal((await house.ask('POST', base, { body: fits })).status, 201);
  const over = event('sw', 'big', { output: 'x'.repeat(512_001 - shell) });
  const refused = await house.ask('POST', base, { body: over });
  assert.equal(refused.status, 413);
  assert.deepEqual(refused.json, { message: 'http: request body too large', code: 1 });
});

test('an event for a namespace that does not exist is 404', async (t) => {
  const house = await openHouse(t);
  const reply = await house.ask('POST', '/api/core/v2/namespaces/nowhere/events', {
    body: { entity: { metadata: { name: 'x' } }, check: { metadata: { name: 'y' }, interval: 1 } },
  });
  assert.equal(reply.status, 404);
  assert.deepEqual(reply.json, { message: 'the namespace nowhere does not exist', code: 2 });
});

test('an event with metrics alone is accepted', async (t) => {
  const house = await openHouse(t);
  const body = {
    entity: { metadata: { name: 'm' } },
    metrics: { handlers: ['influx'], points: [{ name: 'a', value: 1, timestamp: 1, tags: [] }] },
  };
  assert.equal((await house.ask('POST', base, { body })).status, 201);
});

test('missing events and unknown entities are 404, an entity without events has an empty list', async (t) => {
  const house = await openHouse(t);
  assert.deepEqual((await house.ask('GET', `${base}/no/such`)).json, { message: 'not found', code: 2 });
  assert.equal((await house.ask('GET', `${base}/no`)).status, 404);
  assert.equal((await house.ask('DELETE', `${base}/no/such`)).status, 404);
  await house.ask('POST', base, { body: event() });
  assert.equal((await house.ask('DELETE', `${base}/switch-1/port`)).status, 204);
  const left = await house.ask('GET', `${base}/switch-1`);
  assert.equal(left.status, 200);
  assert.deepEqual(left.json, []);
});

test('pages follow each other without a gap, and the last one says so', async (t) => {
  const house = await openHouse(t);
  for (let i = 0; i < 5; i += 1) await house.ask('POST', base, { body: event(`e${i}`) });
  const names: string[] = [];
  let token: string | null = '';
  let pages = 0;
  while (token !== null) {
    const reply = await house.ask('GET', `${base}?limit=2&continue=${token}`);
    names.push(
      ...reply.json.map((one: { entity: { metadata: { name: string } } }) => one.entity.metadata.name),
    );
    token = reply.headers.get('sensu-continue');
    assert.equal(reply.headers.get('mon-continue'), token);
    pages += 1;
  }
  assert.deepEqual(names, ['e0', 'e1', 'e2', 'e3', 'e4']);
  assert.equal(pages, 3);
  const exact = await house.ask('GET', `${base}?limit=5`);
  assert.equal(exact.headers.get('sensu-continue'), null);
  for (const limit of ['-1', 'many', '1e3', '2.5']) {
    const refused = await house.ask('GET', `${base}?limit=${limit}`);
    assert.equal(refused.status, 400);
    assert.match(refused.json.message, /limit must be a whole number, 0 for no limit \(got "/);
  }
  for (const odd of ['limit=0', 'continue=', 'limit=']) {
    assert.equal((await house.ask('GET', `${base}?${odd}`)).json.length, 5, odd);
  }
  for (const token of ['!!!', 'nonsense', 'x'.repeat(3_000)]) {
    const refused = await house.ask('GET', `${base}?continue=${token}`);
    assert.equal(refused.status, 400, token);
    assert.match(refused.json.message, /continue must be the token of the page before/);
  }
});

test('a whole list longer than one slice arrives complete and in order', async (t) => {
  const house = await openHouse(t);
  await house.ask('POST', base, { body: event() });
  const template = await house.backend.readEvent('default', 'switch-1', 'port');
  assert.ok(template);
  const { entity } = template;
  const named = Array.from({ length: 1_203 }, (_, at) => `e${String(at).padStart(5, '0')}`);
  await Promise.all(
    named.map((name) =>
      house.backend.acceptEvent({
        ...template,
        id: newId(),
        entity: { ...entity, metadata: { ...entity.metadata, name } },
      }),
    ),
  );
  const reply = await house.ask('GET', base);
  assert.equal(reply.json.length, 1_204);
  assert.equal(reply.json[1_202].entity.metadata.name, 'e01202');
});

test('unknown paths are 404 and known paths with another method 405, both without login', async (t) => {
  const house = await openHouse(t);
  const unknown = await house.ask('GET', '/api/core/v2/nothing', { as: null });
  assert.equal(unknown.status, 404);
  assert.deepEqual(unknown.json, { message: 'not found', code: 2 });
  assert.equal((await house.ask('GET', `${base}/`, { as: null })).status, 404);
  for (const [method, path] of [
    ['PATCH', `${base}/a/b`],
    ['POST', `${base}/a`],
    ['OPTIONS', base],
    ['HEAD', base],
    ['DELETE', '/auth'],
  ] as const) {
    const reply = await house.ask(method, path, { as: null });
    assert.equal(reply.status, 405, `${method} ${path}`);
    assert.equal(reply.text, '');
  }
});

test('names in paths are decoded once, and an encoded slash does not split them', async (t) => {
  const house = await openHouse(t);
  await house.ask('POST', base, { body: event('a:b', 'c.d') });
  assert.equal((await house.ask('GET', `${base}/a%3Ab/c%2Ed`)).status, 200);
  assert.equal((await house.ask('GET', `${base}/a%2Fb/c`)).status, 404);
  assert.equal((await house.ask('GET', `${base}/${'x'.repeat(200)}/c`)).status, 404);
  const control = await house.ask('GET', `${base}/a%00/c`);
  assert.equal(control.status, 400);
  assert.match(control.json.message, /must not contain control characters/);
});
