// The commands that a running backend serves on its control socket, by request path.

import type { GroupCommit } from '../../actors/durable/group-commit.ts';
import type { TrustedAuthorities } from '../../model/access/trusted-authorities.ts';
import type { Logger } from '../../program/log.ts';
import { version } from '../../program/version.ts';
import type { Exportable } from '../../store/backup/consistent-export.ts';
import type { MaintainedStore } from '../../store/maintained-store.ts';
import type { BackendSettings } from '../backend-flags.ts';
import { storeFindings } from '../doctor/store-probe.ts';
import { checkStore } from './check-store.ts';
import { vaultOf } from './check-store-command.ts';
import type { BackendStatus } from './control-client.ts';
import { type Control, openControl } from './control-server.ts';
import { storeIdentity } from './store-identity.ts';
import { upgrade } from './upgrade.ts';
import { servingStore } from './upgrade-targets.ts';

export interface ControlServices {
  readonly settings: BackendSettings;
  readonly store: MaintainedStore;
  readonly exports: Exportable;
  readonly committer: Pick<GroupCommit, 'rewrite' | 'committed'>;
  readonly authorities: TrustedAuthorities;
  readonly log: Logger;
}

/** Only one upgrade runs at a time. */
const oneAtATime = (() => {
  let isBusy = false;
  return async function* <T>(begin: () => AsyncIterable<T>): AsyncGenerator<T, void, void> {
    if (isBusy) throw new Error('an upgrade of this store is under way; wait for its end');
    isBusy = true;
    try {
      yield* begin();
    } finally {
      isBusy = false;
    }
  };
})();

export const serveControl = ({
  settings,
  store,
  exports,
  committer,
  authorities,
  log,
}: ControlServices): Promise<Control | undefined> =>
  openControl(
    settings.stateDir,
    {
      async *'/v1/status'() {
        const { format, migrated } = store.marker;
        const status: BackendStatus = {
          ...{ pid: process.pid, version, identity: storeIdentity(settings) },
          ...{ store: store.name, format, migrated },
        };
        yield status;
      },
      '/v1/backup': () => {
        log.info('a backup of the store begins');
        return exports.export();
      },
      '/v1/upgrade': () => {
        log.warn('an upgrade of the store begins');
        return oneAtATime(() => upgrade(servingStore(store, committer)));
      },
      async *'/v1/doctor'() {
        yield* await storeFindings(store, settings, authorities);
      },
      '/v1/check-store': () => checkStore(store, vaultOf(settings)),
    },
    log,
  );
