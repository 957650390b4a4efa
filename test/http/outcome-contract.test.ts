// The failure contract: each outcome of an actor, over each way in. A real backend; faults are planted below the check actors,
// in the writer and the store, so that actors really crash and stores really fail. What the sender is told must be what the
// table of outcomes says.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type TestContext, test } from 'node:test';
import { WebSocket } from 'ws';
import { openBridge } from '../../src/actors/families/client/broker-bridge.ts';
import { maxCheckMail } from '../../src/actors/families/kit/limits.ts';
import { outcomeRules } from '../../src/actors/outcomes/outcome-rules.ts';
import { createPlatformReporter } from '../../src/actors/platform/platform-events.ts';
import type { OutcomeType } from '../../src/actors/runtime/outcome.ts';
import { createEarlierApi } from '../../src/http/earlier-api/server.ts';
import { silentLog } from '../../src/http/log.ts';
import { errorCatalogue } from '../../src/model/errors.ts';
import { MemoryStore } from '../../src/store/memory-store.ts';
import { StoreError } from '../../src/store/snapshot-store.ts';
import { protobufType } from '../../src/wire/headers.ts';
import { encodePayload } from '../../src/wire/protobuf/payloads.ts';
import { fakeTransport } from '../client/fake-transport.ts';
import { eventually } from '../eventually.ts';
import { agentEvent, agentHeaders, basicHeader, connectAgent, newId, type TestAgent } from './harness.ts';
import { openRealHouse, type RealHouse, realAdmin, realPassword } from './real-house.ts';

/** Names of checks; each makes its actor end in one outcome. `chance`: the actor crashes on the first event, once. */
type Scenario = OutcomeType | 'chance';

const scenarios: readonly Scenario[] = ['done', 'busy', 'invalid', 'poison', 'outage', 'fault', 'chance'];
const outcomeIn = (scenario: Scenario): OutcomeType => (scenario === 'chance' ? 'done' : scenario);

interface Stage {
  readonly house: RealHouse;
  /** Crashes of the actors of a check so far. */
  readonly crashes: (check: string) => number;
  /** Makes the check of an entity end as its name says, from now on. */
  readonly plant: (entity: string, check: Scenario) => void;
  /** Ends what passes by itself: a full mailbox, a store that fails. */
  readonly lift: () => void;
}

const openStage = async (t: TestContext): Promise<Stage> => {
  let failing = false;
  const store = new MemoryStore({
    beforeCommit: (writes) => {
      if (writes.some(({ type, key }) => type === 'put' && key.endsWith('/invalid')))
        throw new StoreError('invalid', 'the record is too large');
      if (failing && writes.some(({ key }) => key.endsWith('/outage')))
        throw new StoreError('unavailable', 'planted');
    },
  });
  const house = await openRealHouse(t, { store, agentLimits: { retryDelayMs: 20 } });
  const { runtime, committer } = house.backend;
  const crashes = new Map<string, number>();
  const put = committer.put.bind(committer);
  // `perform` of the check actor calls this: a throw here crashes the actor.
  committer.put = (kind, key, encode, settle) => {
    const check = kind === 'check' ? (key.split('/')[2] ?? '') : '';
    if (check === 'fault')
      return put(
        kind,
        key,
        () => {
          throw new Error('planted fault');
        },
        settle,
      );
    const before = crashes.get(key) ?? 0;
    if (check === 'poison' || (check === 'chance' && before === 0)) {
      crashes.set(key, before + 1);
      throw new Error('planted crash');
    }
    put(kind, key, encode, settle);
  };
  let paused: string | undefined;
  return {
    house,
    crashes: (key) => crashes.get(key) ?? 0,
    plant: (entity, check) => {
      if (check === 'outage') failing = true;
      if (check !== 'busy') return;
      paused = `check:default/${entity}/busy`;
      assert.equal(runtime.pause(paused), true, 'its actor is there');
      for (let count = 0; count < maxCheckMail; count += 1)
        runtime.registry.tell(paused, { type: 'check.resumed', nowMs: Date.now() } as never);
    },
    lift: () => {
      failing = false;
      if (paused !== undefined) runtime.resume(paused);
    },
  };
};

