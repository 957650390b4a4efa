import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import test from 'node:test';
import type { Histogram } from '../../src/actors/runtime/load/histogram.ts';
import { Pressure } from '../../src/actors/runtime/load/pressure.ts';
import { edgeLimits } from '../../src/http/edge/limits.ts';
import { WriteWatch } from '../../src/http/edge/write-watch.ts';
import { type Entity, entitySchema } from '../../src/model/entity/entity.ts';
import { maxPayloadBytes } from '../../src/wire/limits.ts';
import { eventually } from '../eventually.ts';
import {
  addUser,
  agentEvent,
  agentHeaders,
  basicHeader,
  connectAgent,
  grant,
  newId,
  openHouse,
  refusedHandshake,
} from './harness.ts';
import { storeFull } from './memory-committer.ts';

const proxy = (name: string): Entity =>
  entitySchema.parse({ entity_class: 'proxy', metadata: { name, namespace: 'default' } });

const acked = (agent: { acks: { ids: string[] }[] }): string[] => agent.acks.flatMap(({ ids }) => ids);

test('the answer to an upgrade names the backend, the encodings and grants acknowledgements', async (t) => {
  const house = await openHouse(t);
  const { WebSocket } = await import('ws');
  const socket = new WebSocket(house.agentUrl, { headers: agentHeaders() });
  t.after(() => socket.terminate());
  const [response] = await once(socket, 'upgrade');
  assert.equal(response.headers['backend-id'], 'backend-1');
  assert.equal(response.headers['content-type'], 'application/json');
  assert.equal(response.headers['mon-ack'], '1');
  assert.equal(response.headers.accept, 'application/octet-stream, application/json');
  assert.equal(response.headers['sec-websocket-extensions'], undefined);
});

test('an event is acknowledged after its commit, not before', async (t) => {
  const house = await openHouse(t);
  const agent = await connectAgent(t, house);
  const release = house.holdStore();
  const event = agentEvent();
  agent.send('event', event);
  agent.send('keepalive', { ...agentEvent('keepalive'), timestamp: 1 });
  await eventually('both frames arrived', () => house.seen.frames.length === 2);
  // What was sent before this pong has arrived.
  await once(agent.socket, 'pong', void agent.socket.ping() as never);
  assert.deepEqual(agent.acks, []);
  release();
  await agent.until(() => agent.acks.length > 0);
  assert.deepEqual(agent.acks, [{ ids: [event.id], refused: [] }]);
  const [first, second] = house.seen.frames;
  assert.equal(first?.kind, 'event');
  assert.equal(second?.kind, 'keepalive');
  assert.deepEqual(first?.event.entity.subscriptions, ['entity:web-01']);
});

test('events that become durable in the same turn share one frame', async (t) => {
  const house = await openHouse(t);
  const agent = await connectAgent(t, house);
  const first = newId();
  agent.send('event', agentEvent('cpu', first));
  await agent.until(() => acked(agent).includes(first));
  const release = house.holdStore();
  const ids = Array.from({ length: 30 }, () => newId());
  for (const id of ids) agent.send('event', agentEvent('cpu', id));
  await eventually('all frames arrived', () => house.seen.frames.length === 1 + ids.length);
  release();
  await agent.until(() => acked(agent).length === 1 + ids.length);
  assert.deepEqual(acked(agent), [first, ...ids]);
  assert.ok(agent.acks.length < ids.length, `${agent.acks.length} frames`);
  const { ackSeconds, handshakeSeconds } = house.api.edge.counts;
  const count = (histogram: Histogram | undefined) =>
    histogram?.read().counts.reduce((sum, one) => sum + one, 0);
  assert.equal(count(ackSeconds), 1 + ids.length, 'each is in the histogram of acknowledgements');
  assert.equal(count(handshakeSeconds.get(101)), 1);
});

