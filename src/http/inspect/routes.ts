// The live inspection API under /api/inspect/v1: machines, actors, the supervision tree, and one running actor.
// Reading requires `inspect:get` on `actors`; control requires `inspect:control` and a backend started with control
// allowed.
import { PassThrough } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { conditionsHold, etagOf } from '../../model/resource/etag.ts';
import { actorQuerySchema, queryActors } from './actor-query.ts';
import { actorView } from './actor-view.ts';
import { registerControl } from './control-routes.ts';
import { dryRun } from './dry-run.ts';
import { openEventStream, writeFrames } from './event-stream.ts';
import { createFrameMaker } from './frames.ts';
import type { InspectionPort } from './inspection-port.ts';
import { defaultPageSize, maxActorsPerStream, maxPageSize } from './limits.ts';
import { machineGraph } from './machine-graph.ts';
import type { MachineGraph } from './protocol.ts';
import {
  eventBodySchema,
  type InspectionAccess,
  type InspectionDeps,
  idSchema,
  inspectionRoot,
  namespaceOf,
  notHere,
  parse,
} from './request.ts';
import { registerStreamBundle, type StreamSource } from './stream-bundle.ts';
import { createWatchHub, type WatchHub } from './watch-hub.ts';

/** Registers the routes. Closing the app releases all watched actors and ends the streams. */
export const registerInspection = (
  app: FastifyInstance,
  deps: InspectionDeps,
  moreStreams: readonly StreamSource[] = [],
): void => {
  const { port } = deps;
  const graphs = graphsOf(port);
  const hub = createWatchHub(
    port,
    createFrameMaker((id) => port.actor(id)?.deadlines ?? []),
  );
  app.addHook('preClose', async () => {
    streams.endAll();
    hub.close();
  });

  const mayLookIn = async (request: FastifyRequest, namespace: string, resourceName = ''): Promise<string> =>
    deps.authorize(request, { verb: 'inspect:get', resource: 'actors', namespace, resourceName });
  const mayLook = (request: FastifyRequest, about: string): Promise<string> =>
    deps.authorize(request, accessTo(about));

  // The same in every process of a build, so clients can cache it.
  const machinesTag = etagOf([...graphs.values()].map(({ sha }) => sha).join());
  app.get(`${inspectionRoot}/machines`, async (request, reply) => {
    // What may happen at all is no secret of anybody's: the page ships the drawings.
    await deps.identify(request);
    reply.headers({ ETag: machinesTag, 'Cache-Control': 'private, no-cache' });
    const isNews = conditionsHold({ ifNoneMatch: request.headers['if-none-match'] }, machinesTag);
    return isNews ? [...graphs.values()] : reply.code(304).send();
  });

  app.get(`${inspectionRoot}/actors`, async (request) => {
    const query = parse(actorQuerySchema, request.query);
    if (query.namespace === '') await mayLook(request, query.prefix);
    else await mayLookIn(request, query.namespace);
    return queryActors(port, query);
  });

  app.get(`${inspectionRoot}/tree`, async (request) => {
    const { parent, from, limit, empty } = parse(treeSchema, request.query);
    await mayLook(request, parent ?? '');
    const children = port.children(parent, { from, limit, withEmpty: empty === 'true' });
    if (children === undefined) throw notHere(parent ?? 'root');
    return children;
  });

  app.get(`${inspectionRoot}/actors/:id`, async (request) => {
    const { id } = parse(idSchema, request.params);
    await mayLook(request, id);
    hub.touch(id);
    const live = port.actor(id) ?? port.supervisor(id);
    if (live === undefined) throw notHere(id);
    const canControl = deps.allowControl && (await mayControl(request, id));
    return actorView({ live, graph: graphs.get(live.row.machine), hub, nowMs: port.nowMs(), canControl });
  });

  const mayControl = (request: FastifyRequest, id: string): Promise<boolean> =>
    deps
      .authorize(request, {
        verb: 'inspect:control',
        resource: 'actors',
        namespace: namespaceOf(id),
        resourceName: id,
      })
      .then(
        () => true,
        () => false,
      );

  app.post(`${inspectionRoot}/actors/:id/dry-run`, async (request) => {
    const { id } = parse(idSchema, request.params);
    await mayLook(request, id);
    const { event } = parse(eventBodySchema, request.body);
    const live = port.actor(id);
    if (live?.machine === undefined || live.snapshot === undefined) throw notHere(id);
    return dryRun(live.machine, live.snapshot as Parameters<typeof dryRun>[1], event);
  });

  const streams = registerActorStreams(app, deps, hub, moreStreams);

  app.get(`${inspectionRoot}/traces/:namespace/:entity/:check`, async (request) => {
    const { namespace, entity, check } = parse(traceSchema, request.params);
    const resourceName = `${entity}/${check}`;
    await deps.authorize(request, { verb: 'get', resource: 'events', namespace, resourceName });
    return port.traces(namespace, entity, check);
  });

  app.get(`${inspectionRoot}/system`, async (request) => {
    await mayLook(request, '');
    const { rss, heapUsed } = process.memoryUsage();
    return {
      nowMs: port.nowMs(),
      uptimeSeconds: Math.round(process.uptime()),
      rssBytes: rss,
      heapBytes: heapUsed,
      watchedActors: hub.watchedCount(),
      streams: streams.count,
      gauges: port.gauges(),
    };
  });

  registerControl(app, deps);
};

