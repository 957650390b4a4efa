// Events over HTTP. A write is answered with 201 after its commit, so it can be read back
// and survives a crash.
import { randomUUID } from 'node:crypto';
import { definitionsIn } from '../../actors/resources/configuration.ts';
import { MonError } from '../../model/errors.ts';
import { type Event, writtenEntity } from '../../model/event/event.ts';
import { parseEvent } from '../../model/event/event-parse.ts';
import { repeatKeyOf } from '../../model/event/repeat-key.ts';
import { eventKind } from '../../model/kinds/watching.ts';
import type { BackendPort, EventQuery } from '../backend-port.ts';
import { checkConditions, isConditional } from '../conditions.ts';
import { answerList, listRequest, selectorFilter } from '../listing.ts';
import { authorize } from '../rbac.ts';
import {
  type AccessRule,
  type Answer,
  type AuthenticatedCall,
  type Call,
  created,
  type GuardedRoute,
  noContent,
  ok,
  okWithTag,
  type Parameters,
  parameter,
} from '../route.ts';
import { createdAnswer, json, listOf, one as oneOf, type RouteDoc, resourceDocs } from '../route-doc.ts';
import { traceExample, traceSchema } from '../trace-doc.ts';

const collection = '/api/core/v2/namespaces/:namespace/events';
const ofEntity = `${collection}/:entity`;
const one = `${ofEntity}/:check`;

const onCollection: AccessRule = { resource: 'events' };
const onEntity: AccessRule = { resource: 'events', name: ({ entity }) => entity ?? '', verb: 'list' };
const onOne: AccessRule = {
  resource: 'events',
  name: ({ entity, check }: Parameters) => `${entity}/${check}`,
};

const docs = resourceDocs(eventKind);
const write: RouteDoc = {
  tag: eventKind.path,
  summary: 'Submit an event: creates its entity if needed and runs its pipelines',
  body: { shape: oneOf(eventKind) },
  answers: createdAnswer,
  refusals: [402, 404, 412, 422],
};
const eventsOfEntity: RouteDoc = {
  ...docs.list,
  summary: 'List the events of an entity',
  answers: { 200: { what: 'the events of the entity, sorted by check', shape: listOf(eventKind) } },
};

/** The pipeline trace of the last delivered event: all filters, mutators and handlers with result and reason. */
const traceDoc: RouteDoc = {
  tag: eventKind.path,
  summary: 'Get the pipeline trace of the last event: which handlers ran, which filter stopped it, and why',
  answers: { 200: { what: 'the results, by workflow', shape: json(traceSchema, traceExample) } },
};

const scopeOf = (body: unknown, scope: 'entity' | 'check'): Record<string, unknown> | null => {
  const value = (body as Record<string, unknown> | null | undefined)?.[scope];
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null;
};

/**
 * The fields that a PUT requires. An event posted without an interval has
 * `interval: 0` and can be written back.
 */
const requireWhole = (body: unknown): void => {
  const [entity, check] = [scopeOf(body, 'entity'), scopeOf(body, 'check')];
  if (entity !== null && !entity.entity_class)
    throw new MonError('invalid', 'entity.entity_class is required: "agent" or "proxy"');
  if (check !== null && (check.interval ?? null) === null && !check.cron)
    throw new MonError('invalid', 'check.interval (in seconds) or check.cron is required');
};

/** The event's namespace must exist; entities are created on demand. */
const requireNamespace = (backend: BackendPort, namespace: string): void => {
  if (!backend.resources.hasNamespace(namespace))
    throw new MonError('notFound', `the namespace ${namespace} does not exist`);
};

/**
 * The URI names one entity, but `check.proxy_entity_name` in the body may name another. Rejects with
 * `permissionDenied` if the caller may not write that one.
 */
const requireRightOnWritten = (backend: BackendPort, call: AuthenticatedCall, event: Event): void => {
  const entity = writtenEntity(event);
  if (entity === event.entity.metadata.name) return;
  const check = event.check?.metadata.name ?? '';
  const { principal, method } = call;
  const verb = method === 'PUT' ? 'update' : 'create';
  const namespace = parameter(call, 'namespace');
  const resourceName = `${entity}/${check}`;
  const decision = authorize(backend.resources, principal, {
    verb,
    resource: 'events',
    namespace,
    resourceName,
  });
  if (!decision.allow)
    throw new MonError(
      'permissionDenied',
      `${principal.username} may not ${verb} the event ${resourceName}, which check.proxy_entity_name refers to`,
    );
};

