// At boot: every client in the store gets its actor back, in batches. One bad record is reported and left out.
import type { RecordKind } from '../../../store/snapshot-store.ts';
import type { GroupCommit } from '../../durable/group-commit.ts';
import type { Clients } from './clients.ts';
import { rebuildBatch } from './limits.ts';

export interface RestorePorts {
  readonly commit: Pick<GroupCommit, 'scan' | 'seed'>;
  readonly clients: Pick<Clients, 'restore'>;
  readonly onBadRecord: (kind: RecordKind, key: string, error: unknown) => void;
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Resolves with the number of clients. */
export const restoreClients = async ({ commit, clients, onBadRecord }: RestorePorts): Promise<number> => {
  let started = 0;
  for await (const { key, record } of commit.scan('client')) {
    commit.seed('client', key, record.rev);
    try {
      clients.restore(key, record);
      started += 1;
    } catch (error) {
      onBadRecord('client', key, error);
    }
    if (started % rebuildBatch === 0) await turn();
  }
  return started;
};
