// The event list for operators: sorted by severity, counted, searchable, and live. Requires the permission to list
// events in the namespace. The plain list of the public API is unchanged.
import type { Readable } from 'node:stream';
import { z } from 'zod';
import type { EventGroup } from '../../../actors/events/event-groups.ts';
import type { EventIndex } from '../../../actors/events/event-index.ts';
import type { EventFilter } from '../../../actors/events/event-search.ts';
import type { EventReader } from '../../../actors/reach/merged-lists.ts';
import { severities } from '../../../machines/check/severity-rule.ts';
import { MonError } from '../../../model/errors.ts';
import type { Principal } from '../../auth/principal.ts';
import { type AuthenticatedCall, type Call, type GuardedRoute, ok } from '../../route.ts';
import { json, type RouteDoc } from '../../route-doc.ts';
import { maxGroups } from '../limits.ts';
import { inspectionRoot } from '../request.ts';
import type { StreamSource } from '../stream-bundle.ts';
import { openEventFeed } from './event-feed.ts';
import { filterDoc, filterOf, groupingOf, searchDoc, searchOf, tokenOf } from './event-query.ts';
import { type RerunOf, rowOf } from './event-row.ts';
import type { EventGroupList, EventGroupRow, EventListPage } from './protocol.ts';

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
  counts: z.object({
    all: z.record(z.string(), z.number()),
    silenced: z.record(z.string(), z.number()),
    masked: z.record(z.string(), z.number()),
    both: z.record(z.string(), z.number()),
  }),
  next: z.string().optional(),
  cursor: z.string(),
});
const groupsSchema = z.object({
  groups: z.array(z.looseObject({ name: z.string(), total: z.int() })),
  total: z.int(),
});
const groupExample = {
  name: 'web-01',
  counts,
  total: 12,
  acknowledged: 0,
  silenced: 0,
  since: 1_795_233_213,
};
const none = { critical: 0, warning: 0, unknown: 0, passing: 0 };
const countsExample = { all: counts, silenced: none, masked: none, both: none };

const listDoc: RouteDoc = {
  tag: 'inspection',
  summary: 'List events by severity, filtered and counted',
  query: searchDoc,
  answers: {
    200: {
      what: 'one page of rows, how many fit, and how many of each severity, and of those the silenced, the masked and both',
      shape: json(pageSchema, { items: [rowExample], total: 1, counts: countsExample, cursor: 'm3x8k.1042' }),
    },
  },
};

