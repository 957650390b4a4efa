// The table of kinds: one row a kind, complete, and true to the reference shapes.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import type { Operation } from '../../src/model/resource/resource-kind.ts';
import { kindByPath, resourceKinds } from '../../src/model/resource/resource-kinds.ts';
import { event, good } from './samples.ts';

type Json = Record<string, unknown>;

const kindOf = (path: string) => {
  const kind = kindByPath.get(path);
  assert.ok(kind, path);
  return kind;
};

const metadata = { name: 'x', namespace: 'default' };
const wire = (path: string, body: Json): Json => kindOf(path).toWire(good(kindOf(path).decode(body)));

test('paths and types are unique', () => {
  assert.equal(new Set(resourceKinds.map((kind) => kind.path)).size, resourceKinds.length);
  const types = resourceKinds.flatMap((kind) => kind.types);
  assert.equal(new Set(types.map((type) => type.toLowerCase())).size, types.length);
});

test('the matrix of operations is the reference one', () => {
  const all: Operation[] = ['list', 'listAll', 'create', 'get', 'put', 'patch', 'delete'];
  const without = (...gone: Operation[]) => all.filter((operation) => !gone.includes(operation)).sort();
  const matrix: Readonly<Record<string, readonly Operation[]>> = {
    ...Object.fromEntries(
      ['assets', 'checks', 'entities', 'filters', 'handlers', 'hooks', 'mutators', 'pipelines']
        .concat('roles', 'rolebindings')
        .map((path) => [path, without()]),
    ),
    silenced: without('patch'),
    events: without('patch'),
    clusterroles: without('listAll'),
    clusterrolebindings: without('listAll'),
    namespaces: without('listAll'),
    users: without('listAll', 'patch'),
    apikeys: without('listAll', 'put'),
    authproviders: without('listAll', 'create', 'patch'),
    providers: without('listAll', 'create', 'patch'),
    secrets: without('create', 'patch'),
  };
  assert.deepEqual(
    Object.fromEntries(resourceKinds.map((kind) => [kind.path, [...kind.operations].sort()])),
    Object.fromEntries(resourceKinds.map((kind) => [kind.path, matrix[kind.path]])),
  );
});

test('routes begin where the reference has them', () => {
  assert.equal(kindOf('checks').basePath, '/api/core/v2');
  assert.equal(kindOf('authproviders').basePath, '/api/enterprise/authentication/v2');
  assert.equal(kindOf('secrets').basePath, '/api/enterprise/secrets/v1');
});

test('every schema can be written as JSON Schema, with the names of its fields', () => {
  for (const kind of resourceKinds) {
    const schema = z.toJSONSchema(kind.schema, { io: 'input' }) as Json;
    assert.ok(schema.properties ?? schema.oneOf ?? schema.anyOf, kind.path);
  }
  const check = z.toJSONSchema(kindOf('checks').schema, { io: 'input' }) as { properties: Json };
  assert.deepEqual(check.properties.interval, {
    default: 0,
    description: 'Time between two runs; either this or cron.',
    'x-unit': 'seconds',
    type: 'integer',
    maximum: 4_294_967_295,
    minimum: 0,
  });
});

