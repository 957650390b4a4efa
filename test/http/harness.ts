// Starts the HTTP layer on two free ports over a real backend on a store in memory, with a few users and roles, and sends
// requests to it. Faults are planted in the store, in the clock, or in one method of the backend.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { TestContext } from 'node:test';
import { hashSync } from '@node-rs/bcrypt';
import { type ClientOptions, WebSocket } from 'ws';
import { Backend } from '../../src/actors/backend.ts';
import type { BackendOptions } from '../../src/actors/compose/open-dependencies.ts';
import { GroupCommit } from '../../src/actors/durable/group-commit.ts';
import type { Connection } from '../../src/actors/families/session/sessions.ts';
import { openResources } from '../../src/actors/resources/open-resources.ts';
import type { Resource, ResourceTable } from '../../src/actors/resources/resource-table.ts';
import { type Clock, realClock } from '../../src/actors/runtime/time/clock.ts';
import { type Api, type ApiOptions, createApi } from '../../src/http/api.ts';
import { type Log, silentLog } from '../../src/http/log.ts';
import type { Event } from '../../src/model/event/event.ts';
import { MemoryDisk, MemoryStore } from '../../src/store/memory-store.ts';
import { asBuffer, decodeFrame } from '../../src/wire/frames.ts';
import { protobufType } from '../../src/wire/headers.ts';
import { type Ack, ackSchema } from '../../src/wire/messages.ts';
import { type BinaryType, decodePayload, hasBinaryForm } from '../../src/wire/protobuf/payloads.ts';

/** Cheap hashes: what bcrypt costs is not what most tests are about. */
export const hashOf = (password: string): string => hashSync(password, { cost: 4 });

/** Stands still until the test moves it. */
export class TestClock {
  nowMs = 1_700_000_000_000;
  wallMs(): number {
    return this.nowMs;
  }
  monotonicMs(): number {
    return this.nowMs;
  }
}

/** The wall clock of the test with real timers, so that the backend keeps working. */
const backendClock = (clock: TestClock): Clock => {
  const startMs = clock.nowMs;
  return {
    ...realClock,
    wallMs: () => clock.nowMs,
    monotonicMs: () => performance.now() + clock.nowMs - startMs,
  };
};

/** Resources without a backend around them. */
export const openTable = async (): Promise<ResourceTable> => {
  const committer = new GroupCommit({
    store: new MemoryStore(),
    clock: realClock,
    onFault: (error) => {
      throw error;
    },
  });
  return (await openResources({ committer })).table;
};

export const put = (
  table: ResourceTable,
  segment: string,
  namespace: string,
  name: string,
  resource: Resource,
) => table.put({ segment, namespace, name }, resource);

export const addUser = (table: ResourceTable, username: string, password: string, groups: string[] = []) =>
  put(table, 'users', '', username, { username, password_hash: hashOf(password), groups, disabled: false });

const rule = (verbs: string[], resources: string[], names: string[] | null = null) => ({
  verbs,
  resources,
  resource_names: names,
});

export const grant = async (
  table: ResourceTable,
  name: string,
  subject: { type: 'User' | 'Group'; name: string },
  rules: readonly object[],
  namespace = '',
): Promise<void> => {
  const metadata = namespace === '' ? { name } : { name, namespace };
  const cluster = namespace === '';
  await put(table, cluster ? 'clusterroles' : 'roles', namespace, name, { rules, metadata });
  await put(table, cluster ? 'clusterrolebindings' : 'rolebindings', namespace, name, {
    subjects: [subject],
    role_ref: { type: cluster ? 'ClusterRole' : 'Role', name },
    metadata,
  });
};

const furnish = async (table: ResourceTable): Promise<void> => {
  for (const name of ['default', 'other']) await put(table, 'namespaces', '', name, { name });
  await addUser(table, 'admin', 'P@ssw0rd!', ['cluster-admins']);
  await addUser(table, 'agent', 'P@ssw0rd!', ['system:agents']);
  await addUser(table, 'viewer', 'viewer-password', ['viewers']);
  await addUser(table, 'nobody', 'nobody-password');
  await grant(table, 'cluster-admin', { type: 'Group', name: 'cluster-admins' }, [rule(['*'], ['*'])]);
  await grant(table, 'system:agent', { type: 'Group', name: 'system:agents' }, [rule(['*'], ['events'])]);
  await grant(table, 'system:user', { type: 'Group', name: 'system:users' }, [
    rule(['get', 'update'], ['localselfuser']),
  ]);
  await grant(
    table,
    'view',
    { type: 'Group', name: 'viewers' },
    [rule(['get', 'list'], ['events', 'checks', 'entities'])],
    'default',
  );
};

interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** Parsed body; undefined when it is empty or no JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape
  readonly json: any;
}

interface Asking {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Null asks without logging in. */
  readonly as?: string | null;
}

