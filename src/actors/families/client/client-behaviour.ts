// The client actor: makes the client machine live. It keeps the client's record, listens for its silence, and hands what is
// accepted to the pipeline as events of the entity that stands for the client.
import { handlersOf, resultEvent } from '../../../machines/client/client-event-rule.ts';
import type {
  ClientContext,
  ClientEffect,
  ClientFact,
  ClientRecord,
  ClientReport,
} from '../../../machines/client/client-facts.ts';
import { clientMachine, clientVersion, restoreClient } from '../../../machines/client/client-machine.ts';
import {
  isClientName,
  keepaliveResult,
  registrationResult,
} from '../../../machines/client/client-registry-rule.ts';
import { completedResult } from '../../../machines/client/client-request-rule.ts';
import { keepingIncident } from '../../../machines/client/client-view-rule.ts';
import type { CheckConfig } from '../../../model/check.ts';
import type { Entity } from '../../../model/entity.ts';
import type { CheckEvent, Event } from '../../../model/event.ts';
import { defaultNamespace, keepaliveCheckName } from '../../../model/names.ts';
import type { StoredRecord } from '../../../store/snapshot-store.ts';
import type { GroupCommit } from '../../durable/group-commit.ts';
import { orBeginAgain } from '../../durable/or-begin-again.ts';
import { recordBody } from '../../durable/records.ts';
import type { Behaviour, LiveActor, Origin, Receipt } from '../../runtime/contract.ts';
import { contextOf } from '../../runtime/snapshot.ts';
import { maxClientMail } from './limits.ts';

/** Where everything of the earlier generation lives: it has no namespaces. */
export const clientNamespace = defaultNamespace;

export interface ClientPorts {
  readonly commit: Pick<GroupCommit, 'put' | 'delete' | 'latest'>;
  readonly nowMs: () => number;
  readonly newId: () => string;
  /** An event on the usual road; the receipt is told after its commit. */
  readonly publish: (event: Event, receipt: Receipt) => void;
  /** Straight to the pipelines: never stored. */
  readonly announce: (event: Event) => void;
  /** Tells the entity of a client what its record says. The receipt is told after the commit. */
  readonly mirror: (name: string, report: ClientReport, receipt: Receipt) => void;
  /** The entity that stands for a client, with what operators added. */
  readonly entityOf: (record: ClientRecord) => Entity;
  /** Whether an agent has the name of a client: then it is the agent that is watched. */
  readonly isAgent: (name: string) => boolean;
  /** Something this client said is not believed. */
  readonly refused: (client: string, why: string) => void;
  /** An agent took the place of a client: the client alone is forgotten. */
  readonly giveWay: (name: string) => void;
  readonly hasHandler: (name: string) => boolean;
  /** A client left and wants to be forgotten. */
  readonly leave: (name: string) => void;
  /** A message of a client that we made ourselves: it takes the road of any other. */
  readonly report: (message: object) => void;
  /** The definition of a check, if the server has one. */
  readonly definition: (check: string) => CheckConfig | undefined;
  /** The event a new one will follow. */
  readonly lastEvent: (client: string, check: string) => CheckEvent | null;
  /** Whether what a client sends over this transport can't reach us now. */
  readonly isDeaf: (via: string) => boolean;
  readonly log: Record<'info' | 'warn', (fields: object, text: string) => void>;
}

const deregistration = 'deregistration';
const registration = 'registration';

const restored = (record: StoredRecord): Origin => ({
  snapshot: restoreClient(record.state, record.version),
});

export const clientBehaviour = (
  name: string,
  ports: ClientPorts,
  record?: StoredRecord,
): Behaviour<ClientEffect> => {
  let first = true;
  const begin = async (): Promise<Origin> => {
    const last = await ports.commit.latest('client', name);
    return last === undefined ? { input: { name } } : restored(last);
  };
  return {
    machine: clientMachine,
    mailbox: { capacity: maxClientMail, overflow: 'refuse' },
    begin: () => {
      if (!first) return begin();
      first = false;
      return record === undefined ? { input: { name } } : restored(record);
    },
    firstMessage: (origin) =>
      'snapshot' in origin && contextOf<ClientContext>(origin.snapshot).deadlineAtMs !== null
        ? ({ type: 'client.resumed', nowMs: ports.nowMs() } satisfies ClientFact)
        : undefined,
    onDeadline: (deadline, nowMs, actor) => {
      const { via } = contextOf<ClientContext>(actor.snapshot());
      return deadline === 'keepalive'
        ? ({ type: 'deadline.reached', name: deadline, nowMs, blind: ports.isDeaf(via) } satisfies ClientFact)
        : undefined;
    },
    perform: (effect, actor) => perform(effect, actor, name, ports),
    messageKey: (message) => {
      const { type, id } = message as ClientFact & { readonly id?: unknown };
      return type === 'result.received' && typeof id === 'string' ? id : undefined;
    },
  };
};

const recordOf = (actor: LiveActor): ClientRecord => contextOf<ClientContext>(actor.snapshot()).record ?? {};

