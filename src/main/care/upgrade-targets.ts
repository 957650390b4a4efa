// What an upgrade writes through: the store itself while no backend runs on it, or the one writer of the backend that does.
import type { GroupCommit } from '../../actors/durable/group-commit.ts';
import { outcomeError } from '../../actors/runtime/outcome.ts';
import type { MaintainedStore } from '../../store/maintained-store.ts';
import type { UpgradeTarget } from './upgrade.ts';

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

/** An actor that writes its record meanwhile writes it in the new form: then there is nothing left to do. */
export const servingStore = (
  store: MaintainedStore,
  committer: Pick<GroupCommit, 'rewrite'>,
): UpgradeTarget => ({
  store,
  marker: store.marker,
  async rewrite(rewrites) {
    await Promise.all(
      rewrites.map(
        ({ kind, key, rev, record }) =>
          new Promise<void>((resolve, reject) => {
            const isAsked = committer.rewrite(
              kind,
              key,
              rev,
              () => record,
              (outcome) => (outcome.type === 'done' ? resolve() : reject(outcomeError(outcome))),
            );
            if (!isAsked) resolve();
          }),
      ),
    );
  },
  writeMarker: (marker) => store.writeMarker(marker),
});
