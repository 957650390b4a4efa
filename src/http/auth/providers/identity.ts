// A user authenticated by a provider: name, groups and origin.
import { clusterAdminsGroup } from '../../../model/resource/seeds.ts';
import { usersGroup } from '../principal.ts';
import { maxIdentityCharacters } from './limits.ts';

export interface Identity {
  /** With the provider's prefix; used by access rules. */
  readonly username: string;
  /** With the provider's prefix, plus the group of all password users. */
  readonly groups: readonly string[];
  readonly provider: {
    readonly id: string;
    readonly type: 'ldap' | 'ad' | 'oidc';
    /** The provider's identifier: a distinguished name or a subject. */
    readonly userId: string;
  };
  /** As typed, for querying the provider again. */
  readonly loginName: string;
  /** The encrypted refresh token of an OIDC issuer. */
  readonly offline?: string;
}

/** `<prefix>:<name>`. If the prefix already ends with a colon, none is added. */
export const withPrefix = (prefix: string, name: string): string =>
  prefix === '' ? name : prefix.endsWith(':') ? prefix + name : `${prefix}:${name}`;

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
const unfit = /[\u0000-\u001f\u007f\u{10ffff}]/u;

/** Whether a provider's name is valid here, since it becomes part of keys and log lines. */
export const isFitName = (name: string): boolean =>
  name !== '' && name.length <= maxIdentityCharacters && !unfit.test(name);

export interface PrefixRules {
  readonly username_prefix: string;
  readonly groups_prefix: string;
  /** Without prefix. Absent or empty means all. */
  readonly allowed_groups?: readonly string[] | null | undefined;
}

/**
 * Groups that a provider must not assign: system groups and the administrators' group. A provider without a prefix
 * may assign the latter only if `allowed_groups` lists it.
 */
const isReserved = (name: string, rules: PrefixRules): boolean =>
  name.startsWith('system:') ||
  (name === clusterAdminsGroup && rules.allowed_groups?.includes(clusterAdminsGroup) !== true);

/** The accepted groups, as used by access rules. */
export const groupsUnder = (rules: PrefixRules, groups: readonly string[]): readonly string[] => {
  const { allowed_groups: allowed, groups_prefix: prefix } = rules;
  const kept = allowed?.length ? groups.filter((group) => allowed.includes(group)) : groups;
  const named = kept.filter(isFitName).map((group) => withPrefix(prefix, group));
  return [...new Set(named.filter((group) => !isReserved(group, rules))), usersGroup];
};
