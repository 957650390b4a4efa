// The rules of every other kind, through the table: first the types, then the first broken rule.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { kindByPath } from '../../src/model/resource/resource-kinds.ts';
import { bad, good } from './samples.ts';

type Json = Record<string, unknown>;

const kindOf = (path: string) => {
  const kind = kindByPath.get(path);
  assert.ok(kind, path);
  return kind;
};

/** The message of what is wrong with a body, or null. */
const told = (path: string, body: Json): string | null => {
  const kind = kindOf(path);
  const decoded = kind.decode(body);
  return decoded.ok ? kind.validate(decoded.value) : decoded.message;
};

const metadata = { name: 'x', namespace: 'default' };
const clusterWide = { name: 'x' };
const sha512 = 'a'.repeat(128);
const hash = `$2a$10$${'a'.repeat(53)}`;
const reference = (type: string) => ({ name: 'r', type, api_version: 'core/v2' });
const flow = (fields: Json = {}) => ({ name: 'w', handler: reference('Handler'), ...fields });
const rule = { verbs: ['get'], resources: ['events'] };
const subject = { type: 'User', name: 'alice' };
const server = (fields: Json = {}) => ({ host: 'h', user_search: { base_dn: 'dc=x' }, ...fields });
const ldap = (servers: unknown, rest: Json = {}) => ({
  type: 'ldap',
  metadata: clusterWide,
  spec: { servers },
  ...rest,
});
const client = { address: 'https://h:8200', token: 't', version: 'v1' };
const store = (fields: Json) => ({ type: 'StoreProvider', metadata: clusterWide, spec: { client: fields } });

type Row = readonly [path: string, body: Json, wanted: string | RegExp | null];

