// What guards and actions are called in drawings and records. `(inline)` marks one without a name: a test refuses those.
import { guardShapeOf } from './xstate-internals.ts';

const inlineName = '(inline)';

export const nameOfAction = (action: unknown): string => {
  if (typeof action === 'string') return action;
  if (typeof action === 'object' && action !== null && 'type' in action) return String(action.type);
  return inlineName;
};

/** XState adds a raise and a cancel for each `after`; they implement the delay. */
export const isOfDelay = (action: unknown): boolean => {
  if (typeof action !== 'function') return false;
  const { id, sendId } = action as { id?: unknown; sendId?: unknown };
  return String(id ?? sendId).startsWith('xstate.after.');
};

/** Named guards by name; `and`, `or`, `not` as words around the names they combine. Empty without a guard. */
export const nameOfGuard = (guard: unknown): string => {
  if (guard === undefined) return '';
  if (typeof guard !== 'function') return nameOfAction(guard);
  const shape = guardShapeOf(guard);
  if (shape.type === 'ofState') return 'stateIn';
  if (shape.type === 'function') return inlineName;
  const parts = shape.parts.map(nameOfGuard);
  return shape.type === 'not' ? `not ${parts.join(' ')}` : parts.join(` ${shape.type} `);
};
