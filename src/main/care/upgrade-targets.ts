// What an upgrade writes through: the store itself while no backend runs on it, or the one writer of the backend that does.
import type { GroupCommit } from '../../actors/durable/group-commit.ts';
import { outcomeError } from '../../actors/outcomes/outcome-rules.ts';
import type { MaintainedStore } from '../../store/maintained-store.ts';
import type { Rewrite, UpgradeTarget } from './upgrade.ts';

export const storeAtRest = (store: MaintainedStore): UpgradeTarget => ({
  store,
  marker: store.marker,
  async rewrite(rewrites) {
    await store.commit(
      rewrites.map(({ kind, key, rev, record }) => ({
        type: 'put',
        kind,
        key,
        record: { ...record, rev: rev + 1, savedAtMs: Date.now() },
      })),
    );
  },
  writeMarker: (marker) => store.writeMarker(marker),
});

/** Resolves when the record is durable in its new form, by this write or by a newer one of its owner. */
const rewriteOne = async (
  committer: Pick<GroupCommit, 'rewrite' | 'committed'>,
  { kind, key, rev, record }: Rewrite,
): Promise<void> => {
  const attempt = (): Promise<boolean> =>
    new Promise((resolve, reject) => {
      const isAsked = committer.rewrite(
        kind,
        key,
        rev,
        () => record,
        (outcome) => (outcome.type === 'done' ? resolve(true) : reject(outcomeError(outcome))),
      );
      if (!isAsked) resolve(false);
    });
  if (await attempt()) return;
  // A key nobody has read since the start is unknown to the committer until it is read.
  if ((await committer.committed(kind, key))?.rev === rev) await attempt();
};

/** An actor that writes its record meanwhile writes it in the new form: then there is nothing left to do. */
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
