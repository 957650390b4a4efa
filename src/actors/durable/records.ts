// Between a live snapshot and its durable record. A machine of ours holds no children and no timers, so its whole state
// is `{value, context}`: plain data, readable in a database shell.
import type { Snapshot } from 'xstate';
import type { StoredDeadline, StoredRecord } from '../../store/snapshot-store.ts';
import { contextOf, stateValueOf } from '../runtime/inspection/snapshot.ts';

/** The part of a record an actor knows; the group-commit writer adds the revision and the time of the write. */
export type RecordBody = Pick<StoredRecord, 'machine' | 'version' | 'deadlines' | 'state'>;

/** Snapshots are immutable, so a body may be made long after the transition: at the moment of the commit. */
export const recordBody = (
  machine: string,
  version: number,
  snapshot: Snapshot<unknown>,
  deadlines: readonly StoredDeadline[],
): RecordBody => ({
  machine,
  version,
  deadlines,
  state: { value: stateValueOf(snapshot), context: contextOf(snapshot) },
});