type Effect<T extends ClientEffect['type']> = Extract<ClientEffect, { readonly type: T }>;

const perform = (effect: ClientEffect, actor: LiveActor, name: string, ports: ClientPorts): void => {
  switch (effect.type) {
    case 'persist':
      return persist(actor, name, ports);
    case 'deadline.set':
      // Measures somebody's silence: a backend that slept itself must not hold that against it.
      return actor.setDeadline(effect.name, effect.atMs, { forgiving: true });
    case 'deadline.clear':
      return actor.clearDeadline(effect.name);
    case 'mirror':
      return ports.mirror(
        name,
        { record: recordOf(actor), heardAtMs: effect.heardAtMs, isMadeUp: effect.isMadeUp },
        actor.holdReceipt(),
      );
    case 'announce':
      return announce(actor, effect.nowMs, ports);
    case 'keepalive.publish':
      return publishKeepalive(effect, actor, name, ports);
    case 'result.publish':
      return publishResult(effect, actor, name, ports);
    case 'refuse':
      return refuse(effect, actor, name, ports);
    case 'forget':
      return ports.commit.delete('client', name, actor.holdReceipt());
  }
};

/** An owner may have the silence of a client told as that of another one: then the other one gets the result. */
const publishKeepalive = (
  verdict: Effect<'keepalive.publish'>,
  actor: LiveActor,
  name: string,
  ports: ClientPorts,
): void => {
  if (ports.isAgent(name)) return ports.giveWay(name);
  const record = recordOf(actor);
  const handler = ports.hasHandler(keepaliveCheckName) ? keepaliveCheckName : undefined;
  const result = keepaliveResult(record, verdict, handler);
  const { source } = result;
  if (isClientName(source) && source !== name) {
    const { signature } = contextOf<ClientContext>(actor.snapshot());
    return ports.report({ client: name, check: result, signature });
  }
  const arrival = { nowMs: verdict.nowMs, id: ports.newId() };
  ports.publish(resultEvent(result, ports.entityOf(record), name, arrival), actor.holdReceipt());
};

const publishResult = (
  { id, result, sender, nowMs }: Effect<'result.publish'>,
  actor: LiveActor,
  name: string,
  ports: ClientPorts,
): void => {
  const record = recordOf(actor);
  const check = String(result['name']);
  const definition = ports.definition(check);
  const completed = completedResult(result, definition, record);
  const event = {
    ...resultEvent(completed, ports.entityOf(record), sender, { nowMs, id }),
    pipelines: definition?.pipelines ?? [],
  };
  if (leaves(result, ports)) {
    ports.announce(event);
    return ports.leave(name);
  }
  ports.publish(keepingIncident(event, completed, ports.lastEvent(name, check)), actor.holdReceipt());
};

/**
 * The handler `deregistration` of the reference product is built in: it deletes the client. One that an operator defined
 * under that name is called in its place.
 */
const leaves = (result: ClientRecord, ports: ClientPorts): boolean =>
  result['name'] === deregistration &&
  handlersOf(result).includes(deregistration) &&
  !ports.hasHandler(deregistration);

const announce = (actor: LiveActor, nowMs: number, ports: ClientPorts): void => {
  const record = recordOf(actor);
  if (!ports.hasHandler(registration) && record[registration] === undefined) return;
  const result = registrationResult(record, nowMs);
  const entity = ports.entityOf(record);
  const event = resultEvent(result, entity, entity.metadata.name, { nowMs, id: ports.newId() });
  ports.log.info({ client: entity.metadata.name }, 'new client registration');
  ports.announce({ ...event, check: { ...event.check, occurrences: 1, occurrences_watermark: 1 } });
};

const refuse = (
  { what, payload }: Effect<'refuse'>,
  actor: LiveActor,
  client: string,
  { log, refused }: ClientPorts,
): void => {
  refused(client, `its ${what} is not signed as the client is, or the client was deleted for a while`);
  // The signature itself stays out of the log, where the reference product writes it: a log is read by many.
  if (what === 'keepalive') {
    log.warn({ client }, 'invalid client signature');
    return log.warn({ client }, 'not updating client in the registry');
  }
  const check = payload['name'];
  log.warn({ client, check }, 'invalid check result signature');
  if (recordOf(actor)['name'] !== undefined)
    log.warn({ client, check }, 'not retrieving client from the registry');
  log.warn({ client, check }, 'halting result processing');
};

const persist = (actor: LiveActor, name: string, ports: ClientPorts): void => {
  const snapshot = actor.snapshot();
  ports.commit.put(
    'client',
    name,
    () => {
      const { deadlineAtMs } = contextOf<ClientContext>(snapshot);
      const deadlines = deadlineAtMs === null ? [] : [{ name: 'keepalive', atMs: deadlineAtMs }];
      return recordBody('client', clientVersion, snapshot, deadlines);
    },
    orBeginAgain(actor, actor.holdReceipt()),
  );
};