test('what can never be accepted is named and not asked for again; the session goes on', async (t) => {
  const house = await openHouse(t, { entityLimit: 1 });
  const agent = await connectAgent(t, house);
  const [bad, foreign, rejected, good, known] = [newId(), newId(), newId(), newId(), newId()];
  agent.send('keepalive', agentEvent('keepalive'));
  agent.send('event', agentEvent('cpu', known));
  await agent.until(() => acked(agent).includes(known));
  agent.send('event', agentEvent('a b', bad));
  const elsewhere = agentEvent('cpu', foreign);
  elsewhere.entity.metadata.namespace = 'other';
  agent.send('event', elsewhere);
  agent.send('event', 'this is not json');
  agent.send('event', '{"__proto__":{"x":1}}');
  agent.send('no_such_type', {});
  const another = agentEvent('cpu', rejected);
  agent.send('event', { ...another, check: { ...another.check, proxy_entity_name: 'one-too-many' } });
  agent.send('event', agentEvent('cpu', good));
  await agent.until(() => acked(agent).includes(good));
  const refused = agent.acks.flatMap((ack) => ack.refused);
  assert.deepEqual(refused.map(({ id }) => id).sort(), [bad, foreign, rejected].sort());
  assert.match(refused.find(({ id }) => id === bad)?.message ?? '', /check name cannot contain spaces/);
  assert.match(refused.find(({ id }) => id === foreign)?.message ?? '', /namespace/);
  assert.match(refused.find(({ id }) => id === rejected)?.message ?? '', /entity limit/);
  assert.equal(({} as { x?: number }).x, undefined);
});

test('an event the store could not take is offered again with the same id until it is stored', async (t) => {
  const house = await openHouse(t, { limits: { retryDelayMs: 5 } });
  const agent = await connectAgent(t, house);
  house.store.fail(storeFull());
  const event = agentEvent();
  agent.send('event', event);
  await eventually('it is offered again and again', () => house.seen.frames.length > 3);
  assert.deepEqual(agent.acks, []);
  house.store.recover();
  await agent.until(() => agent.acks.length > 0);
  assert.deepEqual(acked(agent), [event.id]);
  assert.deepEqual(new Set(house.seen.frames.map(({ event: { id } }) => id)), new Set([event.id]));
  const kept = await house.backend.readEvent('default', 'web-01', 'cpu');
  assert.equal(kept?.check.history?.length, 1, 'it counts once');
});

test('an event that ends in a fault each time is refused after three offers', async (t) => {
  const house = await openHouse(t, { limits: { retryDelayMs: 2 } });
  let offers = 0;
  house.backend.acceptFrame = (_kind, _event, receipt) => {
    offers += 1;
    receipt({ type: 'fault', error: new Error('boom') });
  };
  const agent = await connectAgent(t, house);
  const event = agentEvent();
  agent.send('event', event);
  await agent.until(() => agent.acks.length > 0);
  assert.deepEqual(agent.acks[0]?.refused, [{ id: event.id, message: 'fault: boom' }]);
  assert.equal(offers, 3);
});

test('an event that crashes its actor again is parked, refused with that reason, and others get through', async (t) => {
  const house = await openHouse(t, { limits: { retryDelayMs: 2 } });
  const put = house.backend.committer.put.bind(house.backend.committer);
  // The check actor calls this: a throw here crashes it.
  house.backend.committer.put = (kind, key, encode, settle) => {
    if (key.endsWith('/cpu')) throw new Error('boom');
    return put(kind, key, encode, settle);
  };
  const agent = await connectAgent(t, house);
  const [event, other] = [agentEvent(), agentEvent('disk')];
  agent.send('event', event);
  agent.send('event', other);
  await agent.until(() => agent.acks.flatMap(({ ids, refused }) => [...ids, ...refused]).length === 2);
  const [refused] = agent.acks.flatMap((ack) => ack.refused);
  assert.equal(refused?.id, event.id);
  assert.match(refused?.message ?? '', /^poison: .*crashed on this message repeatedly/);
  assert.deepEqual(acked(agent), [other.id]);
});

test('agents without acknowledgements, of the reference dialect, get none and are served all the same', async (t) => {
  const house = await openHouse(t);
  const agent = await connectAgent(t, house, {
    'Sensu-AgentName': 'old-01',
    'Sensu-Namespace': 'default',
    'Sensu-Subscriptions': 'linux',
    'Sensu-User': 'agent',
    Authorization: basicHeader('agent', 'P@ssw0rd!'),
  });
  agent.send('event', { ...agentEvent('cpu', null, 'old-01') });
  await eventually('it is kept', () => house.backend.readEvent('default', 'old-01', 'cpu'));
  await once(agent.socket, 'pong', void agent.socket.ping() as never);
  assert.deepEqual(agent.acks, []);
  assert.match(house.seen.frames[0]?.event.id ?? '', /^[0-9a-f-]{36}$/);
  assert.deepEqual(house.seen.sessions[0]?.info.subscriptions, ['linux']);
});

