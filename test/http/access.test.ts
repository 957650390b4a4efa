// Every guarded route, asked by everybody in two namespaces: 403 exactly where a small model of the rules says so.
import assert from 'node:assert/strict';
import test from 'node:test';
import { type AccessRule, type GuardedRoute, type Route, verbOf } from '../../src/http/route.ts';
import { resourceKinds } from '../../src/model/resource/resource-kinds.ts';
import { addUser, grant, openHouse, put } from './harness.ts';

const isGuarded = (route: Route): route is GuardedRoute => typeof route.access === 'object';

const ruleOf = (route: Route): AccessRule => route.access as AccessRule;

const fill = (route: Route, namespace: string): { path: string; parameters: Record<string, string> } => {
  const parameters: Record<string, string> = {};
  const path = route.url.replaceAll(/:(\w+)/g, (_, name: string) => {
    parameters[name] = name === 'namespace' ? namespace : `some-${name}`;
    return parameters[name];
  });
  return { path, parameters };
};

test('every route of every kind is guarded, and unknown paths reach nothing', async (t) => {
  const house = await openHouse(t);
  const open = house.api.routes
    .filter((route) => !isGuarded(route))
    .map(({ method, url }) => `${method} ${url}`);
  assert.deepEqual(open.sort(), [
    'GET /api/core/v2/namespaces',
    'GET /api/core/v2/namespaces/:name',
    'GET /api/enterprise/authentication/v2/oidc/authorize',
    'GET /api/enterprise/authentication/v2/oidc/callback',
    'GET /api/enterprise/user-namespaces',
    'GET /api/inspect/v1/namespaces/:namespace/may',
    'GET /api/inspect/v1/problems',
    'GET /auth',
    'GET /auth/providers',
    'GET /auth/test',
    'GET /docs/api',
    'GET /health',
    'GET /metrics',
    'GET /openapi.json',
    'GET /ready',
    'GET /version',
    'POST /api/enterprise/authentication/v2/oidc/token',
    'POST /api/enterprise/prune/v1alpha',
    'POST /auth/logout',
    'POST /auth/token',
  ]);
  for (const route of house.api.routes) {
    if (!route.url.startsWith('/api/') || route.access === 'open') continue;
    const { path } = fill(route, 'default');
    const reply = await house.ask(route.method, path, { as: null });
    assert.equal(reply.status, 401, `${route.method} ${route.url}`);
    assert.deepEqual(reply.json, { message: 'bad credentials', code: 5 });
  }
  for (const kind of resourceKinds) {
    assert.ok(
      house.api.routes.some(({ url }) => url.endsWith(`/${kind.path}`)),
      `no route for ${kind.path}`,
    );
  }
});

test('the methods offered are those of the table of kinds', async (t) => {
  const house = await openHouse(t);
  for (const kind of resourceKinds) {
    const base = kind.namespaced
      ? `${kind.basePath}/namespaces/:namespace/${kind.path}`
      : `${kind.basePath}/${kind.path}`;
    const offered = (method: string, one: boolean) =>
      house.api.routes.some((route) => {
        const rest = route.url.slice(base.length);
        const depth = kind.path === 'events' ? 2 : 1;
        const isOne = rest.split('/:').length - 1 === depth && !/\/\w/.test(rest);
        return route.url.startsWith(base) && route.method === method && (one ? isOne : rest === '');
      });
    const wanted = (operation: string) => (kind.operations as ReadonlySet<string>).has(operation);
    assert.equal(offered('GET', false), wanted('list'), `${kind.path} list`);
    assert.equal(offered('POST', false), wanted('create'), `${kind.path} create`);
    assert.equal(offered('GET', true), wanted('get'), `${kind.path} get`);
    assert.equal(offered('PUT', true), wanted('put'), `${kind.path} put`);
    assert.equal(offered('PATCH', true), wanted('patch'), `${kind.path} patch`);
    assert.equal(offered('DELETE', true), wanted('delete'), `${kind.path} delete`);
  }
});

interface Person {
  readonly name: string;
  may(verb: string, resource: string, namespace: string, name: string): boolean;
}

test('access control holds for every route x user x namespace', async (t) => {
  const house = await openHouse(t);
  const { resources } = house.backend;
  const people: Person[] = [
    { name: 'nobody', may: () => false },
    {
      name: 'reader',
      may: (verb, _, namespace) => namespace === 'default' && (verb === 'get' || verb === 'list'),
    },
    { name: 'editor', may: (_, resource, namespace) => namespace === 'default' && resource === 'checks' },
    { name: 'creator', may: (verb) => verb === 'create' },
    {
      name: 'pointed',
      may: (_verb, resource, _, name) => resource === 'events' && name === 'some-entity/some-check',
    },
    { name: 'broken', may: () => false },
  ];
  const user = (name: string) => ({ type: 'User' as const, name });
  const rule = (verbs: string[], kinds: string[], names: string[] | null = null) => ({
    verbs,
    resources: kinds,
    resource_names: names,
  });
  for (const { name } of people) if (name !== 'nobody') await addUser(resources, name, 'a long password');
  await grant(resources, 'reader', user('reader'), [rule(['get,list'], ['*'])], 'default');
  await grant(resources, 'editor', user('editor'), [rule(['*'], ['checks'])], 'default');
  await grant(resources, 'creator', user('creator'), [rule(['create'], ['*'])]);
  await grant(resources, 'pointed', user('pointed'), [rule(['*'], ['events'], ['some-entity/some-check'])]);
  await put(resources, 'clusterrolebindings', '', 'broken', {
    subjects: [user('broken')],
    role_ref: { type: 'ClusterRole', name: 'gone' },
    metadata: { name: 'broken' },
  });
  for (const { name } of people) {
    if (name === 'nobody') continue;
    const { access_token: token } = await house.api.authenticator.login(name, 'a long password', '::1');
    house.tokens.set(name, token);
  }
  // What the handlers do is not the question here: whatever is allowed answers something else than 403.
  let cells = 0;
  for (const route of house.api.routes.filter(isGuarded)) {
    const namespaces = route.url.includes(':namespace') ? ['default', 'other'] : [''];
    for (const namespace of namespaces) {
      const { path, parameters } = fill(route, namespace);
      const rule = ruleOf(route);
      const name = rule.name?.(parameters) ?? '';
      for (const person of people) {
        const reply = await house.ask(route.method, path, { as: person.name });
        const allowed = person.may(verbOf(route.method, rule), rule.resource ?? '', namespace, name);
        const cell = `${person.name} ${route.method} ${path}`;
        assert.equal(reply.status === 403, !allowed, `${cell}: ${reply.status}`);
        if (person.name === 'broken') assert.equal(reply.json.message, 'cluster role not found: gone', cell);
        cells += 1;
      }
    }
  }
  assert.ok(cells > 500, `${cells} cells`);
});

test('a name in a path with an encoded slash cannot reach another namespace', async (t) => {
  const house = await openHouse(t);
  for (const path of [
    '/api/core/v2/namespaces/default%2F..%2Fother/events',
    '/api/core/v2/namespaces/default/events/..%2F..%2Fother%2Fx/y',
    '/api/core/v2/namespaces/other/events',
  ]) {
    const reply = await house.ask('GET', path, { as: 'viewer' });
    assert.ok(reply.status === 403 || reply.status === 404, `${path}: ${reply.status}`);
  }
});
