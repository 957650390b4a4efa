import assert from 'node:assert/strict';
import test from 'node:test';
import { FakeBackend } from './fake-backend.ts';
import { openHouse } from './harness.ts';
import { storeFull } from './memory-committer.ts';

const checks = '/api/core/v2/namespaces/default/checks';
const check = (name = 'cpu', extra: object = {}) => ({
  command: 'true',
  interval: 60,
  publish: true,
  subscriptions: ['linux'],
  metadata: { name, namespace: 'default' },
  ...extra,
});

test('a check is created once, read back in the shape of the reference product, replaced and deleted', async (t) => {
  const house = await openHouse(t);
  const made = await house.ask('POST', checks, { body: check() });
  assert.equal(made.status, 201);
  assert.equal(made.text, '');
  const again = await house.ask('POST', checks, { body: check() });
  assert.equal(again.status, 409);
  assert.deepEqual(again.json, { message: 'resource already exists', code: 3 });
  const read = await house.ask('GET', `${checks}/cpu`);
  assert.deepEqual(read.json, {
    command: 'true',
    handlers: [],
    high_flap_threshold: 0,
    interval: 60,
    low_flap_threshold: 0,
    publish: true,
    runtime_assets: null,
    subscriptions: ['linux'],
    proxy_entity_name: '',
    check_hooks: null,
    stdin: false,
    subdue: null,
    ttl: 0,
    timeout: 0,
    round_robin: false,
    output_metric_format: '',
    output_metric_handlers: null,
    env_vars: null,
    metadata: { name: 'cpu', namespace: 'default', created_by: 'admin' },
    secrets: null,
    pipelines: [],
  });
  assert.equal(
    (await house.ask('PUT', `${checks}/cpu`, { body: check('cpu', { interval: 30 }) })).status,
    201,
  );
  assert.equal((await house.ask('GET', `${checks}/cpu`)).json.interval, 30);
  assert.equal((await house.ask('DELETE', `${checks}/cpu`)).status, 204);
  assert.equal((await house.ask('DELETE', `${checks}/cpu`)).status, 404);
  assert.deepEqual((await house.ask('GET', `${checks}/cpu`)).json, { message: 'not found', code: 2 });
});

test('bodies that break a rule are refused with the sentence of the rule', async (t) => {
  const house = await openHouse(t);
  for (const [path, body, message] of [
    [checks, check('a b'), /^resource is invalid: check name cannot contain spaces or special characters/],
    [checks, check('x', { interval: -5 }), /^check\.interval must be a positive integer \(got -5\)/],
    [checks, check('x', { interval: 1.5 }), /check\.interval/],
    [checks, check('x', { cron: '* * * * *' }), /must only specify either an interval or a cron schedule/],
    [
      checks,
      check('x', { metadata: { name: 'x', namespace: 'other' } }),
      /the namespace of the resource \(other\) does not match the namespace of the URI \(default\)/,
    ],
    [checks, [], /must be a JSON object/],
    [checks, check('x', { metadata: 7 }), /metadata must be an object/],
    [
      '/api/core/v2/namespaces/default/handlers',
      { type: 'magic', metadata: { name: 'h' } },
      /unknown handler type: magic/,
    ],
    ['/api/core/v2/clusterroles', { rules: [], metadata: { name: 'r' } }, /must have at least one rule/],
  ] as const) {
    const reply = await house.ask('POST', path, { body });
    assert.equal(reply.status, 400, JSON.stringify(body));
    assert.equal(reply.json.code, 1);
    assert.match(reply.json.message, message);
  }
  const elsewhere = await house.ask('POST', '/api/core/v2/namespaces/nowhere/checks', {
    body: check('x', { metadata: { name: 'x' } }),
  });
  assert.equal(elsewhere.status, 404);
  assert.equal(elsewhere.json.message, 'the namespace nowhere does not exist');
  const renamed = await house.ask('PUT', `${checks}/cpu`, { body: check('disk') });
  assert.equal(
    renamed.json.message,
    'the name of the resource (disk) does not match the name of the URI (cpu)',
  );
});

