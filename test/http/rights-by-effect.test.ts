// Rights hold at the effect, not at the address: every way in, by every login, over real sockets, and then a look at what
// was written, read and listened to. A way that is new gets a row here.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import test, { type TestContext } from 'node:test';
import { WebSocket } from 'ws';
import { openBridge } from '../../src/actors/families/client/broker-bridge.ts';
import { createEarlierApi } from '../../src/http/earlier-api/server.ts';
import { inspectionDocs } from '../../src/http/inspect/route-docs.ts';
import { silentLog } from '../../src/http/log.ts';
import { asBuffer, decodeFrame } from '../../src/wire/frames.ts';
import { protobufType } from '../../src/wire/headers.ts';
import { encodePayload } from '../../src/wire/protobuf/payloads.ts';
import { fakeTransport } from '../client/fake-transport.ts';
import { eventually } from '../eventually.ts';
import { addUser, basicHeader, grant, newId } from './harness.ts';
import { openRealHouse, type RealHouse, realAdmin, realPassword } from './real-house.ts';

const password = 'a long password';
const logins = ['root', 'one', 'reader', 'team', 'agent', 'nobody'] as const;
type Login = (typeof logins)[number];

const nameOf = (login: Login): string => (login === 'root' ? realAdmin : login);
const passwordOf = (login: Login): string =>
  login === 'root' ? realPassword : login === 'agent' ? 'P@ssw0rd!' : password;
const basicOf = (login: Login): string => basicHeader(nameOf(login), passwordOf(login));

const rule = (verbs: string[], resources: string[], names: string[] | null = null) => ({
  verbs,
  resources,
  resource_names: names,
});

interface Setting {
  readonly house: RealHouse;
  readonly earlier: { readonly api: string; readonly transport: string };
  /** API headers of a login: tokens, or a key for logins without tokens. */
  readonly headers: ReadonlyMap<Login, Record<string, string>>;
}

const open = async (t: TestContext): Promise<Setting> => {
  const house = await openRealHouse(t);
  const { resources } = house.backend;
  await resources.put({ segment: 'namespaces', namespace: '', name: 'other' }, { name: 'other' });
  for (const name of ['one', 'reader', 'team', 'nobody']) await addUser(resources, name, password);
  const subject = (name: string) => ({ type: 'User' as const, name });
  const everyVerb = ['get', 'list', 'create', 'update', 'delete'];
  await grant(resources, 'one', subject('one'), [rule(everyVerb, ['events'], ['a1', 'a1/disk'])], 'default');
  await grant(
    resources,
    'reader',
    subject('reader'),
    [rule(['get', 'list'], ['events', 'entities'])],
    'default',
  );
  await grant(resources, 'team', subject('team'), [rule(['*'], ['*'])], 'other');
  const earlierApi = createEarlierApi({
    backend: house.backend,
    authenticator: house.api.authenticator,
    log: silentLog,
    wallMs: () => Date.now(),
    version: '0.1.0',
  });
  const { port } = await earlierApi.listen('127.0.0.1', 0);
  t.after(() => earlierApi.close());
  const headers = new Map<Login, Record<string, string>>();
  for (const login of logins) {
    if (login !== 'agent')
      headers.set(login, { authorization: await house.login(nameOf(login), passwordOf(login)) });
  }
  const made = await fetch(`${house.url}/api/core/v2/apikeys`, {
    method: 'POST',
    headers: { ...headers.get('root'), 'content-type': 'application/json' },
    body: JSON.stringify({ username: 'agent' }),
  });
  headers.set('agent', { authorization: `Key ${made.headers.get('location')?.split('/').at(-1)}` });
  return {
    house,
    earlier: { api: `http://127.0.0.1:${port}`, transport: `ws://127.0.0.1:${port}/transport` },
    headers,
  };
};

/** What an input may write: an event with the output `marker`, for an entity in a namespace. */
interface Target {
  readonly namespace: string;
  readonly entity: string;
}

type Way = (setting: Setting, login: Login, target: Target, marker: string) => Promise<void>;

