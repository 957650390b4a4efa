// What people do about the incident of an event: acknowledge it, release it, write notes. Everything requires the
// verb `update` on the event. The event itself shows the results (`check.acknowledgement`, `check.incident_notes`).
import type { EventAddress } from '../../actors/events/incidents.ts';
import { MonError } from '../../model/errors.ts';
import {
  acknowledgementRequestSchema,
  acknowledgementSchema,
  noteRequestSchema,
} from '../../model/event/acknowledgement.ts';
import { eventKind } from '../../model/kinds/watching.ts';
import { decode } from '../../model/schema/decode.ts';
import type { BackendPort } from '../backend-port.ts';
import {
  type AccessRule,
  type AuthenticatedCall,
  created,
  type GuardedRoute,
  noContent,
  ok,
  parameter,
} from '../route.ts';
import { json, type RouteDoc, removedAnswer } from '../route-doc.ts';

const event = '/api/core/v2/namespaces/:namespace/events/:entity/:check';

const access: AccessRule = {
  resource: 'events',
  name: ({ entity, check }) => `${entity}/${check}`,
  verb: 'update',
};

const tag = eventKind.path;
const docs = {
  acknowledge: {
    tag,
    summary:
      'Acknowledge the incident of an event, or change owner, comment and reminder of its acknowledgement',
    body: {
      shape: json(acknowledgementRequestSchema, { comment: 'disk ordered', remind_every: 3600 }),
      optional: true,
    },
    answers: {
      200: {
        what: 'the acknowledgement',
        shape: json(acknowledgementSchema, {
          owner: 'admin',
          by: 'admin',
          comment: 'disk ordered',
          at: 1_700_000_000,
          remind_every: 3600,
          remind_at: 1_700_003_600,
          reminders: 0,
        }),
      },
    },
    refusals: [400, 404, 409],
  },
  release: {
    tag,
    summary: 'Withdraw the acknowledgement of an incident: handlers are called for its next result',
    answers: removedAnswer,
    refusals: [404],
  },
  note: {
    tag,
    summary: 'Add a note to the incident of an event',
    body: { shape: json(noteRequestSchema, { text: 'The vendor was called.' }) },
    answers: { 201: { what: 'written; empty body' } },
    refusals: [400, 404, 409],
  },
} satisfies Record<string, RouteDoc>;

const addressOf = (call: AuthenticatedCall): EventAddress => ({
  namespace: parameter(call, 'namespace'),
  entity: parameter(call, 'entity'),
  check: parameter(call, 'check'),
});

const read = <T>(schema: Parameters<typeof decode<T>>[0], body: unknown): T => {
  const decoded = decode(schema, body, '');
  if (!decoded.ok) throw new MonError('invalid', decoded.message);
  return decoded.value;
};

export const incidentRoutes = ({ incidents }: BackendPort): readonly GuardedRoute[] => [
  {
    method: 'PUT',
    url: `${event}/acknowledgement`,
    access,
    doc: docs.acknowledge,
    handle: async (call) => {
      const request = read(acknowledgementRequestSchema, call.body ?? {});
      const { check } = await incidents.acknowledge(addressOf(call), call.principal.username, request);
      return ok(check.acknowledgement ?? {});
    },
  },
  {
    method: 'DELETE',
    url: `${event}/acknowledgement`,
    access,
    doc: docs.release,
    handle: async (call) => {
      await incidents.release(addressOf(call));
      return noContent;
    },
  },
  {
    method: 'POST',
    url: `${event}/notes`,
    access,
    doc: docs.note,
    handle: async (call) => {
      const { text } = read(noteRequestSchema, call.body);
      await incidents.note(addressOf(call), call.principal.username, text);
      return created();
    },
  },
];
