// From a stored record back to a live snapshot. A record is `{value, context}` with the version of its shape; older
// shapes are brought forward step by step, unknown ones are refused with a reason, never guessed at.

import type { AnyMachineSnapshot, AnyStateMachine, SnapshotFrom } from 'xstate';
import { isObject } from '../model/schema/is-object.ts';

/** A record that cannot become a live actor again. It belongs into quarantine, byte for byte. */
export class RestoreError extends Error {
  constructor(machine: string, reason: string) {
    super(`stored ${machine} state cannot be restored: ${reason}`);
    this.name = 'RestoreError';
  }
}

export interface StoredState {
  readonly value: unknown;
  readonly context: unknown;
}

/** `steps[n]` turns a state of version n into one of version n + 1. */
type Migrations = Readonly<Record<number, (state: StoredState) => StoredState>>;

export interface RestoreRule {
  readonly version: number;
  readonly migrate: Migrations;
  /** What is wrong with a context, or undefined when it has the shape of today. */
  readonly contextFault: (context: Readonly<Record<string, unknown>>) => string | undefined;
}

const migrated = (machine: string, state: StoredState, version: number, rule: RestoreRule): StoredState => {
  let current = state;
  for (let from = version; from < rule.version; from += 1) {
    const step = rule.migrate[from];
    if (step === undefined) throw new RestoreError(machine, `no way from version ${from} to ${from + 1}`);
    try {
      current = step(current);
    } catch (error) {
      const why = `version ${from} cannot be brought to version ${from + 1} (${(error as Error).message})`;
      throw new RestoreError(machine, why);
    }
  }
  return current;
};

/** Throws a RestoreError when version, state value or context are not what the machine knows. */
export const restore = <TMachine extends AnyStateMachine>(
  machine: TMachine,
  rule: RestoreRule,
  state: unknown,
  version: number,
): SnapshotFrom<TMachine> => {
  if (!Number.isInteger(version) || version < 1 || version > rule.version) {
    throw new RestoreError(
      machine.id,
      `version ${version} is unknown, this program knows up to ${rule.version}`,
    );
  }
  if (!isObject(state)) throw new RestoreError(machine.id, 'not an object');
  const { value, context } = migrated(
    machine.id,
    { value: state['value'], context: state['context'] },
    version,
    rule,
  );
  if (!isObject(context)) throw new RestoreError(machine.id, 'context is not an object');
  const fault = rule.contextFault(context);
  if (fault !== undefined) throw new RestoreError(machine.id, fault);
  return resolved(machine, value, context) as SnapshotFrom<TMachine>;
};

const resolved = (
  machine: AnyStateMachine,
  value: unknown,
  context: Readonly<Record<string, unknown>>,
): AnyMachineSnapshot => {
  const shown = JSON.stringify(value);
  if (typeof value !== 'string' && !isObject(value)) {
    throw new RestoreError(machine.id, `state value is ${shown}`);
  }
  let snapshot: AnyMachineSnapshot;
  try {
    snapshot = machine.resolveState({ value: value as never, context: context as never });
  } catch (error) {
    throw new RestoreError(machine.id, `state value ${shown} is unknown (${(error as Error).message})`);
  }
  // XState fills in what a value leaves out; a value that had to be completed is not one we wrote.
  if (JSON.stringify(snapshot.value) !== shown) {
    throw new RestoreError(machine.id, `state value ${shown} is incomplete`);
  }
  if (snapshot.status !== 'active') throw new RestoreError(machine.id, `state ${shown} is final`);
  return snapshot;
};