/** What agents did to the backend, in order. */
interface Seen {
  readonly frames: { readonly kind: 'event' | 'keepalive'; readonly event: Event }[];
  readonly sessions: { readonly info: Connection; closedWith?: string }[];
  /** The most frames that were without an outcome at the same time. */
  mostUnsettled: number;
}

export interface House {
  readonly backend: Backend;
  readonly store: MemoryStore;
  readonly seen: Seen;
  readonly api: Api;
  readonly clock: TestClock;
  readonly url: string;
  readonly agentUrl: string;
  readonly tokens: Map<string, string>;
  ask(method: string, path: string, asking?: Asking): Promise<Reply>;
  /** Commits wait until the returned function is called. */
  holdStore(): () => void;
  /** Everything in the store, as text. */
  stored(): string;
  /** Stops it and starts another one on the same store. */
  restart(): Promise<House>;
}

const basic = (user: string, password: string): string =>
  `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;

const passwords: Readonly<Record<string, string>> = {
  admin: 'P@ssw0rd!',
  agent: 'P@ssw0rd!',
  viewer: 'viewer-password',
  nobody: 'nobody-password',
};

const watch = (backend: Backend): Seen => {
  const seen: Seen = { frames: [], sessions: [], mostUnsettled: 0 };
  const acceptFrame = backend.acceptFrame.bind(backend);
  let unsettled = 0;
  backend.acceptFrame = (kind, event, receipt) => {
    seen.frames.push({ kind, event });
    unsettled += 1;
    seen.mostUnsettled = Math.max(seen.mostUnsettled, unsettled);
    acceptFrame(kind, event, (outcome) => {
      unsettled -= 1;
      receipt(outcome);
    });
  };
  const openSession = backend.openSession.bind(backend);
  backend.openSession = (info) => {
    const session: Seen['sessions'][number] = { info };
    seen.sessions.push(session);
    const open = openSession(info);
    return {
      closed(reason, how) {
        session.closedWith = reason;
        open.closed(reason, how);
      },
    };
  };
  return seen;
};

interface HouseOptions {
  readonly disk?: MemoryDisk;
  readonly entityLimit?: number;
  readonly runPipelines?: BackendOptions['runPipelines'];
  /** False leaves the backend as it is while it starts. */
  readonly serves?: boolean;
  /** Called before the HTTP layer is made: replaces parts of the backend. */
  readonly plant?: (backend: Backend) => void;
  readonly limits?: ApiOptions['agents']['limits'];
  readonly log?: Log;
  readonly clock?: TestClock;
  readonly authorities?: ApiOptions['authorities'];
  readonly origin?: string;
  readonly unread?: ApiOptions['unread'];
  readonly maxConnections?: number;
}

const openBackend = async (
  { entityLimit = 0, runPipelines, serves = true }: HouseOptions,
  store: MemoryStore,
  clock: TestClock,
): Promise<Backend> => {
  const { backend } = await Backend.open({
    store,
    clock: backendClock(clock),
    log: { ...silentLog, fatal: () => {} } as never,
    name: 'backend-1',
    entityLimit,
    deregistrationHandler: '',
    deliveryWorkers: 4,
    env: { PATH: process.env.PATH },
    onCollapse: () => assert.fail('the supervision tree gave up'),
    ...(runPipelines === undefined ? {} : { runPipelines }),
  });
  if (!backend.resources.hasNamespace('default')) await furnish(backend.resources);
  if (serves) await backend.serve();
  return backend;
};

export const openHouse = async (t: TestContext, options: HouseOptions = {}): Promise<House> => {
  const { disk = new MemoryDisk(), clock = new TestClock() } = options;
  let held: Promise<void> | undefined;
  let release = (): void => {};
  const store = new MemoryStore({ disk, beforeCommit: () => held });
  const backend = await openBackend(options, store, clock);
  const seen = watch(backend);
  options.plant?.(backend);
  const api = await createApi({
    logins: backend,
    backend,
    log: options.log ?? silentLog,
    clock,
    version: '0.1.0',
    backendId: 'backend-1',
    ...(options.unread === undefined ? {} : { unread: options.unread }),
    ...(options.maxConnections === undefined ? {} : { maxConnections: options.maxConnections }),
    ...(options.authorities === undefined ? {} : { authorities: options.authorities }),
    http: {
      host: '127.0.0.1',
      port: 0,
      ...(options.origin === undefined ? {} : { origin: options.origin }),
    },
    agents: {
      host: '127.0.0.1',
      port: 0,
      ...(options.limits === undefined ? {} : { limits: options.limits }),
    },
  });
  const { http, agents } = await api.listen();
  let stopped: Promise<void> | undefined;
  const stop = (): Promise<void> => {
    stopped ??= (async () => {
      store.recover();
      release();
      await api.close();
      await backend.stop();
    })();
    return stopped;
  };
  t.after(stop);
  const url = `http://127.0.0.1:${http.port}`;
  const tokens = new Map<string, string>();

  const tokenOf = async (user: string): Promise<string> => {
    const known = tokens.get(user);
    if (known !== undefined) return known;
    const reply = await fetch(`${url}/auth`, {
      headers: { Authorization: basic(user, passwords[user] ?? '') },
    });
    const { access_token: token } = (await reply.json()) as { access_token: string };
    tokens.set(user, token);
    return token;
  };

  return {
    backend,
    store,
    seen,
    api,
    clock,
    url,
    agentUrl: `ws://127.0.0.1:${agents.port}`,
    tokens,
    async ask(method, path, { body, headers = {}, as = 'admin' } = {}) {
      const authorization = as === null ? {} : { Authorization: `Bearer ${await tokenOf(as)}` };
      const reply = await fetch(url + path, {
        method,
        redirect: 'manual',
        headers: { ...authorization, ...(body === undefined ? {} : jsonHeader), ...headers },
        ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      });
      const text = await reply.text();
      let json: unknown;
      try {
        json = JSON.parse(text);
      } catch {
        json = undefined;
      }
      return { status: reply.status, headers: reply.headers, text, json };
    },
    holdStore() {
      held = new Promise((resolve) => {
        release = () => {
          held = undefined;
          resolve();
        };
      });
      return release;
    },
    stored: () => JSON.stringify([...disk.kinds].map(([kind, cells]) => [kind, [...cells]])),
    async restart() {
      await stop();
      return openHouse(t, { ...options, disk, clock });
    },
  };
};

