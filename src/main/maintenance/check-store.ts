// Reads every record of a store and reports the bad ones. Read-only.
import { parseStoreKey } from '../../actors/resources/resource.ts';
import type { Vault } from '../../actors/resources/vault.ts';
import type { ExaminedStore } from '../../store/maintained-store.ts';
import { type RecordKind, recordKinds } from '../../store/snapshot-store.ts';
import { recordFault } from './record-faults.ts';

export interface BadRecord {
  readonly type: 'bad';
  readonly kind: RecordKind;
  readonly key: string;
  readonly fault: string;
}

export type CheckStep =
  | BadRecord
  | { readonly type: 'progress'; readonly progress: number }
  | { readonly type: 'checked'; readonly counts: Readonly<Record<string, number>>; readonly bad: number };

const progressRecords = 1_000;

export async function* checkStore(
  store: Pick<ExaminedStore, 'examine'>,
  vault: Vault | undefined,
): AsyncGenerator<CheckStep, void, void> {
  const namespaces = new Set<string>();
  for await (const { key } of store.examine('resource', { prefix: 'namespaces/' }))
    namespaces.add(parseStoreKey(key).name);
  const counts: Record<string, number> = {};
  let looked = 0;
  let bad = 0;
  for (const kind of recordKinds) {
    for await (const found of store.examine(kind)) {
      const { key } = found;
      looked += 1;
      counts[kind] = (counts[kind] ?? 0) + 1;
      const fault =
        'fault' in found ? found.fault : recordFault(kind, key, found.record, { namespaces, vault });
      if (fault !== undefined) {
        bad += 1;
        yield { type: 'bad', kind, key, fault };
      }
      if (looked % progressRecords === 0) yield { type: 'progress', progress: looked };
    }
  }
  yield { type: 'checked', counts, bad };
}
