// Live inspection in the backend: its port on the runtime, its access rules, its audit line in the log.
import type { Backend } from '../actors/backend.ts';
import { checkId } from '../actors/entities/entity-tree.ts';
import { contextOf } from '../actors/runtime/snapshot.ts';
import type { Api } from '../http/api.ts';
import type { EventList } from '../http/inspect/events/event-list.ts';
import { registerInspection } from '../http/inspect/routes.ts';
import { createRuntimePort } from '../http/inspect/runtime-port.ts';
import { authorize } from '../http/rbac.ts';
import { allMachines } from '../machines/all-machines.ts';
import type { CheckContext } from '../machines/check-facts.ts';
import { MonError } from '../model/errors.ts';
import type { Logger } from '../program/log.ts';

export interface LiveInspection {
  readonly backend: Backend;
  readonly api: Api;
  readonly log: Logger;
  /** Ended with the server. */
  readonly eventList: EventList;
  /** `--inspect-control` */
  readonly allowControl: boolean;
}

export const addLiveInspection = ({ backend, api, log, eventList, allowControl }: LiveInspection): void => {
  api.server.app.addHook('preClose', async () => eventList.close());
  const port = createRuntimePort({
    runtime: backend.runtime,
    machines: allMachines,
    moreGauges: () => backend.gauges(),
    lastTrace: (namespace, entity, check) => {
      const snapshot = backend.runtime.registry.peek(checkId(namespace, entity, check));
      return snapshot === undefined ? undefined : contextOf<CheckContext>(snapshot).lastTrace;
    },
  });
  registerInspection(api.server.app, {
    port,
    allowControl,
    async identify(request) {
      return (await api.authenticator.authenticate(request.headers.authorization)).username;
    },
    async authorize(request, access) {
      const principal = await api.authenticator.authenticate(request.headers.authorization);
      const decision = authorize(backend.resources, principal, access);
      if (!decision.allow) throw new MonError('permissionDenied', decision.message);
      return principal.username;
    },
    audit: (fields, text) => log.warn({ component: 'audit', ...fields }, text),
  });
};
