// OpenAPI descriptions of live inspection. These routes register themselves with Fastify outside the route table; a
// test compares this list with the registered routes.
import { z } from 'zod';
import type { RouteDescription } from '../openapi/document.ts';
import { json, type RouteDoc, type Shape } from '../route-doc.ts';
import { actorSorts } from './actor-query.ts';
import { defaultPageSize, maxPageSize } from './limits.ts';
import { eventBodySchema, inspectionRoot } from './request.ts';
import { bundleSchema } from './stream-bundle.ts';

const tag = 'inspection';
const actors = { resource: 'actors' };

const row = {
  id: 'check:default/web-01/disk',
  machine: 'check',
  value: { life: 'active', ttl: 'waiting' },
  status: 'active',
  mailbox: 0,
  handled: 42,
  restarts: 0,
  generation: 1,
  startedAtMs: 1_795_233_693_000,
  parent: 'entity-tree:default/web-01',
};
const rowSchema = z.looseObject({
  id: z.string(),
  machine: z.string(),
  status: z.string(),
  mailbox: z.int(),
});
const list = (what: z.ZodType, example: object): Shape => json(z.array(what), [example]);
const named = (...names: string[]): z.ZodType =>
  z.looseObject(Object.fromEntries(names.map((name) => [name, z.unknown()])));

const graph = {
  id: 'check',
  title: 'One check of one entity',
  sha: '9f2c0b7d',
  states: [{ id: 'check.ttl.waiting', key: 'waiting', parent: 'check.ttl', type: 'atomic' }],
  transitions: [
    {
      id: 'check.ttl.waiting|deadline.ttl|0',
      source: 'check.ttl.waiting',
      event: 'deadline.ttl',
      targets: [],
    },
  ],
  events: { 'result.received': 'A result arrived.' },
};
const event = { type: 'result.received', nowMs: 1_795_233_693_000 };
const eventBody = { shape: json(eventBodySchema, { event }) };
const done = (word: string, value: boolean): RouteDoc['answers'] => ({
  200: { what: 'done', shape: json(z.object({ [word]: z.literal(value) }), { [word]: value }) },
});
const control = (summary: string, word: string, body: Partial<RouteDoc> = {}, value = true): RouteDoc => ({
  tag,
  summary: `${summary}; only if the backend was started with --inspect-control, and always logged`,
  answers: done(word, value),
  ...body,
});

const at = (
  method: 'GET' | 'POST',
  path: string,
  access: RouteDescription['access'],
  doc: Omit<RouteDoc, 'tag'> & Partial<RouteDoc>,
): RouteDescription => ({ method, url: inspectionRoot + path, access, doc: { tag, ...doc } });