const groupsDoc: RouteDoc = {
  tag: 'inspection',
  summary: 'Group events: how many of each severity every group has',
  query: { ...filterDoc, by: '`namespace`, `entity`, `check`, `owner` or `label:NAME`' },
  answers: {
    200: {
      what: `at most ${maxGroups} groups, those with most critical events first, and how many there are`,
      shape: json(groupsSchema, { groups: [groupExample], total: 1 }),
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

/** Where a caller may list events; undefined: in all namespaces. */
type ListableNamespaces = (principal: Principal) => readonly string[] | undefined;

export interface EventListOptions {
  /** What lives on this backend: its changes are streamed. */
  readonly index: EventIndex;
  /** The events of all backends. */
  readonly events: EventReader;
  /** Whether a check can be run again; absent: nobody knows of checks and agents here. */
  readonly rerunOf?: RerunOf;
  /** Absent: everybody may list everywhere. */
  readonly listable?: ListableNamespaces;
}

/** The filter of a list, restricted to what the caller may list. Throws `permissionDenied`. */
const permitted = <T extends EventFilter>(
  filter: T,
  { username }: Principal,
  listable: readonly string[] | undefined,
): T => {
  if (listable === undefined || filter.namespace !== '') return filter;
  const denied = [...(filter.only ?? [])].find((name) => !listable.includes(name));
  if (denied !== undefined || listable.length === 0)
    throw new MonError('permissionDenied', `${username} may not list events in ${denied ?? 'any namespace'}`);
  return { ...filter, only: filter.only ?? new Set(listable) };
};

export const createEventList = ({
  index,
  events,
  rerunOf = () => 'noCheck',
  listable = () => undefined,
}: EventListOptions): EventList => {
  const epoch = Date.now().toString(36) + Math.random().toString(36).slice(2, 8);
  const streams = new Set<Readable>();

  const read = async (call: AuthenticatedCall): Promise<EventListPage> => {
    const namespaces = listable(call.principal);
    const search = permitted(searchOf(call), call.principal, namespaces);
    // Taken before the page is read, so that a stream continuing from here may repeat a change but never misses
    // one.
    const cursor = `${epoch}.${index.seq}`;
    const { items, total, next, missing = [] } = await events.search(search);
    return {
      items: items.map((entry) => rowOf(entry, rerunOf)),
      total,
      counts: await events.count(search),
      cursor,
      ...(search.namespace === '' && namespaces !== undefined ? { namespaces } : {}),
      ...(missing.length === 0 ? {} : { missing }),
      ...(next === undefined ? {} : { next: tokenOf(next) }),
    };
  };

  const group = async (call: AuthenticatedCall): Promise<EventGroupList> => {
    const { filter, by } = groupingOf(call);
    const scope = permitted(filter, call.principal, listable(call.principal));
    const { groups, missing } = await events.groups(scope, by);
    return {
      groups: groups.slice(0, maxGroups).map(groupRowOf),
      total: groups.length,
      ...(missing.length === 0 ? {} : { missing }),
    };
  };

  const follow = (filter: EventFilter, lastEventId: string | undefined): Readable => {
    const stream = openEventFeed({ index, epoch, filter, rerunOf, lastEventId });
    streams.add(stream);
    stream.once('close', () => streams.delete(stream));
    return stream;
  };

  const url = `${inspectionRoot}/namespaces/:namespace/events`;
  const everywhere = `${inspectionRoot}/events`;
  const access = { resource: 'events' };
  return {
    routes: [
      // A list of all namespaces shows those that the caller may list.
      ...(
        [
          [url, access, ''],
          [everywhere, 'login', ' of all namespaces'],
        ] as const
      ).flatMap(([path, rule, where]): GuardedRoute[] => [
        {
          method: 'GET',
          url: path,
          access: rule,
          doc: { ...listDoc, summary: `${listDoc.summary}${where}` },
          handle: async (call) => ok(await read(call)),
        },
        {
          method: 'GET',
          url: `${path}/groups`,
          access: rule,
          doc: { ...groupsDoc, summary: `${groupsDoc.summary}${where}` },
          handle: async (call) => ok(await group(call)),
        },
      ]),
      ...(
        [
          [url, ''],
          [everywhere, ' of all namespaces'],
        ] as const
      ).map(
        ([path, where]): GuardedRoute => ({
          method: 'GET',
          url: `${path}/stream`,
          access,
          doc: { ...streamDoc, summary: `${streamDoc.summary}${where}` },
          handle: (call) => ({
            status: 200,
            headers: streamHeaders,
            body: follow(filterOf(call), lastEventIdOf(call)),
          }),
        }),
      ),
    ],
    streams: (address) => {
      const found = streamPath.exec(address.pathname);
      if (found === null) return undefined;
      const namespace = decodeURIComponent(found[1] ?? '');
      const filter = filterOf({ parameters: { namespace }, query: queryOf(address) });
      const read = namespace === '' && filter.only !== undefined ? [...filter.only] : [namespace];
      return {
        access: read.map((one) => ({
          verb: 'list',
          resource: 'events',
          namespace: one,
          resourceName: '',
        })),
        begin: (lastEventId) => follow(filter, lastEventId),
      };
    },
    close: () => {
      for (const stream of streams) stream.destroy();
    },
  };
};

const groupRowOf = ({ counts, ...group }: EventGroup): EventGroupRow => ({
  ...group,
  counts: Object.fromEntries(
    severities.map((severity, rank) => [severity, counts[rank] ?? 0]),
  ) as EventGroupRow['counts'],
});

const lastEventIdOf = ({ headers }: Call): string | undefined => {
  const found = headers['last-event-id'];
  return typeof found === 'string' ? found : undefined;
};

const queryOf = ({ searchParams }: URL): Record<string, string> => Object.fromEntries(searchParams);

const streamPath = new RegExp(`^${inspectionRoot}/(?:namespaces/([^/]+)/)?events/stream$`);

const streamHeaders = {
  'Content-Type': 'text/event-stream; charset=utf-8',
  'Cache-Control': 'no-store',
  // The connection closes with its stream, so that a stopping server need not wait for it.
  Connection: 'close',
  'X-Accel-Buffering': 'no',
  'X-Content-Type-Options': 'nosniff',
} as const;