test('a merge patch changes what it names and nothing else', async (t) => {
  const house = await openHouse(t);
  await house.ask('POST', checks, {
    body: check('cpu', { ttl: 90, metadata: { name: 'cpu', labels: { a: '1', b: '2' } } }),
  });
  const patch = (body: unknown, headers: Record<string, string> = {}) =>
    house.ask('PATCH', `${checks}/cpu`, {
      body,
      headers: { 'Content-Type': 'application/merge-patch+json', ...headers },
    });
  const patched = await patch({
    interval: 10,
    ttl: null,
    metadata: { labels: { b: null, c: '3' }, name: '' },
  });
  assert.equal(patched.status, 200, patched.text);
  assert.equal(patched.json.interval, 10);
  assert.equal(patched.json.ttl, 0);
  assert.deepEqual(patched.json.metadata.labels, { a: '1', c: '3' });
  assert.deepEqual((await house.ask('GET', `${checks}/cpu`)).json, patched.json);
  for (const [body, message] of [
    [{ metadata: { name: 'other' } }, /does not match the name in the URI \(cpu\)/],
    [{ metadata: { namespace: 'other' } }, /does not match the namespace in the URI \(default\)/],
    [{ interval: 'soon' }, /check\.interval/],
    [{ ttl: 5 }, /ttl must be greater than check interval/],
    ['[]', /object/],
  ] as const) {
    const reply = await patch(body);
    assert.equal(reply.status, 400, JSON.stringify(body));
    assert.match(reply.json.message, message);
  }
  assert.equal(
    (await house.ask('PATCH', `${checks}/cpu`, { body: {} })).status,
    400,
    'application/json is no patch',
  );
  assert.match(
    (await patch({}, { 'Content-Type': 'application/json-patch+json' })).json.message,
    /JSON Patch is not supported yet/,
  );
  assert.equal(
    (
      await house.ask('PATCH', `${checks}/no`, {
        body: {},
        headers: { 'Content-Type': 'application/merge-patch+json' },
      })
    ).status,
    404,
  );
});

test('lists are ordered, paged and selected; selectors that make no sense are 400', async (t) => {
  const house = await openHouse(t);
  for (const name of ['c', 'a', 'b'])
    await house.ask('POST', checks, {
      body: check(name, { metadata: { name, labels: { team: name === 'b' ? 'blue' : 'red' } } }),
    });
  const names = async (query: string, path = checks) =>
    (await house.ask('GET', `${path}?${query}`)).json.map(
      (one: { metadata: { name: string } }) => one.metadata.name,
    );
  assert.deepEqual(await names(''), ['a', 'b', 'c']);
  assert.deepEqual(await names('', '/api/core/v2/checks'), ['a', 'b', 'c']);
  assert.deepEqual(await names(`labelSelector=${encodeURIComponent('team == red')}`), ['a', 'c']);
  assert.deepEqual(
    await names(`fieldSelector=${encodeURIComponent('linux in check.subscriptions && check.name != a')}`),
    ['b', 'c'],
  );
  assert.deepEqual(
    await names(
      `fieldSelector=${encodeURIComponent('check.publish == true')}&labelSelector=${encodeURIComponent('team == blue')}`,
    ),
    ['b'],
  );
  const page = await house.ask('GET', `${checks}?limit=1&labelSelector=${encodeURIComponent('team == red')}`);
  assert.equal(page.json[0].metadata.name, 'a');
  const token = page.headers.get('mon-continue');
  assert.deepEqual(
    await names(`limit=1&continue=${token}&labelSelector=${encodeURIComponent('team == red')}`),
    ['c'],
  );
  const bad = await house.ask('GET', `${checks}?fieldSelector=${encodeURIComponent('linux in')}`);
  assert.equal(bad.status, 400);
  assert.match(bad.json.message, /^could not parse the operations/);
});

