// Child specs are checked where they are handed over: a wrong one is a mistake in our code and thrown at its author.
import type { AnyChildSpec, ChildSpec, SupervisorSpec } from '../contract.ts';

const childKeys = new Set(['id', 'restart', 'behaviour', 'shutdownMs', 'startTimeoutMs']);
const supervisorKeys = new Set([
  'id',
  'strategy',
  'restart',
  'whenFailing',
  'intensity',
  'periodMs',
  'children',
  'shutdownMs',
]);
const restartTypes = new Set(['permanent', 'transient', 'temporary']);
const strategies = new Set(['one_for_one', 'one_for_all', 'rest_for_one']);

export const isSupervisorSpec = (spec: AnyChildSpec): spec is SupervisorSpec => 'strategy' in spec;

const refuse = (spec: AnyChildSpec, text: string): never => {
  throw new TypeError(`child spec ${JSON.stringify(spec.id)}: ${text}`);
};

const checkCommon = (spec: AnyChildSpec, known: ReadonlySet<string>): void => {
  if (typeof spec.id !== 'string' || spec.id === '') refuse(spec, 'id must be a string that is not empty');
  for (const key in spec) if (!known.has(key)) refuse(spec, `unknown key ${key}`);
  if (spec.restart !== undefined && !restartTypes.has(spec.restart)) {
    refuse(spec, `restart must be permanent, transient or temporary (got ${spec.restart})`);
  }
  const { shutdownMs } = spec;
  if (shutdownMs !== undefined && !(shutdownMs >= 0))
    refuse(spec, `shutdownMs must not be negative (got ${shutdownMs})`);
};

const checkChild = (spec: ChildSpec): void => {
  checkCommon(spec, childKeys);
  if (spec.restart === undefined) refuse(spec, 'restart must be given');
  if (spec.behaviour === undefined) refuse(spec, 'behaviour must be given');
  const { capacity } = spec.behaviour.mailbox;
  if (!(capacity >= 1)) refuse(spec, `behaviour.mailbox.capacity must be at least 1 (got ${capacity})`);
};

const checkSupervisor = (spec: SupervisorSpec): void => {
  checkCommon(spec, supervisorKeys);
  if (!strategies.has(spec.strategy)) refuse(spec, `unknown strategy ${spec.strategy}`);
  if (spec.whenFailing === 'quarantine' && spec.strategy !== 'one_for_one') {
    refuse(spec, 'whenFailing quarantine needs strategy one_for_one: unrelated children only');
  }
  const ids = new Set<string>();
  for (const child of spec.children ?? []) {
    if (ids.has(child.id)) refuse(spec, `two children have the id ${child.id}`);
    ids.add(child.id);
    checkSpec(child);
  }
};

/** Throws a TypeError that says what is wrong. */
export const checkSpec = (spec: AnyChildSpec): void => {
  if (isSupervisorSpec(spec)) checkSupervisor(spec);
  else checkChild(spec);
};
