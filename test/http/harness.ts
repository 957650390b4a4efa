// Starts the HTTP layer on two free ports with a fake backend, a few users and roles, and sends requests to it.
import { once } from 'node:events';
import type { TestContext } from 'node:test';
import { hashSync } from '@node-rs/bcrypt';
import { type ClientOptions, WebSocket } from 'ws';
import type { Resource, ResourceTable } from '../../src/actors/resources/resource-table.ts';
import { type Api, type ApiOptions, createApi } from '../../src/http/api.ts';
import { type Log, silentLog } from '../../src/http/log.ts';
import { asBuffer, decodeFrame } from '../../src/wire/frames.ts';
import { protobufType } from '../../src/wire/headers.ts';
import { type Ack, ackSchema } from '../../src/wire/messages.ts';
import { type BinaryType, decodePayload, hasBinaryForm } from '../../src/wire/protobuf/payloads.ts';
import { FakeBackend } from './fake-backend.ts';

/** Cheap hashes: what bcrypt costs is not what most tests are about. */
export const hashOf = (password: string): string => hashSync(password, { cost: 4 });

export class TestClock {
  nowMs = 1_700_000_000_000;
  wallMs(): number {
    return this.nowMs;
  }
  monotonicMs(): number {
    return this.nowMs;
  }
}

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

export interface House {
  readonly backend: FakeBackend;
  readonly api: Api;
  readonly clock: TestClock;
  readonly url: string;
  readonly agentUrl: string;
  readonly tokens: Map<string, string>;
  ask(method: string, path: string, asking?: Asking): Promise<Reply>;
}

const basic = (user: string, password: string): string =>
  `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;

const passwords: Readonly<Record<string, string>> = {
  admin: 'P@ssw0rd!',
  agent: 'P@ssw0rd!',
  viewer: 'viewer-password',
  nobody: 'nobody-password',
};

export const openHouse = async (
  t: TestContext,
  options: {
    readonly backend?: FakeBackend;
    readonly limits?: ApiOptions['agents']['limits'];
    readonly log?: Log;
    readonly clock?: TestClock;
    readonly authorities?: ApiOptions['authorities'];
    readonly origin?: string;
    readonly unread?: ApiOptions['unread'];
    readonly maxConnections?: number;
  } = {},
): Promise<House> => {
  const backend = options.backend ?? (await FakeBackend.create());
  if (!backend.resources.hasNamespace('default')) await furnish(backend.resources);
  const clock = options.clock ?? new TestClock();
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
  t.after(() => api.close());
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