test('handshakes are refused in the order of the reference product, with its texts', async (t) => {
  const house = await openHouse(t, { entityLimit: 1 });
  const { resources } = house.backend;
  await addUser(resources, 'picky', 'picky-password');
  await grant(resources, 'picky', { type: 'User', name: 'picky' }, [
    { verbs: ['create'], resources: ['events'], resource_names: ['only-me'] },
  ]);
  const headers = agentHeaders();
  const withoutCredentials = { 'Mon-AgentName': 'x', 'Mon-Namespace': 'default' };
  for (const [wanted, text, sent] of [
    [401, 'missing credentials', withoutCredentials],
    [401, 'bad credentials', { ...headers, Authorization: basicHeader('agent', 'wrong') }],
    [401, 'bad credentials', { ...headers, Authorization: basicHeader('stranger', 'P@ssw0rd!') }],
    [403, 'Forbidden', { ...headers, Authorization: basicHeader('nobody', 'nobody-password') }],
    [403, 'Forbidden', { ...headers, Authorization: basicHeader('picky', 'picky-password') }],
    [404, 'namespace "nowhere" not found', agentHeaders('web-01', 'nowhere')],
    [404, 'namespace "" not found', agentHeaders('web-01', '')],
    [400, 'agent name cannot contain spaces or special characters', agentHeaders('we b')],
    [403, 'Forbidden', { ...headers, Origin: 'http://evil.example' }],
  ] as const) {
    const refused = await refusedHandshake(house, sent);
    assert.equal(refused.status, wanted, text);
    assert.equal(refused.text.trim(), text);
    assert.equal(refused.headers['x-content-type-options'], 'nosniff');
  }
  await house.backend.putEntity(proxy('the-only-one'), { create: true });
  assert.equal((await refusedHandshake(house, headers)).status, 402);
  const starting = await openHouse(t, { serves: false });
  const early = await refusedHandshake(starting, withoutCredentials);
  assert.equal(early.status, 503);
  assert.equal(early.text.trim(), 'agentd temporarily unavailable during startup');
  assert.ok(Number(early.headers['retry-after']) > 0);
  assert.equal(house.seen.sessions.length, 0);
});

test('invalid-agent-names: an agent with an invalid name is rejected with a reason; others are not affected', async (t) => {
  const house = await openHouse(t);
  for (const name of ['we b', 'web/01', '../web', 'web\t01', 'web?', 'w\u00e9b', '%00', 'x'.repeat(601)]) {
    const refused = await refusedHandshake(house, agentHeaders(name));
    assert.equal(refused.status, 400, JSON.stringify(name));
    assert.match(refused.text, /agent name|entity name/, JSON.stringify(name));
  }
  assert.equal((await refusedHandshake(house, agentHeaders(''))).status, 400);
  assert.equal(house.seen.sessions.length, 0);
  await connectAgent(t, house);
  assert.equal(house.seen.sessions.length, 1);
});

test('a request without upgrade is 400, another path 404, and health and readiness are served', async (t) => {
  const house = await openHouse(t);
  const url = house.agentUrl.replace('ws:', 'http:');
  const Authorization = basicHeader('agent', 'P@ssw0rd!');
  const headers = { Authorization, 'Mon-AgentName': 'x', 'Mon-Namespace': 'default' };
  assert.equal((await fetch(`${url}/`)).status, 401);
  assert.equal((await fetch(`${url}/`, { headers })).status, 400);
  assert.equal((await fetch(`${url}/other`, { headers })).status, 404);
  assert.equal((await refusedHandshake(house, agentHeaders(), '/other')).status, 404);
  assert.equal(await (await fetch(`${url}/ready`)).text(), 'ready\n');
  const health = (await (await fetch(`${url}/health`)).json()) as { ClusterHealth: { Healthy: boolean }[] };
  assert.equal(health.ClusterHealth[0]?.Healthy, true);
  const starting = await openHouse(t, { serves: false });
  assert.equal((await fetch(`${starting.agentUrl.replace('ws:', 'http:')}/ready`)).status, 503);
});

test('a burst of new agents is accepted at the configured rate, the rest gets 429', async (t) => {
  const house = await openHouse(t, { limits: { connectionsPerSecond: 2, connectionBurst: 3 } });
  for (const name of ['a', 'b', 'c']) await connectAgent(t, house, agentHeaders(name));
  const refused = await refusedHandshake(house, agentHeaders('d'));
  assert.equal(refused.status, 429);
  assert.equal(refused.headers['retry-after'], '1');
  house.clock.nowMs += 500;
  await connectAgent(t, house, agentHeaders('d'));
  assert.equal((await refusedHandshake(house, agentHeaders('e'))).status, 429);
});

