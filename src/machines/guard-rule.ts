// What a guard says about a snapshot and an event. XState asks guards and keeps the answers to itself; they are questions
// that change nothing, so whoever looks on (a record of a transition, the inspector, a dry run) asks them once more.
import type { AnyMachineSnapshot, AnyStateMachine, EventObject } from 'xstate';

export interface GuardAnswer {
  readonly verdict: 'yes' | 'no' | 'threw';
  /** What it threw. */
  readonly why?: string;
}

/** Of no guard: yes. A guard that throws is an answer of its own and never escapes. */
export const askGuard = (
  machine: AnyStateMachine,
  guard: unknown,
  snapshot: AnyMachineSnapshot,
  event: EventObject,
): GuardAnswer => {
  if (guard === undefined) return { verdict: 'yes' };
  try {
    return { verdict: holds(machine, guard, snapshot, event) ? 'yes' : 'no' };
  } catch (error) {
    return { verdict: 'threw', why: error instanceof Error ? error.message : String(error) };
  }
};

/** XState keeps the parts of `and`, `or` and `not` on the function it returns. */
type GuardFunction = ((args: { context: unknown; event: EventObject }, params: unknown) => boolean) & {
  readonly guards?: readonly unknown[];
};

const nameOf = (guard: unknown): string =>
  typeof guard === 'string' ? guard : String((guard as { readonly type?: unknown }).type);

const holds = (
  machine: AnyStateMachine,
  guard: unknown,
  snapshot: AnyMachineSnapshot,
  event: EventObject,
): boolean => {
  const known = machine.implementations.guards as Record<string, unknown>;
  const body = (typeof guard === 'function' ? guard : known[nameOf(guard)]) as GuardFunction | undefined;
  if (body === undefined) throw new Error(`guard ${nameOf(guard)} has no implementation`);
  const ask = (part: unknown) => holds(machine, part, snapshot, event);
  if (body.guards !== undefined) {
    if (body.name === 'not') return !body.guards.some(ask);
    return body.name === 'or' ? body.guards.some(ask) : body.guards.every(ask);
  }
  const params = typeof guard === 'object' && guard !== null && 'params' in guard ? guard.params : undefined;
  const args = { context: snapshot.context, event };
  return Boolean(body(args, typeof params === 'function' ? params(args) : params));
};