const eventOf = ({ namespace, entity }: Target, marker: string, proxy = '') => ({
  id: newId(),
  timestamp: Math.floor(Date.now() / 1000),
  entity: { entity_class: 'proxy', metadata: { name: entity, namespace } },
  check: {
    metadata: { name: 'disk', namespace },
    interval: 60,
    status: 1,
    output: marker,
    executed: Math.floor(Date.now() / 1000),
    ...(proxy === '' ? {} : { proxy_entity_name: proxy }),
  },
});

const overHttp =
  (
    method: string,
    path: (target: Target) => string,
    event: (target: Target, marker: string) => object,
  ): Way =>
  async ({ house, headers }, login, target, marker) => {
    const reply = await fetch(
      `${house.url}/api/core/v2/namespaces/${target.namespace}/events${path(target)}`,
      {
        method,
        headers: { ...headers.get(login), 'content-type': 'application/json' },
        body: JSON.stringify(event(target, marker)),
      },
    );
    assert.ok([201, 403].includes(reply.status), `${reply.status} ${await reply.text()}`);
  };

type Frame = (target: Target, marker: string) => { id: string };

/** Opens an agent session as `a1`, or as the target itself; sends one frame; waits until it is settled either way. */
const overSession =
  (as: (target: Target) => string, frame: Frame, encoding: 'JSON' | 'protobuf'): Way =>
  async ({ house }, login, target, marker) => {
    const agentName = as(target);
    const socket = new WebSocket(house.agentUrl, {
      headers: {
        'Mon-AgentName': agentName,
        'Mon-Namespace': target.namespace,
        'Mon-Ack': '1',
        Accept: encoding === 'JSON' ? 'application/json' : protobufType,
        Authorization: basicOf(login),
      },
    });
    try {
      const refused = new Promise<'refused'>((done) => {
        socket.on('unexpected-response', (_request, response) => {
          assert.ok([403, 429].includes(response.statusCode ?? 0), String(response.statusCode));
          done('refused');
        });
        socket.on('error', () => done('refused'));
      });
      const opened = once(socket, 'open').then(() => 'open' as const);
      if ((await Promise.race([opened, refused])) === 'refused') return;
      const event = frame(target, marker);
      const settled = new Promise<void>((done) =>
        socket.on('message', (data) => {
          const read = decodeFrame(asBuffer(data));
          if (read?.type === 'ack' && read.payload.toString().includes(event.id)) done();
        }),
      );
      const payload =
        encoding === 'JSON' ? Buffer.from(JSON.stringify(event)) : encodePayload('event', event);
      socket.send(Buffer.concat([Buffer.from('event\n'), payload]));
      await settled;
    } finally {
      socket.terminate();
    }
  };

const result = ({ entity }: Target, marker: string) => ({
  source: entity,
  name: 'disk',
  output: marker,
  status: 1,
});

const overEarlierApi: Way = async ({ earlier }, login, target, marker) => {
  const reply = await fetch(`${earlier.api}/results`, {
    method: 'POST',
    headers: { authorization: basicOf(login), 'content-type': 'application/json' },
    body: JSON.stringify(result(target, marker)),
  });
  assert.ok([202, 403].includes(reply.status), String(reply.status));
};

const overEarlierSocket: Way = async ({ earlier }, login, target, marker) => {
  const socket = new WebSocket(earlier.transport, { headers: { Authorization: basicOf(login) } });
  const refused = once(socket, 'error').then(() => 'refused' as const);
  const opened = once(socket, 'open').then(() => 'open' as const);
  if ((await Promise.race([opened, refused])) === 'refused') return;
  const now = Math.floor(Date.now() / 1000);
  const message = JSON.stringify({
    client: 'a1',
    check: { ...result(target, marker), issued: now, executed: now },
  });
  const answered = once(socket, 'message');
  socket.send(JSON.stringify({ type: 'publish', id: 1, pipe: 'results', kind: 'direct', message }));
  await answered;
  socket.terminate();
};

const own = (target: Target) => ({ ...target, entity: 'a1' });

interface Row {
  readonly way: string;
  readonly write: Way;
  /** What the way itself demands, beside the right to the event. */
  readonly needs: 'name' | 'collection' | 'session' | 'earlier session' | 'earlier API';
}

