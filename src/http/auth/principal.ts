// The authenticated caller, as passed from authentication to access control.
import { agentsGroup } from '../../model/resource/seeds.ts';

export interface Principal {
  readonly username: string;
  readonly groups: readonly string[];
  /** The method of authentication. */
  readonly via: 'token' | 'apiKey' | 'password' | 'certificate';
  /** For tokens: the login session. */
  readonly sessionId?: string;
  /** For API keys: the key. Must not be logged. */
  readonly key?: string;
  /** For passwords: the password version, see `passwordTagOf`. */
  readonly passwordTag?: string;
}

/** Every password user is in this group; API keys are not. */
export const usersGroup = 'system:users';

/** Whether the principal is an agent, which can only open agent sessions. */
export const isAgent = ({ groups }: Pick<Principal, 'groups'>): boolean => groups.includes(agentsGroup);
