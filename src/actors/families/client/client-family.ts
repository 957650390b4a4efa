// The family `client`: one actor for each client of the earlier generation. It keeps the client's record, listens for its
// silence, and hands what is accepted to the pipelines as events of the entity that stands for the client.
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
import type { CheckConfig } from '../../../model/check/check.ts';
import type { Entity } from '../../../model/entity/entity.ts';
import type { CheckEvent, Event } from '../../../model/event/event.ts';
import { keepaliveCheckName } from '../../../model/resource/names.ts';
import type { StoredRecord } from '../../../store/snapshot-store.ts';
import type { LiveActor, Receipt } from '../../runtime/contract.ts';
import { contextOf } from '../../runtime/inspection/snapshot.ts';
import { defineFamily } from '../kit/family.ts';
import { maxClientMail } from '../kit/limits.ts';

export interface ClientPorts {
  readonly newId: () => string;
  /** At boot: the client came up from this record. */
  readonly restored: (name: string, record: StoredRecord) => void;
  /** An event on the usual path; the receipt is called after its commit. */
  readonly publish: (event: Event, receipt: Receipt) => void;
  /** Straight to the pipelines: never stored. */
  readonly announce: (event: Event) => void;
  /** Tells the entity of a client what its record says. The receipt is called after the commit. */
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
  /** A message of a client that we made ourselves: it takes the same path as any other. */
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

export interface ClientIdentity {
  readonly name: string;
}

export const clientFamily = defineFamily<
  ClientIdentity,
  ClientContext,
  ClientFact,
  ClientEffect,
  ClientPorts
>({
  id: 'client',
  title: 'one client of the earlier generation',
  machine: clientMachine,
  mailbox: { capacity: maxClientMail, overflow: 'refuse' },
  supervise: { restart: 'transient', place: { type: 'group', id: 'clients' } },
  durable: {
    kind: 'client',
    version: clientVersion,
    restore: restoreClient,
    identityOf: (name) => ({ name }),
  },
  deadlines: {
    keepalive: {
      // Measures the silence of a client.
      waitsFor: 'silence',
      storedAt: ({ deadlineAtMs }) => deadlineAtMs,
      message: (nowMs, { via }, { ports }) => ({
        type: 'deadline.reached',
        name: 'keepalive',
        nowMs,
        blind: ports.isDeaf(via),
      }),
    },
  },
  key: ({ name }) => name,
  input: ({ name }) => ({ name }),
  first: (member, resumed) =>
    resumed === undefined || resumed.deadlineAtMs === null
      ? undefined
      : { type: 'client.resumed', nowMs: member.nowMs() },
  messageKey(message) {
    const { type, id } = message as ClientFact & { readonly id?: unknown };
    return type === 'result.received' && typeof id === 'string' ? id : undefined;
  },
  restored: ({ name }, record, { restored }) => restored(name, record),
  perform(effect, actor, { identity: { name }, ports }) {
    switch (effect.type) {
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
    }
  },
});

const recordOf = (actor: LiveActor): ClientRecord => contextOf<ClientContext>(actor.snapshot()).record ?? {};

type Effect<T extends ClientEffect['type']> = Extract<ClientEffect, { readonly type: T }>;

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
