// Rebuilding the tree at boot: every entity and every check that is in the store gets its actor back, in batches, so that
// the loop keeps turning. One bad record is reported and left out; it never keeps the others from coming up.
import { checkKey } from '../model/names.ts';
import type { RecordKind, StoredRecord } from '../store/snapshot-store.ts';
import type { GroupCommit } from './commit/group-commit.ts';
import type { EntityTree } from './entities/entity-tree.ts';
import { rebuildBatch } from './runtime/limits.ts';

export interface RebuildWorld {
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
export const rebuild = async (world: RebuildWorld): Promise<Rebuilt> => ({
  entities: await rebuildKind(world, 'entity', 2, ([namespace = '', name = ''], record) => {
    world.tree.ensureEntity(namespace, name, record);
    // One that could not be restored begins anew, unregistered.
    if (world.tree.context(namespace, name) !== undefined) world.onEntity(namespace, name);
  }),
  checks: await rebuildKind(world, 'check', 3, ([namespace = '', entity = '', check = ''], record) => {
    world.tree.ensureCheck(namespace, entity, check, record);
    world.onCheck(checkKey(namespace, entity, check), record);
  }),
});

type Start = (path: readonly string[], record: StoredRecord) => void;

const rebuildKind = async (
  { commit, onBadRecord }: RebuildWorld,
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
