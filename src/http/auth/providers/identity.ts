// Somebody a provider vouches for: who they are here, their groups, and where they come from.
import { clusterAdminsGroup } from '../../../model/seeds.ts';
import { usersGroup } from '../principal.ts';
import { maxIdentityCharacters } from './limits.ts';

export interface Identity {
  /** With the provider's prefix: who the access rules know. */
  readonly username: string;
  /** With the provider's prefix, and the group of everybody who logs in. */
  readonly groups: readonly string[];
  readonly provider: {
    readonly id: string;
    readonly type: 'ldap' | 'ad' | 'oidc';
    /** What the provider knows them by: a distinguished name, a subject. */
    readonly userId: string;
  };
  /** As they typed it, for asking the provider again. */
  readonly loginName: string;
  /** Sealed: what an issuer gave us to ask it again. */
  readonly offline?: string;
}

/** `<prefix>:<name>`; a prefix that brings its colon gets no second one. */
export const withPrefix = (prefix: string, name: string): string =>
  prefix === '' ? name : prefix.endsWith(':') ? prefix + name : `${prefix}:${name}`;

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
const unfit = /[\u0000-\u001f\u007f\u{10ffff}]/u;

/** Whether a provider's word can be a name here: it becomes part of keys and of log lines. */
export const isFitName = (name: string): boolean =>
  name !== '' && name.length <= maxIdentityCharacters && !unfit.test(name);

export interface PrefixRules {
  readonly username_prefix: string;
  readonly groups_prefix: string;
  /** Without prefix; absent or empty: all. */
  readonly allowed_groups?: readonly string[] | null | undefined;
}

/**
 * Groups that are ours to fill: those of the system, and the one of those who may do everything. A provider without a
 * prefix fills the latter only where it names it in `allowed_groups`.
 */
const isReserved = (name: string, rules: PrefixRules): boolean =>
  name.startsWith('system:') ||
  (name === clusterAdminsGroup && rules.allowed_groups?.includes(clusterAdminsGroup) !== true);

/** The groups that count, as the access rules know them. */
export const groupsUnder = (rules: PrefixRules, groups: readonly string[]): readonly string[] => {
  const { allowed_groups: allowed, groups_prefix: prefix } = rules;
  const kept = allowed?.length ? groups.filter((group) => allowed.includes(group)) : groups;
  const named = kept.filter(isFitName).map((group) => withPrefix(prefix, group));
  return [...new Set(named.filter((group) => !isReserved(group, rules))), usersGroup];
};
