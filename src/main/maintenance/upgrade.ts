// Upgrades a store: applies all pending migrations to every record, then updates the format marker. It can be repeated: an
// interrupted run leaves records of both formats, which every backend can read, and the next run continues. The writer is a
// parameter: a stopped store, or the backend that serves from it.
import { type StoreMarker, storeFormat } from '../../store/format-marker.ts';
import type { ExaminedStore } from '../../store/maintained-store.ts';
import { type RecordKind, recordKinds, type StoredRecord } from '../../store/snapshot-store.ts';
import { upgradeBatch } from './limits.ts';
import { migrations as allMigrations, type MigratedRecord, type Migration } from './migrations.ts';
import { orphanedChecks } from './orphaned-checks.ts';

export interface Rewrite {
  readonly kind: RecordKind;
  readonly key: string;
  /** The revision it replaces: nothing is written if a newer one is stored. */
  readonly rev: number;
  readonly record: MigratedRecord;
}

export interface UpgradeTarget {
  readonly store: Pick<ExaminedStore, 'examine'>;
  readonly marker: StoreMarker;
  /** Resolves when the records, or newer versions of them, are durable. */
  rewrite(rewrites: readonly Rewrite[]): Promise<void>;
  writeMarker(marker: StoreMarker): Promise<void>;
}

export type UpgradeStep =
  | { readonly type: 'progress'; readonly progress: number; readonly written: number }
  | { readonly type: 'done'; readonly from: number; readonly to: number; readonly written: number };

const maxNamed = 20;

const named = (names: readonly string[]): string =>
  names.length <= maxNamed
    ? names.join(', ')
    : `${names.slice(0, maxNamed).join(', ')} and ${names.length - maxNamed} more`;

const refuseOrphans = async (store: UpgradeTarget['store']): Promise<void> => {
  const orphans = await orphanedChecks(store);
  if (orphans.length === 0) return;
  const namespaces = [...new Set(orphans.map((orphan) => orphan.slice(0, orphan.indexOf('/'))))];
  throw new Error(
    `nothing was upgraded: the namespace of these checks is gone: ${named(orphans)}. ` +
      `Create the namespace again (mon-ctl namespace create ${namespaces[0]}), delete the check, delete the namespace, and run the upgrade again`,
  );
};

const migrated = (
  steps: readonly Migration[],
  kind: RecordKind,
  key: string,
  record: StoredRecord,
): MigratedRecord | undefined => {
  let changed: MigratedRecord | undefined;
  for (const step of steps) changed = step.migrate(kind, key, { ...record, ...changed }) ?? changed;
  return changed;
};

/** Throws if the namespace of a check is missing (before any write), or if a record cannot be migrated. */
export async function* upgrade(
  { store, marker, rewrite, writeMarker }: UpgradeTarget,
  migrations: readonly Migration[] = allMigrations,
): AsyncGenerator<UpgradeStep, void, void> {
  const from = marker.migrated;
  const steps = migrations.filter(({ to }) => to > from);
  await refuseOrphans(store);
  const bad: string[] = [];
  let looked = 0;
  let written = 0;
  let batch: Rewrite[] = [];
  const flush = async (): Promise<void> => {
    if (batch.length > 0) await rewrite(batch);
    written += batch.length;
    batch = [];
  };
  for (const kind of recordKinds) {
    for await (const found of store.examine(kind)) {
      looked += 1;
      if ('fault' in found) continue;
      const { key, record } = found;
      try {
        const next = migrated(steps, kind, key, record);
        if (next !== undefined) batch.push({ kind, key, rev: record.rev, record: next });
      } catch (error) {
        bad.push(`${kind} ${key} (${(error as Error).message})`);
      }
      if (batch.length >= upgradeBatch) await flush();
      if (looked % upgradeBatch === 0) yield { type: 'progress', progress: looked, written };
    }
  }
  await flush();
  if (bad.length > 0)
    throw new Error(
      `the store stays in format ${from}, since these records can't be brought into the new form: ${named(bad)}. ` +
        'Put them aside (mon-backend check-store --set-aside, while the backend is stopped), and run the upgrade again',
    );
  await writeMarker({ ...marker, migrated: storeFormat });
  yield { type: 'done', from, to: storeFormat, written };
}
