// The client actor: makes the client machine live. It keeps the client's record, listens for its silence, and hands what is
// accepted to the pipeline as events of the entity that stands for the client.
import { handlersOf, resultEvent } from '../../machines/client-event-rule.ts';
import type {
  ClientContext,
  ClientEffect,
  ClientFact,
  ClientRecord,
  ClientReport,
} from '../../machines/client-facts.ts';
import { clientMachine, clientVersion, restoreClient } from '../../machines/client-machine.ts';
import { isClientName, keepaliveResult, registrationResult } from '../../machines/client-registry-rule.ts';
import { completedResult } from '../../machines/client-request-rule.ts';
import { keepingIncident } from '../../machines/client-view-rule.ts';
import type { CheckConfig } from '../../model/check.ts';
import type { Entity } from '../../model/entity.ts';
import type { CheckEvent, Event } from '../../model/event.ts';
import { defaultNamespace, keepaliveCheckName } from '../../model/names.ts';
import type { StoredRecord } from '../../store/snapshot-store.ts';
import type { GroupCommit } from '../commit/group-commit.ts';
import { orBeginAgain } from '../commit/or-begin-again.ts';
import { recordBody } from '../commit/records.ts';
import type { Behaviour, LiveActor, Origin, Receipt } from '../runtime/contract.ts';
import { contextOf } from '../runtime/snapshot.ts';
import { maxClientMail } from './limits.ts';

/** Where everything of the earlier generation lives: it has no namespaces. */
export const clientNamespace = defaultNamespace;

export interface ClientWorld {
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
  world: ClientWorld,
  record?: StoredRecord,
): Behaviour<ClientEffect> => {
  let first = true;
  const begin = async (): Promise<Origin> => {
    const last = await world.commit.latest('client', name);
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
        ? ({ type: 'client.resumed', nowMs: world.nowMs() } satisfies ClientFact)
        : undefined,
    onDeadline: (deadline, nowMs, actor) => {
      const { via } = contextOf<ClientContext>(actor.snapshot());
      return deadline === 'keepalive'
        ? ({ type: 'deadline.reached', name: deadline, nowMs, blind: world.isDeaf(via) } satisfies ClientFact)
        : undefined;
    },
    perform: (effect, actor) => perform(effect, actor, name, world),
    messageKey: (message) => {
      const { type, id } = message as ClientFact & { readonly id?: unknown };
      return type === 'result.received' && typeof id === 'string' ? id : undefined;
    },
  };
};

const recordOf = (actor: LiveActor): ClientRecord => contextOf<ClientContext>(actor.snapshot()).record ?? {};

type Effect<T extends ClientEffect['type']> = Extract<ClientEffect, { readonly type: T }>;

const perform = (effect: ClientEffect, actor: LiveActor, name: string, world: ClientWorld): void => {
  switch (effect.type) {
    case 'persist':
      return persist(actor, name, world);
    case 'deadline.set':
      // Measures somebody's silence: a backend that slept itself must not hold that against it.
      return actor.setDeadline(effect.name, effect.atMs, { forgiving: true });
    case 'deadline.clear':
      return actor.clearDeadline(effect.name);
    case 'mirror':
      return world.mirror(
        name,
        { record: recordOf(actor), heardAtMs: effect.heardAtMs, isMadeUp: effect.isMadeUp },
        actor.holdReceipt(),
      );
    case 'announce':
      return announce(actor, effect.nowMs, world);
    case 'keepalive.publish':
      return publishKeepalive(effect, actor, name, world);
    case 'result.publish':
      return publishResult(effect, actor, name, world);
    case 'refuse':
      return refuse(effect, actor, name, world);
    case 'forget':
      return world.commit.delete('client', name, actor.holdReceipt());
  }
};

/** An owner may have the silence of a client told as that of another one: then the other one gets the result. */
const publishKeepalive = (
  verdict: Effect<'keepalive.publish'>,
  actor: LiveActor,
  name: string,
  world: ClientWorld,
): void => {
  if (world.isAgent(name)) return world.giveWay(name);
  const record = recordOf(actor);
  const handler = world.hasHandler(keepaliveCheckName) ? keepaliveCheckName : undefined;
  const result = keepaliveResult(record, verdict, handler);
  const { source } = result;
  if (isClientName(source) && source !== name) {
    const { signature } = contextOf<ClientContext>(actor.snapshot());
    return world.report({ client: name, check: result, signature });
  }
  const arrival = { nowMs: verdict.nowMs, id: world.newId() };
  world.publish(resultEvent(result, world.entityOf(record), name, arrival), actor.holdReceipt());
};

const publishResult = (
  { id, result, sender, nowMs }: Effect<'result.publish'>,
  actor: LiveActor,
  name: string,
  world: ClientWorld,
): void => {
  const record = recordOf(actor);
  const check = String(result['name']);
  const definition = world.definition(check);
  const completed = completedResult(result, definition, record);
  const event = {
    ...resultEvent(completed, world.entityOf(record), sender, { nowMs, id }),
    pipelines: definition?.pipelines ?? [],
  };
  if (leaves(result, world)) {
    world.announce(event);
    return world.leave(name);
  }
  world.publish(keepingIncident(event, completed, world.lastEvent(name, check)), actor.holdReceipt());
};

/**
 * The handler `deregistration` of the reference product is built in: it deletes the client. One that an operator defined
 * under that name is called in its place.
 */
const leaves = (result: ClientRecord, world: ClientWorld): boolean =>
  result['name'] === deregistration &&
  handlersOf(result).includes(deregistration) &&
  !world.hasHandler(deregistration);

const announce = (actor: LiveActor, nowMs: number, world: ClientWorld): void => {
  const record = recordOf(actor);
  if (!world.hasHandler(registration) && record[registration] === undefined) return;
  const result = registrationResult(record, nowMs);
  const entity = world.entityOf(record);
  const event = resultEvent(result, entity, entity.metadata.name, { nowMs, id: world.newId() });
  world.log.info({ client: entity.metadata.name }, 'new client registration');
  world.announce({ ...event, check: { ...event.check, occurrences: 1, occurrences_watermark: 1 } });
};

const refuse = (
  { what, payload }: Effect<'refuse'>,
  actor: LiveActor,
  client: string,
  { log, refused }: ClientWorld,
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

const persist = (actor: LiveActor, name: string, world: ClientWorld): void => {
  const snapshot = actor.snapshot();
  world.commit.put(
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
