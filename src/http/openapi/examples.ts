// One example request per kind. A test validates each with its schema and rules.
import { authApiVersion } from '../../model/access/auth-provider.ts';
import { secretsApiVersion } from '../../model/access/secret.ts';

const inDefault = (name: string) => ({ name, namespace: 'default' });

const rules = [{ verbs: ['get', 'list'], resources: ['events'], resource_names: null }];
const subjects = [{ type: 'User', name: 'ada' }];

/** By path segment of the kind. */
export const examples: Readonly<Record<string, object>> = {
  namespaces: { name: 'production' },
  users: { username: 'ada', password: 'a long password', groups: ['operators'], disabled: false },
  apikeys: { metadata: { name: '83abef1e-e7d7-4beb-91fc-79ad90084d5b' }, username: 'ada' },
  clusterroles: { metadata: { name: 'watcher' }, rules },
  clusterrolebindings: {
    metadata: { name: 'watchers' },
    subjects,
    role_ref: { type: 'ClusterRole', name: 'watcher' },
  },
  roles: { metadata: inDefault('watcher'), rules },
  rolebindings: { metadata: inDefault('watchers'), subjects, role_ref: { type: 'Role', name: 'watcher' } },
  authproviders: {
    type: 'ldap',
    api_version: authApiVersion,
    metadata: { name: 'directory' },
    spec: {
      servers: [
        {
          host: 'ldap.example.org',
          port: 636,
          security: 'tls',
          binding: { user_dn: 'cn=binder,dc=example,dc=org', password: 'binder-password' },
          group_search: { base_dn: 'ou=groups,dc=example,dc=org' },
          user_search: { base_dn: 'ou=people,dc=example,dc=org' },
        },
      ],
      groups_prefix: 'ldap',
      username_prefix: 'ldap',
    },
  },
  providers: {
    type: 'StoreProvider',
    api_version: secretsApiVersion,
    metadata: { name: 'vault' },
    spec: {
      client: {
        address: 'https://vault.example.org:8200',
        token: 'store-token',
        version: 'v2',
        max_retries: 2,
        timeout: '20s',
        rate_limiter: { limit: 10, burst: 100 },
      },
    },
  },
  secrets: {
    type: 'Secret',
    api_version: secretsApiVersion,
    metadata: inDefault('pager-token'),
    spec: { id: 'secret/pager#token', provider: 'vault' },
  },
  assets: {
    metadata: inDefault('disk-checks'),
    url: 'https://assets.example.org/disk-checks-1.2.0.tar.gz',
    sha512: '4f'.repeat(64),
    filters: ["entity.system.os == 'linux'"],
  },
  hooks: { metadata: inDefault('top-processes'), command: 'ps aux --sort=-%cpu', timeout: 10, stdin: false },
  filters: {
    metadata: inDefault('only-new'),
    action: 'allow',
    expressions: ['event.check.occurrences == 1'],
  },
  mutators: { metadata: inDefault('short'), type: 'pipe', command: 'jq -c .check', timeout: 10 },
  handlers: {
    metadata: inDefault('pager'),
    type: 'pipe',
    command: 'notify-pager',
    timeout: 30,
    filters: ['is_incident', 'not_silenced'],
    secrets: [{ name: 'PAGER_TOKEN', secret: 'pager-token' }],
  },
  pipelines: {
    metadata: inDefault('incidents'),
    workflows: [
      {
        name: 'page',
        filters: [{ name: 'is_incident', type: 'EventFilter', api_version: 'core/v2' }],
        handler: { name: 'pager', type: 'Handler', api_version: 'core/v2' },
      },
    ],
  },
  checks: {
    metadata: inDefault('disk'),
    command: 'check_disk -w 20% -c 10% -p /',
    subscriptions: ['linux'],
    interval: 60,
    timeout: 10,
    publish: true,
    handlers: ['pager'],
    check_hooks: [{ critical: ['top-processes'] }],
  },
  entities: {
    metadata: { ...inDefault('switch-1'), labels: { rack: '7' } },
    entity_class: 'proxy',
    subscriptions: ['network'],
  },
  events: {
    entity: { entity_class: 'proxy', metadata: inDefault('switch-1') },
    check: {
      metadata: inDefault('ports'),
      interval: 60,
      status: 2,
      output: 'port 7 is down',
      handlers: ['pager'],
    },
  },
  silenced: {
    metadata: inDefault('linux:disk'),
    subscription: 'linux',
    check: 'disk',
    reason: 'new disks',
    expire: 3_600,
  },
  license: {
    entities: 5_000,
    issued: '2026-01-01T00:00:00Z',
    expires: '2027-01-01T00:00:00Z',
    holder: 'Example Org',
    signature: 'base64 of an Ed25519 signature',
  },
};