const stamp = (event: Event, username: string): Event => {
  event.id ??= randomUUID();
  event.metadata.created_by = username;
  event.entity.metadata.created_by = username;
  if (event.check !== undefined) event.check.metadata.created_by = username;
  return event;
};

export const eventRoutes = (backend: BackendPort): readonly GuardedRoute[] => {
  const list = (call: Call, scope: Pick<EventQuery, 'namespace' | 'entity'>): Promise<Answer> => {
    const filter = selectorFilter(call.query, eventKind);
    return answerList(
      listRequest(call.query),
      (page) => backend.readEvents({ ...scope, ...page, ...(filter ? { filter } : {}) }),
      eventKind.toWire,
    );
  };

  const take = async (call: AuthenticatedCall): Promise<Answer> => {
    const { entity, check } = call.parameters;
    const namespace = parameter(call, 'namespace');
    const address = {
      namespace,
      definition: definitionsIn(backend.resources, namespace),
      ...(entity === undefined ? {} : { entity }),
      ...(check === undefined ? {} : { check }),
    };
    const parsed = parseEvent(call.body, address);
    if (!parsed.ok) throw new MonError('invalid', parsed.message);
    requireNamespace(backend, namespace);
    requireRightOnWritten(backend, call, parsed.value);
    if (isConditional(call)) await checkTag(call);
    const repeatKey = repeatKeyOf(parsed.value);
    await backend.acceptEvent(stamp(parsed.value, call.principal.username), repeatKey);
    return created();
  };

  const replace = (call: AuthenticatedCall): Promise<Answer> => {
    requireWhole(call.body);
    return take(call);
  };

  const listOfEntity = async (call: Call): Promise<Answer> => {
    const [namespace, entity] = [parameter(call, 'namespace'), parameter(call, 'entity')];
    const answer = await list(call, { namespace, entity });
    const isEmpty = answer.body === '[]';
    // A known entity without events has an empty list; an unknown entity is not found.
    if (isEmpty && (await backend.readEntity(namespace, entity)) === undefined)
      throw new MonError('notFound');
    return answer;
  };

  const stored = (call: Call) =>
    backend.readEvent(parameter(call, 'namespace'), parameter(call, 'entity'), parameter(call, 'check'));

  /** Evaluated when the request is processed: agent results arrive at any time. */
  const checkTag = async (call: Call): Promise<void> => {
    const { namespace, entity, check } = call.parameters;
    if (check === undefined) return;
    const event = await stored(call);
    checkConditions(call, `events/${namespace}/${entity}/${check}`, () => event && eventKind.toWire(event));
  };

  const read = async (call: Call): Promise<Answer> => {
    const event = await stored(call);
    if (event === undefined) throw new MonError('notFound');
    return okWithTag(eventKind.toWire(event));
  };

  const readTrace = async (call: Call): Promise<Answer> => {
    const trace = await backend.readTrace(
      parameter(call, 'namespace'),
      parameter(call, 'entity'),
      parameter(call, 'check'),
    );
    if (typeof trace !== 'object' || trace === null)
      throw new MonError('notFound', 'no event of this check was delivered yet');
    return ok(trace);
  };

  const remove = async (call: Call): Promise<Answer> => {
    if (isConditional(call)) await checkTag(call);
    const deleted = await backend.deleteEvent(
      parameter(call, 'namespace'),
      parameter(call, 'entity'),
      parameter(call, 'check'),
    );
    if (!deleted) throw new MonError('notFound');
    return noContent;
  };

  return [
    {
      method: 'GET',
      url: '/api/core/v2/events',
      access: onCollection,
      doc: docs.listAll,
      handle: (call) => list(call, {}),
    },
    {
      method: 'GET',
      url: collection,
      access: onCollection,
      doc: docs.list,
      handle: (call) => list(call, { namespace: parameter(call, 'namespace') }),
    },
    { method: 'POST', url: collection, access: onCollection, doc: write, handle: take },
    { method: 'GET', url: ofEntity, access: onEntity, doc: eventsOfEntity, handle: listOfEntity },
    { method: 'GET', url: one, access: onOne, doc: docs.get, handle: read },
    { method: 'GET', url: `${one}/trace`, access: onOne, doc: traceDoc, handle: readTrace },
    { method: 'POST', url: one, access: onOne, doc: write, handle: take },
    { method: 'PUT', url: one, access: onOne, doc: write, handle: async (call) => replace(call) },
    { method: 'DELETE', url: one, access: onOne, doc: docs.delete, handle: remove },
  ];
};
