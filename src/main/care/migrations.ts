// Migrations convert records from one store format to the next. They are idempotent: a record in the new form is left as it
// is. A backend reads all formats, so it can serve before and during an upgrade; the upgrade allows a later version to drop
// support for the old ones.
import { checkVersion, restoreCheck } from '../../machines/check/check-machine.ts';
import { entityVersion, restoreEntity } from '../../machines/entity/entity-machine.ts';
import type { RecordKind, StoredRecord } from '../../store/snapshot-store.ts';

/** The migrated content of a record; the writer sets revision and time. */
export type MigratedRecord = Pick<StoredRecord, 'machine' | 'version' | 'deadlines' | 'state'>;

export interface Migration {
  /** The target format; the source is the one before. */
  readonly to: number;
  /** Shown to the operator before confirmation. */
  readonly what: string;
  /** Undefined if the record needs no change. Throws if the record is invalid. */
  readonly migrate: (kind: RecordKind, key: string, record: StoredRecord) => MigratedRecord | undefined;
}

const entityWithSilence: Migration['migrate'] = (kind, _key, { machine, version, deadlines, state }) => {
  if (kind !== 'entity' || version >= entityVersion) return undefined;
  const { value, context } = restoreEntity(state, version);
  return { machine, version: entityVersion, deadlines, state: { value, context } };
};

const checkWithAcknowledgement: Migration['migrate'] = (
  kind,
  _key,
  { machine, version, deadlines, state },
) => {
  if (kind !== 'check' || version >= checkVersion) return undefined;
  const { value, context } = restoreCheck(state, version);
  return { machine, version: checkVersion, deadlines, state: { value, context } };
};

/** In ascending order of format. */
export const migrations: readonly Migration[] = [
  { to: 2, what: 'entities keep for how long they may be silent', migrate: entityWithSilence },
  { to: 3, what: 'checks keep who acknowledged their incident', migrate: checkWithAcknowledgement },
];