const shapes: readonly (readonly [string, Json, Json])[] = [
  [
    'checks',
    {
      metadata: { name: 'c1', namespace: 'default', created_by: 'admin' },
      command: 'chk.sh',
      interval: 60,
      publish: true,
      subscriptions: ['linux'],
    },
    {
      command: 'chk.sh',
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
      metadata: { name: 'c1', namespace: 'default', created_by: 'admin' },
      secrets: null,
      pipelines: [],
    },
  ],
  [
    'handlers',
    { metadata, type: 'tcp', timeout: 30, socket: { host: '10.0.1.99', port: 4444 }, command: '' },
    {
      metadata,
      type: 'tcp',
      timeout: 30,
      socket: { host: '10.0.1.99', port: 4444 },
      handlers: null,
      filters: null,
      env_vars: null,
      runtime_assets: null,
      secrets: null,
    },
  ],
  [
    'filters',
    { metadata, action: 'allow', expressions: ['event.check.occurrences == 1'] },
    { metadata, action: 'allow', expressions: ['event.check.occurrences == 1'], runtime_assets: null },
  ],
  [
    'hooks',
    { metadata, command: 'ps aux', timeout: 60 },
    { metadata, command: 'ps aux', timeout: 60, stdin: false, runtime_assets: null },
  ],
  [
    'mutators',
    { metadata, command: 'm.rb' },
    {
      metadata,
      command: 'm.rb',
      timeout: 0,
      env_vars: null,
      runtime_assets: null,
      secrets: null,
      type: 'pipe',
    },
  ],
  [
    'assets',
    { metadata, url: 'https://h', sha512: 'abc', filters: ["entity.system.os == 'linux'"] },
    {
      metadata,
      url: 'https://h',
      sha512: 'abc',
      filters: ["entity.system.os == 'linux'"],
      builds: null,
      headers: null,
    },
  ],
  [
    'pipelines',
    {
      metadata,
      workflows: [
        { name: 'w', filters: [], handler: { name: 's', type: 'Handler', api_version: 'core/v2' } },
      ],
    },
    { metadata, workflows: [{ name: 'w', handler: { name: 's', type: 'Handler', api_version: 'core/v2' } }] },
  ],
  [
    'silenced',
    {
      metadata: { ...metadata, name: 'linux:*' },
      creator: 'admin',
      reason: 'r',
      subscription: 'linux',
      begin: 5,
    },
    {
      metadata: { ...metadata, name: 'linux:*' },
      expire: -1,
      expire_on_resolve: false,
      creator: 'admin',
      reason: 'r',
      subscription: 'linux',
      begin: 5,
      expire_at: 0,
    },
  ],
  [
    'roles',
    { metadata, rules: [{ verbs: ['get', 'list'], resources: ['events'] }] },
    { metadata, rules: [{ verbs: ['get', 'list'], resources: ['events'], resource_names: null }] },
  ],
  [
    'clusterrolebindings',
    {
      metadata: { name: 'x' },
      subjects: [{ type: 'User', name: 'alice' }],
      role_ref: { type: 'ClusterRole', name: 'r' },
    },
    {
      metadata: { name: 'x' },
      subjects: [{ type: 'User', name: 'alice' }],
      role_ref: { type: 'ClusterRole', name: 'r' },
    },
  ],
  [
    'users',
    { username: 'alice', password: 'secret-words', password_hash: 'h', groups: ['ops'] },
    { username: 'alice', groups: ['ops'], disabled: false },
  ],
  ['namespaces', { name: 'default' }, { name: 'default' }],
  [
    'apikeys',
    { metadata: { name: 'uuid', created_by: 'admin' }, username: 'admin', created_at: 1, hash: 'h' },
    { metadata: { name: 'uuid', created_by: 'admin' }, username: 'admin', created_at: 1 },
  ],
];

test('resources read back in the reference shapes', () => {
  for (const [path, body, wanted] of shapes) assert.deepEqual(wire(path, body), wanted, path);
});

test('what was read back decodes to the same resource', () => {
  for (const [path, , shape] of shapes) {
    if (path === 'users') continue;
    assert.deepEqual(wire(path, structuredClone(shape)), shape, path);
  }
});

test('labels that an entity redacts are hidden from readers, in events too', () => {
  const body = { metadata: { ...metadata, labels: { 'API-Key': 'k', region: 'eu' } } };
  const shown = wire('entities', body).metadata as Json;
  assert.deepEqual(shown.labels, { 'API-Key': 'REDACTED', region: 'eu' });
  const carried = event({}, { metadata: { name: 'e', labels: { password: 'p' } } });
  const inEvent = kindOf('events').toWire(carried).entity as { metadata: Json };
  assert.deepEqual(inEvent.metadata.labels, { password: 'REDACTED' });
});