const rows: readonly Row[] = [
  { way: 'POST events', needs: 'collection', write: overHttp('POST', () => '', eventOf) },
  {
    way: 'POST events, by proxy_entity_name',
    needs: 'collection',
    write: overHttp(
      'POST',
      () => '',
      (to, marker) => eventOf(own(to), marker, to.entity),
    ),
  },
  ...['POST', 'PUT'].flatMap((method): Row[] => [
    {
      way: `${method} its own address`,
      needs: 'name',
      write: overHttp(method, ({ entity }) => `/${entity}/disk`, eventOf),
    },
    {
      way: `${method} the address of a1, by proxy_entity_name`,
      needs: 'name',
      write: overHttp(
        method,
        () => '/a1/disk',
        (to, marker) => eventOf(own(to), marker, to.entity),
      ),
    },
  ]),
  ...(['JSON', 'protobuf'] as const).flatMap((encoding): Row[] => [
    {
      way: `a session of that name, in ${encoding}`,
      needs: 'session',
      write: overSession(({ entity }) => entity, eventOf, encoding),
    },
    {
      way: `the session of a1, in ${encoding}`,
      needs: 'session',
      write: overSession(() => 'a1', eventOf, encoding),
    },
    {
      way: `the session of a1, by proxy_entity_name, in ${encoding}`,
      needs: 'session',
      write: overSession(
        () => 'a1',
        (to, marker) => eventOf(own(to), marker, to.entity),
        encoding,
      ),
    },
  ]),
  { way: 'the earlier API', needs: 'earlier API', write: overEarlierApi },
  { way: 'the socket of the earlier generation', needs: 'earlier session', write: overEarlierSocket },
];

const targets: readonly Target[] = [
  { namespace: 'default', entity: 'victim' },
  { namespace: 'default', entity: 'a1' },
  { namespace: 'other', entity: 'x1' },
];

/** A model of the rules, in words of the threat model. */
const may = (login: Login, { namespace, entity }: Target, needs: Row['needs']): boolean => {
  const isSession = needs === 'session' || needs === 'earlier session';
  switch (login) {
    case 'root':
      return true;
    case 'agent':
      return isSession;
    case 'one':
      // Permissions on names cover named resources: neither collections nor the earlier generation, whose requests
      // have no names.
      return entity === 'a1' && (needs === 'name' || needs === 'session');
    case 'team':
      // Its sessions in `other` report for all of it; clients of the earlier generation live in `default`.
      return namespace === 'other' && !needs.startsWith('earlier');
    default:
      return false;
  }
};

test('events can be written only with permission for that event: every input x login x entity', async (t) => {
  const setting = await open(t);
  let cells = 0;
  for (const { way, needs, write } of rows)
    for (const target of targets) {
      // What came of it would be in namespace default, whatever was asked for.
      if (needs.startsWith('earlier') && target.namespace !== 'default') continue;
      for (const login of logins) {
        const cell = `${login}: ${target.namespace}/${target.entity} by ${way}`;
        cells += 1;
        const marker = `${cells} ${cell}`;
        await write(setting, login, target, marker).catch((error) =>
          assert.fail(`${cell}: ${error.message}`),
        );
        const { house } = setting;
        const isAllowed = may(login, target, needs);
        const read = async () =>
          (await house.backend.readEvent(target.namespace, target.entity, 'disk'))?.check.output === marker;
        if (isAllowed) await eventually(`${cell}: it is written`, read);
        else assert.equal(await read(), false, `${cell}: it was written`);
        // Nor anywhere else.
        const all = await house.backend.readEvents({ filter: ({ check }) => check?.output === marker });
        assert.equal(all.items.length, isAllowed ? 1 : 0, cell);
      }
    }
  assert.ok(cells > 150, `${cells} cells`);
  assert.deepEqual(setting.house.faults, []);
});

