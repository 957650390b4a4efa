// Who is asking: the one thing authentication hands to the access rules.
import { agentsGroup } from '../../model/seeds.ts';

export interface Principal {
  readonly username: string;
  readonly groups: readonly string[];
  /** How they proved it. */
  readonly via: 'token' | 'apiKey' | 'password' | 'certificate';
  /** With a token: the login it belongs to. */
  readonly sessionId?: string;
  /** With an API key: the key. Never for a log. */
  readonly key?: string;
  /** With a password: which one it was, see `passwordTagOf`. */
  readonly passwordTag?: string;
}

/** Every login carries it; API keys do not. */
export const usersGroup = 'system:users';

/** Whether they are agents: then an agent session is all they get. */
export const isAgent = ({ groups }: Pick<Principal, 'groups'>): boolean => groups.includes(agentsGroup);