test('secrets of providers are hidden, and kept when the hidden form comes back to the same place', () => {
  const kind = kindOf('providers');
  const client = { address: 'https://h', token: 'tell-nobody', version: 'v1' };
  const stored = good(kind.decode({ type: 'StoreProvider', metadata: { name: 'v' }, spec: { client } }));
  const shown = kind.toWire(stored);
  assert.ok(!JSON.stringify(shown).includes('tell-nobody'));
  const back = kind.keepSecrets(good(kind.decode(shown)), stored);
  assert.deepEqual(back, stored);
  const moved = structuredClone(shown) as { spec: { client: Json } };
  moved.spec.client.address = 'https://elsewhere';
  const kept = kind.keepSecrets(good(kind.decode(moved)), stored);
  assert.equal(kind.validate(kept), 'spec.client.token must be set');
  assert.equal(
    kind.validate(kind.keepSecrets(good(kind.decode(shown)), undefined)),
    'spec.client.token must be set',
  );
});

test('a binding password follows its server, not its place in the list', () => {
  const kind = kindOf('authproviders');
  const server = (host: string) => ({
    host,
    binding: { user_dn: 'cn=x', password: `of-${host}` },
    user_search: { base_dn: 'dc=x' },
  });
  const stored = good(
    kind.decode({ type: 'ldap', metadata: { name: 'd' }, spec: { servers: [server('a'), server('b')] } }),
  );
  const shown = kind.toWire(stored) as { spec: { servers: unknown[] } };
  assert.ok(!JSON.stringify(shown).includes('of-a'));
  const onlySecond = { ...shown, spec: { ...shown.spec, servers: shown.spec.servers.slice(1) } };
  const back = kind.keepSecrets(good(kind.decode(onlySecond)), stored);
  assert.ok(JSON.stringify(back).includes('of-b') && !JSON.stringify(back).includes('of-a'));
});

test('field selectors know the fields of each kind', () => {
  const fields = (path: string, body: Json) => kindOf(path).fields(good(kindOf(path).decode(body)));
  assert.deepEqual(
    fields('checks', {
      metadata: { ...metadata, labels: { team: 'a' } },
      handlers: ['x', 'y'],
      publish: true,
    }),
    {
      'check.name': 'x',
      'check.namespace': 'default',
      'check.labels.team': 'a',
      'check.handlers': 'x,y',
      'check.publish': 'true',
      'check.round_robin': 'false',
      'check.runtime_assets': '',
      'check.subscriptions': '',
    },
  );
  assert.deepEqual(fields('users', { username: 'a', groups: ['x'] }), {
    'user.name': 'a',
    'user.username': 'a',
    'user.disabled': 'false',
    'user.groups': 'x',
  });
  assert.equal(
    fields('rolebindings', { metadata, role_ref: { type: 'Role', name: 'r' } })['rolebinding.role_ref.name'],
    'r',
  );
  assert.equal(fields('secrets', { metadata, spec: { id: 'i', provider: 'p' } })['secret.provider'], 'p');
});

test('events are selected by what they carry', () => {
  const kind = kindOf('events');
  const carried = event(
    { status: 2, subscriptions: ['linux', 'web'], metadata: { name: 'cpu', labels: { a: 'check' } } },
    { metadata: { name: 'web-01', namespace: 'prod', labels: { a: 'entity', b: 'entity' } } },
  );
  const fields = kind.fields(carried);
  assert.equal(kind.name(carried), 'web-01/cpu');
  assert.equal(kind.namespace(carried), 'prod');
  assert.equal(fields['event.check.status'], '2');
  assert.equal(fields['event.check.subscriptions'], 'linux,web');
  assert.equal(fields['event.entity.entity_class'], 'agent');
  assert.equal(fields['event.labels.b'], 'entity');
  assert.deepEqual(kind.labels(carried), { a: 'check', b: 'entity' });
  assert.deepEqual(kind.labels({ ...carried, metadata: { labels: { own: '1' } } }), { own: '1' });
});