const rows: readonly Row[] = [
  ['namespaces', { name: 'a b' }, 'namespace name cannot contain spaces or special characters'],
  ['namespaces', {}, 'namespace name must not be empty'],
  ['namespaces', { name: 'prod' }, null],

  ['handlers', {}, 'handler name must not be empty'],
  ['handlers', { metadata }, 'empty handler type (use one of pipe, tcp, udp, set)'],
  ['handlers', { metadata, type: 'pipe' }, 'missing command'],
  ['handlers', { metadata, type: 'tcp' }, 'tcp and udp handlers need a valid socket'],
  ['handlers', { metadata, type: 'udp', socket: {} }, 'socket host undefined'],
  ['handlers', { metadata, type: 'udp', socket: { host: 'h' } }, 'socket port undefined'],
  [
    'handlers',
    { metadata, type: 'tcp', socket: { host: 'h', port: 65_536 } },
    'socket port must be at most 65535 (got 65536)',
  ],
  ['handlers', { metadata, type: 'tcp', socket: { host: 'h', port: 65_535 } }, null],
  ['handlers', { metadata, type: 'http' }, 'unknown handler type: http (use one of pipe, tcp, udp, set)'],
  ['handlers', { metadata, type: 'pipe', command: ' ' }, 'missing command'],
  ['handlers', { metadata, type: 'set', env_vars: ['A'] }, null],
  ['handlers', { metadata: clusterWide, type: 'set', handlers: ['a'] }, 'namespace must be set'],
  ['handlers', { metadata, type: 'set', handlers: ['a'] }, null],
  [
    'handlers',
    { metadata, type: 'pipe', timeout: -1 },
    'handler.timeout must be a whole number, 0 or more (got -1)',
  ],

  ['filters', {}, 'filter name must not be empty'],
  ['filters', { metadata, action: 'maybe' }, "action 'maybe' is not valid: use allow or deny"],
  ['filters', { metadata, action: 'allow' }, 'filter must have one or more expressions'],
  ['filters', { metadata, action: 'deny', expressions: ['true', '(('] }, /^syntax error in expression 1: /],
  [
    'filters',
    {
      metadata,
      action: 'deny',
      expressions: ['true'],
      when: { days: { monday: [{ begin: '25:00', end: '1:00 PM' }] } },
    },
    'when.days.monday: "25:00" is not a time of day like "3:00 PM"',
  ],
  ['filters', { metadata: clusterWide, action: 'deny', expressions: ['true'] }, 'namespace must be set'],
  [
    'filters',
    {
      metadata,
      action: 'deny',
      expressions: ['var a = 1; a > event.check.status'],
      when: { days: { all: [{ begin: '5:00 PM', end: '8:00AM' }] } },
    },
    null,
  ],

  ['mutators', {}, 'mutator name must not be empty'],
  ['mutators', { metadata }, 'mutator command or eval must be set'],
  [
    'mutators',
    { metadata, type: 'javascript', command: 'c' },
    '"command" used with javascript mutator, should be "eval"',
  ],
  ['mutators', { metadata, eval: 'return 1' }, null],
  [
    'mutators',
    { metadata, type: 'lua', eval: 'x' },
    'invalid mutator type "lua", valid types are "javascript, pipe"',
  ],
  [
    'mutators',
    { metadata, command: 'c', env_vars: ['A'] },
    'environment variables must be of the form FOO=BAR',
  ],
  ['mutators', { metadata: clusterWide, command: 'c' }, 'namespace must be set'],
  ['mutators', { metadata, type: '', command: 'c' }, null],
  ['mutators', { metadata, type: 'javascript', eval: 'return event' }, null],

  ['hooks', {}, 'hook name must not be empty'],
  ['hooks', { metadata }, 'command cannot be empty'],
  ['hooks', { metadata, command: 'ps' }, 'hook timeout must be greater than 0'],
  ['hooks', { metadata: clusterWide, command: 'ps', timeout: 1 }, 'namespace must be set'],
  ['hooks', { metadata, command: 'ps', timeout: 1 }, null],

  ['assets', {}, 'name cannot be empty'],
  [
    'assets',
    { metadata: { name: 'a b' } },
    'name may only contain letters, forward slashes, underscores, dashes and numbers',
  ],
  ['assets', { metadata }, 'SHA-512 checksum cannot be empty'],
  ['assets', { metadata, sha512: sha512.slice(1) }, 'SHA-512 checksum must be at least 128 characters'],
  ['assets', { metadata, sha512 }, 'URL cannot be empty'],
  ['assets', { metadata, sha512, url: 'u', filters: ['=='] }, /^syntax error in expression 0: /],
  ['assets', { metadata, builds: [{ sha512, url: 'u' }, { sha512 }] }, 'URL cannot be empty'],
  ['assets', { metadata: clusterWide, sha512, url: 'u' }, 'namespace cannot be empty'],
  ['assets', { metadata: { name: 'acme/a:1', namespace: 'd' }, builds: [{ sha512, url: 'u' }] }, null],

  ['pipelines', {}, 'name must not be empty'],
  ['pipelines', { metadata: clusterWide }, 'namespace must be set'],
  ['pipelines', { metadata, workflows: [{}] }, 'workflow name must not be empty'],
  ['pipelines', { metadata, workflows: [{ name: 'w' }] }, 'workflow handler must be set'],
  [
    'pipelines',
    { metadata, workflows: [flow({ handler: { name: 'h' } })] },
    'workflow handler type must be set',
  ],
  [
    'pipelines',
    { metadata, workflows: [flow({ filters: [{ name: 'f', type: 'EventFilter' }] })] },
    'workflow filter api_version must be set',
  ],
  [
    'pipelines',
    { metadata, workflows: [flow({ filters: [reference('Handler')] })] },
    'workflow filter resource type not capable of filtering events: core/v2.Handler',
  ],
  [
    'pipelines',
    { metadata, workflows: [flow({ mutator: reference('Handler') })] },
    'workflow mutator resource type not capable of mutating events: core/v2.Handler',
  ],
  [
    'pipelines',
    {
      metadata,
      workflows: [
        flow({ handler: { name: 'splunk', type: 'TCPStreamHandler', api_version: 'pipeline/v1' } }),
      ],
    },
    null,
  ],
  [
    'pipelines',
    { metadata, workflows: [flow({ handler: reference('Mutator') })] },
    'workflow handler resource type not capable of handling events: core/v2.Mutator',
  ],
  [
    'pipelines',
    { metadata, workflows: [flow({ filters: [reference('EventFilter')], mutator: reference('Mutator') })] },
    null,
  ],

  ['silenced', { metadata }, 'must provide check or subscription'],
  ['silenced', { metadata, check: 'a b' }, 'Check cannot contain spaces or special characters'],
  ['silenced', { metadata, check: 'cpu' }, null],

  ['users', {}, 'username must not be empty'],
  ['users', { username: 'Alice' }, 'username cannot contain spaces or special characters'],
  [
    'users',
    { username: 'alice' },
    'a password or password_hash is required: responses and dumps contain neither',
  ],
  ['users', { username: 'alice', password: '' }, "password can't be empty"],
  ['users', { username: 'alice', password: '1234567' }, 'password length must be at least 8 characters'],
  ['users', { username: 'alice', password: '12345678' }, null],
  ['users', { username: 'alice', password_hash: 'plain' }, 'password_hash must be a bcrypt hash'],
  ['users', { username: 'alice', password_hash: hash }, null],

  ['roles', {}, 'the Role name must not be empty'],
  ['roles', { metadata: clusterWide }, 'the Role namespace must be set'],
  ['roles', { metadata }, 'a Role must have at least one rule'],
  [
    'roles',
    { metadata, rules: [{ verbs: ['get', 'inspect:get', 'inspect:control', 'fly'] }] },
    'the verb "fly" is not valid: it is one of *, get, list, create, update, delete, inspect:get, inspect:control',
  ],
  [
    'roles',
    { metadata: { ...metadata, name: 'a:b:c' } },
    'the Role name cannot contain spaces or special characters',
  ],
  ['roles', { metadata, rules: [rule] }, null],
  ['clusterroles', { metadata, rules: [rule] }, 'ClusterRole cannot have a namespace'],
  ['clusterroles', { metadata: clusterWide }, 'a ClusterRole must have at least one rule'],
  ['clusterroles', { metadata: { name: 'system:agent' }, rules: [rule] }, null],
  [
    'rolebindings',
    { metadata, role_ref: { type: 'Rule', name: 'r' } },
    'roleRef type "Rule" is invalid, expected either "ClusterRole" or "Role"',
  ],
  ['rolebindings', { metadata, role_ref: { type: 'role' } }, 'roleRef name for Role is required'],
  [
    'rolebindings',
    { metadata, role_ref: { type: 'Role', name: 'r' } },
    'a RoleBinding must have at least one subject',
  ],
  [
    'rolebindings',
    { metadata, role_ref: { type: 'Role', name: 'r' }, subjects: [{ type: 'Robot', name: 'x' }] },
    'subject type "Robot" is invalid, expected either "Group" or "User"',
  ],
  [
    'rolebindings',
    { metadata, role_ref: { type: 'Role', name: 'r' }, subjects: [{ type: 'group' }] },
    'subject name for the "Group" type is required',
  ],
  ['rolebindings', { metadata, role_ref: { type: 'clusterrole', name: 'r' }, subjects: [subject] }, null],
  [
    'clusterrolebindings',
    { metadata, role_ref: { type: 'ClusterRole', name: 'r' }, subjects: [subject] },
    'ClusterRoleBinding cannot have a namespace',
  ],
  [
    'clusterrolebindings',
    { metadata: clusterWide, role_ref: { type: 'Role', name: 'r' }, subjects: [subject] },
    'a ClusterRoleBinding must refer to a ClusterRole',
  ],

  ['apikeys', { metadata, username: 'a' }, 'api key cannot have a namespace'],
  ['apikeys', { metadata: clusterWide }, 'api key must have a username'],
  ['apikeys', { metadata: clusterWide, username: 'a' }, null],

  ['secrets', { metadata: clusterWide }, 'namespace must be set'],
  ['secrets', { metadata, spec: { provider: 'env' } }, 'secret id must be set'],
  ['secrets', { metadata, spec: { id: 'X' } }, 'secret provider must be set'],
  ['secrets', { Type: 'Secret', metadata, spec: { id: 'X', provider: 'env' } }, null],

  [
    'providers',
    { type: 'Safe' },
    /^type could not be found: "Safe" is unknown; use one of Env, StoreProvider/,
  ],
  ['providers', { type: 'CyberArkProvider' }, /"CyberArkProvider" is not supported here; use one of Env/],
  ['providers', { type: 'AWSProvider' }, /"AWSProvider" is not supported here; use one of Env/],
  ['providers', { type: 'Env', metadata: clusterWide, spec: {} }, null],
  ['providers', { type: 'Env', metadata, spec: {} }, 'secrets providers cannot have a namespace'],
  ['providers', { type: 'StoreProvider', metadata: clusterWide, spec: {} }, 'spec.client must be set'],
  ['providers', store({ ...client, address: '' }), 'spec.client.address must be set'],
  ['providers', store({ ...client, address: 'vault' }), 'spec.client.address must be a URL (got "vault")'],
  ['providers', store({ ...client, token: '' }), 'spec.client.token must be set'],
  ['providers', store({ ...client, version: 'v3' }), 'spec.client.version must be "v1" or "v2" (got "v3")'],
  [
    'providers',
    store({ ...client, timeout: '20' }),
    'spec.client.timeout must be a duration like "20s" (got "20")',
  ],
  [
    'providers',
    store({ ...client, max_retries: -1 }),
    'spec.client.max_retries must be a whole number, 0 or more (got -1)',
  ],
  ['providers', store(client), null],
  ['providers', { ...store(client), type: 'VaultProvider', api_version: 'secrets/v1' }, null],
  [
    'providers',
    { ...store(client), api_version: 'secrets/v2' },
    'api_version must be "secrets/v1" (got "secrets/v2")',
  ],

  ['authproviders', {}, 'error parsing spec: type could not be found: ""'],
  ['authproviders', { type: 'nis', spec: {} }, 'error parsing spec: type could not be found: "nis"'],
  ['authproviders', { type: 'ldap' }, 'spec is required'],
  ['authproviders', ldap([]), 'spec.servers must contain at least one server'],
  ['authproviders', ldap([{}]), 'spec.servers[0].host must be set'],
  ['authproviders', ldap([server(), { host: 'h' }]), 'spec.servers[1].user_search.base_dn must be set'],
  [
    'authproviders',
    ldap([server({ binding: { user_dn: 'cn=x' } })]),
    'spec.servers[0].binding.password must be set',
  ],
  ['authproviders', ldap([server({ group_search: {} })]), 'spec.servers[0].group_search.base_dn must be set'],
  [
    'authproviders',
    ldap([server({ security: 'ssl' })]),
    'spec.servers[0].security must be one of tls, starttls, insecure (got "ssl")',
  ],
  ['authproviders', ldap([server()], { metadata }), 'authentication providers cannot have a namespace'],
  ['authproviders', { Type: 'LDAP', metadata: clusterWide, spec: { servers: [server()] } }, null],
  ['authproviders', { type: 'oidc', metadata: clusterWide, spec: {} }, 'spec.client_id must be set'],
  [
    'authproviders',
    {
      type: 'OIDC',
      metadata: clusterWide,
      spec: { client_id: 'a', client_secret: 'b', server: 'https://issuer.example' },
    },
    null,
  ],
];