test('wrong passwords of agents are throttled like those of people', async (t) => {
  const house = await openHouse(t);
  const headers = agentHeaders('web-01', 'default', 'wrong');
  for (let i = 0; i < 10; i += 1) assert.equal((await refusedHandshake(house, headers)).status, 401);
  assert.equal((await refusedHandshake(house, headers)).status, 429);
});

test('a hundred agents with the same password cost one bcrypt', async (t) => {
  const house = await openHouse(t);
  const { hash } = await import('@node-rs/bcrypt');
  const slow = await hash('P@ssw0rd!', { cost: 10 });
  await house.backend.resources.update({ segment: 'users', namespace: '', name: 'agent' }, (user) => ({
    ...user,
    password_hash: slow,
  }));
  const names = Array.from({ length: 100 }, (_, i) => `agent-${i}`);
  await Promise.all(names.map((name) => connectAgent(t, house, agentHeaders(name))));
  assert.equal(house.api.edge.sessions, 100, 'a queue of sixteen would have refused most of them');
});

test('when an agent connects again the newer session wins and the older gets the reason', async (t) => {
  const house = await openHouse(t);
  const older = await connectAgent(t, house);
  const newer = await connectAgent(t, house);
  const { code, reason } = await older.closed;
  assert.equal(code, 4001);
  assert.match(reason, /replaced by a newer session of default\/web-01/);
  const event = agentEvent();
  newer.send('event', event);
  await newer.until(() => acked(newer).includes(event.id ?? ''));
  assert.equal(house.api.edge.sessions, 1);
  await connectAgent(t, house, agentHeaders('web-01', 'other'));
  assert.equal(house.api.edge.sessions, 2, 'the same name in another namespace is another agent');
});

test('an agent of one login may not report for entities its login does not cover', async (t) => {
  const house = await openHouse(t);
  const { resources } = house.backend;
  await addUser(resources, 'picky', 'picky-password');
  await grant(resources, 'picky', { type: 'User', name: 'picky' }, [
    { verbs: ['create'], resources: ['events'], resource_names: ['web-01'] },
  ]);
  const Authorization = basicHeader('picky', 'picky-password');
  const agent = await connectAgent(t, house, { ...agentHeaders(), Authorization });
  const [foreign, own] = [newId(), newId()];
  agent.send('event', agentEvent('cpu', foreign, 'db-01'));
  agent.send('keepalive', { ...agentEvent('keepalive', newId(), 'db-01') });
  agent.send('event', agentEvent('cpu', own));
  await agent.until(() => acked(agent).includes(own));
  assert.deepEqual(
    agent.acks.flatMap(({ refused }) => refused.map(({ id }) => id)),
    [foreign],
  );
  assert.equal(house.seen.frames.length, 1);
});

test('disabling a user ends the sessions of its agents', async (t) => {
  const house = await openHouse(t);
  const agent = await connectAgent(t, house);
  await house.backend.resources.update({ segment: 'users', namespace: '', name: 'agent' }, (user) => ({
    ...user,
    disabled: true,
  }));
  const { code, reason } = await agent.closed;
  assert.equal(code, 1008);
  assert.match(reason, /user agent/);
  assert.equal((await refusedHandshake(house, agentHeaders())).status, 401);
});

test('an agent whose login loses the permission to report is disconnected', async (t) => {
  const house = await openHouse(t);
  const agent = await connectAgent(t, house);
  const { resources } = house.backend;
  await resources.delete({ segment: 'clusterroles', namespace: '', name: 'view' });
  await grant(resources, 'unrelated', { type: 'User', name: 'x' }, []);
  assert.equal(agent.socket.readyState, agent.socket.OPEN);
  await resources.update({ segment: 'users', namespace: '', name: 'agent' }, (user) => ({
    ...user,
    groups: [],
  }));
  assert.equal((await agent.closed).code, 1008);
});

test('a message of exactly 1 MiB is accepted, one byte more ends the session with 1009', async (t) => {
  const house = await openHouse(t);
  const agent = await connectAgent(t, house);
  const event = agentEvent();
  const shell = 'event\n'.length + JSON.stringify({ ...event, check: { ...event.check, output: '' } }).length;
  const sized = (bytes: number) => ({
    ...event,
    check: { ...event.check, output: 'x'.repeat(bytes - shell) },
  });
  agent.send('event', sized(maxPayloadBytes));
  await agent.until(() => acked(agent).length === 1);
  agent.send('event', sized(maxPayloadBytes + 1));
  assert.equal((await agent.closed).code, 1009);
});

