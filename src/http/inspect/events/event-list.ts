// The event list for operators: sorted by severity, counted, searchable, and live. Requires the permission to list
// events in the namespace. The plain list of the public API is unchanged.
import type { Readable } from 'node:stream';
import { z } from 'zod';
import type { EventIndex } from '../../../actors/events/event-index.ts';
import { countMatching, type EventFilter, searchEvents } from '../../../actors/events/event-search.ts';
import { type Call, type GuardedRoute, ok } from '../../route.ts';
import { json, type RouteDoc } from '../../route-doc.ts';
import { inspectionRoot } from '../request.ts';
import type { StreamSource } from '../stream-bundle.ts';
import { openEventFeed } from './event-feed.ts';
import { filterDoc, filterOf, searchDoc, searchOf, tokenOf } from './event-query.ts';
import { type RerunOf, rowOf } from './event-row.ts';
import type { EventListPage } from './protocol.ts';

export interface EventList {
  readonly routes: readonly GuardedRoute[];
  /** The same stream for connections that carry several. */
  readonly streams: StreamSource;
  /** Ends the streams. */
  close(): void;
}

const counts = { critical: 1, warning: 0, unknown: 0, passing: 11 };
const rowExample = {
  id: '3c5a5a0e-6b5c-4a4e-9d43-7a0a5e6c2b11',
  timestamp: 1_795_233_693,
  since: 1_795_233_213,
  rerun: 'agent',
  entity: {
    metadata: { name: 'web-01', namespace: 'default' },
    entity_class: 'agent',
    subscriptions: ['web'],
  },
  check: { metadata: { name: 'disk', namespace: 'default' }, status: 2, output: 'CRITICAL: /var at 97 %' },
};
const pageSchema = z.looseObject({
  items: z.array(z.looseObject({ timestamp: z.number(), since: z.number() })),
  total: z.number(),
  counts: z.object({ all: z.record(z.string(), z.number()), silenced: z.record(z.string(), z.number()) }),
  next: z.string().optional(),
  cursor: z.string(),
});
const countsExample = { all: counts, silenced: { critical: 0, warning: 0, unknown: 0, passing: 0 } };

const listDoc: RouteDoc = {
  tag: 'inspection',
  summary: 'List events by severity, filtered and counted',
  query: searchDoc,
  answers: {
    200: {
      what: 'one page of rows, how many fit, and how many of each severity, silenced or not',
      shape: json(pageSchema, { items: [rowExample], total: 1, counts: countsExample, cursor: 'm3x8k.1042' }),
    },
  },
};

const streamDoc: RouteDoc = {
  tag: 'inspection',
  summary: 'Stream the changes of an event list as server-sent events',
  query: filterDoc,
  answers: {
    200: {
      what: '`hello`, `changes` and `lagged` (reload the list), until the client disconnects or four minutes have passed',
      shape: {
        type: 'text',
        mediaType: 'text/event-stream',
        example: `id: m3x8k.1043\nevent: changes\ndata: ${JSON.stringify({ counts: countsExample, rows: [rowExample], gone: ['web-01/cpu'], why: { 'web-01/cpu': 'passing' } })}\n\n`,
      },
    },
  },
  refusals: [429],
};

/** `rerunOf`: whether a check can be run again; absent: nobody knows of checks and agents here. */
export const createEventList = (index: EventIndex, rerunOf: RerunOf = () => 'noCheck'): EventList => {
  const epoch = Date.now().toString(36) + Math.random().toString(36).slice(2, 8);
  const streams = new Set<Readable>();

  const read = async (call: Call): Promise<EventListPage> => {
    const search = searchOf(call);
    // Taken before the page is read, so that a stream continuing from here may repeat a change but never misses
    // one.
    const cursor = `${epoch}.${index.seq}`;
    const { items, total, next } = await searchEvents(index, search);
    return {
      items: items.map((entry) => rowOf(entry, rerunOf)),
      total,
      counts: await countMatching(index, search),
      cursor,
      ...(next === undefined ? {} : { next: tokenOf(next) }),
    };
  };

  const follow = (filter: EventFilter, lastEventId: string | undefined): Readable => {
    const stream = openEventFeed({ index, epoch, filter, rerunOf, lastEventId });
    streams.add(stream);
    stream.once('close', () => streams.delete(stream));
    return stream;
  };

  const url = `${inspectionRoot}/namespaces/:namespace/events`;
  const access = { resource: 'events' };
  return {
    routes: [
      { method: 'GET', url, access, doc: listDoc, handle: async (call) => ok(await read(call)) },
      {
        method: 'GET',
        url: `${url}/stream`,
        access,
        doc: streamDoc,
        handle: (call) => ({
          status: 200,
          headers: streamHeaders,
          body: follow(filterOf(call), lastEventIdOf(call)),
        }),
      },
    ],
    streams: (address) => {
      const namespace = streamPath.exec(address.pathname)?.[1];
      if (namespace === undefined) return undefined;
      const asked = { namespace: decodeURIComponent(namespace), query: queryOf(address) };
      const filter = filterOf({ parameters: { namespace: asked.namespace }, query: asked.query });
      return {
        access: [{ verb: 'list', resource: 'events', namespace: asked.namespace, resourceName: '' }],
        begin: (lastEventId) => follow(filter, lastEventId),
      };
    },
    close: () => {
      for (const stream of streams) stream.destroy();
    },
  };
};

const lastEventIdOf = ({ headers }: Call): string | undefined => {
  const found = headers['last-event-id'];
  return typeof found === 'string' ? found : undefined;
};

const queryOf = ({ searchParams }: URL): Record<string, string> => Object.fromEntries(searchParams);

const streamPath = new RegExp(`^${inspectionRoot}/namespaces/([^/]+)/events/stream$`);

const streamHeaders = {
  'Content-Type': 'text/event-stream; charset=utf-8',
  'Cache-Control': 'no-store',
  // The connection closes with its stream, so that a stopping server need not wait for it.
  Connection: 'close',
  'X-Accel-Buffering': 'no',
  'X-Content-Type-Options': 'nosniff',
} as const;
