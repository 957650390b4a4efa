// Directory logins (ldap, ad): finds the entry of a user, reads its groups, and verifies the password with a bind.
// Servers are tried in order until one accepts. The caller only learns whether the login succeeded; reasons are
// logged.
import {
  AndFilter,
  type Client,
  type Entry,
  EqualityFilter,
  ExtensibleFilter,
  type Filter,
  InvalidCredentialsError,
  SizeLimitExceededError,
} from 'ldapts';
import type { DirectoryProvider, DirectoryServer } from '../../../model/access/auth-provider.ts';
import type { TrustedAuthorities } from '../../../model/access/trusted-authorities.ts';
import { bindAsService, openDirectory } from './directory-connection.ts';
import { groupsUnder, type Identity, isFitName, withPrefix } from './identity.ts';
import { maxGroups } from './limits.ts';

export type DirectoryAnswer =
  | { readonly type: 'found'; readonly identity: Identity }
  /** `why` is for the log, not for the caller. */
  | { readonly type: 'refused'; readonly why: string }
  | { readonly type: 'unreachable'; readonly why: string };

const refused = (why: string): DirectoryAnswer => ({ type: 'refused', why });

const textsOf = (entry: Entry, attribute: string): readonly string[] => {
  const key = Object.keys(entry).find((name) => name.toLowerCase() === attribute.toLowerCase());
  const value = key === undefined ? [] : entry[key];
  return [value ?? []].flat().map((item) => item.toString());
};

/** `cn=ops,ou=groups` is named `ops`. */
const nameInDn = (dn: string): string => {
  const first = /^[^=]+=((?:\\.|[^,+\\])*)/.exec(dn)?.[1] ?? '';
  return first
    .replace(/\\([0-9a-fA-F]{2})/g, '%$1')
    .replace(/\\(.)/g, '$1')
    .replace(/%([0-9a-fA-F]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
};

const classAnd = (objectClass: string, filter: Filter): Filter =>
  new AndFilter({ filters: [new EqualityFilter({ attribute: 'objectClass', value: objectClass }), filter] });

/** The LDAP matching rule for nested groups. */
const inChainRule = '1.2.840.113556.1.4.1941';

interface Names {
  /** The name to search for. */
  readonly search: string;
  /** The DN for the password check; null means the entry that was found. */
  readonly bind: string | null;
}

/** With a default domain, an `ad` user logs in as `name@domain`. */
const namesFor = (provider: DirectoryProvider, server: DirectoryServer, typed: string): Names => {
  const { default_upn_domain: domain, user_search: search } = server;
  if (provider.type !== 'ad' || domain === '') return { search: typed, bind: null };
  const full = typed.includes('@') ? typed : `${typed}@${domain}`;
  const isFull = search.attribute.toLowerCase() === 'userprincipalname';
  return { search: isFull ? full : (full.split('@')[0] ?? typed), bind: full };
};

const groupsOf = async (
  client: Client,
  server: DirectoryServer,
  entry: Entry,
): Promise<readonly string[]> => {
  const { group_search: search } = server;
  if (search.attribute === '') return textsOf(entry, 'memberOf').map(nameInDn);
  const member = server.include_nested_groups
    ? new ExtensibleFilter({ matchType: search.attribute, rule: inChainRule, value: entry.dn })
    : new EqualityFilter({ attribute: search.attribute, value: entry.dn });
  const { searchEntries } = await client.search(search.base_dn, {
    scope: 'sub',
    filter: classAnd(search.object_class, member),
    attributes: [search.name_attribute, 'cn'],
    sizeLimit: maxGroups,
  });
  return searchEntries.flatMap(
    (group) => textsOf(group, search.name_attribute)[0] ?? textsOf(group, 'cn')[0] ?? [],
  );
};

const findUser = async (client: Client, server: DirectoryServer, name: string): Promise<Entry | string> => {
  const { user_search: search } = server;
  const tooMany = (count: string | number) =>
    `ldap search for user ${name} returned ${count} results, expected only 1`;
  const found = client.search(search.base_dn, {
    scope: 'sub',
    filter: classAnd(search.object_class, new EqualityFilter({ attribute: search.attribute, value: name })),
    attributes: [search.attribute, search.name_attribute, 'memberOf'],
    sizeLimit: 2,
  });
  const { searchEntries } = await found.catch((error: unknown) => {
    if (error instanceof SizeLimitExceededError) return { searchEntries: null };
    throw error;
  });
  if (searchEntries === null) return tooMany('more than 2');
  const [entry, second] = searchEntries;
  if (entry === undefined) return `user ${name} was not found`;
  if (second !== undefined) return tooMany(searchEntries.length);
  return entry;
};

const askServer = async (
  provider: DirectoryProvider,
  server: DirectoryServer,
  typed: string,
  password: string | null,
  authorities: TrustedAuthorities,
): Promise<DirectoryAnswer> => {
  const client = await openDirectory(server, authorities);
  try {
    const names = namesFor(provider, server, typed);
    if (server.binding !== null) await bindAsService(client, server);
    else if (names.bind !== null && password !== null) await client.bind(names.bind, password);
    const entry = await findUser(client, server, names.search);
    if (typeof entry === 'string') return refused(entry);
    const name = textsOf(entry, server.user_search.attribute)[0];
    if (name === undefined || !isFitName(name))
      return refused(`ldap entry ${entry.dn} missing required attribute ${server.user_search.attribute}`);
    const groups = await groupsOf(client, server, entry);
    if (password !== null) await client.bind(names.bind ?? entry.dn, password);
    return {
      type: 'found',
      identity: {
        username: withPrefix(provider.spec.username_prefix, name),
        groups: groupsUnder(provider.spec, groups),
        provider: { id: provider.metadata.name, type: provider.type, userId: entry.dn },
        loginName: typed,
      },
    };
  } catch (error) {
    if (error instanceof InvalidCredentialsError) return refused(`wrong password for ${typed}`);
    throw error;
  } finally {
    // The connection is no longer needed, whatever the result.
    await client.unbind().catch(() => {});
  }
};

/**
 * Queries the servers of a provider in order. With `password` null, only looks up the user and its groups. Never
 * rejects. Empty passwords are refused without a query, since directories treat them as anonymous binds.
 */
export const askDirectory = async (
  provider: DirectoryProvider,
  typed: string,
  password: string | null,
  authorities: TrustedAuthorities,
): Promise<DirectoryAnswer> => {
  if (password === '') return refused('the password is empty');
  let answer: DirectoryAnswer = { type: 'unreachable', why: 'no servers' };
  for (const server of provider.spec.servers) {
    try {
      const next = await askServer(provider, server, typed, password, authorities);
      if (next.type === 'found') return next;
      answer = next;
    } catch (error) {
      // A rejection by one server takes precedence over an outage of another.
      const why = `${server.host}:${server.port}: ${(error as Error).message}`;
      if (answer.type !== 'refused') answer = { type: 'unreachable', why };
    }
  }
  return answer;
};
