// Where an upgrade writes: directly to the store, or through the group commit of the backend that serves from it.
import type { Companion } from '../../actors/durable/commit-slot.ts';
import type { GroupCommit } from '../../actors/durable/group-commit.ts';
import { outcomeError } from '../../actors/outcomes/outcome-rules.ts';
import type { MaintainedStore } from '../../store/maintained-store.ts';
import type { StoreWrite } from '../../store/snapshot-store.ts';
import type { Rewrite, UpgradeTarget } from './upgrade.ts';

/** Those along with it are `first`: a run that ends in the middle is repeated, and finds them written. */
const writesOf = ({ kind, key, rev, record: { along = [], ...record } }: Rewrite): StoreWrite[] => {
  const savedAtMs = Date.now();
  return [
    ...along.map(
      (one): StoreWrite => ({
        ...{ type: 'put', order: 'first', kind: one.kind, key: one.key },
        record: { ...one.record, rev: 1, savedAtMs },
      }),
    ),
    { type: 'put', kind, key, record: { ...record, rev: rev + 1, savedAtMs } },
  ];
};

export const storeAtRest = (store: MaintainedStore): UpgradeTarget => ({
  store,
  marker: store.marker,
  async rewrite(rewrites) {
    await store.commit(rewrites.flatMap(writesOf));
  },
  writeMarker: (marker) => store.writeMarker(marker),
});

/** Resolves when the record is durable in its new form, written here or by a newer write of its actor. */
const rewriteOne = async (
  committer: Pick<GroupCommit, 'rewrite' | 'committed'>,
  { kind, key, rev, record: { along = [], ...record } }: Rewrite,
): Promise<void> => {
  const companions = along.map(
    (one): Companion => ({
      ...{ type: 'put', kind: one.kind, key: one.key, encode: () => one.record },
    }),
  );
  const attempt = (): Promise<boolean> =>
    new Promise((resolve, reject) => {
      const isAsked = committer.rewrite(
        kind,
        key,
        rev,
        () => record,
        (outcome) => (outcome.type === 'done' ? resolve(true) : reject(outcomeError(outcome))),
        companions,
      );
      if (!isAsked) resolve(false);
    });
  if (await attempt()) return;
  // The group commit knows the revision of a key only after the key was read.
  if ((await committer.committed(kind, key))?.rev === rev) await attempt();
};

/** If its actor writes the record in the meantime, that write already has the new form. */
export const servingStore = (
  store: MaintainedStore,
  committer: Pick<GroupCommit, 'rewrite' | 'committed'>,
): UpgradeTarget => ({
  store,
  marker: store.marker,
  async rewrite(rewrites) {
    await Promise.all(rewrites.map((one) => rewriteOne(committer, one)));
  },
  writeMarker: (marker) => store.writeMarker(marker),
});
