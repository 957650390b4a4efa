// What a supervisor does about a child that ended: pure decisions, tested as a table.
import type { ExitReason, RestartType, Strategy } from '../contract.ts';

export type RestartDecision =
  | { readonly type: 'restart'; readonly scope: 'self' | 'all' | 'rest' }
  | { readonly type: 'remove'; readonly why: 'temporary' | 'ended as planned' };

const scopes = { one_for_one: 'self', one_for_all: 'all', rest_for_one: 'rest' } as const;

/** normal and shutdown are planned ends; abnormal and killed are failures. */
export const isFailure = (reason: ExitReason): boolean =>
  reason.type === 'abnormal' || reason.type === 'killed';

export const decideRestart = (
  restart: RestartType,
  reason: ExitReason,
  strategy: Strategy,
): RestartDecision => {
  if (restart === 'temporary') return { type: 'remove', why: 'temporary' };
  if (restart === 'transient' && !isFailure(reason)) return { type: 'remove', why: 'ended as planned' };
  return { type: 'restart', scope: scopes[strategy] };
};

/** Which of the ids, in start order, go down and come back together with the failed one. */
export const affectedBy = <T>(
  failed: T,
  inOrder: readonly T[],
  scope: 'self' | 'all' | 'rest',
): readonly T[] => {
  if (scope === 'self') return [failed];
  if (scope === 'all') return inOrder;
  return inOrder.slice(inOrder.indexOf(failed));
};

/** A temporary child that went down for its siblings' sake does not come back. */
export const comesBack = (restart: RestartType): boolean => restart !== 'temporary';
