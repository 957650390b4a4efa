// The kinds of resources the configuration page shows: where each lies, what may be done to it, what its list tells, and
// what a new one looks like. One row a kind; the page itself knows none of them by name.
import { encode, inNamespace } from './api.ts';

type ConfigAct = 'create' | 'edit' | 'remove';
export type Resource = Readonly<Record<string, unknown>>;

/** Heading, and what stands under it. */
type Column = readonly [string, (resource: Resource) => string];

export interface ConfigKind {
  /** Path segment of the public API, and of the page's address. */
  readonly path: string;
  readonly title: string;
  readonly one: string;
  readonly isNamespaced: boolean;
  /** Root of the API group. */
  readonly root: string;
  readonly acts: readonly ConfigAct[];
  /** How a new one is made: posted to the collection, or put under its name. */
  readonly creation: 'POST' | 'PUT';
  /** What removing one is called. */
  readonly removal: 'Delete' | 'Disable';
  readonly blank: Resource;
  /** The name opens the API: lists show only how it begins. */
  readonly hidesName?: boolean;
  /** Beside the name. */
  readonly columns: readonly Column[];
}

const textOf = (value: unknown): string =>
  Array.isArray(value)
    ? value.map(textOf).join(', ')
    : value === null || value === undefined
      ? ''
      : String(value);
const isObject = (value: unknown): value is Resource => typeof value === 'object' && value !== null;
const objectOf = (value: unknown): Resource => (isObject(value) ? value : {});
const listOf = (value: unknown): readonly Resource[] => (Array.isArray(value) ? value.filter(isObject) : []);
const names = (value: unknown): string =>
  listOf(value)
    .map(({ name }) => textOf(name))
    .join(', ');

/** A column that shows a field as it is. */
const field = (heading: string, key = heading): Column => [heading, (resource) => textOf(resource[key])];

type Row = Pick<ConfigKind, 'path' | 'title' | 'one' | 'blank' | 'columns'> & Partial<ConfigKind>;

const cluster = (row: Row): ConfigKind => ({
  isNamespaced: false,
  root: '/api/core/v2',
  acts: ['create', 'edit', 'remove'],
  creation: 'POST',
  removal: 'Delete',
  ...row,
});
const namespaced = (row: Row): ConfigKind =>
  cluster({ isNamespaced: true, ...row, blank: { metadata: { name: '' }, ...row.blank } });

const schedule: Column = [
  'runs',
  (check) =>
    check['publish'] === false
      ? 'not scheduled'
      : check['cron']
        ? `cron ${textOf(check['cron'])}`
        : `every ${textOf(check['interval'])} s`,
];
const rule = { verbs: ['get', 'list'], resources: ['events'], resource_names: [] };
const rules: Column = [
  'allows',
  ({ rules: found }) =>
    listOf(found)
      .map(({ verbs, resources }) => `${textOf(verbs)} on ${textOf(resources)}`)
      .join('; '),
];
const binding = (type: string): Resource => ({
  role_ref: { type, name: '' },
  subjects: [{ type: 'User', name: '' }],
});
const bindingColumns: readonly Column[] = [
  ['role', ({ role_ref: ref }) => textOf(objectOf(ref)['name'])],
  [
    'for',
    ({ subjects }) =>
      listOf(subjects)
        .map(({ type, name }) => `${textOf(type).toLowerCase()} ${textOf(name)}`)
        .join(', '),
  ],
];
const oidc = {
  client_id: '',
  client_secret: '',
  server: 'https://',
  username_claim: 'email',
  groups_claim: 'groups',
};
const wrapped = (type: string, version: string, spec: Resource): Resource => ({
  type,
  api_version: version,
  metadata: { name: '' },
  spec,
});
const secretsRoot = '/api/enterprise/secrets/v1';

