// Rebuilding the tree at boot: every entity and every check that is in the store gets its actor back, in batches, so that
// the loop keeps turning. One bad record is reported and left out; it never keeps the others from coming up.
import { checkKey } from '../../model/names.ts';
import type { RecordKind, StoredRecord } from '../../store/snapshot-store.ts';
import type { GroupCommit } from '../durable/group-commit.ts';
import { rebuildBatch } from '../runtime/limits.ts';
import type { EntityTree } from './entity/entity-tree.ts';

export interface RebuildPorts {
  readonly commit: Pick<GroupCommit, 'scan' | 'seed'>;
  readonly tree: EntityTree;
  /** Told of every entity that came up from its record. */
  readonly onEntity: (namespace: string, name: string) => void;
  /** Told of every check record, once its actor has begun. */
  readonly onCheck: (key: string, record: StoredRecord) => void;
  readonly onBadRecord: (kind: RecordKind, key: string, error: unknown) => void;
}

interface Rebuilt {
  readonly entities: number;
  readonly checks: number;
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Entities first: what a check does about its TTL depends on how its entity is. */
export const rebuild = async (ports: RebuildPorts): Promise<Rebuilt> => ({
  entities: await rebuildKind(ports, 'entity', 2, ([namespace = '', name = ''], record) => {
    ports.tree.ensureEntity(namespace, name, record);
    // One that could not be restored begins anew, unregistered.
    if (ports.tree.context(namespace, name) !== undefined) ports.onEntity(namespace, name);
  }),
  checks: await rebuildKind(ports, 'check', 3, ([namespace = '', entity = '', check = ''], record) => {
    ports.tree.ensureCheck(namespace, entity, check, record);
    ports.onCheck(checkKey(namespace, entity, check), record);
  }),
});

type Start = (path: readonly string[], record: StoredRecord) => void;

const rebuildKind = async (
  { commit, onBadRecord }: RebuildPorts,
  kind: 'entity' | 'check',
  depth: number,
  start: Start,
): Promise<number> => {
  let started = 0;
  for await (const { key, record } of commit.scan(kind)) {
    commit.seed(kind, key, record.rev);
    try {
      const path = key.split('/');
      if (path.length !== depth) throw new Error(`the key must have ${depth} parts`);
      start(path, record);
      started += 1;
    } catch (error) {
      onBadRecord(kind, key, error);
    }
    if (started % rebuildBatch === 0) await turn();
  }
  return started;
};
