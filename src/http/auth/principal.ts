// Who is asking: the one thing authentication hands to the access rules.

export interface Principal {
  readonly username: string;
  readonly groups: readonly string[];
  /** How they proved it. */
  readonly via: 'token' | 'apiKey' | 'password' | 'certificate';
}

/** Every login carries it; API keys do not (API sheet 3.3). */
export const usersGroup = 'system:users';
