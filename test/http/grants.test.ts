// Nobody hands out more than he holds: by a role, a binding, a group, a password or a key.
import assert from 'node:assert/strict';
import test from 'node:test';
import { createReportingRights } from '../../src/http/edge/reporting-rights.ts';
import { isClusterAdmin, rightNotHeld } from '../../src/http/grants.ts';
import { type AccessRequest, authorize } from '../../src/http/rbac.ts';
import { fc } from '../property.ts';
import { addUser, grant, type House, hashOf, openHouse, openTable, put } from './harness.ts';

const rule = (verbs: string[], resources: string[], names: string[] | null = null) => ({
  verbs,
  resources,
  resource_names: names,
});

const user = (name: string) => ({ type: 'User' as const, name });
const password = 'a long password';
const core = '/api/core/v2';
const inDefault = `${core}/namespaces/default`;

/** `lead` administers namespace default; `clerk` keeps users; `keys` may write API keys. */
const open = async (t: Parameters<typeof openHouse>[0]): Promise<House> => {
  const house = await openHouse(t);
  const { resources } = house.backend;
  const admin = [rule(['*'], ['checks', 'events', 'roles', 'rolebindings'])];
  for (const name of ['lead', 'clerk', 'keys', 'plain']) await addUser(resources, name, password);
  await grant(resources, 'lead', user('lead'), admin, 'default');
  await grant(resources, 'clerk', user('clerk'), [
    rule(['*'], ['users', 'clusterroles', 'clusterrolebindings']),
  ]);
  await grant(resources, 'keys', user('keys'), [rule(['*'], ['apikeys'])]);
  await grant(resources, 'unbound', user('nobody-else'), [rule(['get'], ['checks'])], 'default');
  for (const name of ['lead', 'clerk', 'keys', 'plain'])
    house.tokens.set(name, (await house.api.authenticator.login(name, password, '::1')).access_token);
  return house;
};

const binding = (
  name: string,
  type: 'Role' | 'ClusterRole',
  role: string,
  subject: string,
  namespace?: string,
) => ({
  subjects: [user(subject)],
  role_ref: { type, name: role },
  metadata: namespace === undefined ? { name } : { name, namespace },
});

const role = (name: string, rules: readonly object[], namespace?: string) => ({
  rules,
  metadata: namespace === undefined ? { name } : { name, namespace },
});

test('a namespace admin grants what he holds there, and neither a cluster role above it nor a rule of his own making', async (t) => {
  const house = await open(t);
  const ask = (method: string, path: string, body: object) =>
    house.ask(method, `${inDefault}/${path}`, { as: 'lead', body });
  const bind = (role: string, type: 'Role' | 'ClusterRole' = 'ClusterRole') =>
    ask('POST', 'rolebindings', binding(`to-${role}`, type, role, 'lead', 'default'));

  const above = await bind('cluster-admin');
  assert.equal(above.status, 403);
  assert.match(
    above.json.message,
    /lead may not bind the role cluster-admin: it grants \* on \* in namespace/,
  );
  assert.equal((await bind('not-there-yet')).status, 403, 'nobody knows what it will grant');
  assert.equal((await bind('unbound', 'Role')).status, 201);
  const put = binding('to-unbound', 'ClusterRole', 'cluster-admin', 'lead', 'default');
  assert.equal((await ask('PUT', 'rolebindings/to-unbound', put)).status, 403);
  const patched = await house.ask('PATCH', `${inDefault}/rolebindings/to-unbound`, {
    as: 'lead',
    body: { role_ref: { type: 'ClusterRole', name: 'cluster-admin' } },
    headers: { 'Content-Type': 'application/merge-patch+json' },
  });
  assert.equal(patched.status, 403);

  const write = (name: string, rules: readonly object[]) =>
    ask('PUT', `roles/${name}`, role(name, rules, 'default'));
  assert.equal((await write('own', [rule(['get', 'list'], ['checks', 'events'])])).status, 201);
  assert.equal((await write('own', [rule(['get'], ['checks'], ['only-this'])])).status, 201);
  assert.equal((await write('own', [rule(['get'], ['secrets'])])).status, 403);
  assert.equal((await write('own', [rule(['*'], ['*'])])).status, 403);
  assert.equal(
    (await write('own', [rule(['get'], ['checks,secrets'])])).status,
    403,
    'words joined by commas',
  );
  assert.equal(
    (await write('lead', [rule(['*'], ['checks', 'secrets'])])).status,
    403,
    'the role he has himself',
  );
  assert.equal((await house.ask('GET', `${core}/namespaces/default/handlers`, { as: 'lead' })).status, 403);
});