test('events and entities can be read only with permission: every GET route and stream', async (t) => {
  const { house, headers } = await open(t);
  const canary = 'canary-in-an-output';
  const target = { namespace: 'default', entity: 'victim' };
  const event = eventOf(target, canary);
  await fetch(`${house.url}/api/core/v2/namespaces/default/events`, {
    method: 'POST',
    headers: { ...headers.get('root'), 'content-type': 'application/json' },
    body: JSON.stringify({
      ...event,
      entity: {
        ...event.entity,
        metadata: { ...event.entity.metadata, labels: { told: 'canary-in-a-label' } },
      },
    }),
  });
  const names: Readonly<Record<string, string>> = {
    namespace: 'default',
    entity: 'victim',
    check: 'disk',
    name: 'victim',
    id: 'check:default/victim/disk',
  };
  const described = [...house.api.routes, ...inspectionDocs].filter(({ method }) => method === 'GET');
  const paths = described.map(({ url }) =>
    url.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(names[name] ?? 'none')),
  );
  const streams = paths.filter((path) => path.endsWith('/stream'));
  const all = [
    ...new Set([
      ...paths,
      ...streams.map((path) => `${path}?prefix=check:default/&actors=check:default/victim/disk`),
      '/api/inspect/v1/actors?namespace=default',
      '/ui/',
      '/ui/index.html',
      '/..%2f..%2fpackage.json',
    ]),
  ];
  assert.ok(all.length > 60, `${all.length} paths`);
  let seen = 0;
  const look = async (who: Login | 'a stranger', path: string): Promise<string> => {
    const leave = new AbortController();
    const reply = await fetch(house.url + path, {
      headers: who === 'a stranger' ? {} : (headers.get(who) ?? {}),
      signal: leave.signal,
      redirect: 'manual',
    });
    if (!reply.headers.get('content-type')?.startsWith('text/event-stream')) return reply.text();
    const reader = reply.body?.getReader();
    const first = await reader?.read();
    leave.abort();
    return `a stream: ${Buffer.from(first?.value ?? []).toString()}`;
  };
  for (const path of all) {
    const shown = await look('root', path);
    seen += /canary|^a stream/.test(shown) ? 1 : 0;
    for (const who of ['team', 'one', 'agent', 'nobody', 'a stranger'] as const) {
      const text = await look(who, path);
      assert.doesNotMatch(text, /canary|^a stream/, `${who} reads ${path}`);
    }
  }
  assert.ok(seen >= 8, `only ${seen} ways show it to those who may`);
  assert.match(await look('reader', '/api/core/v2/namespaces/default/events/victim/disk'), /canary/);
});

