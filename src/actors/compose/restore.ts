// Restores a backend from what its store holds: the actors of every durable family, whose turn it is in round robins, and
// deliveries that were under way. One bad record is reported and never keeps the others from coming up.
import type { CheckContext } from '../../machines/check/check-facts.ts';
import type { RecordKind, SnapshotStore } from '../../store/snapshot-store.ts';
import type { GroupCommit } from '../durable/group-commit.ts';
import { checkFamily } from '../families/check/check-family.ts';
import type { Families } from '../families/kit/families.ts';
import { families as familyTable } from '../families/table.ts';
import { contextOf } from '../runtime/inspection/snapshot.ts';
import type { Registry } from '../runtime/registry.ts';
import type { BackendLog } from './dependencies.ts';
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
  readonly store: SnapshotStore;
  readonly log: BackendLog;
}

export const restoreBackend = async ({
  services,
  families,
  registry,
  commit,
  store,
  log,
}: RestorePorts): Promise<Rebuilt> => {
  const { turns, announcements, checkDeliveries, silences } = services;
  const onBadRecord = (kind: RecordKind, key: string, error: unknown): void =>
    log.error({ kind, key, err: error }, 'a record cannot be read back');
  const deliveries = await checkDeliveries.stored();
  const { entity: entities = 0, check: checks = 0 } = await families.restore(familyTable, {
    commit,
    onBadRecord,
  });
  for (const { kind, key, reason } of store.quarantined()) {
    log.error({ kind, key, reason }, 'a record is damaged and was put aside');
  }
  checkDeliveries.restore(deliveries, (check) => {
    const id = `${checkFamily.id}:${check}`;
    const snapshot = registry.peek(id);
    if (snapshot === undefined) return registry.has(id) ? 'unknown' : 'gone';
    const context = contextOf<CheckContext>(snapshot);
    return context.event === null ? 'gone' : context;
  });
  await turns.restore(onBadRecord);
  await silences.book.restore(onBadRecord);
  await announcements.restore(onBadRecord);
  return { entities, checks, quarantined: store.quarantined().length };
};
