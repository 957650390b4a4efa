// Guards, resolved once: a step of the plan and an explanation ask the same function, so they cannot disagree.
import type { AnyMachineSnapshot, AnyStateMachine } from 'xstate';
import { type Facts, guardShapeOf } from './xstate-internals.ts';

/** `snapshot` is there where a whole one is at hand: an explanation has it, a step of the plan does not. */
export interface Question extends Facts {
  readonly snapshot?: AnyMachineSnapshot;
}

/** Anything truthy is a yes. */
export type Guard = (question: Question) => unknown;

/** Thrown by a guard that needs a whole snapshot where there is none: XState takes that step. */
const needsSnapshot = new Error('this guard needs a whole snapshot');

type Params = (facts: Facts) => unknown;

const paramsOf = (guard: unknown): Params | undefined => {
  if (typeof guard !== 'object' || guard === null || !('params' in guard)) return undefined;
  const { params } = guard;
  return typeof params === 'function' ? (params as Params) : () => params;
};

const typeOf = (guard: unknown): string =>
  typeof guard === 'string' ? guard : String((guard as { readonly type?: unknown }).type);

/** Undefined without a guard. One without an implementation throws when it is asked, as XState's does. */
export const guardOf = (machine: AnyStateMachine, guard: unknown): Guard | undefined => {
  if (guard === undefined) return undefined;
  if (typeof guard === 'function') return guardOfBody(machine, guard, undefined);
  const body: unknown = (machine.implementations.guards as Record<string, unknown>)[typeOf(guard)];
  if (body === undefined || body === null)
    return () => {
      throw new Error(`guard ${typeOf(guard)} has no implementation`);
    };
  // One guard implemented by the name of another.
  if (typeof body !== 'function') return guardOf(machine, body);
  return guardOfBody(machine, body, paramsOf(guard));
};

const guardOfBody = (machine: AnyStateMachine, body: unknown, params: Params | undefined): Guard => {
  const shape = guardShapeOf(body);
  switch (shape.type) {
    case 'function':
      // As it is, without a wrapper around it: this is asked with every message.
      return params === undefined ? (shape.ask as Guard) : (facts) => shape.ask(facts, params(facts));
    case 'ofState':
      return (question) => {
        if (question.snapshot === undefined) throw needsSnapshot;
        return shape.ask(question.snapshot, question);
      };
    case 'not': {
      const [part] = shape.parts.map((one) => guardOf(machine, one) as Guard);
      return (question) => !part?.(question);
    }
    case 'or': {
      const parts = shape.parts.map((one) => guardOf(machine, one) as Guard);
      return (question) => parts.some((part) => part(question));
    }
    case 'and': {
      const parts = shape.parts.map((one) => guardOf(machine, one) as Guard);
      return (question) => parts.every((part) => part(question));
    }
  }
};
