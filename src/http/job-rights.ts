// The rights of a bulk job: those of now of the person who started it, asked for every event.
import type { AccessQuestion } from '../actors/families/job/job-steps.ts';
import type { Resources } from '../actors/resources/resources.ts';
import type { JobPrincipal } from '../machines/job/job-machine.ts';
import { findUser, groupsOf } from './auth/credentials.ts';
import { isAgent } from './auth/principal.ts';
import { authorize } from './rbac.ts';

/** Why the caller of a job may not do this any more, or null. */
export const jobRefusal = (
  table: Resources,
  { username, groups, isLocal }: JobPrincipal,
  question: AccessQuestion,
): string | null => {
  const user = findUser(table, username);
  if (user === undefined && isLocal === true) return `${username} is deleted`;
  if (user !== undefined && isLocal === false) return `${username} is another user now`;
  if (user?.disabled === true) return `${username} is disabled`;
  const now = { username, groups: user === undefined ? groups : groupsOf(user), via: 'token' } as const;
  if (isAgent(now)) return `${username} is an agent now`;
  const decision = authorize(table, now, question);
  return decision.allow ? null : decision.message;
};
