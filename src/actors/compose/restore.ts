// Restores what the records of a store hold: the actors of every durable family, whose turn it is in round robins, and
// deliveries that were under way. A backend alone restores all of them at its start, one of a cluster those of a shard whenever
// it takes one. One bad record is reported and never keeps the others from coming up.
import type { CheckContext } from '../../machines/check/check-facts.ts';
import type { RecordKind, SnapshotStore } from '../../store/snapshot-store.ts';
import type { GroupCommit } from '../durable/group-commit.ts';
import { checkFamily } from '../families/check/check-family.ts';
import type { Families, RecordSource } from '../families/kit/families.ts';
import { families as familyTable } from '../families/table.ts';
import { contextOf } from '../runtime/inspection/snapshot.ts';
import type { Registry } from '../runtime/registry.ts';
import type { BackendLog, ShardHosting } from './dependencies.ts';
import type { Services } from './services.ts';

/** What a backend finds in its store when it comes up. */
export interface Rebuilt {
  readonly entities: number;
  readonly checks: number;
  readonly quarantined: number;
}

export interface RestorePorts {
  readonly services: Pick<Services, 'turns' | 'announcements' | 'checkDeliveries' | 'silences'>;
  readonly families: Families;
  readonly registry: Pick<Registry, 'has' | 'peek'>;
  readonly commit: GroupCommit;
  readonly log: BackendLog;
}

/** Rejects as the source does. */
export const restoreRecords = async (
  { services, families, registry, commit, log }: RestorePorts,
  records: RecordSource,
): Promise<Readonly<Record<string, number>>> => {
  const { turns, announcements, checkDeliveries, silences } = services;
  const onBadRecord = (kind: RecordKind, key: string, error: unknown): void =>
    log.error({ kind, key, err: error }, 'a record cannot be read back');
  const deliveries = await checkDeliveries.stored(records);
  const counts = await families.restore(familyTable, { records, commit, onBadRecord });
  checkDeliveries.restore(deliveries, (check) => {
    const id = `${checkFamily.id}:${check}`;
    const snapshot = registry.peek(id);
    if (snapshot === undefined) return registry.has(id) ? 'unknown' : 'gone';
    const context = contextOf<CheckContext>(snapshot);
    return context.event === null ? 'gone' : context;
  });
  await turns.restore(records, onBadRecord);
  await silences.book.restore(records, onBadRecord);
  await announcements.restore(records, onBadRecord);
  return counts;
};

/** At the start of a backend. In a cluster nothing comes up before a shard is taken. */
export const restoreBackend = async (
  ports: RestorePorts & { readonly store: SnapshotStore; readonly hosting?: ShardHosting | undefined },
): Promise<Rebuilt> => {
  const { commit, store, log, hosting } = ports;
  const everything: RecordSource = (kind, prefix) =>
    commit.scan(kind, prefix === undefined ? undefined : { prefix });
  const { entity: entities = 0, check: checks = 0 } =
    hosting === undefined ? await restoreRecords(ports, everything) : {};
  const quarantined = store.quarantined();
  for (const { kind, key, reason } of quarantined) {
    log.error({ kind, key, reason }, 'a record is damaged and was put aside');
  }
  return { entities, checks, quarantined: quarantined.length };
};