test('each failing rule has its own message, and valid resources pass', () => {
  for (const [path, body, wanted] of rows) {
    const found = told(path, body);
    const about = `${path} ${JSON.stringify(body)}`;
    if (wanted instanceof RegExp) assert.match(found ?? '', wanted, about);
    else assert.equal(found, wanted, about);
  }
});

test('comma-separated words in rules are split', () => {
  const role = good(
    kindOf('roles').decode({ metadata, rules: [{ verbs: ['get, list'], resources: ['a,b'] }] }),
  );
  assert.deepEqual(role.rules, [{ verbs: ['get', 'list'], resources: ['a', 'b'], resource_names: null }]);
});

test('both placements of the client fields are read, and kept in one place', () => {
  const limiter = { limit: 10, burst: 100 };
  const outside = good(
    kindOf('providers').decode({
      type: 'StoreProvider',
      metadata: clusterWide,
      spec: { client, max_retries: 5, timeout: '20s', rate_limiter: limiter },
    }),
  );
  const inside = good(
    kindOf('providers').decode(store({ ...client, max_retries: 5, timeout: '20s', rate_limiter: limiter })),
  );
  assert.deepEqual(outside, inside);
  const plain = good(kindOf('providers').decode(store(client))) as unknown as {
    spec: { client: Record<string, unknown> };
  };
  const { max_retries, timeout, rate_limiter, tls } = plain.spec.client;
  assert.deepEqual([max_retries, timeout, rate_limiter, tls], [2, '60s', null, null]);
});

