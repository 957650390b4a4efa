// What the person may do in a namespace: forbidden actions are not offered, forbidden views say why.
import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { encode, getJson, inspect } from './api.ts';

type Verb = 'get' | 'list' | 'create' | 'update' | 'delete' | 'inspect:get' | 'inspect:control';
type Rights = Readonly<Record<string, readonly string[]>>;

interface Answer {
  readonly exists: boolean;
  readonly may: Rights;
  readonly everywhere: Rights;
}

export interface Access {
  readonly isKnown: boolean;
  /** Whether there is such a namespace that the person may see. */
  readonly exists: boolean;
  /** True while it is not known: the backend has the last word anyway. */
  may(verb: Verb, resource: string): boolean;
  /** Of what lies in no namespace. */
  mayEverywhere(verb: Verb, resource: string): boolean;
}

const known = signal<ReadonlyMap<string, Answer>>(new Map());
const everyMs = 20_000;

/** Another person looks. */
export const forgetAccess = (): void => {
  known.value = new Map();
};

const ask = async (namespace: string): Promise<void> => {
  const answer = await getJson<Answer>(inspect(`namespaces/${encode(namespace)}/may`)).catch(() => undefined);
  if (answer !== undefined) known.value = new Map([...known.peek(), [namespace, answer]]);
};

export const accessTo = (namespace: string): Access => {
  const answer = known.value.get(namespace);
  const has = (rights: Rights | undefined, verb: Verb, resource: string): boolean =>
    rights === undefined || (rights[resource] ?? []).includes(verb);
  return {
    isKnown: answer !== undefined,
    exists: answer?.exists ?? true,
    may: (verb, resource) => has(answer?.may, verb, resource),
    mayEverywhere: (verb, resource) => has(answer?.everywhere, verb, resource),
  };
};

/** Of a list of several namespaces: what may be done in one of them may be tried. */
const accessToSome = (namespaces: readonly string[]): Access => {
  const each = namespaces.map(accessTo);
  return {
    isKnown: each.every(({ isKnown }) => isKnown),
    exists: true,
    may: (verb, resource) => each.some((one) => one.may(verb, resource)),
    mayEverywhere: (verb, resource) => each.some((one) => one.mayEverywhere(verb, resource)),
  };
};

/** Asks once for each. */
export const useAccessToSome = (namespaces: readonly string[]): Access => {
  useEffect(() => {
    for (const namespace of namespaces) if (!known.peek().has(namespace)) void ask(namespace);
  }, [namespaces.join()]);
  return accessToSome(namespaces);
};

/** Keeps what is known of a namespace fresh while it is looked at; not `isNeeded`: nobody is asked. */
export const useAccess = (namespace: string, isNeeded = true): Access => {
  useEffect(() => {
    if (!isNeeded) return;
    void ask(namespace);
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') void ask(namespace);
    }, everyMs);
    return () => clearInterval(timer);
  }, [namespace, isNeeded]);
  return accessTo(namespace);
};