export const configKinds: readonly ConfigKind[] = [
  namespaced({
    path: 'checks',
    title: 'Checks',
    one: 'check',
    blank: { command: '', interval: 60, subscriptions: [], handlers: [], publish: true },
    columns: [schedule, field('subscriptions'), field('handlers'), field('command')],
  }),
  namespaced({
    path: 'handlers',
    title: 'Handlers',
    one: 'handler',
    blank: { type: 'pipe', command: '', filters: ['is_incident', 'not_silenced'], timeout: 10 },
    columns: [
      field('type'),
      field('filters'),
      field('mutator'),
      [
        'does',
        ({ command, handlers, socket }) =>
          textOf(command) || textOf(handlers) || textOf(objectOf(socket)['host']),
      ],
    ],
  }),
  namespaced({
    path: 'filters',
    title: 'Filters',
    one: 'filter',
    blank: { action: 'allow', expressions: ['event.check.occurrences == 1'] },
    columns: [field('action'), field('expressions')],
  }),
  namespaced({
    path: 'mutators',
    title: 'Mutators',
    one: 'mutator',
    blank: { type: 'pipe', command: '' },
    columns: [field('type'), ['does', (one) => textOf(one['command']) || textOf(one['eval'])]],
  }),
  namespaced({
    path: 'hooks',
    title: 'Hooks',
    one: 'hook',
    blank: { command: '', timeout: 10 },
    columns: [field('command')],
  }),
  namespaced({
    path: 'assets',
    title: 'Assets',
    one: 'asset',
    blank: { builds: [{ url: '', sha512: '', filters: [] }] },
    columns: [
      [
        'from',
        ({ url, builds }) =>
          textOf(url) ||
          listOf(builds)
            .map((build) => textOf(build['url']))
            .join(', '),
      ],
      ['builds', ({ builds }) => String(Math.max(1, listOf(builds).length))],
    ],
  }),
  namespaced({
    path: 'pipelines',
    title: 'Pipelines',
    one: 'pipeline',
    blank: {
      workflows: [
        { name: 'alert', filters: [], handler: { api_version: 'core/v2', type: 'Handler', name: '' } },
      ],
    },
    columns: [['workflows', ({ workflows }) => names(workflows)]],
  }),
  namespaced({ path: 'roles', title: 'Roles', one: 'role', blank: { rules: [rule] }, columns: [rules] }),
  namespaced({
    path: 'rolebindings',
    title: 'Role bindings',
    one: 'role binding',
    blank: binding('Role'),
    columns: bindingColumns,
  }),
  namespaced({
    path: 'secrets',
    title: 'Secrets',
    one: 'secret',
    root: secretsRoot,
    creation: 'PUT',
    blank: wrapped('Secret', 'secrets/v1', { id: '', provider: 'env' }),
    columns: [
      ['provider', ({ spec }) => textOf(objectOf(spec)['provider'])],
      ['id', ({ spec }) => textOf(objectOf(spec)['id'])],
    ],
  }),
  cluster({ path: 'namespaces', title: 'Namespaces', one: 'namespace', blank: { name: '' }, columns: [] }),
  cluster({
    path: 'users',
    title: 'Users',
    one: 'user',
    blank: { username: '', password: '', groups: [] },
    columns: [field('groups'), ['state', ({ disabled }) => (disabled === true ? 'disabled' : '')]],
    acts: ['create', 'remove'],
    removal: 'Disable',
  }),
  cluster({
    path: 'apikeys',
    title: 'API keys',
    one: 'API key',
    blank: { username: '' },
    hidesName: true,
    columns: [
      field('user', 'username'),
      [
        'made',
        ({ created_at: at }) =>
          typeof at === 'number' && at > 0 ? new Date(at * 1000).toLocaleString() : '',
      ],
    ],
    acts: ['create', 'remove'],
  }),
  cluster({
    path: 'clusterroles',
    title: 'Cluster roles',
    one: 'cluster role',
    blank: { metadata: { name: '' }, rules: [rule] },
    columns: [rules],
  }),
  cluster({
    path: 'clusterrolebindings',
    title: 'Cluster role bindings',
    one: 'cluster role binding',
    blank: { metadata: { name: '' }, ...binding('ClusterRole') },
    columns: bindingColumns,
  }),
  cluster({
    path: 'authproviders',
    title: 'Login providers',
    one: 'login provider',
    root: '/api/enterprise/authentication/v2',
    creation: 'PUT',
    blank: wrapped('oidc', 'authentication/v2', oidc),
    columns: [
      field('type'),
      [
        'server',
        ({ spec }) =>
          textOf(objectOf(spec)['server']) ||
          listOf(objectOf(spec)['servers'])
            .map((one) => textOf(one['host']))
            .join(', '),
      ],
    ],
  }),
  cluster({
    path: 'providers',
    title: 'Secrets providers',
    one: 'secrets provider',
    root: secretsRoot,
    creation: 'PUT',
    blank: wrapped('StoreProvider', 'secrets/v1', {
      client: { address: 'https://', token: '', version: 'v2' },
    }),
    columns: [
      field('type'),
      ['address', ({ spec }) => textOf(objectOf(objectOf(spec)['client'])['address'])],
    ],
  }),
];

export const collectionOf = (kind: ConfigKind, namespace: string): string => {
  if (!kind.isNamespaced) return `${kind.root}/${kind.path}`;
  if (kind.root === '/api/core/v2') return inNamespace(namespace, kind.path);
  return `${kind.root}/namespaces/${encode(namespace)}/${kind.path}`;
};
export const addressOf = (kind: ConfigKind, namespace: string, name: string): string =>
  `${collectionOf(kind, namespace)}/${encode(name)}`;

/** The name a resource is found under; empty when it has none yet. */
/** As lists show it. */
export const shownName = ({ hidesName }: ConfigKind, resource: Resource): string =>
  hidesName === true ? `${nameOf(resource).slice(0, 8)}…` : nameOf(resource);

export const nameOf = (resource: Resource): string => {
  const { metadata, name, username } = resource;
  return textOf(objectOf(metadata)['name'] ?? username ?? name);
};