test('a request for one agent reaches that agent, whatever others say they listen to', async (t) => {
  const { house, headers } = await open(t);
  const ask = async (method: string, path: string, body: object): Promise<void> => {
    const reply = await fetch(`${house.url}/api/core/v2/namespaces/default/${path}`, {
      method,
      headers: { ...headers.get('root'), 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    assert.ok(reply.ok, `${method} ${path}: ${await reply.text()}`);
  };
  for (const name of ['to-victim', 'to-a1'])
    await ask('PUT', `checks/${name}`, {
      metadata: { name, namespace: 'default' },
      command: 'true',
      interval: 3600,
      publish: false,
      subscriptions: ['nobody'],
    });
  const heard: string[] = [];
  const socket = new WebSocket(house.agentUrl, {
    headers: {
      'Mon-AgentName': 'a1',
      'Mon-Namespace': 'default',
      'Mon-Subscriptions': 'entity:victim,linux',
      Authorization: basicOf('one'),
    },
  });
  t.after(() => socket.terminate());
  socket.on('message', (data) => {
    const frame = decodeFrame(asBuffer(data));
    if (frame?.type === 'check_request')
      heard.push(JSON.parse(frame.payload.toString()).config.metadata.name);
  });
  await once(socket, 'open');
  const request = async (): Promise<void> => {
    heard.length = 0;
    await ask('POST', 'checks/to-victim/execute', { subscriptions: ['entity:victim'] });
    await ask('POST', 'checks/to-a1/execute', { subscriptions: ['entity:a1'] });
    await eventually('the request for a1', () => heard.includes('to-a1'));
    assert.deepEqual(heard, ['to-a1']);
  };
  await request();
  // Nor by its stored entity, which a login that may write that one entity sets.
  await ask('PUT', 'entities/a1', {
    metadata: { name: 'a1', namespace: 'default' },
    entity_class: 'agent',
    subscriptions: ['entity:victim', 'linux'],
  });
  await request();
});

test('whoever may write to a broker writes clients of `default`, whatever the message names, and no agent', async (t) => {
  const { house } = await open(t);
  const { backend } = house;
  const agent = new WebSocket(house.agentUrl, {
    headers: { 'Mon-AgentName': 'a1', 'Mon-Namespace': 'default', Authorization: basicOf('agent') },
  });
  t.after(() => agent.terminate());
  await once(agent, 'open');
  const keepalive = { metadata: { name: 'keepalive', namespace: 'default' }, interval: 20, timeout: 120 };
  const { entity } = eventOf({ namespace: 'default', entity: 'a1' }, '');
  agent.send(
    `keepalive\n${JSON.stringify({ id: newId(), timestamp: Math.floor(Date.now() / 1000), entity: { ...entity, entity_class: 'agent' }, check: keepalive })}`,
  );
  await eventually('the entity of the agent', () => backend.readEntity('default', 'a1'));
  const broker = fakeTransport();
  const dropped: unknown[] = [];
  const note = (fields: object) => void dropped.push(fields);
  const bridge = openBridge({
    transport: broker.transport,
    clients: backend.clients,
    log: { info: () => {}, warn: note, error: note },
  });
  t.after(() => bridge.close());
  broker.connect();
  await eventually(
    'the subscriptions',
    () => broker.takers.has('results') && broker.takers.has('keepalives'),
  );
  const say = (pipe: string, message: object) => broker.request(pipe, message);
  const check = { name: 'disk', output: 'x', status: 1 };
  const rows: readonly (readonly [what: string, pipe: string, message: object, written: string | null])[] = [
    ['a client', 'results', { client: 'c1', check }, 'default/c1/disk'],
    [
      'a proxy of a client',
      'results',
      { client: 'c1', check: { ...check, source: 'sw-1' } },
      'default/sw-1/disk',
    ],
    [
      'another namespace by field',
      'results',
      { client: 'c2', namespace: 'other', check: { ...check, namespace: 'other' } },
      'default/c2/disk',
    ],
    ['another namespace by name', 'results', { client: 'other/x1', check }, null],
    [
      'another namespace by source',
      'results',
      { client: 'c1', check: { ...check, source: '../other/x1' } },
      null,
    ],
    ['an agent', 'results', { client: 'a1', check }, null],
    ['an agent by source', 'results', { client: 'c1', check: { ...check, source: 'a1' } }, null],
    [
      'an agent by proxy_entity_name',
      'results',
      { client: 'c3', check: { ...check, proxy_entity_name: 'a1' } },
      'default/c3/disk',
    ],
    [
      'the keepalive of an agent',
      'keepalives',
      { name: 'a1', address: '10.0.0.1', subscriptions: ['x'], timestamp: Math.floor(Date.now() / 1000) },
      null,
    ],
  ];
  const keys = async (): Promise<readonly string[]> =>
    (await backend.readEvents({})).items.map(({ entity, check: { metadata } }) =>
      [entity.metadata.namespace, entity.metadata.name, metadata.name].join('/'),
    );
  const expected = new Set(await keys());
  const before = JSON.stringify((await backend.readEntity('default', 'a1'))?.subscriptions);
  for (const [what, pipe, message, written] of rows) {
    const drops = dropped.length;
    await say(pipe, message);
    if (written !== null) expected.add(written);
    else assert.ok(dropped.length > drops, `${what} was dropped with a log line`);
    const now = (await keys()).filter((key) => !key.endsWith('/keepalive') && !key.startsWith('mon-system/'));
    assert.deepEqual(new Set(now), new Set([...expected].filter((key) => !key.endsWith('/keepalive'))), what);
  }
  assert.equal(JSON.stringify((await backend.readEntity('default', 'a1'))?.subscriptions), before);
  assert.deepEqual((await backend.readEvents({ namespace: 'other' })).items, []);
});