test('labels of a role above one may be changed, its rules may not', async (t) => {
  const house = await open(t);
  const patch = (body: object) =>
    house.ask('PATCH', `${core}/clusterroles/cluster-admin`, {
      as: 'clerk',
      body,
      headers: { 'Content-Type': 'application/merge-patch+json' },
    });
  assert.equal((await patch({ metadata: { labels: { owner: 'ops' } } })).status, 200);
  assert.equal((await patch({ rules: [rule(['*'], ['*']), rule(['get'], ['checks'])] })).status, 403);
});

test('permission to write users and bindings does not lead to administrator rights', async (t) => {
  const house = await open(t);
  const ask = (method: string, path: string, body?: object) =>
    house.ask(method, core + path, { as: 'clerk', ...(body === undefined ? {} : { body }) });
  const all = [rule(['*'], ['*'])];
  const hash = { password_hash: hashOf(password) };
  for (const [what, reply] of [
    ['a cluster role', await ask('POST', '/clusterroles', role('mine', all))],
    [
      'a binding',
      await ask('POST', '/clusterrolebindings', binding('mine', 'ClusterRole', 'cluster-admin', 'clerk')),
    ],
    ['a group', await ask('PUT', '/users/clerk/groups/cluster-admins')],
    [
      'a user in a group',
      await ask('POST', '/users', { username: 'eve', password, groups: ['cluster-admins'] }),
    ],
    [
      'a user that is replaced',
      await ask('PUT', '/users/plain', { username: 'plain', password, groups: ['cluster-admins'] }),
    ],
    ["the administrator's password", await ask('PUT', '/users/admin/reset_password', hash)],
    [
      'the administrator, replaced',
      await ask('PUT', '/users/admin', { username: 'admin', password, groups: [] }),
    ],
    [
      'a user of whose name a binding speaks',
      await ask('POST', '/users', { username: 'nobody-else', password }),
    ],
  ] as const) {
    assert.equal(reply.status, 403, what);
    assert.match(reply.json.message, /which clerk does not hold/, what);
  }
  assert.equal(
    (await ask('POST', '/users', { username: 'newcomer', password, groups: ['some-team'] })).status,
    201,
  );
  assert.equal((await ask('PUT', '/users/plain/reset_password', hash)).status, 201);
  assert.equal((await ask('PUT', '/users/plain/groups/some-team')).status, 201);
});

test('a key is the business of its user and of cluster admins: to make, to see, to hand on', async (t) => {
  const house = await open(t);
  const keys = `${core}/apikeys`;
  const make = (as: string, username: string) => house.ask('POST', keys, { as, body: { username } });
  assert.equal((await make('keys', 'admin')).status, 403);
  assert.equal((await make('keys', 'plain')).status, 403);
  assert.equal((await make('plain', 'plain')).status, 403, 'without a right to keys not even his own');
  const own = (await make('keys', 'keys')).headers.get('location') ?? '';
  const foreign = (await make('admin', 'admin')).headers.get('location') ?? '';
  const patch = (at: string, username: string) =>
    house.ask('PATCH', at, {
      as: 'keys',
      body: { username },
      headers: { 'Content-Type': 'application/merge-patch+json' },
    });
  assert.equal((await patch(own, 'admin')).status, 403);
  assert.equal((await patch(foreign, 'keys')).status, 403);
  assert.equal((await house.ask('GET', own, { as: 'keys' })).status, 200);
  assert.equal((await house.ask('GET', foreign, { as: 'keys' })).status, 404);
  const seen = (await house.ask('GET', keys, { as: 'keys' })).json as { username: string }[];
  assert.deepEqual(
    seen.map(({ username }) => username),
    ['keys'],
  );
  assert.equal((await house.ask('GET', keys)).json.length, 2);
});