const graphsOf = (port: InspectionPort): ReadonlyMap<string, MachineGraph> =>
  new Map(port.machines().map(({ machine, title }) => [machine.id, machineGraph(machine, title)]));

const treeSchema = z.object({
  parent: z.string().optional(),
  from: z.coerce.number().int().min(0).default(0),
  limit: z.coerce.number().int().min(1).max(maxPageSize).default(defaultPageSize),
  empty: z.enum(['true', 'false']).default('true'),
});
const traceSchema = z.object({ namespace: z.string(), entity: z.string(), check: z.string() });
const streamSchema = z.object({
  actors: z
    .string()
    .default('')
    .transform((text) => text.split(',').filter((id) => id !== '')),
  prefix: z.string().min(1).optional(),
});

function* idsBelow(port: InspectionPort, prefix: string | undefined): Iterable<string> {
  if (prefix === undefined) return;
  let count = 0;
  for (const row of port.actors(prefix)) {
    if (count >= maxActorsPerStream) return;
    count += 1;
    yield row.id;
  }
}

const accessTo = (about: string): InspectionAccess => ({
  verb: 'inspect:get',
  resource: 'actors',
  namespace: namespaceOf(about),
  resourceName: about,
});

const namespaceKey = (id: string): string => /^[\w-]+:[^/]+\//.exec(id)?.[0] ?? id;

/** The streams of what actors do. */
const registerActorStreams = (
  app: FastifyInstance,
  deps: InspectionDeps,
  hub: WatchHub,
  moreStreams: readonly StreamSource[],
): { readonly count: number; endAll(): void } => {
  const { port } = deps;
  const streams = new Set<() => void>();
  const aboutOf = ({ actors, prefix }: z.infer<typeof streamSchema>) => {
    const about = new Set([...actors.map(namespaceKey), ...(prefix === undefined ? [] : [prefix])]);
    return {
      // A stream without a filter covers all actors.
      access: [...(about.size === 0 ? [''] : about)].map(accessTo),
      ids: () => new Set([...actors, ...idsBelow(port, prefix)].slice(0, maxActorsPerStream)),
    };
  };

  app.get(`${inspectionRoot}/stream`, async (request, reply) => {
    await deps.identify(request);
    const { ids, access } = aboutOf(parse(streamSchema, request.query));
    for (const one of access) await deps.authorize(request, one);
    let end = (): void => void reply.raw.destroy();
    const ended = await deps.admitStream?.(request, access, () => end());
    end = startStream(request, reply, ids());
    reply.raw.on('close', () => ended?.());
    if (reply.raw.closed) ended?.();
  });

  const actorStreams: StreamSource = (address) => {
    if (address.pathname !== `${inspectionRoot}/stream`) return undefined;
    const asked = parse(streamSchema, Object.fromEntries(address.searchParams));
    const { ids, access } = aboutOf(asked);
    return {
      access,
      begin: (lastEventId) => {
        const frames = new PassThrough();
        const end = writeFrames(frames, hub, { actors: ids(), detail: ids().size <= 20, lastEventId });
        streams.add(end);
        return frames.on('close', () => streams.delete(end));
      },
    };
  };
  registerStreamBundle(app, deps, [actorStreams, ...moreStreams]);

  const startStream = (
    request: FastifyRequest,
    reply: FastifyReply,
    actors: ReadonlySet<string>,
  ): (() => void) => {
    reply.hijack();
    const lastEventId = request.headers['last-event-id'];
    const end = openEventStream(reply.raw, hub, {
      actors,
      detail: actors.size <= 20,
      lastEventId: typeof lastEventId === 'string' ? lastEventId : undefined,
    });
    streams.add(end);
    reply.raw.on('close', () => streams.delete(end));
    return end;
  };

  return {
    get count() {
      return streams.size;
    },
    endAll() {
      for (const end of streams) end();
    },
  };
};
