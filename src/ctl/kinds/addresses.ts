// Where each kind of resource is in the API, and what files call it. The same facts as in the model's table of kinds, without its
// schemas, which take longer to load than most commands take to run; a test holds the two together.

export interface KindAddress {
  readonly type: string;
  readonly types: readonly string[];
  readonly apiVersion: string;
  /** The path segment, which is also the short name, e.g. `checks`. */
  readonly path: string;
  readonly namespaced: boolean;
  readonly wrapped: boolean;
}

const core = (type: string, path: string, namespaced: boolean): KindAddress => ({
  type,
  types: [type],
  apiVersion: 'core/v2',
  path,
  namespaced,
  wrapped: false,
});

/** In the order in which they can be created: what is referred to comes first. */
export const kindAddresses: readonly KindAddress[] = [
  core('Namespace', 'namespaces', false),
  {
    type: 'ldap',
    types: ['ldap', 'ad', 'oidc'],
    apiVersion: 'authentication/v2',
    path: 'authproviders',
    namespaced: false,
    wrapped: true,
  },
  core('User', 'users', false),
  core('APIKey', 'apikeys', false),
  core('ClusterRole', 'clusterroles', false),
  core('ClusterRoleBinding', 'clusterrolebindings', false),
  core('Role', 'roles', true),
  core('RoleBinding', 'rolebindings', true),
  {
    type: 'StoreProvider',
    types: ['Env', 'StoreProvider', 'VaultProvider'],
    apiVersion: 'secrets/v1',
    path: 'providers',
    namespaced: false,
    wrapped: true,
  },
  {
    type: 'Secret',
    types: ['Secret'],
    apiVersion: 'secrets/v1',
    path: 'secrets',
    namespaced: true,
    wrapped: true,
  },
  core('Asset', 'assets', true),
  core('HookConfig', 'hooks', true),
  core('EventFilter', 'filters', true),
  core('Mutator', 'mutators', true),
  core('Handler', 'handlers', true),
  core('Pipeline', 'pipelines', true),
  core('CheckConfig', 'checks', true),
  core('Entity', 'entities', true),
  core('Event', 'events', true),
  core('Silenced', 'silenced', true),
];

const basePath = ({ apiVersion }: KindAddress): string =>
  apiVersion.startsWith('core/') ? `/api/${apiVersion}` : `/api/enterprise/${apiVersion}`;

export const kindOfPath = (path: string): KindAddress => {
  const found = kindAddresses.find((kind) => kind.path === path);
  if (found === undefined) throw new Error(`no kind is at ${path}`);
  return found;
};

/** `namespace` undefined: across namespaces. */
export const listPath = (kind: KindAddress, namespace: string | undefined): string =>
  kind.namespaced && namespace !== undefined
    ? `${basePath(kind)}/namespaces/${encodeURIComponent(namespace)}/${kind.path}`
    : `${basePath(kind)}/${kind.path}`;

/** `name` may have several parts: those of an event are entity and check. */
export const resourcePath = (kind: KindAddress, namespace: string, ...name: readonly string[]): string =>
  [listPath(kind, namespace), ...name.map(encodeURIComponent)].join('/');