interface Way {
  readonly entity: string;
  /** Sends one event and tells what its sender sees, in the words of the table. `ask` is called when it has to wait. */
  readonly send: (check: Scenario, waiting: () => void) => Promise<string>;
}

/** Injected faults and expected responses, for every scenario of one input. */
const contractOf = async (
  stage: Stage,
  way: Way,
  expected: (outcome: OutcomeType) => string,
): Promise<void> => {
  for (const scenario of scenarios) {
    // The actor is created by a first, valid event.
    if (scenario === 'busy') assert.equal(await way.send('busy', () => {}), expected('done'));
    stage.plant(way.entity, scenario);
    const outcome = outcomeIn(scenario);
    let waited = false;
    const told = await way.send(scenario, () => {
      waited = true;
      stage.lift();
    });
    stage.lift();
    const wanted =
      waited && outcomeRules[outcome].retry === 'untilTaken' ? expected('done') : expected(outcome);
    assert.equal(told, wanted, `${scenario} over ${way.entity}`);
    const key = `default/${way.entity}/${scenario}`;
    const stored = await stage.house.backend.readEvent('default', way.entity, scenario);
    const isTaken = told === expected('done') || scenario === 'busy';
    if (isTaken) assert.ok(stored !== undefined, `${scenario} over ${way.entity} is stored`);
    if (scenario === 'poison') assert.equal(stage.crashes(key), 2, 'the second crash parks it');
    if (scenario === 'chance') assert.equal(stage.crashes(key), 1);
  }
};

const httpStatus = (outcome: OutcomeType): string => {
  const { http } = outcomeRules[outcome];
  if (http === null) return '201';
  if (http !== 'asInError') return String(errorCatalogue[http].status);
  return String(errorCatalogue[outcome === 'outage' ? 'unavailable' : 'invalid'].status);
};

test('the failure contract holds over HTTP, with and without event ids of the sender', async (t) => {
  const stage = await openStage(t);
  const token = await stage.house.login();
  for (const withId of [false, true]) {
    const entity = withId ? 'http-id' : 'http';
    const send = async (check: Scenario): Promise<string> => {
      const { id: _, ...event } = agentEvent(check, null, entity);
      const body = withId ? { ...event, id: newId() } : event;
      const reply = await fetch(`${stage.house.url}/api/core/v2/namespaces/default/events`, {
        method: 'POST',
        headers: { Authorization: token, 'Content-Type': 'application/json' },
        body: JSON.stringify(body),
      });
      if (reply.status === 422) {
        const { message } = (await reply.json()) as { message: string };
        assert.match(message, /crashed on this message repeatedly/);
      }
      return String(reply.status);
    };
    await contractOf(stage, { entity, send }, httpStatus);
  }
});

const answerOf = (agent: TestAgent, id: string): string | undefined => {
  if (agent.acks.some(({ ids }) => ids.includes(id))) return 'acknowledged';
  const refused = agent.acks.flatMap((ack) => ack.refused).find((one) => one.id === id);
  return refused === undefined ? undefined : 'refused';
};

type Encoding = 'JSON' | 'protobuf';
const acceptOf = (encoding: Encoding): string => (encoding === 'JSON' ? 'application/json' : protobufType);

const sendEvent = ({ socket }: TestAgent, encoding: Encoding, event: object): void => {
  const payload = encoding === 'JSON' ? Buffer.from(JSON.stringify(event)) : encodePayload('event', event);
  socket.send(Buffer.concat([Buffer.from('event\n'), payload]));
};

for (const encoding of ['JSON', 'protobuf'] as const)
  test(`the failure contract holds over the agent WebSocket, in ${encoding}`, async (t) => {
    const stage = await openStage(t);
    const { counts } = stage.house.api.edge;
    const agent = await connectAgent(t, stage.house, {
      ...agentHeaders('agent-1'),
      Accept: acceptOf(encoding),
    });
    const send: Way['send'] = async (check, waiting) => {
      const event = agentEvent(check, newId(), 'agent-1');
      const offered = counts.offeredAgain;
      sendEvent(agent, encoding, event);
      return eventually(`an answer to ${check}`, () => {
        if (counts.offeredAgain > offered) waiting();
        return answerOf(agent, event.id ?? '');
      });
    };
    await contractOf(stage, { entity: 'agent-1', send }, (outcome) => outcomeRules[outcome].agent);
    assert.equal(counts.poisonous, 2, 'the poison and the fault');
  });

