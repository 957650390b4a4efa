// Bringing a backend up on what its store holds: the tree, every entity and check, the clients of the earlier generation, and
// whose turn it is. One bad record is reported and never keeps the others from coming up.
import { entityKey } from '../../model/names.ts';
import type { RecordKind, SnapshotStore } from '../../store/snapshot-store.ts';
import type { BackendLog } from '../dependencies.ts';
import type { GroupCommit } from '../durable/group-commit.ts';
import type { Runtime } from '../runtime/runtime.ts';
import type { Services } from '../services.ts';
import { tellBoot } from './boot/boot-behaviour.ts';
import { restoreClients } from './client/restore-clients.ts';
import { rebuild } from './rebuild.ts';

/** What a backend finds in its store when it comes up. */
export interface Rebuilt {
  readonly entities: number;
  readonly checks: number;
  readonly quarantined: number;
}

export interface BringUp {
  readonly services: Pick<
    Services,
    'root' | 'tree' | 'registered' | 'learn' | 'clients' | 'turns' | 'announcements'
  >;
  readonly runtime: Runtime;
  readonly commit: GroupCommit;
  readonly store: SnapshotStore;
  readonly log: BackendLog;
}

export const bringUp = async ({ services, runtime, commit, store, log }: BringUp): Promise<Rebuilt> => {
  const { root, tree, registered, learn, clients, turns, announcements } = services;
  const nowMs = (): number => runtime.clock.wallMs();
  const onBadRecord = (kind: RecordKind, key: string, error: unknown): void =>
    log.error({ kind, key, err: error }, 'a record cannot be read back');
  await root.ready();
  tellBoot(runtime, { type: 'store.opened', nowMs: nowMs() });
  const counts = await rebuild({
    commit,
    tree,
    onEntity: (namespace, name) => {
      registered.add(namespace, name);
      registered.noteCommitted(entityKey(namespace, name), true);
    },
    onCheck: learn,
    onBadRecord,
  });
  for (const { kind, key, reason } of store.quarantined()) {
    log.error({ kind, key, reason }, 'a record is damaged and was put aside');
  }
  await restoreClients({ commit, clients, onBadRecord });
  await turns.restore(onBadRecord);
  await announcements.restore(onBadRecord);
  const rebuilt = { ...counts, quarantined: store.quarantined().length };
  tellBoot(runtime, { type: 'rebuild.finished', nowMs: nowMs(), ...rebuilt });
  return rebuilt;
};