test('what is committed survives a restart, what failed to commit was never there', async (t) => {
  const house = await openHouse(t);
  await house.ask('POST', checks, { body: check('kept') });
  house.backend.committer.failWith = storeFull();
  const refused = await house.ask('POST', checks, { body: check('lost') });
  assert.equal(refused.status, 507);
  assert.equal((await house.ask('GET', `${checks}/lost`)).status, 404);
  assert.equal(
    (await house.ask('PUT', `${checks}/kept`, { body: check('kept', { interval: 1 }) })).status,
    507,
  );
  assert.equal((await house.ask('DELETE', `${checks}/kept`)).status, 507);
  assert.equal((await house.ask('GET', `${checks}/kept`)).json.interval, 60);
  house.backend.committer.failWith = null;
  const after = await FakeBackend.create(house.backend.committer);
  assert.equal(after.resources.get('checks', 'default', 'kept')?.interval, 60);
  assert.equal(after.resources.get('checks', 'default', 'lost'), undefined);
});

test('checks are run now and their hooks are named on routes of their own', async (t) => {
  const house = await openHouse(t);
  await house.ask('POST', checks, { body: check() });
  const ran = await house.ask('POST', `${checks}/cpu/execute`, {
    body: { subscriptions: ['entity:web-01'] },
  });
  assert.equal(ran.status, 202);
  assert.deepEqual(ran.json, { issued: 1_700_000_000 });
  assert.deepEqual(house.backend.executed, [
    { namespace: 'default', check: 'cpu', subscriptions: ['entity:web-01'] },
  ]);
  assert.equal((await house.ask('POST', `${checks}/cpu/execute`, { body: {} })).status, 202);
  assert.equal((await house.ask('POST', `${checks}/no/execute`, { body: {} })).status, 404);
  assert.equal(
    (await house.ask('POST', `${checks}/cpu/execute`, { body: { subscriptions: 'x' } })).status,
    400,
  );

  const hooks = `${checks}/cpu/hooks`;
  assert.equal(
    (await house.ask('PUT', `${hooks}/critical`, { body: { critical: ['ps', 'df'] } })).status,
    201,
  );
  assert.deepEqual((await house.ask('GET', `${checks}/cpu`)).json.check_hooks, [{ critical: ['ps', 'df'] }]);
  assert.equal((await house.ask('DELETE', `${hooks}/critical/hook/ps`)).status, 204);
  assert.equal((await house.ask('DELETE', `${hooks}/critical/hook/ps`)).status, 404);
  assert.deepEqual((await house.ask('GET', `${checks}/cpu`)).json.check_hooks, [{ critical: ['df'] }]);
  assert.equal((await house.ask('PUT', `${hooks}/never`, { body: { never: ['x'] } })).status, 400);
});

test('an API key is told once in Location, opens the API, and ends when it is deleted', async (t) => {
  const house = await openHouse(t);
  const keys = '/api/core/v2/apikeys';
  const made = await house.ask('POST', keys, { body: { username: 'admin' } });
  assert.equal(made.status, 201);
  assert.equal(made.text, '');
  const location = made.headers.get('location') ?? '';
  assert.match(location, /^\/api\/core\/v2\/apikeys\/[0-9a-f-]{36}$/);
  const key = location.split('/').at(-1) ?? '';
  const withKey = (value: string) => ({ as: null, headers: { Authorization: `Key ${value}` } });
  assert.equal((await house.ask('GET', keys, withKey(key))).status, 200);
  assert.equal((await house.ask('GET', keys, withKey(`${key}x`))).status, 401);
  const read = await house.ask('GET', location);
  assert.deepEqual(read.json, {
    metadata: { name: key, created_by: 'admin' },
    username: 'admin',
    created_at: Math.floor(house.clock.nowMs / 1000),
  });
  const at = JSON.stringify([...house.backend.committer.records]);
  assert.ok(!at.includes(key), 'the key stands readable in the store');

  const restarted = await openHouse(t, {
    backend: await FakeBackend.create(house.backend.committer),
    clock: house.clock,
  });
  assert.equal((await restarted.ask('GET', keys, withKey(key))).status, 200);

  const patch = (body: object) =>
    house.ask('PATCH', location, { body, headers: { 'Content-Type': 'application/merge-patch+json' } });
  assert.equal((await patch({ username: 'viewer' })).json.username, 'viewer');
  assert.equal((await house.ask('GET', keys, withKey(key))).status, 403, 'now it is a key of the viewer');
  assert.equal((await patch({ username: 'stranger' })).status, 400);
  assert.equal((await house.ask('DELETE', location)).status, 204);
  assert.equal((await house.ask('GET', keys, withKey(key))).status, 401);
  assert.equal((await house.ask('GET', location)).status, 404);
  assert.equal((await house.ask('PUT', location, { body: {} })).status, 405);
  for (const body of [{}, { username: 'stranger' }, { username: 7 }, '"x"', '{']) {
    assert.equal((await house.ask('POST', keys, { body })).status, 400, JSON.stringify(body));
  }
});

