// Where an actor with a durable record begins a life. A record that cannot be restored is put aside, byte for byte, and its
// actor begins anew: one bad record must keep neither the backend from coming up nor this one thing from being watched.
import type { Snapshot } from 'xstate';
import { RestoreError } from '../../machines/restore-rule.ts';
import type { RecordKind, StoredRecord } from '../../store/snapshot-store.ts';
import type { Origin } from '../runtime/contract.ts';
import type { GroupCommit } from './group-commit.ts';

export type SetAside = (kind: RecordKind, key: string, record: StoredRecord, error: RestoreError) => void;

export interface RestoreRequest {
  readonly kind: RecordKind;
  readonly key: string;
  /** Throws a RestoreError when it can't. */
  readonly restore: (state: unknown, version: number) => Snapshot<unknown>;
  /** What the actor begins from when the record can't be restored. */
  readonly input: unknown;
  readonly setAside: SetAside;
}

export const originFrom = (
  record: StoredRecord,
  { kind, key, restore, input, setAside }: RestoreRequest,
): Origin => {
  try {
    return { snapshot: restore(record.state, record.version) };
  } catch (error) {
    if (!(error instanceof RestoreError)) throw error;
    setAside(kind, key, record, error);
    return { input };
  }
};

/** Where a bad record is kept: found by its kind and key. */
export const asideKey = (kind: RecordKind, key: string): string => `aside/${kind}/${key}`;

/** Moves the record out of the way of readers and of the next start. */
export const setAsideIn =
  (
    commit: Pick<GroupCommit, 'put' | 'delete'>,
    tell: (kind: RecordKind, key: string, error: Error) => void,
  ): SetAside =>
  (kind, key, record, error) => {
    tell(kind, key, error);
    const { machine, version, deadlines, state } = record;
    commit.put('system', asideKey(kind, key), () => ({ machine, version, deadlines, state }));
    commit.delete(kind, key);
  };
