// Migrations convert records from one store format to the next. They are idempotent: a record in the new form is left as it
// is. A backend reads all formats, so it can serve before and during an upgrade; the upgrade allows a later version to drop
// support for the old ones.
import type { RecordBody } from '../../actors/durable/records.ts';
import { deliveryBody, deliveryKey, deliveryKind } from '../../actors/pipelines/delivery-records.ts';
import { checkVersion, restoreCheck } from '../../machines/check/check-machine.ts';
import { withoutEvents } from '../../machines/check/delivery-rule.ts';
import { entityVersion, restoreEntity } from '../../machines/entity/entity-machine.ts';
import type { RecordKind, StoredRecord } from '../../store/snapshot-store.ts';

/** The migrated content of a record; the writer sets revision and time. */
export type MigratedRecord = Pick<StoredRecord, 'machine' | 'version' | 'deadlines' | 'state'> & {
  /** New records that hold a part of the old one; written along with it. */
  readonly along?: readonly NewRecord[];
};

interface NewRecord {
  readonly kind: RecordKind;
  readonly key: string;
  readonly record: RecordBody;
}

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

/** Both changes of checks at once: their machine knows the way from any version. */
const wholeCheck: Migration['migrate'] = (kind, key, { machine, version, deadlines, state }) => {
  if (kind !== 'check' || version >= checkVersion) return undefined;
  const { value, context } = restoreCheck(state, version);
  const { pending, changes } = withoutEvents(context.pending);
  const along = changes.added.map(({ seq, event }) => ({
    kind: deliveryKind,
    key: deliveryKey(key, context.deliverySeries, seq),
    record: deliveryBody(event),
  }));
  const record = {
    machine,
    version: checkVersion,
    deadlines,
    state: { value, context: { ...context, pending } },
  };
  return along.length === 0 ? record : { ...record, along };
};

/** In ascending order of format. */
export const migrations: readonly Migration[] = [
  { to: 2, what: 'entities keep for how long they may be silent', migrate: entityWithSilence },
  { to: 3, what: 'checks keep who acknowledged their incident', migrate: wholeCheck },
  { to: 4, what: 'events that wait for their handlers get records of their own', migrate: wholeCheck },
];