test('users are stored hashed, read without secrets, disabled instead of removed', async (t) => {
  const house = await openHouse(t);
  const users = '/api/core/v2/users';
  const body = { username: 'alice', password: 'correct horse', groups: ['ops'] };
  assert.equal((await house.ask('POST', users, { body })).status, 201);
  assert.equal((await house.ask('POST', users, { body })).status, 409);
  assert.deepEqual((await house.ask('GET', `${users}/alice`)).json, {
    username: 'alice',
    groups: ['ops'],
    disabled: false,
  });
  assert.ok(!JSON.stringify([...house.backend.committer.records]).includes('correct horse'));
  const logIn = async (password: string) =>
    (
      await house.ask('GET', '/auth/test', {
        as: null,
        headers: { Authorization: `Basic ${Buffer.from(`alice:${password}`).toString('base64')}` },
      })
    ).status;
  assert.equal(await logIn('correct horse'), 200);
  assert.equal((await house.ask('PUT', `${users}/alice/groups/dev`)).status, 201);
  assert.equal((await house.ask('DELETE', `${users}/alice/groups/ops`)).status, 204);
  assert.deepEqual((await house.ask('GET', `${users}/alice`)).json.groups, ['dev']);
  assert.equal((await house.ask('DELETE', `${users}/alice/groups`)).status, 204);
  assert.equal((await house.ask('DELETE', `${users}/alice`)).status, 204);
  assert.equal((await house.ask('GET', `${users}/alice`)).json.disabled, true);
  assert.equal(await logIn('correct horse'), 401);
  assert.equal((await house.ask('PUT', `${users}/alice/reinstate`)).status, 201);
  const { hashOf } = await import('./harness.ts');
  const reset = { username: 'alice', password_hash: hashOf('battery staple').replace('$2b$', '$2a$') };
  assert.equal((await house.ask('PUT', `${users}/alice/reset_password`, { body: reset })).status, 201);
  assert.equal(await logIn('correct horse'), 401);
  assert.equal(await logIn('battery staple'), 200);
  for (const [sent, message] of [
    [{ username: 'bob', password: 'short' }, /at least 8 characters/],
    [{ username: 'bob' }, /a password or its hash is required/],
    [{ username: 'Bob', password: 'long enough' }, /username/],
    [
      { username: 'bob', password: 'long enough', password_hash: hashOf('another one') },
      /does not match its password_hash/,
    ],
    [{ username: 'bob', password: 'x'.repeat(73) }, /longer than 72 bytes/],
    [{ username: 'bob', password_hash: hashOf('x').replace('$04$', '$31$') }, /cost above 16/],
  ] as const) {
    const reply = await house.ask('POST', users, { body: sent });
    assert.equal(reply.status, 400, JSON.stringify(sent));
    assert.match(reply.json.message, message);
  }
  assert.equal((await house.ask('GET', `${users}/bob`)).status, 404);
  assert.equal((await house.ask('PUT', `${users}/bob/reinstate`)).status, 404);
});