test('an authentication provider reads back with every default filled', () => {
  const decoded = good(
    kindOf('authproviders').decode({ Type: 'ldap', metadata: clusterWide, spec: { servers: [server()] } }),
  );
  assert.deepEqual(decoded, {
    type: 'ldap',
    api_version: 'authentication/v2',
    metadata: clusterWide,
    spec: {
      servers: [
        {
          host: 'h',
          port: 636,
          insecure: false,
          security: 'tls',
          trusted_ca_file: '',
          client_cert_file: '',
          client_key_file: '',
          binding: null,
          default_upn_domain: '',
          group_search: { base_dn: '', attribute: '', name_attribute: '', object_class: '' },
          user_search: { base_dn: 'dc=x', attribute: 'uid', name_attribute: 'cn', object_class: 'person' },
        },
      ],
      groups_prefix: '',
      username_prefix: '',
    },
  });
  assert.deepEqual(good(kindOf('authproviders').decode(decoded)), decoded);
});

test('a directory of the other sort has its own defaults, and open links another port', () => {
  const ad = good(
    kindOf('authproviders').decode({
      type: 'AD',
      metadata: clusterWide,
      spec: { servers: [server({ security: 'starttls', group_search: { base_dn: 'dc=y' } })] },
    }),
  ) as unknown as { spec: { servers: { port: number; user_search: Json; group_search: Json }[] } };
  const [first] = ad.spec.servers;
  assert.equal(first?.port, 389);
  assert.equal(first?.user_search.attribute, 'sAMAccountName');
  assert.equal(first?.group_search.object_class, 'group');
});

test('a wrapped body is accepted on a core route if its type is right', () => {
  const wrapped = {
    type: 'Handler',
    api_version: 'core/v2',
    metadata,
    spec: { type: 'set', handlers: ['a'] },
  };
  assert.equal(good(kindOf('handlers').decode(wrapped)).type, 'set');
  assert.equal(bad(kindOf('filters').decode(wrapped)), 'type must be "EventFilter" (got "Handler")');
});
