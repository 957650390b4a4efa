// What a running backend does for commands of its machine, by the path of the request.

import type { Logger } from '../../program/log.ts';
import { version } from '../../program/version.ts';
import type { Exportable } from '../../store/backup/consistent-export.ts';
import type { MaintainedStore } from '../../store/maintained-store.ts';
import type { BackendStatus } from './control-client.ts';
import { type Control, openControl } from './control-server.ts';
import { type StoreSettings, storeIdentity } from './store-identity.ts';

export interface ControlWorld {
  readonly settings: StoreSettings;
  readonly store: MaintainedStore;
  readonly exports: Exportable;
  readonly log: Logger;
}

export const serveControl = ({ settings, store, exports, log }: ControlWorld): Promise<Control | undefined> =>
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
    },
    log,
  );
