// A backend for the page: the real inspection routes and the real check machine, and just enough of the public API.
import Fastify, { type FastifyInstance } from 'fastify';
import { EventIndex } from '../../src/actors/events/event-index.ts';
import { ownEvents } from '../../src/actors/reach/merged-lists.ts';
import { createEventList, type EventList } from '../../src/http/inspect/events/event-list.ts';
import type { InspectionDeps } from '../../src/http/inspect/request.ts';
import { registerInspection } from '../../src/http/inspect/routes.ts';
import type { Parameters } from '../../src/http/route.ts';
import { registerUi } from '../../src/http/static-ui.ts';
import { checkMachine } from '../../src/machines/check/check-machine.ts';
import { allMachines } from '../../src/main/all-machines.ts';
import { MonError } from '../../src/model/errors.ts';
import type { CheckEvent } from '../../src/model/event/event.ts';
import { eventSchema } from '../../src/model/event/event.ts';
import { resourceKinds } from '../../src/model/resource/resource-kinds.ts';
import { createFakeSystem, type FakeSystem } from '../http/inspect/fake-system.ts';
import { addFakeResources, type FakeResources } from './fake-resources.ts';

export interface FakeBackend {
  readonly url: string;
  readonly system: FakeSystem;
  readonly resources: FakeResources;
  /** A result of a check: moves its actor and changes what readers see. */
  result(entity: string, check: string, status: number, output: string): void;
  /** Every request that changes something, as `METHOD path`. */
  readonly writes: string[];
  /** How often a login was refreshed. */
  refreshes(): number;
  close(): Promise<void>;
}

export const password = 'a password';
const token = 'good';

export const startFakeBackend = async (webRoot: string): Promise<FakeBackend> => {
  const system = createFakeSystem(allMachines, Date.now());
  const events = new Map<string, CheckEvent>();
  const writes: string[] = [];
  const app = Fastify({ forceCloseConnections: true, routerOptions: { maxParamLength: 1_024 } });
  app.setErrorHandler((error, _request, reply) => {
    const known = error instanceof MonError ? error : new MonError('internal', String(error));
    return reply.code(known.status).send({ message: known.message, code: known.code });
  });
  app.addHook('onRequest', async (request) => {
    if (request.method !== 'GET' && !request.url.startsWith('/auth'))
      writes.push(`${request.method} ${decodeURIComponent(request.url)}`);
  });
  // Kinds that no test fills: their lists are empty.
  app.setNotFoundHandler((request, reply) =>
    'limit' in (request.query as object) ? reply.send([]) : reply.code(404).send({ message: 'not found' }),
  );
  registerUi(app, { root: webRoot });
  const index = new EventIndex({ nowMs: () => Date.now(), silencesMatching: () => [], onFault: () => {} });
  const eventList = createEventList({ index, events: ownEvents(index), rerunOf: () => 'agent' });
  const deps: InspectionDeps = {
    port: system.port,
    allowControl: false,
    audit: () => undefined,
    identify: async (request) =>
      deps.authorize(request, { verb: 'get', resource: 'actors', namespace: '', resourceName: '' }),
    authorize: async (request) => {
      if (request.headers.authorization !== `Bearer ${token}`) throw new MonError('unauthenticated');
      return 'admin';
    },
  };
  registerInspection(app, deps, [eventList.streams]);
  let refreshed = 0;
  addLogin(app, () => {
    refreshed += 1;
  });
  addPublicApi(app, events);
  addEventList(app, eventList);
  addJobs(app, events);
  const resources = addFakeResources(app);

  const result = (entity: string, check: string, status: number, output: string): void => {
    const id = `check:default/${entity}/${check}`;
    const nowMs = Date.now();
    system.nowMs = nowMs;
    const event = eventSchema.parse({
      id: crypto.randomUUID(),
      timestamp: Math.floor(nowMs / 1000),
      entity: { entity_class: 'agent', metadata: { name: entity, namespace: 'default' } },
      check: {
        metadata: { name: check, namespace: 'default' },
        status,
        output,
        interval: 10,
        ttl: 30,
        handlers: ['alerts'],
        executed: Math.floor(nowMs / 1000),
      },
    });
    if (system.port.actor(id) === undefined)
      system.add(id, checkMachine, { namespace: 'default', entity, check });
    const actor = system.actor(id);
    actor.deadlines = [{ name: 'ttl', atMs: nowMs + 30_000, armedAtMs: nowMs }];
    system.send(id, { type: 'result.received', event, nowMs, silenced: [] } as { type: string });
    const known = (actor.snapshot.context as { event: CheckEvent }).event;
    events.set(`${entity}/${check}`, known);
    index.learn(`default/${entity}/${check}`, known);
  };

  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  return { url, system, resources, result, writes, refreshes: () => refreshed, close: () => app.close() };
};