const jsonHeader = { 'Content-Type': 'application/json' };

export const basicHeader = basic;

export interface TestAgent {
  readonly socket: WebSocket;
  /** All `ack` frames so far. */
  readonly acks: Ack[];
  readonly frames: { type: string; payload: unknown }[];
  readonly closed: Promise<{ code: number; reason: string }>;
  send(type: string, payload: unknown): void;
  /** Resolves once `test` holds; asked after every frame. */
  until(test: () => boolean): Promise<void>;
}

export const agentHeaders = (name = 'web-01', namespace = 'default', password = 'P@ssw0rd!') => ({
  'Mon-AgentName': name,
  'Mon-Namespace': namespace,
  'Mon-Subscriptions': 'linux,web',
  'Mon-User': 'agent',
  'Mon-Ack': '1',
  Authorization: basic('agent', password),
});

export const connectAgent = async (
  t: TestContext,
  house: Pick<House, 'agentUrl'>,
  headers: Readonly<Record<string, string>> = agentHeaders(),
  options: ClientOptions = {},
): Promise<TestAgent> => {
  const socket = new WebSocket(house.agentUrl, { headers, ...options });
  const waiting: { test: () => boolean; done: () => void }[] = [];
  const agent: TestAgent = {
    socket,
    acks: [],
    frames: [],
    closed: once(socket, 'close').then(([code, reason]) => ({ code: Number(code), reason: String(reason) })),
    send: (type, payload) =>
      socket.send(`${type}\n${typeof payload === 'string' ? payload : JSON.stringify(payload)}`),
    until: (test) => (test() ? Promise.resolve() : new Promise((done) => waiting.push({ test, done }))),
  };
  socket.on('message', (data) => {
    const frame = decodeFrame(asBuffer(data));
    if (frame === null) return;
    const isBinary = headers['Accept'] === protobufType && hasBinaryForm(frame.type);
    const payload: unknown = isBinary
      ? decodePayload(frame.type as BinaryType, frame.payload)
      : JSON.parse(frame.payload.toString());
    agent.frames.push({ type: frame.type, payload });
    if (frame.type === 'ack') agent.acks.push(ackSchema.parse(payload));
    for (const { test, done } of waiting.filter((one) => one.test())) {
      if (test()) done();
    }
  });
  t.after(() => socket.terminate());
  await once(socket, 'open');
  return agent;
};

/** The status and body a refused handshake is answered with. */
export const refusedHandshake = async (
  house: House,
  headers: Readonly<Record<string, string>>,
  path = '/',
): Promise<{ status: number; text: string; headers: Readonly<Record<string, unknown>> }> => {
  const socket = new WebSocket(house.agentUrl + path, { headers });
  socket.on('error', () => {});
  const [, response] = await once(socket, 'unexpected-response');
  let text = '';
  for await (const chunk of response) text += chunk;
  return { status: response.statusCode, text, headers: response.headers };
};

let lastId = 0;
export const newId = (): string => `00000000-0000-4000-8000-${String(++lastId).padStart(12, '0')}`;

export const agentEvent = (check = 'cpu', id: string | null = newId(), entity = 'web-01') => ({
  timestamp: 1_700_000_000,
  id,
  entity: { entity_class: 'agent', metadata: { name: entity, namespace: 'default' } },
  check: { metadata: { name: check, namespace: 'default' }, status: 0, output: 'fine', interval: 10 },
});