test('users may read themselves and change their own password, but nobody else', async (t) => {
  const house = await openHouse(t);
  const users = '/api/core/v2/users';
  assert.equal((await house.ask('GET', `${users}/viewer`, { as: 'viewer' })).status, 200);
  assert.equal((await house.ask('GET', `${users}/admin`, { as: 'viewer' })).status, 403);
  const change = (user: string, password: string) =>
    house.ask('PUT', `${users}/${user}/change_password`, {
      as: 'viewer',
      body: { password, password_new: 'a new password' },
    });
  assert.equal((await change('admin', 'P@ssw0rd!')).status, 403);
  assert.equal((await change('viewer', 'wrong')).status, 400);
  assert.equal((await change('viewer', 'viewer-password')).status, 201);
  assert.equal((await change('viewer', 'viewer-password')).status, 400, 'the old one is no longer right');
  assert.equal(
    (await house.ask('PUT', `${users}/viewer/reset_password`, { as: 'viewer', body: {} })).status,
    403,
  );
});

test('a namespace comes with its role and is deleted only when nothing is left in it', async (t) => {
  const house = await openHouse(t);
  const namespaces = '/api/core/v2/namespaces';
  assert.equal((await house.ask('POST', namespaces, { body: { name: 'blue' } })).status, 201);
  assert.equal((await house.ask('POST', namespaces, { body: { name: 'blue' } })).status, 409);
  assert.equal((await house.ask('PUT', `${namespaces}/blue`, { body: { name: 'blue' } })).status, 201);
  assert.deepEqual((await house.ask('GET', `${namespaces}/blue`)).json, { name: 'blue' });
  const roles = await house.ask('GET', `${namespaces}/blue/roles`);
  assert.deepEqual(
    roles.json.map((role: { metadata: { name: string } }) => role.metadata.name),
    ['system:pipeline'],
  );
  await house.ask('POST', `${namespaces}/blue/checks`, {
    body: check('x', { metadata: { name: 'x', namespace: 'blue' } }),
  });
  const occupied = await house.ask('DELETE', `${namespaces}/blue`);
  assert.equal(occupied.status, 409);
  assert.match(occupied.json.message, /namespace is not empty: it holds checks x/);
  await house.ask('DELETE', `${namespaces}/blue/checks/x`);
  assert.equal((await house.ask('DELETE', `${namespaces}/blue`)).status, 204);
  assert.equal((await house.ask('GET', `${namespaces}/blue`)).status, 404);
  assert.equal(house.backend.resources.list('roles', { namespace: 'blue' }).items.length, 0);
  const names = async (as: string, path = namespaces) =>
    (await house.ask('GET', path, { as })).json.map(({ name }: { name: string }) => name);
  assert.deepEqual(await names('admin'), ['default', 'other']);
  assert.deepEqual(await names('viewer'), ['default']);
  assert.deepEqual(await names('nobody'), []);
  assert.deepEqual(await names('viewer', '/api/enterprise/user-namespaces'), ['default']);
});

test('a resource that is being written keeps its namespace from being deleted', async (t) => {
  const house = await openHouse(t);
  const { resources, committer } = house.backend;
  let open = (): void => {};
  committer.gate = new Promise((done) => {
    open = done;
  });
  const id = { segment: 'checks', namespace: 'other', name: 'late' };
  const write = resources.put(id, check('late'));
  const removal = assert.rejects(
    resources.delete({ segment: 'namespaces', namespace: '', name: 'other' }),
    /not empty/,
  );
  await removal;
  open();
  await write;
  assert.ok(resources.get('checks', 'other', 'late'));
});