test('an invalid frame ends the session', async (t) => {
  const house = await openHouse(t);
  const agent = await connectAgent(t, house);
  agent.socket.send('no newline in here');
  const { code, reason } = await agent.closed;
  assert.deepEqual({ code, reason }, { code: 1002, reason: 'invalid message' });
});

test('while the store cannot keep up sockets are not read, and afterwards nothing is lost', async (t) => {
  let isHigh = false;
  const pressure = new Pressure([() => isHigh]);
  const house = await openHouse(t, {
    plant: (backend) => void Object.defineProperty(backend, 'pressure', { value: pressure }),
  });
  const agent = await connectAgent(t, house);
  const set = (high: boolean): void => {
    isHigh = high;
    pressure.look();
  };
  set(true);
  const ids = Array.from({ length: 50 }, () => newId());
  for (const id of ids) agent.send('event', agentEvent('cpu', id));
  // A whole handshake later they have long arrived, and nobody read them.
  const other = await connectAgent(t, house, agentHeaders('other'));
  assert.equal(house.seen.frames.length, 0);
  set(false);
  await agent.until(() => acked(agent).length === ids.length);
  assert.deepEqual(acked(agent), ids);
  other.socket.close();
});

test('a session with too many unsettled frames is not read until they settle', async (t) => {
  const house = await openHouse(t, { limits: { maxUnsettledFrames: 10 } });
  const agent = await connectAgent(t, house);
  const release = house.holdStore();
  // Each message fills more than what the socket library takes from the kernel at once.
  const ids = Array.from({ length: 40 }, () => newId());
  const output = 'x'.repeat(100_000);
  for (const id of ids) {
    const event = agentEvent('cpu', id);
    agent.send('event', { ...event, check: { ...event.check, output } });
  }
  await eventually('the limit is reached', () => house.seen.frames.length >= 10);
  release();
  await agent.until(() => acked(agent).length === ids.length);
  const { mostUnsettled } = house.seen;
  assert.ok(mostUnsettled >= 10 && mostUnsettled <= 12, `${mostUnsettled} frames under way`);
});

test('a session that is not read is read again when half of its frames are settled, not one by one', async (t) => {
  const house = await openHouse(t, { limits: { maxUnsettledFrames: 10 } });
  const open: (() => void)[] = [];
  house.backend.acceptFrame = (_kind, _event, receipt) => void open.push(() => receipt({ type: 'done' }));
  const agent = await connectAgent(t, house);
  const other = await connectAgent(t, house, agentHeaders('other'));
  const output = 'x'.repeat(100_000);
  for (let count = 0; count < 40; count += 1) {
    const event = agentEvent();
    agent.send('event', { ...event, check: { ...event.check, output } });
  }
  await eventually('the limit is reached', () => open.length >= 10);
  // While the others answer pings, a socket that is read would be, too.
  const pass = async (): Promise<void> => {
    for (let turn = 0; turn < 20; turn += 1)
      await once(other.socket, 'pong', void other.socket.ping() as never);
  };
  await pass();
  const full = open.length;
  assert.ok(full <= 12, `${full} frames under way`);
  for (const settle of open.slice(0, full - 6)) settle();
  await pass();
  assert.equal(open.length, full, 'more than half are unsettled');
  open[full - 6]?.();
  await eventually('it is read again', () => open.length > full);
});

test('an agent that does not read is cut off, and others do not notice', async (t) => {
  const house = await openHouse(t, { limits: { maxBufferedBytes: 200_000 } });
  const deaf = await connectAgent(t, house, agentHeaders('deaf'));
  const fine = await connectAgent(t, house, agentHeaders('fine'));
  deaf.socket.pause();
  const session = house.seen.sessions[0];
  const frame = Buffer.from(`check_request\n${JSON.stringify({ pad: 'x'.repeat(100_000) })}`);
  let sent = 0;
  while (sent < 1_000 && session?.info.send(frame) === true) sent += 1;
  assert.ok(sent < 1_000, 'the connection was never cut');
  assert.equal(session?.info.send(frame), false);
  await eventually('it is cut', () => session?.closedWith !== undefined);
  assert.equal(house.api.edge.counts.cut, 1);
  const event = agentEvent('cpu', newId(), 'fine');
  fine.send('event', event);
  await fine.until(() => acked(fine).includes(event.id ?? ''));
});

