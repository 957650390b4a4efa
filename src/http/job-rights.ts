// The rights of a bulk job: those of now of the person who started it, asked for every event.
import type { AccessQuestion } from '../actors/families/job/job-steps.ts';
import type { Resources } from '../actors/resources/resources.ts';
import { authorize } from './rbac.ts';

/** Why the caller of a job may not do this any more, or null. */
export const jobRefusal = (
  table: Resources,
  by: { readonly username: string; readonly groups: readonly string[] },
  question: AccessQuestion,
): string | null => {
  if (table.get('users', '', by.username)?.['disabled'] === true) return `${by.username} is disabled`;
  const decision = authorize(table, { ...by, via: 'token' }, question);
  return decision.allow ? null : decision.message;
};
