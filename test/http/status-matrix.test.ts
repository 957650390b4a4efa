// The matrix of statuses and the tables of the interface (4.1 to 4.4, 7), row by row, over a real socket, on the
// real backend, once with an access token and once with an API key.
import assert from 'node:assert/strict';
import test, { type TestContext } from 'node:test';
import { examples } from '../../src/http/openapi/examples.ts';
import type { ResourceKind } from '../../src/model/resource/resource-kind.ts';
import { resourceKinds } from '../../src/model/resource/resource-kinds.ts';
import { addUser } from './harness.ts';
import { openRealHouse, type RealHouse, realAdmin } from './real-house.ts';

interface Row {
  readonly what: string;
  readonly ask: readonly [method: string, path: string, body?: unknown, headers?: Record<string, string>];
  readonly status: number;
  readonly code?: number;
  /** What the message of the refusal names. */
  readonly names?: string;
  /** 'admin' unless said otherwise. */
  readonly as?: 'nobody' | 'stranger';
}

const row = (what: string, status: number, ...ask: Row['ask']): Row => ({ what, status, ask });
const schemes = ['Bearer', 'Key'] as const;

const keyOf = async (house: RealHouse, username: string): Promise<string> => {
  const reply = await fetch(`${house.url}/api/core/v2/apikeys`, {
    method: 'POST',
    headers: { authorization: await house.login(), 'content-type': 'application/json' },
    body: JSON.stringify({ username }),
  });
  return `Key ${reply.headers.get('location')?.split('/').at(-1)}`;
};