test('silences are named after what they silence and vanish when they expire', async (t) => {
  const house = await openHouse(t);
  const silenced = '/api/core/v2/namespaces/default/silenced';
  const now = Math.floor(house.clock.nowMs / 1000);
  const body = { metadata: { name: 'whatever', namespace: 'default' }, subscription: 'linux', expire: 60 };
  assert.equal((await house.ask('POST', silenced, { body })).status, 201);
  assert.equal((await house.ask('POST', silenced, { body })).status, 409);
  for (const name of ['linux:*', 'linux%3A%2A']) {
    const read = await house.ask('GET', `${silenced}/${name}`);
    assert.equal(read.status, 200, name);
    assert.equal(read.json.metadata.name, 'linux:*');
    assert.equal(read.json.creator, 'admin');
    assert.equal(read.json.begin, now);
    assert.equal(read.json.expire_at, now + 60);
  }
  await house.ask('POST', silenced, { body: { check: 'cpu' } });
  assert.equal((await house.ask('GET', `${silenced}/*:cpu`)).json.expire, -1);
  assert.equal((await house.ask('GET', `${silenced}/subscriptions/linux`)).json.length, 1);
  assert.equal((await house.ask('GET', `${silenced}/subscriptions/lin`)).json.length, 0);
  assert.equal((await house.ask('GET', `${silenced}/checks/cpu`)).json.length, 1);
  assert.equal((await house.ask('GET', '/api/core/v2/silenced/checks/cpu')).json.length, 1);
  assert.equal(
    (await house.ask('PUT', `${silenced}/linux:*`, { body: { ...body, metadata: {}, expire: 30 } })).status,
    201,
  );
  const other = await house.ask('PUT', `${silenced}/linux:*`, { body: { metadata: {}, check: 'disk' } });
  assert.equal(other.status, 400);
  assert.equal(
    (await house.ask('POST', silenced, { body: {} })).json.message,
    'resource is invalid: must provide check or subscription',
  );
  house.clock.nowMs += 31_000;
  assert.equal((await house.ask('GET', `${silenced}/linux:*`)).status, 404);
  assert.equal((await house.ask('GET', silenced)).json.length, 1);
  assert.equal((await house.ask('DELETE', `${silenced}/*:cpu`)).status, 204);
  assert.equal((await house.ask('PATCH', `${silenced}/*:cpu`)).status, 405);
});

test('authentication and secrets providers are wrapped, and their secrets stay inside', async (t) => {
  const house = await openHouse(t);
  const url = '/api/enterprise/authentication/v2/authproviders';
  const provider = {
    Type: 'ldap',
    api_version: 'authentication/v2',
    metadata: { name: 'openldap' },
    spec: {
      servers: [
        {
          host: '127.0.0.1',
          binding: { user_dn: 'cn=binder', password: 'canary-1' },
          group_search: { base_dn: 'dc=acme' },
          user_search: { base_dn: 'dc=acme' },
        },
      ],
    },
  };
  const put = await house.ask('PUT', `${url}/openldap`, { body: provider });
  assert.equal(put.status, 200, put.text);
  const read = await house.ask('GET', `${url}/openldap`);
  assert.equal(read.json.type, 'ldap');
  assert.equal(read.json.spec.servers[0].port, 636);
  assert.ok(!read.text.includes('canary-1') && !put.text.includes('canary-1'));
  assert.equal((await house.ask('PUT', `${url}/openldap`, { body: read.json })).status, 200);
  assert.ok(
    JSON.stringify(house.backend.resources.get('authproviders', '', 'openldap')).includes('canary-1'),
  );
  assert.equal((await house.ask('GET', `${url}?types=AD&types=OIDC`)).json.length, 0);
  assert.equal((await house.ask('GET', `${url}?types=AD&types=LDAP`)).json.length, 1);
  assert.equal((await house.ask('PUT', `${url}/other`, { body: provider })).status, 400);
  assert.equal((await house.ask('PUT', `${url}/x`, { body: { type: 'ldap', spec: {} } })).status, 400);
  assert.equal((await house.ask('POST', url, { body: provider })).status, 405);
  assert.equal((await house.ask('DELETE', `${url}/openldap`)).status, 204);
  assert.equal((await house.ask('DELETE', `${url}/openldap`)).status, 404);

  const providers = '/api/enterprise/secrets/v1/providers';
  const store = {
    type: 'StoreProvider',
    api_version: 'secrets/v1',
    metadata: { name: 'vault' },
    spec: { client: { address: 'https://127.0.0.1:8200', token: 'canary-2', version: 'v1' }, max_retries: 5 },
  };
  assert.equal((await house.ask('PUT', `${providers}/vault`, { body: store })).status, 201);
  const list = await house.ask('GET', providers);
  assert.equal(list.json[0].spec.client.max_retries, 5);
  assert.ok(!list.text.includes('canary-2'));
  const secret = {
    type: 'Secret',
    api_version: 'secrets/v1',
    metadata: { name: 's' },
    spec: { id: 'X', provider: 'vault' },
  };
  const secrets = '/api/enterprise/secrets/v1/namespaces/default/secrets';
  assert.equal((await house.ask('PUT', `${secrets}/s`, { body: secret })).status, 201);
  assert.equal((await house.ask('GET', `${secrets}/s`)).json.spec.id, 'X');
  assert.equal((await house.ask('GET', '/api/enterprise/secrets/v1/secrets')).json.length, 1);
});

