// Migrations: what turns the records of one store format into those of the next. Each can be repeated: a record that is in the
// new form already stays as it is. A backend reads the forms of all formats, so it serves before and during an upgrade; the
// upgrade sees to it that a later version may forget the old ones.
import { entityVersion, restoreEntity } from '../../machines/entity/entity-machine.ts';
import type { RecordKind, StoredRecord } from '../../store/snapshot-store.ts';

/** What a migration makes of a record; revision and time are the writer's. */
export type MigratedRecord = Pick<StoredRecord, 'machine' | 'version' | 'deadlines' | 'state'>;

export interface Migration {
  /** The format it leads to, from the one before. */
  readonly to: number;
  /** For people, before they agree. */
  readonly what: string;
  /** Undefined when the record is in the new form, or none of those it changes. Throws what is wrong with it. */
  readonly migrate: (kind: RecordKind, key: string, record: StoredRecord) => MigratedRecord | undefined;
}

const entityWithSilence: Migration['migrate'] = (kind, _key, { machine, version, deadlines, state }) => {
  if (kind !== 'entity' || version >= entityVersion) return undefined;
  const { value, context } = restoreEntity(state, version);
  return { machine, version: entityVersion, deadlines, state: { value, context } };
};

/** In order. */
export const migrations: readonly Migration[] = [
  { to: 2, what: 'entities keep for how long they may be silent', migrate: entityWithSilence },
];