const open = async (t: TestContext, scheme: (typeof schemes)[number]) => {
  const house = await openRealHouse(t);
  await addUser(house.backend.resources, 'nobody', 'nobody-password');
  const admin = scheme === 'Key' ? await keyOf(house, realAdmin) : await house.login();
  const nobody =
    scheme === 'Key' ? await keyOf(house, 'nobody') : await house.login('nobody', 'nobody-password');
  const asks = async ({ ask: [method, path, body, headers = {}], as }: Row) => {
    const authorization = as === 'stranger' ? {} : { authorization: as === 'nobody' ? nobody : admin };
    const reply = await fetch(house.url + path, {
      method,
      headers: { ...authorization, 'content-type': 'application/json', ...headers },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    return { status: reply.status, headers: reply.headers, text: await reply.text() };
  };
  const check = async (one: Row) => {
    const reply = await asks(one);
    const shown = `${scheme}: ${one.what}: ${one.ask[0]} ${one.ask[1]} -> ${reply.status} ${reply.text.slice(0, 200)}`;
    assert.equal(reply.status, one.status, shown);
    if (one.status === 204 || one.status === 201) assert.equal(reply.text, '', shown);
    if (one.status >= 400 && one.status !== 405) {
      const { message, code } = JSON.parse(reply.text);
      assert.ok(typeof message === 'string' && message !== '', shown);
      const wanted = { 400: 1, 401: 5, 403: 4, 404: 2, 409: 3, 412: 7, 402: 6 }[one.status];
      assert.equal(code, wanted, shown);
      if (one.names !== undefined) assert.ok(message.includes(one.names), shown);
    }
    return reply;
  };
  return { house, check };
};

// biome-ignore lint/suspicious/noExplicitAny: examples of every shape
const exampleOf = (kind: ResourceKind): any => structuredClone(examples[kind.path]);

const mergePatch = { 'content-type': 'application/merge-patch+json' };

/** What Appendix B says of any kind; kinds with habits of their own have their differences named here. */
const rowsFor = (kind: ResourceKind): readonly Row[] => {
  const body = exampleOf(kind);
  const name: string = body.metadata?.name ?? body.username ?? body.name;
  const base = kind.namespaced
    ? `${kind.basePath}/namespaces/default/${kind.path}`
    : `${kind.basePath}/${kind.path}`;
  const one = `${base}/${encodeURIComponent(name)}`;
  const has = (operation: Parameters<typeof kind.operations.has>[0]): boolean =>
    kind.operations.has(operation);
  const isEntity = kind.path === 'entities';
  const written = isEntity ? 200 : 201;
  const replaced = isEntity || kind.path === 'authproviders' ? 200 : 201;
  const wrongNamespace = { ...body, metadata: { ...body.metadata, namespace: 'elsewhere' } };
  const readableByAll = kind.path === 'namespaces';
  const lists: readonly Row[] = [
    row('list', 200, 'GET', base),
    row('list with a bad selector', 400, 'GET', `${base}?fieldSelector=linux%20in`),
    { ...row('list as a stranger', 401, 'GET', base), as: 'stranger' },
    ...(readableByAll ? [] : [{ ...row('list without a right', 403, 'GET', base), as: 'nobody' } as const]),
    row('read what is not there', 404, 'GET', `${base}/not-there`),
    { ...row('read as a stranger', 401, 'GET', one), as: 'stranger' },
    row('delete what is not there', 404, 'DELETE', `${base}/not-there`),
  ];
  const creates: readonly Row[] = has('create')
    ? [
        row('create', written, 'POST', base, body),
        { ...row('create again', 409, 'POST', base, body), names: name },
        row('create from no JSON', 400, 'POST', base, '{'),
        row('create from nothing', 400, 'POST', base),
        row('create from the wrong type', 400, 'POST', base, { ...body, metadata: 7, name: 7, username: 7 }),
        ...(kind.namespaced ? [row('create for another namespace', 400, 'POST', base, wrongNamespace)] : []),
        { ...row('create as a stranger', 401, 'POST', base, body), as: 'stranger' },
        { ...row('create without a right', 403, 'POST', base, body), as: 'nobody' },
      ]
    : [row('create', 405, 'POST', base, body)];
  const puts: readonly Row[] = [
    row('replace', replaced, 'PUT', one, body),
    row('replace under another name', 400, 'PUT', `${base}/other`, body),
    row('replace from no JSON', 400, 'PUT', one, 'nonsense'),
    { ...row('replace as a stranger', 401, 'PUT', one, body), as: 'stranger' },
    { ...row('replace without a right', 403, 'PUT', one, body), as: 'nobody' },
  ];
  const label = { metadata: { labels: { team: 'web' } } };
  const patches: readonly Row[] = has('patch')
    ? [
        row('patch', 200, 'PATCH', one, kind.path === 'namespaces' ? {} : label, mergePatch),
        row('patch as JSON Patch', 400, 'PATCH', one, [], { 'content-type': 'application/json-patch+json' }),
        row('patch from no JSON', 400, 'PATCH', one, '{', mergePatch),
        row('patch of a state long gone', 412, 'PATCH', one, {}, { ...mergePatch, 'if-match': '"00"' }),
        row('patch what is not there', 404, 'PATCH', `${base}/not-there`, {}, mergePatch),
        ...(kind.path === 'namespaces'
          ? []
          : [row('rename', 400, 'PATCH', one, { metadata: { name: 'renamed' } }, mergePatch)]),
      ]
    : [row('patch', 405, 'PATCH', one, {}, mergePatch)];
  return [
    ...lists,
    ...creates,
    ...puts,
    row('read', 200, 'GET', one),
    ...patches,
    { ...row('delete without a right', 403, 'DELETE', one), as: 'nobody' },
    row('delete', 204, 'DELETE', one),
    ...(kind.path === 'users' ? [] : [row('read what was deleted', 404, 'GET', one)]),
  ];
};

const ordinary = resourceKinds.filter(({ path }) => !['events', 'apikeys', 'silenced'].includes(path));

for (const scheme of schemes) {
  test(`every kind answers with the statuses of the matrix (${scheme})`, async (t) => {
    const { check } = await open(t, scheme);
    let rows = 0;
    for (const one of ordinary.flatMap(rowsFor)) {
      await check(one);
      rows += 1;
    }
    assert.ok(rows > 400, `${rows} rows`);
  });

  test(`silences answer with the statuses of the matrix (${scheme})`, async (t) => {
    const { check } = await open(t, scheme);
    const base = '/api/core/v2/namespaces/default/silenced';
    const body = examples.silenced;
    await check(row('create', 201, 'POST', base, body));
    await check({ ...row('create again', 409, 'POST', base, body), names: 'silenced/linux:disk' });
    await check(row('read', 200, 'GET', `${base}/linux:disk`));
    await check(row('read, encoded', 200, 'GET', `${base}/linux%3Adisk`));
    await check(row('patch', 405, 'PATCH', `${base}/linux:disk`, {}));
    await check(row('by subscription', 200, 'GET', `${base}/subscriptions/linux`));
    await check(row('by check', 200, 'GET', `${base}/checks/disk`));
    await check(row('delete', 204, 'DELETE', `${base}/linux:disk`));
    await check(row('delete again', 404, 'DELETE', `${base}/linux:disk`));
  });

  test(`API keys: interface 4.1 (${scheme})`, async (t) => {
    const { check } = await open(t, scheme);
    const base = '/api/core/v2/apikeys';
    await check(row('list', 200, 'GET', base));
    const made = await check(row('create', 201, 'POST', base, { username: realAdmin }));
    const location = made.headers.get('location') ?? '';
    assert.match(location, /^\/api\/core\/v2\/apikeys\/[0-9a-f-]{36}$/);
    await check(row('create for nobody we know', 400, 'POST', base, { username: 'unknown' }));
    await check(row('create without a user', 400, 'POST', base, {}));
    await check(row('read', 200, 'GET', location));
    await check(row('read a missing one', 404, 'GET', `${base}/not-there`));
    const patched = await check(row('patch', 200, 'PATCH', location, { username: 'nobody' }, mergePatch));
    assert.equal(JSON.parse(patched.text).username, 'nobody');
    await check(row('rename', 400, 'PATCH', location, { metadata: { name: 'x' } }, mergePatch));
    await check(row('patch a missing one', 404, 'PATCH', `${base}/not-there`, {}, mergePatch));
    await check(row('replace', 405, 'PUT', location, {}));
    await check(row('delete', 204, 'DELETE', location));
    await check(row('delete again', 404, 'DELETE', location));
    await check({ ...row('list without a right', 403, 'GET', base), as: 'nobody' });
    await check({ ...row('list as a stranger', 401, 'GET', base), as: 'stranger' });
    const two = await check(row('a page of one', 200, 'GET', `${base}?limit=1`));
    assert.equal(JSON.parse(two.text).length <= 1, true);
  });

  test(`providers: interface 4.2 and 4.3 (${scheme})`, async (t) => {
    const { check } = await open(t, scheme);
    const base = '/api/enterprise/authentication/v2/authproviders';
    const { type, ...rest } = examples.authproviders as { readonly type: string };
    await check(
      row('put, the type spelled as the interface does', 200, 'PUT', `${base}/directory`, {
        Type: type,
        ...rest,
      }),
    );
    const read = await check(row('read', 200, 'GET', `${base}/directory`));
    assert.equal(JSON.parse(read.text).spec.servers[0].binding.password, 'REDACTED');
    await check(row('put back as it was read', 200, 'PUT', `${base}/directory`, JSON.parse(read.text)));
    for (const [types, found] of [
      ['types=AD&types=OIDC', 0],
      ['types=AD&types=LDAP', 1],
      ['', 1],
    ] as const) {
      const list = await check(row('list', 200, 'GET', `${base}?${types}`));
      assert.equal(JSON.parse(list.text).length, found, types);
    }
    const providers = '/api/enterprise/secrets/v1/providers';
    const list = await check(row('list', 200, 'GET', providers));
    assert.deepEqual(
      JSON.parse(list.text).map((one: { type: string; spec: object }) => [one.type, one.spec]),
      [['Env', {}]],
    );
    await check(
      row('a kind that is not built', 400, 'PUT', `${providers}/ark`, {
        type: 'CyberArkProvider',
        api_version: 'secrets/v1',
        metadata: { name: 'ark' },
        spec: {},
      }),
    );
    await check({ ...row('list as a stranger', 401, 'GET', providers), as: 'stranger' });
    await check({ ...row('list without a right', 403, 'GET', providers), as: 'nobody' });
  });

  test(`events: interface 4.4 (${scheme})`, async (t) => {
    const { house, check } = await open(t, scheme);
    const base = '/api/core/v2/namespaces/default/events';
    const event = examples.events as { readonly check: Record<string, unknown> };
    const one = `${base}/switch-1/ports`;
    await check(row('list', 200, 'GET', base));
    await check(row('post', 201, 'POST', base, event));
    await check(row('post what is no JSON', 400, 'POST', base, '{'));
    await check(row('post without an entity', 400, 'POST', base, { check: { metadata: { name: 'x' } } }));
    await check(
      row('post into a missing namespace', 404, 'POST', '/api/core/v2/namespaces/nowhere/events', {
        entity: { entity_class: 'proxy', metadata: { name: 'a' } },
        check: { metadata: { name: 'b' }, interval: 1 },
      }),
    );
    await check(row('of an entity', 200, 'GET', `${base}/switch-1`));
    await check(row('of an unknown entity', 404, 'GET', `${base}/unknown`));
    const read = await check(row('read', 200, 'GET', one));
    const { check: found, entity } = JSON.parse(read.text);
    assert.equal(found.state, 'failing');
    assert.equal(entity.entity_class, 'proxy');
    assert.equal(entity.metadata.namespace, 'default');
    await check(row('read a missing one', 404, 'GET', `${base}/switch-1/nothing`));
    await check(row('post to one', 201, 'POST', one, event));
    await check(row('put', 201, 'PUT', one, event));
    const { interval: _, ...scheduled } = event.check as Record<string, unknown>;
    const cron = { ...event, check: { ...scheduled, cron: '* * * * *' } };
    await check(row('put with a schedule in place of an interval', 201, 'PUT', one, cron));
    const neither = { ...event, check: { ...scheduled, publish: true } };
    await check(row('put with neither, though it is to be published', 400, 'PUT', one, neither));
    const point = { name: 'ports.up', tags: [], timestamp: 1_700_000_000, value: 7 };
    const measured = {
      ...event,
      check: { ...event.check, output_metric_handlers: ['influx'] },
      metrics: { handlers: ['influx'], points: [point] },
    };
    await check(row('put with metrics', 201, 'PUT', one, measured));
    await check(
      row('another check', 201, 'PUT', `${base}/switch-1/fans`, {
        ...event,
        check: { metadata: { name: 'fans' }, interval: 5 },
      }),
    );
    const first = await check(row('a page of one', 200, 'GET', `${base}?limit=1`));
    const token = first.headers.get('mon-continue') ?? '';
    assert.equal(first.headers.get('sensu-continue'), token);
    const last = await check(row('the next page', 200, 'GET', `${base}?limit=1&continue=${token}`));
    assert.equal(last.headers.get('mon-continue'), null);
    const names = [first, last]
      .flatMap(({ text }) => JSON.parse(text))
      .map(({ check }) => check.metadata.name);
    assert.deepEqual(names, ['fans', 'ports']);
    const selector = encodeURIComponent("event.check.name == 'fans'");
    const selected = await check(row('filtered', 200, 'GET', `${base}?fieldSelector=${selector}`));
    assert.equal(JSON.parse(selected.text).length, 1);
    await check(row('put with another check', 400, 'PUT', `${base}/switch-1/other`, event));
    await check(
      row('put with another namespace', 400, 'PUT', one, {
        ...event,
        entity: { entity_class: 'proxy', metadata: { name: 'switch-1', namespace: 'other' } },
      }),
    );
    await check(row('post to an entity', 405, 'POST', `${base}/switch-1`, event));
    await check(row('patch', 405, 'PATCH', one, {}));
    await check({ ...row('post without a right', 403, 'POST', base, event), as: 'nobody' });
    await check({ ...row('post as a stranger', 401, 'POST', base, event), as: 'stranger' });
    await check(row('delete', 204, 'DELETE', one));
    await check(row('delete again', 404, 'DELETE', one));
    assert.equal((await house.backend.readEntity('default', 'switch-1'))?.entity_class, 'proxy');
  });

  test(`what is left of the matrix: execute, unknown paths, public routes (${scheme})`, async (t) => {
    const { check } = await open(t, scheme);
    const checks = '/api/core/v2/namespaces/default/checks';
    await check(row('a check', 201, 'POST', checks, examples.checks));
    await check(row('execute', 202, 'POST', `${checks}/disk/execute`, {}));
    await check(row('execute with nonsense', 400, 'POST', `${checks}/disk/execute`, '{'));
    await check(row('execute a missing one', 404, 'POST', `${checks}/not-there/execute`, {}));
    await check({ ...row('an unknown path', 404, 'GET', '/api/core/v2/unknown'), as: 'stranger' });
    await check({ ...row('an unknown method', 405, 'DELETE', checks), as: 'stranger' });
    const occupied = row('a namespace that is not empty', 409, 'DELETE', '/api/core/v2/namespaces/default');
    await check({ ...occupied, names: 'default holds ' });
    for (const path of ['/health', '/version', '/metrics', '/ready'])
      await check({ ...row('a public route', 200, 'GET', path), as: 'stranger' });
  });
}