test('entities keep what the agent reported when an operator changes them', async (t) => {
  const house = await openHouse(t);
  const entities = '/api/core/v2/namespaces/default/entities';
  const body = {
    entity_class: 'proxy',
    metadata: { name: 'sw', namespace: 'default' },
    subscriptions: ['net'],
  };
  const made = await house.ask('POST', entities, { body });
  assert.equal(made.status, 200);
  assert.deepEqual(made.json.subscriptions, ['net', 'entity:sw']);
  assert.equal((await house.ask('POST', entities, { body })).status, 409);
  await house.backend.putEntity(
    {
      ...(await house.backend.readEntity('default', 'sw')),
      entity_class: 'agent',
      last_seen: 42,
      metadata: { name: 'web', namespace: 'default', labels: { password: 'canary', region: 'eu' } },
    } as never,
    { create: false },
  );
  const put = await house.ask('PUT', `${entities}/web`, {
    body: { entity_class: 'agent', metadata: { name: 'web' }, subscriptions: ['a'] },
  });
  assert.equal(put.status, 200, put.text);
  assert.equal(put.json.last_seen, 42);
  assert.equal(put.json.mon_agent_version, put.json.sensu_agent_version);
  const patch = await house.ask('PATCH', `${entities}/web`, {
    body: { metadata: { labels: { secret: 'x' } } },
    headers: { 'Content-Type': 'application/merge-patch+json' },
  });
  assert.equal(patch.status, 200, patch.text);
  assert.equal(patch.json.last_seen, undefined, 'the answer is the configuration half');
  const read = await house.ask('GET', `${entities}/web`);
  assert.equal(read.json.metadata.labels.secret, 'REDACTED');
  assert.equal(read.json.last_seen, 42);
  await house.ask('PUT', `${entities}/web`, { body: read.json });
  const kept = await house.backend.readEntity('default', 'web');
  assert.equal(kept?.metadata.labels?.secret, 'x', 'what was read as REDACTED and written back is kept');
  await house.ask('PATCH', `${entities}/web`, {
    body: { metadata: { labels: { 'sensu.io/managed_by': 'sensu-agent' } } },
    headers: { 'Content-Type': 'application/merge-patch+json' },
  });
  const managed = await house.ask('PUT', `${entities}/web`, {
    body: {
      entity_class: 'agent',
      metadata: { name: 'web', labels: { 'sensu.io/managed_by': 'sensu-agent' } },
    },
  });
  assert.equal(managed.status, 409);
  assert.deepEqual(managed.json, { message: 'entity is managed by its agent', code: 3 });
  house.backend.entityLimit = 2;
  const over = await house.ask('POST', entities, { body: { metadata: { name: 'third' } } });
  assert.equal(over.status, 402);
  assert.equal(over.json.code, 6);
  assert.match(over.json.message, /a valid license with a sufficient entity limit is required/);
  assert.equal((await house.ask('GET', entities)).json.length, 2);
  assert.equal((await house.ask('DELETE', `${entities}/sw`)).status, 204);
  assert.equal((await house.ask('DELETE', `${entities}/sw`)).status, 404);
  assert.equal((await house.ask('PUT', `${entities}/x`, { body: '{' })).status, 400);
});
