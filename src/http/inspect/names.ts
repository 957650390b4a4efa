// What guards and actions are called in a drawing. `(inline)` marks one without a name: a test refuses those.

export const inlineName = '(inline)';

export const nameOfAction = (action: unknown): string => {
  if (typeof action === 'string') return action;
  if (typeof action === 'object' && action !== null && 'type' in action) return String(action.type);
  return inlineName;
};

/** XState itself adds a raise and a cancel for each `after`: they are the delay, not something the author wrote. */
export const isOfDelay = (action: unknown): boolean => {
  if (typeof action !== 'function') return false;
  const { id, sendId } = action as { id?: unknown; sendId?: unknown };
  return String(id ?? sendId).startsWith('xstate.after.');
};

/** Named guards by name; `and`, `or`, `not` as words around the names they combine. */
export const nameOfGuard = (guard: unknown): string => {
  if (typeof guard === 'function') return nameOfCombined(guard as CombinedGuard);
  return nameOfAction(guard);
};

/** XState keeps the parts of a combined guard on the function it returns. */
type CombinedGuard = ((...args: unknown[]) => unknown) & { readonly guards?: readonly unknown[] };

const nameOfCombined = (guard: CombinedGuard): string => {
  if (guard.name === 'stateIn') return 'stateIn';
  const parts = guard.guards?.map(nameOfGuard);
  if (parts === undefined) return inlineName;
  return guard.name === 'not' ? `not ${parts.join(' ')}` : parts.join(` ${guard.name} `);
};
