// The kinds of resources the configuration page shows: where each lies, what may be done to it, and what a new one
// looks like. One row a kind; the page itself knows none of them by name.
import { encode, inNamespace } from './api.ts';

export type ConfigAct = 'create' | 'edit' | 'remove';
export type Resource = Readonly<Record<string, unknown>>;

export interface ConfigKind {
  /** Path segment of the public API, and of the page's address. */
  readonly path: string;
  readonly title: string;
  readonly one: string;
  readonly isNamespaced: boolean;
  /** Root of the API group. */
  readonly root: string;
  readonly acts: readonly ConfigAct[];
  /** What removing one is called. */
  readonly removal: 'Delete' | 'Disable';
  readonly blank: Resource;
  /** A few words for the list. */
  readonly brief: (resource: Resource) => string;
}

const core = '/api/core/v2';
const all: readonly ConfigAct[] = ['create', 'edit', 'remove'];

const textOf = (value: unknown): string =>
  Array.isArray(value)
    ? value.map(textOf).join(', ')
    : value === null || value === undefined
      ? ''
      : String(value);
const words =
  (...fields: readonly string[]) =>
  (resource: Resource): string =>
    fields
      .map((field) => textOf(resource[field]))
      .filter((text) => text !== '')
      .join(' · ');
const named = (rest: Resource): Resource => ({ metadata: { name: '' }, ...rest });
const listOfNames = (value: unknown): string =>
  (Array.isArray(value) ? value : []).map((one: { name?: unknown }) => textOf(one.name)).join(', ');

const namespaced = (
  path: string,
  title: string,
  one: string,
  blank: Resource,
  brief: ConfigKind['brief'],
): ConfigKind => ({
  path,
  title,
  one,
  isNamespaced: true,
  root: core,
  acts: all,
  removal: 'Delete',
  blank: named(blank),
  brief,
});
const cluster = (
  path: string,
  title: string,
  one: string,
  blank: Resource,
  brief: ConfigKind['brief'],
  more: Partial<ConfigKind> = {},
): ConfigKind => ({ ...namespaced(path, title, one, blank, brief), isNamespaced: false, blank, ...more });

const rule = { verbs: ['get', 'list'], resources: ['events'], resource_names: [] };
const briefRules = ({ rules }: Resource): string =>
  (Array.isArray(rules) ? rules : [])
    .map(
      (one: { verbs?: unknown; resources?: unknown }) => `${textOf(one.verbs)} on ${textOf(one.resources)}`,
    )
    .join('; ');
const briefBinding = ({ role_ref: ref, subjects }: Resource): string =>
  `${textOf((ref as { name?: unknown } | null)?.name)} for ${listOfNames(subjects)}`;
const binding = (type: string): Resource => ({
  role_ref: { type, name: '' },
  subjects: [{ type: 'User', name: '' }],
});
const briefWrapped = ({ type }: Resource): string => textOf(type);

export const configKinds: readonly ConfigKind[] = [
  namespaced(
    'checks',
    'Checks',
    'check',
    { command: '', interval: 60, subscriptions: [], handlers: [], publish: true },
    (check) =>
      `${check['cron'] ? `cron ${textOf(check['cron'])}` : `every ${textOf(check['interval'])} s`} · ${textOf(check['command'])}`,
  ),
  namespaced(
    'handlers',
    'Handlers',
    'handler',
    { type: 'pipe', command: '', filters: ['is_incident', 'not_silenced'], timeout: 10 },
    words('type', 'command', 'handlers', 'filters'),
  ),
  namespaced(
    'filters',
    'Filters',
    'filter',
    { action: 'allow', expressions: ['event.check.occurrences == 1'] },
    words('action', 'expressions'),
  ),
  namespaced('mutators', 'Mutators', 'mutator', { type: 'pipe', command: '' }, words('type', 'command')),
  namespaced('hooks', 'Hooks', 'hook', { command: '', timeout: 10 }, words('command')),
  namespaced(
    'assets',
    'Assets',
    'asset',
    { builds: [{ url: '', sha512: '', filters: [] }] },
    ({ url, builds }) => textOf(url) || `${Array.isArray(builds) ? builds.length : 0} builds`,
  ),
  namespaced(
    'pipelines',
    'Pipelines',
    'pipeline',
    {
      workflows: [
        { name: 'alert', filters: [], handler: { api_version: 'core/v2', type: 'Handler', name: '' } },
      ],
    },
    ({ workflows }) => listOfNames(workflows),
  ),
  namespaced('roles', 'Roles', 'role', { rules: [rule] }, briefRules),
  namespaced('rolebindings', 'Role bindings', 'role binding', binding('Role'), briefBinding),
  cluster('namespaces', 'Namespaces', 'namespace', { name: '' }, () => ''),
  cluster(
    'users',
    'Users',
    'user',
    { username: '', password: '', groups: [] },
    (user) => `${user['disabled'] === true ? 'disabled · ' : ''}${textOf(user['groups'])}`,
    { acts: ['create', 'remove'], removal: 'Disable' },
  ),
  cluster('apikeys', 'API keys', 'API key', { username: '' }, words('username'), {
    acts: ['create', 'remove'],
  }),
  cluster('clusterroles', 'Cluster roles', 'cluster role', named({ rules: [rule] }), briefRules),
  cluster(
    'clusterrolebindings',
    'Cluster role bindings',
    'cluster role binding',
    named(binding('ClusterRole')),
    briefBinding,
  ),
  cluster('authproviders', 'Login providers', 'login provider', {}, briefWrapped, {
    root: '/api/enterprise/authentication/v2',
    acts: [],
  }),
  cluster('providers', 'Secrets providers', 'secrets provider', {}, briefWrapped, {
    root: '/api/enterprise/secrets/v1',
    acts: [],
  }),
];

export const collectionOf = (kind: ConfigKind, namespace: string): string =>
  kind.isNamespaced ? inNamespace(namespace, kind.path) : `${kind.root}/${kind.path}`;
export const addressOf = (kind: ConfigKind, namespace: string, name: string): string =>
  `${collectionOf(kind, namespace)}/${encode(name)}`;

/** The name a resource is found under; empty when it has none yet. */
export const nameOf = (resource: Resource): string => {
  const { metadata, name, username } = resource;
  const inside = (metadata as { readonly name?: unknown } | null | undefined)?.name;
  return textOf(inside ?? username ?? name);
};
