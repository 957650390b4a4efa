// Seeding: what a new backend begins with, written once, into an empty store.
import { isDeepStrictEqual } from 'node:util';
import { MonError } from '../../model/errors.ts';
import {
  agentUsername,
  environmentProvider,
  namespaceSeeds,
  outgrownClusterRoles,
  seedsFor,
} from '../../model/resource/seeds.ts';
import type { Resource } from './resource-table.ts';
import type { Resources } from './resources.ts';

export interface SeedOptions {
  readonly adminUsername: string;
  /** Plain; only its hash is stored. */
  readonly adminPassword: string;
  /** Plain, of the user agents log in with; null for no such user, absent for the built-in one. */
  readonly agentPassword?: string | null;
  readonly hash: (password: string) => Promise<string>;
}

/**
 * The administrator is written last, and users are never removed: if there is a user besides the agents' user, everything
 * else was written too.
 */
export const isSeeded = (table: Resources): boolean =>
  table.list('users').items.some(({ username }) => username !== agentUsername);

type Rows = readonly (readonly [segment: string, namespace: string, name: string, resource: object])[];

const putAll = async (table: Resources, rows: Rows): Promise<void> => {
  for (const [segment, namespace, name, resource] of rows)
    await table.put({ segment, namespace, name }, resource as Resource);
};

type Named = { readonly metadata: { readonly name: string; readonly namespace?: string | undefined } };

const row = (segment: string, resource: Named): Rows[number] => [
  segment,
  resource.metadata.namespace ?? '',
  resource.metadata.name,
  resource,
];

/**
 * Seeds an empty store; resolves false when that was done before. What a crash cut short is done again, whole.
 * Rejects with `storeFull` or `unavailable`.
 */
export const seedIfEmpty = async (table: Resources, options: SeedOptions): Promise<boolean> => {
  if (isSeeded(table)) return false;
  if (options.adminUsername === agentUsername)
    throw new MonError(
      'invalid',
      `the administrator cannot be called ${agentUsername}: agents log in with that name`,
    );
  const seeds = seedsFor(options.adminUsername, options.adminPassword, options.agentPassword);
  await putAll(table, [
    ...seeds.namespaces.map((namespace): Rows[number] => ['namespaces', '', namespace.name, namespace]),
    ...seeds.clusterRoles.map((role) => row('clusterroles', role)),
    ...seeds.clusterRoleBindings.map((binding) => row('clusterrolebindings', binding)),
    ...seeds.roles.map((role) => row('roles', role)),
    ...seeds.roleBindings.map((binding) => row('rolebindings', binding)),
    ...seeds.secretsProviders.map((provider) => row('providers', provider)),
  ]);
  const users = await Promise.all(
    seeds.users.map(async ({ password, ...user }) => ({
      ...user,
      password_hash: await options.hash(password),
    })),
  );
  const [admin, ...others] = users;
  await putAll(
    table,
    others.reverse().map((user): Rows[number] => ['users', '', user.username, user]),
  );
  if (admin === undefined) return true;
  const id = { segment: 'users', namespace: '', name: admin.username };
  try {
    await table.create(id, admin);
    return true;
  } catch (error) {
    // Another backend of the cluster, started at the same moment, was faster.
    if (error instanceof MonError && error.kind === 'alreadyExists') return false;
    throw error;
  }
};

/**
 * What every start of a backend brings to a store that was seeded before: the provider of environment variables, which
 * somebody may have deleted, and rules that seeded roles were given since. Rejects with `storeFull` or `unavailable`.
 */
export const restoreBuiltIns = async (table: Resources): Promise<void> => {
  if (!isSeeded(table)) return;
  const { name } = environmentProvider.metadata;
  if (table.get('providers', '', name) === undefined)
    await putAll(table, [row('providers', environmentProvider)]);
  await renewSeededRoles(table);
};

/** A role that was changed by hand is nobody's but theirs who changed it. */
const renewSeededRoles = async (table: Resources): Promise<void> => {
  for (const { former, now } of outgrownClusterRoles) {
    const { name } = former.metadata;
    const found = table.get('clusterroles', '', name);
    if (found === undefined || !isDeepStrictEqual(found.rules, former.rules)) continue;
    await putAll(table, [['clusterroles', '', name, { ...found, rules: now.rules }]]);
  }
};

/** What comes with a namespace: the role that pipelines look events up with. */
export const seedNamespace = async (table: Resources, namespace: string): Promise<void> => {
  const { role, binding } = namespaceSeeds(namespace);
  await putAll(table, [row('roles', role), row('rolebindings', binding)]);
};