for (const encoding of ['JSON', 'protobuf'] as const)
  test(`the failure contract holds for agents of the reference dialect, which get no answers, in ${encoding}`, async (t) => {
    const stage = await openStage(t);
    const { counts } = stage.house.api.edge;
    const agent = await connectAgent(t, stage.house, {
      'Sensu-AgentName': 'agent-2',
      'Sensu-Namespace': 'default',
      'Sensu-Subscriptions': 'linux',
      'Sensu-User': 'agent',
      Accept: acceptOf(encoding),
      Authorization: basicHeader('agent', 'P@ssw0rd!'),
    });
    const send: Way['send'] = (check, waiting) => {
      const before = { ...counts };
      sendEvent(agent, encoding, agentEvent(check, newId(), 'agent-2'));
      return eventually(`an answer to ${check}`, () => {
        if (counts.offeredAgain > before.offeredAgain) waiting();
        if (counts.accepted > before.accepted) return 'acknowledged';
        return counts.refused > before.refused ? 'refused' : undefined;
      });
    };
    await contractOf(stage, { entity: 'agent-2', send }, (outcome) => outcomeRules[outcome].agent);
    assert.deepEqual(agent.acks, []);
  });

const openEarlierApi = async (t: TestContext, { backend, api }: RealHouse): Promise<string> => {
  const earlier = createEarlierApi({
    backend,
    authenticator: api.authenticator,
    log: silentLog,
    wallMs: () => Date.now(),
    version: '0.1.0',
  });
  const { port } = await earlier.listen('127.0.0.1', 0);
  t.after(() => earlier.close());
  return `127.0.0.1:${port}`;
};

const resultOf = (client: string, name: string) => ({ client, check: { name, output: 'x', status: 1 } });

test('the failure contract holds over the earlier API', async (t) => {
  const stage = await openStage(t);
  const host = await openEarlierApi(t, stage.house);
  const send = async (check: Scenario): Promise<string> => {
    const reply = await fetch(`http://${host}/results`, {
      method: 'POST',
      headers: { Authorization: basicHeader(realAdmin, realPassword), 'Content-Type': 'application/json' },
      body: JSON.stringify({ ...resultOf('earlier-1', check).check, source: 'earlier-1' }),
    });
    await reply.text();
    return String(reply.status);
  };
  // That API knows one code for everything that is down, and its own for success.
  const codes: Record<string, string> = { 201: '202', 503: '500', 507: '500' };
  const expected = (outcome: OutcomeType) => codes[httpStatus(outcome)] ?? httpStatus(outcome);
  await contractOf(stage, { entity: 'earlier-1', send }, expected);
});

test('the failure contract holds over the earlier WebSocket', async (t) => {
  const stage = await openStage(t);
  const host = await openEarlierApi(t, stage.house);
  const send = async (check: Scenario): Promise<string> => {
    const socket = new WebSocket(`ws://${host}/transport`, {
      headers: { Authorization: basicHeader(realAdmin, realPassword) },
    });
    t.after(() => socket.terminate());
    await once(socket, 'open');
    const message = JSON.stringify(resultOf('earlier-2', check));
    socket.send(JSON.stringify({ type: 'publish', id: 1, pipe: 'results', kind: 'direct', message }));
    const answered = once(socket, 'message').then(([data]) => JSON.parse(String(data)).type as string);
    const closed = once(socket, 'close').then(([code]) => (code === 1013 ? 'closed' : `closed ${code}`));
    const told = await Promise.race([answered, closed]);
    socket.terminate();
    return told;
  };
  await contractOf(stage, { entity: 'earlier-2', send }, (outcome) => outcomeRules[outcome].earlierSocket);
});