test('an agent to which a message cannot be written in time is disconnected, others are not', async (t) => {
  const house = await openHouse(t, { limits: { maxBufferedBytes: 1e9, writeTimeoutMs: 500 } });
  const hanging = await connectAgent(t, house, agentHeaders('hanging'));
  const fine = await connectAgent(t, house, agentHeaders('fine'));
  hanging.socket.pause();
  // More than the system's own buffers hold.
  const frame = Buffer.from(`check_request\n${JSON.stringify({ pad: 'x'.repeat(16_000_000) })}`);
  for (const session of house.seen.sessions) session.info.send(frame);
  await fine.until(() => fine.frames.length === 1);
  await eventually('it is cut', () => house.seen.sessions[0]?.closedWith !== undefined);
  assert.equal(house.api.edge.counts.cut, 1);
  const event = agentEvent('cpu', newId(), 'fine');
  fine.send('event', event);
  await fine.until(() => acked(fine).includes(event.id ?? ''));
});

test('the oldest message that waits to be written counts, and a written one counts no longer', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  let nowMs = 0;
  const pass = (ms: number): void => {
    nowMs += ms;
    t.mock.timers.tick(ms);
  };
  let overdue = 0;
  const watch = new WriteWatch(
    100,
    () => {
      overdue += 1;
    },
    () => nowMs,
  );
  const first = watch.sent();
  pass(60);
  const second = watch.sent();
  first();
  pass(99);
  assert.equal(overdue, 0);
  pass(1);
  assert.equal(overdue, 1, 'the second one, 100 ms after it was sent');
  second();
  watch.sent();
  watch.stop();
  pass(1_000);
  assert.equal(overdue, 1);
});

test('an agent that answers no pings is closed after two missed ones, one that does stays', async (t) => {
  const house = await openHouse(t, { limits: { pingIntervalMs: 50 } });
  const silent = await connectAgent(t, house, agentHeaders('silent'), { autoPong: false });
  const lively = await connectAgent(t, house, agentHeaders('lively'));
  let pings = 0;
  silent.socket.on('ping', () => {
    pings += 1;
  });
  const { code } = await silent.closed;
  assert.equal(code, 1006);
  assert.equal(pings, 2);
  assert.equal(lively.socket.readyState, lively.socket.OPEN);
  assert.equal(house.api.edge.counts.silent, 1);
});

test('an agent that answers no close frame holds up the end for half a second, not for long', async (t) => {
  assert.ok(edgeLimits.drainTimeoutMs <= 500);
  const house = await openHouse(t, { limits: { closeTimeoutMs: 3_600_000 } });
  const agent = await connectAgent(t, house);
  // It neither reads nor writes from here on.
  agent.socket.pause();
  await house.api.close();
  assert.equal(house.api.edge.sessions, 0);
});

test('shutting down says 1001 bye to every agent and tells the backend', async (t) => {
  const house = await openHouse(t);
  const agent = await connectAgent(t, house);
  const closing = house.api.close();
  assert.deepEqual(await agent.closed, { code: 1001, reason: 'bye' });
  await closing;
  assert.equal(house.seen.sessions[0]?.closedWith, '1001 bye');
});

test('a client that never finishes its request line is let go', async (t) => {
  const house = await openHouse(t, { limits: { headersTimeoutMs: 100, handshakeTimeoutMs: 100 } });
  const socket = connect(Number(new URL(house.agentUrl).port), '127.0.0.1');
  t.after(() => socket.destroy());
  socket.on('error', () => {});
  socket.resume();
  await once(socket, 'connect');
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n');
  await once(socket, 'close');
});

test('the number of entities a session may create is limited; existing ones are not counted', async (t) => {
  const house = await openHouse(t, { limits: { maxNewEntities: 2 } });
  await house.backend.putEntity(proxy('known'), { create: true });
  const agent = await connectAgent(t, house);
  const about = (name: string) => {
    const event = agentEvent('cpu', newId());
    return { ...event, check: { ...event.check, proxy_entity_name: name } };
  };
  const events = ['first', 'second', 'third', 'known', 'first'].map(about);
  const own = agentEvent('cpu', newId());
  for (const event of [...events, own]) agent.send('event', event);
  await agent.until(() => agent.acks.flatMap(({ ids, refused }) => [...ids, ...refused]).length === 6);
  const refused = agent.acks.flatMap((ack) => ack.refused);
  assert.deepEqual(
    refused.map(({ id }) => id),
    [events[2]?.id],
  );
  assert.match(refused[0]?.message ?? '', /entity third is not created: .* --max-new-entities-per-session/);
  assert.equal(acked(agent).length, 5);
});