const addLogin = (app: FastifyInstance, onRefresh: () => void): void => {
  const basic = `Basic ${Buffer.from(`admin:${password}`).toString('base64')}`;
  app.get('/auth', (request, reply) => {
    if (request.headers.authorization !== basic) return reply.code(401).send('Unauthorized');
    // Nearly over: the page has to refresh it at once.
    return { access_token: 'first', refresh_token: 'again', expires_at: Math.floor(Date.now() / 1000) + 5 };
  });
  app.post('/auth/token', (request, reply) => {
    onRefresh();
    const { refresh_token: again } = request.body as { refresh_token: string };
    if (again !== 'again' || request.headers.authorization !== 'Bearer first')
      return reply.code(401).send('');
    return { access_token: token, refresh_token: 'more', expires_at: Math.floor(Date.now() / 1000) + 300 };
  });
  app.post('/auth/logout', (_request, reply) => reply.send(''));
};

/** Jobs that are done at once. */
const addJobs = (app: FastifyInstance, events: ReadonlyMap<string, CheckEvent>): void => {
  const path = '/api/inspect/v1/namespaces/default/jobs';
  const known = new Map<string, object>();
  app.get(path, () => []);
  app.post(path, (request, reply) => {
    const { check = '' } = request.query as { check?: string };
    const { action } = request.body as { action: string };
    const total = [...events.keys()].filter((key) => key.endsWith(`/${check}`)).length;
    const job = { id: `job-${known.size}`, namespace: 'default', action, by: 'admin', total, errors: [] };
    known.set(job.id, { ...job, state: 'done', done: total, skipped: 0, failed: 0, ended_at: 1 });
    return reply.code(202).send({ ...job, state: 'running', done: 0, skipped: 0, failed: 0, ended_at: 0 });
  });
  app.get(`${path}/:id`, (request) => known.get((request.params as { id: string }).id));
};

const addEventList = (app: FastifyInstance, { routes, close }: EventList): void => {
  app.addHook('preClose', async () => close());
  for (const { method, url, handle } of routes)
    app.route({
      method,
      url,
      handler: async (request, reply) => {
        const { status, headers, body } = await handle({
          method: 'GET',
          parameters: request.params as Parameters,
          query: request.query as Record<string, string>,
          body: undefined,
          headers: request.headers,
          path: request.url,
          address: '',
          origin: '',
          principal: { username: 'admin', groups: [] } as never,
        });
        return reply
          .code(status)
          .headers(headers ?? {})
          .send(body);
      },
    });
};

/** The page's admin may do everything. */
const rights = Object.fromEntries(
  [...resourceKinds.map(({ path }) => path), 'actors'].map((path) => [
    path,
    ['get', 'list', 'create', 'update', 'delete', 'inspect:get'],
  ]),
);

const addPublicApi = (app: FastifyInstance, events: ReadonlyMap<string, CheckEvent>): void => {
  const root = '/api/core/v2/namespaces';
  app.get(root, () => [{ name: 'default' }]);
  app.get(`${root}/default/events`, () => [...events.values()]);
  app.get<{ Params: { entity: string; check: string } }>(
    `${root}/default/events/:entity/:check`,
    (request) => {
      const found = events.get(`${request.params.entity}/${request.params.check}`);
      if (found === undefined) throw new MonError('notFound');
      return found;
    },
  );
  app.get('/auth/providers', () => []);
  app.get('/api/inspect/v1/namespaces/default/silences', () => ({ silences: [], ended: [] }));
  for (const path of ['entities', 'silenced']) app.get(`${root}/default/${path}`, () => []);
  app.post(`${root}/default/*`, (_request, reply) => reply.code(201).send({ issued: 1 }));
  app.put(`${root}/default/*`, (_request, reply) => reply.code(201).send(''));
  app.get('/health', () => ({ ClusterHealth: [{ Name: 'here', Healthy: true, Err: '' }] }));
  app.get('/api/inspect/v1/problems', () => []);
  app.get('/api/inspect/v1/namespaces/:namespace/may', () => ({
    exists: true,
    may: rights,
    everywhere: rights,
  }));
  app.get('/version', () => ({ mon_backend: '0.0.0' }));
};