test('a grant within the permissions of the author adds no permissions', async () => {
  const verbs = ['*', 'get', 'list', 'update'];
  const kinds = ['*', 'checks', 'events'];
  const names = [null, ['a'], ['a', 'b']];
  const anyRule = fc
    .tuple(
      fc.subarray(verbs, { minLength: 1 }),
      fc.subarray(kinds, { minLength: 1 }),
      fc.constantFrom(...names),
    )
    .map(([some, resources, only]) => rule(some, resources, only));
  const rules = fc.array(anyRule, { minLength: 1, maxLength: 3 });
  const requests: AccessRequest[] = ['get', 'list', 'update', 'inspect:get'].flatMap((verb) =>
    ['checks', 'events', 'secrets', null].flatMap((resource) =>
      ['', 'a', 'b', 'c'].map((resourceName) => ({ verb, resource, namespace: 'default', resourceName })),
    ),
  );
  const table = await openTable();
  await put(table, 'namespaces', '', 'default', { name: 'default' });
  const who = (username: string) => ({ username, groups: [], via: 'password' }) as const;
  await fc.assert(
    fc.asyncProperty(rules, rules, async (held, wanted) => {
      await grant(table, 'held', user('holder'), held, 'default');
      await grant(table, 'wanted', user('other'), wanted, 'default');
      if (rightNotHeld(table, who('holder'), wanted, 'default') !== null) return;
      for (const request of requests)
        if (authorize(table, who('other'), request).allow)
          assert.ok(authorize(table, who('holder'), request).allow, JSON.stringify(request));
    }),
    { numRuns: 300 },
  );
  await grant(table, 'all', user('root'), [rule(['*'], ['*'])]);
  assert.equal(isClusterAdmin(table, who('root')), true);
  assert.equal(isClusterAdmin(table, who('holder')), false);
});

test('only cluster admins control identities', async (t) => {
  const house = await open(t);
  await grant(house.backend.resources, 'providers', user('clerk'), [rule(['*'], ['authproviders'])]);
  const url = '/api/enterprise/authentication/v2/authproviders/mine';
  const body = {
    type: 'oidc',
    api_version: 'authentication/v2',
    metadata: { name: 'mine' },
    spec: {
      client_id: 'x',
      client_secret: 'y',
      server: 'https://issuer.example',
      username_claim: 'name',
      groups_claim: 'groups',
      allowed_groups: ['cluster-admins'],
    },
  };
  const refused = await house.ask('PUT', url, { as: 'clerk', body });
  assert.equal(refused.status, 403);
  assert.match(refused.json.message, /clerk may not write the provider mine: only cluster admins may/);
  assert.equal((await house.ask('PUT', url, { body })).status, 200);
});

test('what an agent may report is remembered until users or rules change', async (t) => {
  const { resources } = (await open(t)).backend;
  let version = 0;
  const rights = createReportingRights({
    table: resources,
    principal: { username: 'plain', groups: [], via: 'certificate' },
    namespace: 'default',
    rules: { current: () => version },
  });
  assert.equal(rights.mayReportFor('web-01', 'cpu'), false);
  await grant(resources, 'plain', user('plain'), [rule(['create'], ['events'], ['web-01/cpu'])], 'default');
  assert.equal(rights.mayReportFor('web-01', 'cpu'), false);
  version += 1;
  assert.equal(rights.mayReportFor('web-01', 'cpu'), true);
  assert.equal(rights.mayReportFor('web-01', 'disk'), false);
  assert.equal(rights.mayReportFor('web-01'), false);
});