test('the failure contract holds for brokers', async (t) => {
  const stage = await openStage(t);
  const broker = fakeTransport();
  const lines: string[] = [];
  const note = (_fields: object, text: string) => void lines.push(text);
  const bridge = openBridge({
    transport: broker.transport,
    clients: stage.house.backend.clients,
    log: { info: () => {}, warn: note, error: note },
    retryMs: 20,
  });
  t.after(() => bridge.close());
  broker.connect();
  await eventually('the subscription', () => broker.takers.has('results'));
  const send: Way['send'] = async (check, waiting) => {
    lines.length = 0;
    const taken = broker.request('results', resultOf('broker-1', check));
    let over = false;
    taken?.then(() => {
      over = true;
    });
    return eventually(`the end of ${check}`, () => {
      if (lines.some((text) => text.includes('trying again'))) waiting();
      if (!over) return undefined;
      return lines.some((text) => text.includes('was dropped')) ? 'dropped' : 'acknowledged';
    });
  };
  await contractOf(stage, { entity: 'broker-1', send }, (outcome) => outcomeRules[outcome].broker);
});

test('the failure contract holds for senders inside the backend', async (t) => {
  const stage = await openStage(t);
  const { backend } = stage.house;
  const { resources: table, runtime } = backend;
  const reported: Error[] = [];
  let answers = 0;
  const report = createPlatformReporter({
    name: 'inside-1',
    table,
    nowMs: () => Date.now(),
    accept: (event, receipt) => {
      const moved = {
        ...event,
        entity: { ...event.entity, metadata: { name: 'inside-1', namespace: 'default' } },
      };
      backend.acceptFrame('event', { ...moved, metadata: { namespace: 'default' } }, (outcome) => {
        receipt(outcome);
        answers += 1;
      });
    },
    onFault: (error) => reported.push(error),
  });
  assert.ok(runtime.stats().actors > 0);
  for (const scenario of scenarios.filter((one) => one !== 'busy')) {
    stage.plant('inside-1', scenario);
    const [before, told] = [reported.length, answers];
    await report({ check: scenario, status: 1, output: 'x' });
    await eventually(`the answer to ${scenario}`, () => answers > told);
    stage.lift();
    const outcome = scenario === 'chance' ? 'fault' : scenario;
    const expected = outcomeRules[outcome].internal === 'reported' ? 1 : 0;
    assert.equal(reported.length - before, expected, scenario);
  }
});

test('two poison events offered in turn are each found, and never delay a good one', async (t) => {
  const stage = await openStage(t);
  const { counts } = stage.house.api.edge;
  const agent = await connectAgent(t, stage.house, agentHeaders('agent-3'));
  const poison = [newId(), newId()];
  for (const id of poison) agent.send('event', agentEvent('poison', id, 'agent-3'));
  const good = newId();
  await eventually('the first crash', () => counts.offeredAgain > 0);
  agent.send('event', agentEvent('done', good, 'agent-3'));
  await eventually('all answers', () => [...poison, good].every((id) => answerOf(agent, id) !== undefined));
  assert.equal(answerOf(agent, good), 'acknowledged');
  for (const id of poison) assert.equal(answerOf(agent, id), 'refused');
  const reasons = agent.acks.flatMap(({ refused }) => refused.map(({ message }) => message));
  for (const reason of reasons) assert.match(reason, /^poison: .*crashed on this message repeatedly/);
  assert.equal(stage.crashes('default/agent-3/poison'), 4, 'each twice');
});

/** What a repeat of an event becomes that was answered with an outage and committed later. */
const afterOutage = async (
  stage: Stage,
  entity: string,
  send: (isRepeat: boolean) => Promise<unknown>,
): Promise<number | undefined> => {
  const stored = () => stage.house.backend.readEvent('default', entity, 'outage');
  stage.plant(entity, 'outage');
  await send(false);
  assert.equal(await stored(), undefined, 'nobody sees it before it is stored');
  stage.lift();
  await eventually('what was refused is stored after all', async () => (await stored()) !== undefined);
  await send(true);
  return (await stored())?.check.occurrences;
};

