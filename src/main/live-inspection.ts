// Connects live inspection to the backend: runtime port, access control, audit log.
import type { Backend } from '../actors/backend.ts';
import { families } from '../actors/families/table.ts';
import type { Api } from '../http/api.ts';
import { createEventList, type EventList } from '../http/inspect/events/event-list.ts';
import { createRerunOf } from '../http/inspect/events/rerun.ts';
import type { InspectionDeps } from '../http/inspect/request.ts';
import { registerInspection } from '../http/inspect/routes.ts';
import { createRuntimePort } from '../http/inspect/runtime-port.ts';
import { authorize, namespacesWhere } from '../http/rbac.ts';
import { MonError } from '../model/errors.ts';
import type { Logger } from '../program/log.ts';
import { allMachines } from './all-machines.ts';

export interface LiveInspection {
  readonly backend: Backend;
  readonly api: Api;
  readonly log: Logger;
  /** Closed with the server. */
  readonly eventList: EventList;
  /** `--inspect-control` */
  readonly allowControl: boolean;
}

/** The record kind of each durable family; the rest of an actor id is the record key. */
const recordKinds = new Map(
  families.flatMap(({ id, durable }) => (durable === undefined ? [] : [[id, durable.kind]])),
);

const splitOnce = (text: string, at: string): readonly [string, string] => {
  const place = text.indexOf(at);
  return place < 0 ? [text, ''] : [text.slice(0, place), text.slice(place + at.length)];
};

/** The lists of events, for the API and for the streams of inspection. */
export const openEventList = (backend: Backend): EventList =>
  createEventList({
    index: backend.events,
    events: backend.eventReader,
    rerunOf: createRerunOf(backend),
    listable: (principal) =>
      namespacesWhere(backend.resources, principal, { verb: 'list', resource: 'events' }),
  });

export const addLiveInspection = ({ backend, api, log, eventList, allowControl }: LiveInspection): void => {
  api.server.app.addHook('preClose', async () => eventList.close());
  const port = createRuntimePort({
    runtime: backend.runtime,
    machines: allMachines,
    moreGauges: () => backend.gauges(),
    lastTrace: (namespace, entity, check) => backend.readTrace(namespace, entity, check),
    isCommitted: (id) => {
      const [family = '', key] = splitOnce(id, ':');
      const kind = recordKinds.get(family);
      return kind === undefined || backend.committer.isSettled(kind, key);
    },
  });
  const deps: InspectionDeps = {
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
    async admitStream(request, access, end) {
      const principal = await api.authenticator.authenticate(request.headers.authorization);
      return api.server.streams.open(principal, access, end);
    },
    audit: (fields, text) => log.warn({ component: 'audit', ...fields }, text),
  };
  registerInspection(api.server.app, deps, [eventList.streams]);
};