export const inspectionDocs: readonly RouteDescription[] = [
  at('GET', '/machines', actors, {
    summary: 'List the statecharts with states, transitions, guards, actions and descriptions',
    answers: {
      200: {
        what: 'one graph per machine; the ETag changes if one of them does',
        shape: list(named(...Object.keys(graph)), graph),
        headers: ['ETag'],
      },
      304: { what: 'not changed since the version in If-None-Match' },
    },
  }),
  at('GET', '/actors', actors, {
    summary: 'Search, sort and page live actors',
    query: {
      prefix: 'ids with this prefix, e.g. `check:default/`',
      namespace: 'actors in this namespace',
      search: 'ids containing this, case-insensitive',
      machine: 'actors of this machine',
      state: 'actors in this state, e.g. `ttl.waiting` or `waiting`',
      sort: `${actorSorts.join(', ')}; in descending order`,
      limit: 'rows per page, up to 1000',
      continue: 'the `next` token of the previous page',
    },
    answers: {
      200: {
        what: 'one page, and the number of matches',
        shape: json(z.object({ items: z.array(rowSchema), total: z.int(), next: z.string().optional() }), {
          items: [row],
          total: 1,
        }),
      },
    },
  }),
  at('GET', '/tree', actors, {
    summary: 'List the children of a supervisor',
    query: {
      parent: 'id of the supervisor; default: the roots',
      from: 'index of the first child, from 0 in start order; default 0',
      limit: `number of children, at most ${maxPageSize}; default ${defaultPageSize}`,
      empty: '`false`: without supervisors that have no children',
    },
    answers: {
      200: {
        what: 'supervisors and actors',
        shape: json(named('items', 'total'), {
          items: [
            {
              id: 'entities',
              kind: 'supervisor',
              machine: 'supervisor',
              value: null,
              status: 'running',
              strategy: 'one_for_one',
              children: 64,
              restarts: 0,
              mailbox: 0,
            },
          ],
          total: 1,
        }),
      },
    },
    refusals: [404],
  }),
  at('GET', '/actors/:id', actors, {
    summary: 'Get one live actor or supervisor; the actor is then watched for five minutes',
    answers: {
      200: {
        what: 'state, redacted context, deadlines, next events, observed transitions, restarts',
        shape: json(
          named('row', 'active', 'context', 'committed', 'next', 'deadlines', 'history', 'restarts'),
          {
            row,
            sha: graph.sha,
            nowMs: 1_795_233_693_000,
            active: ['check.ttl.waiting'],
            context: { status: 0 },
            committed: true,
            next: [{ event: 'result.received', transitions: [] }],
            deadlines: [{ name: 'ttl', atMs: 1_795_233_753_000 }],
            history: [],
            restarts: [],
            children: [],
            canControl: false,
          },
        ),
      },
    },
  }),
  at('POST', '/actors/:id/dry-run', actors, {
    summary: 'Show what an event would do to an actor, without sending it',
    body: eventBody,
    answers: {
      200: {
        what: 'the resulting state, the result of each guard, the effects and the changes',
        shape: json(named('from', 'to', 'changed', 'actions', 'candidates', 'diff'), {
          from: { ttl: 'waiting' },
          to: { ttl: 'expired' },
          active: ['check.ttl.expired'],
          changed: true,
          actions: ['write'],
          candidates: [],
          diff: [{ path: 'status', before: 0, after: 1 }],
        }),
      },
    },
  }),
  at('GET', '/stream', actors, {
    summary: 'Stream the transitions of actors as server-sent events',
    query: {
      actors: 'ids, separated by commas',
      prefix: 'all actors whose id starts with this',
    },
    answers: {
      200: {
        what: 'batches of transitions, until the client disconnects or four minutes have passed',
        shape: {
          type: 'text',
          mediaType: 'text/event-stream',
          example: 'id: 7\nevent: frames\ndata: []\n\n',
        },
      },
    },
    refusals: [429],
  }),
  at('POST', '/streams', actors, {
    summary: 'Follow several streams over one connection, as server-sent events',
    body: {
      shape: json(bundleSchema, {
        streams: [
          { id: 'a', url: `${inspectionRoot}/stream?actors=check%3Adefault%2Fweb-01%2Fdisk` },
          { id: 'b', url: `${inspectionRoot}/namespaces/default/events/stream`, last_event_id: 'm3x8k.1042' },
        ],
      }),
    },
    answers: {
      200: {
        what: 'the messages of each stream with its id in a field `stream`; `refused` of one that may not be read',
        shape: {
          type: 'text',
          mediaType: 'text/event-stream',
          example: 'stream: a\nid: 7\nevent: transitions\ndata: []\n\n',
        },
      },
    },
    refusals: [400, 429],
  }),
  at(
    'GET',
    '/traces/:namespace/:entity/:check',
    { resource: 'events' },
    {
      summary: 'Get the pipeline trace of the last delivered event of a check',
      answers: {
        200: { what: 'one trace, newest last', shape: list(named('event', 'workflows'), { workflows: [] }) },
      },
    },
  ),
  at('GET', '/system', actors, {
    summary: 'Metrics of the process and the actors',
    answers: {
      200: {
        what: 'bytes, seconds, and gauges by name',
        shape: json(named('nowMs', 'uptimeSeconds', 'rssBytes', 'heapBytes', 'gauges'), {
          nowMs: 1_795_233_693_000,
          uptimeSeconds: 60,
          rssBytes: 150_000_000,
          heapBytes: 60_000_000,
          watchedActors: 1,
          streams: 1,
          gauges: { entities: 3 },
        }),
      },
    },
  }),
  at('GET', '/audit', actors, {
    summary: 'List attempts to control live actors since this backend started: the last 200, newest first',
    answers: {
      200: {
        what: 'attempts; all of them are also log lines of the component `audit`',
        shape: list(named('atMs', 'user', 'actor', 'action', 'outcome'), {
          atMs: 1_795_233_693_000,
          user: 'ann',
          actor: 'check:default/web-01/disk',
          action: 'restart',
          outcome: 'done',
          event: null,
        }),
      },
    },
  }),
  at('POST', '/actors/:id/send', actors, control('Send an event to an actor', 'sent', { body: eventBody })),
  at('POST', '/actors/:id/pause', actors, control('Pause an actor; its messages are queued', 'paused')),
  at('POST', '/actors/:id/resume', actors, control('Resume a paused actor', 'paused', {}, false)),
  at('POST', '/actors/:id/restart', actors, control('Restart an actor', 'restarted')),
  at('POST', '/actors/:id/stop', actors, control('Stop an actor', 'stopped')),
];