test('an event that was answered 503 counts once when it is repeated with its id, and twice without', async (t) => {
  const stage = await openStage(t);
  const token = await stage.house.login();
  for (const [method, withId, occurrences] of [
    ['POST', true, 1],
    ['PUT', true, 1],
    ['POST', false, 2],
    ['PUT', false, 2],
  ] as const) {
    const entity = `${method}-${withId}`;
    const { id, ...event } = agentEvent('outage', newId(), entity);
    const body = { ...event, ...(withId ? { id } : {}), check: { ...event.check, status: 1 } };
    const path = `/api/core/v2/namespaces/default/events${method === 'PUT' ? `/${entity}/outage` : ''}`;
    const send = async (isRepeat: boolean): Promise<void> => {
      const reply = await fetch(stage.house.url + path, {
        method,
        headers: { Authorization: token, 'Content-Type': 'application/json' },
        body: JSON.stringify(body),
      });
      const text = await reply.text();
      assert.equal(reply.status, isRepeat ? 201 : 503, text);
      if (isRepeat) return;
      assert.ok(Number(reply.headers.get('retry-after')) > 0);
      assert.match(
        text,
        /the store did not answer: .*; the change may still take effect, so look before you repeat/,
      );
    };
    assert.equal(await afterOutage(stage, entity, send), occurrences, entity);
  }
});

test('a definition that was answered 503 is not in effect, and can be repeated', async (t) => {
  let isFailing = false;
  const store = new MemoryStore({
    beforeCommit: () => {
      if (isFailing) throw new StoreError('unavailable', 'planted');
    },
  });
  const house = await openRealHouse(t, { store });
  const token = await house.login();
  const checks = '/api/core/v2/namespaces/default/checks';
  const ask = async (method: string, path: string, body?: object): Promise<number> => {
    const reply = await fetch(house.url + path, {
      method,
      headers: { Authorization: token },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    await reply.text();
    return reply.status;
  };
  const check = (name: string) => ({
    metadata: { name },
    command: 'true',
    interval: 60,
    subscriptions: ['x'],
  });
  assert.equal(await ask('POST', checks, check('there')), 201);
  for (const [method, path, body, without, repeated] of [
    ['POST', checks, check('posted'), 404, 201],
    ['PUT', `${checks}/put`, check('put'), 404, 201],
    ['DELETE', `${checks}/there`, undefined, 200, 204],
  ] as const) {
    isFailing = true;
    assert.equal(await ask(method, path, body), 503, method);
    isFailing = false;
    const one = method === 'POST' ? `${checks}/posted` : path;
    assert.equal(await ask('GET', one), without, method);
    assert.equal(await ask(method, path, body), repeated, method);
  }
});

test('a result of a client that was answered with an outage counts once over its WebSocket and a broker', async (t) => {
  const stage = await openStage(t);
  const host = await openEarlierApi(t, stage.house);
  const result = (client: string) => ({
    client,
    check: { name: 'outage', output: 'x', status: 1, issued: 1_700_000_000, executed: 1_700_000_000 },
  });
  const publish = async (): Promise<void> => {
    const socket = new WebSocket(`ws://${host}/transport`, {
      headers: { Authorization: basicHeader(realAdmin, realPassword) },
    });
    t.after(() => socket.terminate());
    await once(socket, 'open');
    const message = JSON.stringify(result('socket-1'));
    const over = Promise.race([once(socket, 'message'), once(socket, 'close')]);
    socket.send(JSON.stringify({ type: 'publish', id: 1, pipe: 'results', kind: 'direct', message }));
    await over;
    socket.terminate();
  };
  assert.equal(await afterOutage(stage, 'socket-1', publish), 1);
  await publish();
  const third = await stage.house.backend.readEvent('default', 'socket-1', 'outage');
  assert.equal(third?.check.occurrences, 2, 'what was taken and comes again is another result');

  const broker = fakeTransport();
  const lines: string[] = [];
  const bridge = openBridge({
    transport: broker.transport,
    clients: stage.house.backend.clients,
    log: { info: () => {}, warn: () => {}, error: (_fields, text) => void lines.push(text) },
    retryMs: 20,
  });
  t.after(() => bridge.close());
  broker.connect();
  await eventually('the subscription', () => broker.takers.has('results'));
  let taken: unknown;
  const hand = async (isRepeat: boolean): Promise<void> => {
    if (isRepeat) return void (await taken);
    taken = broker.request('results', result('broker-2'));
    await eventually('the outage', () => lines.some((text) => text.includes('trying again')));
  };
  assert.equal(await afterOutage(stage, 'broker-2', hand), 1);
});
