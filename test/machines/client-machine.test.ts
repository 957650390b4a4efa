// Clients of the earlier generation: the state machines of the reference product as tables (earlier-client sheet 3 and 8).
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  attributesAnnotation,
  clientEntity,
  earlierAction,
  earlierEvent,
  handlersOf,
  isEarlierEvent,
  resultEvent,
} from '../../src/machines/client-event-rule.ts';
import type { ClientContext, ClientEffect, ClientFact } from '../../src/machines/client-facts.ts';
import { judgeClient, nextJudgement, thresholdsOf } from '../../src/machines/client-keepalive-rule.ts';
import { clientMachine, clientVersion, restoreClient } from '../../src/machines/client-machine.ts';
import {
  keepaliveResult,
  proxyRecord,
  readKeepalive,
  readResult,
  registrationResult,
} from '../../src/machines/client-registry-rule.ts';
import { checkRequest, requestPipes } from '../../src/machines/client-request-rule.ts';
import { firstRunDelayMs } from '../../src/machines/client-schedule-rule.ts';
import { judgeSignature } from '../../src/machines/client-signature-rule.ts';
import { mergeResult } from '../../src/machines/merge-rule.ts';
import { RestoreError } from '../../src/machines/restore-rule.ts';
import { checkConfigSchema } from '../../src/model/check.ts';
import type { CheckEvent } from '../../src/model/event.ts';
import { bring, type Live } from './harness.ts';

type LiveClient = Live<ClientFact, ClientEffect>;

const start = (): LiveClient => bring(clientMachine, { input: { name: 'c1' } });
const keepalive = (nowMs: number, signature = '', more: object = {}): ClientFact => ({
  type: 'keepalive.received',
  record: { name: 'c1', subscriptions: ['client:c1'], ...more },
  signature,
  via: 'redis',
  nowMs,
});
const result = (nowMs: number, signature = ''): ClientFact => ({
  type: 'result.received',
  result: { name: 'cpu', output: 'x', status: 1 },
  signature,
  sender: 'c1',
  firstRecord: proxyRecord('c1', false, '1', nowMs),
  nowMs,
});
const silence = (nowMs: number, blind = false): ClientFact => ({
  type: 'deadline.reached',
  name: 'keepalive',
  nowMs,
  blind,
});
const types = (effects: readonly ClientEffect[]) => effects.map(({ type }) => type);
const statesOf = (client: LiveClient) => client.snapshot().value as { keepalive: string; signature: string };
const contextOf = (client: LiveClient) => client.snapshot().context as ClientContext;
const told = (effects: readonly ClientEffect[]) =>
  effects.flatMap((effect) => (effect.type === 'keepalive.publish' ? [[effect.status, effect.output]] : []));

describe('the client machine: life', () => {
  it('registers with the first keepalive, announces once, and is told alive with every keepalive', () => {
    const client = start();
    const first = client.send(keepalive(0));
    assert.deepEqual(types(first), ['persist', 'deadline.set', 'mirror', 'announce', 'keepalive.publish']);
    assert.deepEqual(told(first), [[0, 'Keepalive sent from client 0 seconds ago']]);
    assert.equal(contextOf(client).deadlineAtMs, 120_000);
    assert.deepEqual(types(client.send(keepalive(20_000))), [
      'persist',
      'deadline.set',
      'mirror',
      'keepalive.publish',
    ]);
  });

  it('warns at 120 s, is critical at 180 s, says so every 30 s, and recovers', () => {
    const client = start();
    client.send(keepalive(0));
    assert.deepEqual(told(client.send(silence(120_000))), [
      [1, 'No keepalive sent from client for 120 seconds (>=120)'],
    ]);
    assert.deepEqual(statesOf(client).keepalive, 'warning');
    assert.equal(contextOf(client).deadlineAtMs, 150_000);
    assert.deepEqual(told(client.send(silence(150_000))).length, 1);
    assert.equal(contextOf(client).deadlineAtMs, 180_000);
    assert.deepEqual(told(client.send(silence(180_000))), [
      [2, 'No keepalive sent from client for 180 seconds (>=180)'],
    ]);
    assert.deepEqual(statesOf(client).keepalive, 'critical');
    assert.equal(contextOf(client).deadlineAtMs, 210_000);
    assert.equal(told(client.send(keepalive(211_000)))[0]?.[0], 0);
    assert.equal(statesOf(client).keepalive, 'healthy');
  });

  it('has thresholds of its own; a critical one below the warning one leaves no warning', () => {
    assert.deepEqual(thresholdsOf({ keepalive: { thresholds: { warning: 40 } } }), {
      warningSeconds: 40,
      criticalSeconds: 180,
    });
    const odd = { keepalive: { thresholds: { warning: 'x', critical: -1 } } };
    assert.deepEqual(thresholdsOf(odd), { warningSeconds: 120, criticalSeconds: 180 });
    assert.deepEqual(thresholdsOf({ keepalive: 'x' }), { warningSeconds: 120, criticalSeconds: 180 });
    const record = { keepalive: { thresholds: { warning: 60, critical: 30 } } };
    assert.equal(judgeClient(record, 0, 30_000).level, 'critical');
    assert.equal(judgeClient(record, 0, 29_999).level, 'healthy');
    assert.equal(nextJudgement({ record, lastHeardMs: 0 }, 0), 30_000);
  });

  it('is not watched when it asks for that, and again when it stops asking', () => {
    const client = start();
    const effects = client.send(keepalive(0, '', { keepalives: false }));
    assert.deepEqual(types(effects), ['persist', 'deadline.clear', 'mirror', 'announce']);
    assert.equal(statesOf(client).keepalive, 'proxy');
    client.send(keepalive(1_000));
    assert.equal(statesOf(client).keepalive, 'healthy');
  });

  it('comes to be through a result, unwatched, and is announced', () => {
    const client = start();
    assert.deepEqual(types(client.send(result(5_000))), ['persist', 'mirror', 'announce', 'result.publish']);
    assert.equal(statesOf(client).keepalive, 'proxy');
    assert.deepEqual(contextOf(client).record, {
      name: 'c1',
      address: 'unknown',
      subscriptions: ['client:c1'],
      keepalives: false,
      version: '1',
      timestamp: 5,
    });
    assert.deepEqual(types(client.send(result(6_000))), ['result.publish']);
  });

  it('is not called silent while we are deaf, nor before one timeout after that', () => {
    const client = start();
    client.send(keepalive(0));
    assert.deepEqual(types(client.send(silence(120_000, true))), ['deadline.set']);
    assert.deepEqual([statesOf(client).keepalive, contextOf(client).deadlineAtMs], ['healthy', 240_000]);
    client.send({ type: 'client.resumed', nowMs: 130_000 });
    assert.equal(contextOf(client).deadlineAtMs, 250_000);
    assert.deepEqual(told(client.send(silence(250_000)))[0]?.[0], 2);
  });

  it('ends when it is deleted, in every state', () => {
    for (const facts of [
      [],
      [keepalive(0)],
      [keepalive(0), silence(120_000)],
      [result(0)],
      [keepalive(0, 'S')],
    ]) {
      const client = start();
      for (const fact of facts) client.send(fact);
      assert.deepEqual(types(client.send({ type: 'client.deleted', nowMs: 1 })), [
        'deadline.clear',
        'forget',
      ]);
      assert.equal(client.snapshot().status, 'done');
    }
  });

  it('comes back from its record, and a damaged record is refused', () => {
    const client = start();
    client.send(keepalive(0, 'S1'));
    const { value, context } = client.snapshot();
    const stored: unknown = JSON.parse(JSON.stringify({ value, context }));
    const again: LiveClient = bring(clientMachine, { snapshot: restoreClient(stored, clientVersion) });
    assert.deepEqual(statesOf(again), { keepalive: 'healthy', signature: 'signed' });
    again.send({ type: 'client.resumed', nowMs: 500_000 });
    assert.equal(contextOf(again).deadlineAtMs, 620_000);
    assert.throws(() => restoreClient({ value, context: { ...context, record: 1 } }, 1), RestoreError);
    assert.throws(() => restoreClient(stored, 2), RestoreError);
  });
});

describe('the client machine: signatures', () => {
  it('adopts the first signature, and then drops what is unsigned or signed otherwise', () => {
    const client = start();
    client.send(keepalive(0));
    assert.deepEqual(statesOf(client).signature, 'unsigned');
    assert.deepEqual(types(client.send(result(1_000))), ['result.publish']);
    client.send(keepalive(20_000, 'S1'));
    assert.deepEqual([statesOf(client).signature, contextOf(client).signature], ['signed', 'S1']);
    for (const forged of ['EVIL', '']) {
      const before = contextOf(client);
      assert.deepEqual(types(client.send(keepalive(30_000, forged))), ['refuse']);
      assert.deepEqual(types(client.send(result(30_000, forged))), ['refuse']);
      assert.deepEqual(contextOf(client), before);
    }
    assert.deepEqual(types(client.send(result(40_000, 'S1'))), ['result.publish']);
    assert.equal(contextOf(client).lastHeardMs, 20_000);
  });

  it('believes a first keepalive that is signed', () => {
    const client = start();
    client.send(keepalive(0, 'S1'));
    assert.deepEqual(statesOf(client), { keepalive: 'healthy', signature: 'signed' });
  });

  it('lets no result sign for a client', () => {
    assert.deepEqual(judgeSignature({ signature: '' }, 'S1', 'result'), { accept: true, adopt: false });
    assert.deepEqual(judgeSignature({ signature: '' }, 'S1', 'keepalive'), { accept: true, adopt: true });
    assert.deepEqual(judgeSignature({ signature: 'A' }, '', 'result'), { accept: false, why: 'unsigned' });
    assert.deepEqual(judgeSignature({ signature: 'A' }, 'B', 'keepalive'), {
      accept: false,
      why: 'signedOtherwise',
    });
  });
});

const entity = clientEntity({ name: 'c1', subscriptions: ['web'], custom: { a: 1 } }, 'default');

/** The events that come of results with these statuses. */
const events = (statuses: readonly number[], more: object = {}): CheckEvent[] => {
  let previous: CheckEvent | null = null;
  return statuses.map((status, at) => {
    const event = resultEvent({ name: 'cpu', output: 'x', status, executed: at, ...more }, entity, 'c1', {
      nowMs: at * 1000,
      id: `id-${at}`,
    });
    previous = mergeResult(previous, event, { nowMs: at * 1000, silenced: [] }).stored;
    return previous;
  });
};

describe('the earlier generation: one check of one client', () => {
  const table: readonly (readonly [string, readonly number[], string, boolean, number, number])[] = [
    // what, statuses, action, in the registry, occurrences, watermark
    ['a first failure', [1], 'create', true, 1, 1],
    ['the same failure again', [1, 1, 1], 'create', true, 3, 3],
    ['another failure keeps the watermark', [1, 1, 2], 'create', true, 1, 2],
    ['a resolution', [2, 2, 0], 'resolve', false, 1, 2],
    ['plain OK', [0], 'resolve', false, 1, 1],
    ['a failure after OK begins anew', [2, 2, 0, 1], 'create', true, 1, 1],
  ];
  for (const [what, statuses, action, stored, occurrences, watermark] of table) {
    it(`${what}: ${statuses.join(' ')} -> ${action}`, () => {
      const last = events(statuses).at(-1) as CheckEvent;
      assert.equal(earlierAction(last), action);
      assert.equal(isEarlierEvent(last), stored);
      assert.deepEqual([last.check.occurrences, last.check.occurrences_watermark], [occurrences, watermark]);
    });
  }

  it('flaps above the high threshold, whatever the status, until it is at the low one', () => {
    const thresholds = { low_flap_threshold: 20, high_flap_threshold: 40 };
    const restless = events(
      Array.from({ length: 22 }, (_, at) => at % 2),
      thresholds,
    );
    const last = restless.at(-1) as CheckEvent;
    assert.equal(earlierAction(last), 'flapping');
    assert.equal(last.check.total_state_change, 98);
    const calm = events([...Array.from({ length: 22 }, (_, at) => at % 2), ...Array(21).fill(0)], thresholds);
    assert.equal(earlierAction(calm.at(-1) as CheckEvent), 'resolve');
  });

  it('tells history as texts, and the attributes nobody here knows', () => {
    const last = events([0, 1, 1], { refresh: 60, pager: { team: 'x' }, handler: 'mail' }).at(
      -1,
    ) as CheckEvent;
    const told = earlierEvent(last, { name: 'c1' }) as { check: Record<string, unknown> } & Record<
      string,
      unknown
    >;
    assert.deepEqual(told.check['history'], ['0', '1', '1']);
    assert.equal(told.check['refresh'], 60);
    assert.deepEqual(told.check['pager'], { team: 'x' });
    assert.deepEqual(told.check['handlers'], ['mail']);
    assert.equal(told['occurrences'], 2);
    assert.equal(told['last_ok'], null);
    assert.equal(told['last_state_change'], 1);
    assert.equal(told['action'], 'create');
  });

  it('survives an annotation that an operator broke', () => {
    const last = events([1]).at(-1) as CheckEvent;
    last.check.metadata = { ...last.check.metadata, annotations: { [attributesAnnotation]: '{' } };
    assert.equal((earlierEvent(last, {}) as { check: { name: string } }).check.name, 'cpu');
  });
});

describe('the earlier generation: messages', () => {
  it('reads keepalives, and says why not', () => {
    const read = readKeepalive({ name: 'c1', subscriptions: ['web', 'web', 1] });
    assert.deepEqual(read, {
      ok: true,
      name: 'c1',
      record: { name: 'c1', subscriptions: ['web', 'client:c1'] },
    });
    for (const wrong of [
      null,
      [],
      'x',
      {},
      { name: 'a/b', subscriptions: [] },
      { name: 'c1' },
      { name: '..', subscriptions: [] },
    ])
      assert.equal(readKeepalive(wrong).ok, false);
  });

  it('reads results, for their sender or the source they name', () => {
    const check = { name: 'cpu', output: 'x', status: 0 };
    const plain = readResult({ client: 'c1', check, signature: '' });
    assert.ok(plain.ok && plain.target === 'c1' && !plain.isProxy && plain.signature === '');
    const proxied = readResult({ client: 'c1', check: { ...check, source: 'sw-1' }, signature: 'S' });
    assert.ok(proxied.ok && proxied.target === 'sw-1' && proxied.isProxy && proxied.signature === 'S');
    const wrong: readonly unknown[] = [
      null,
      { client: 'c1' },
      { client: 'a b', check },
      { client: 'c1', check: { ...check, name: 'a/b' } },
      { client: 'c1', check: { ...check, output: 1 } },
      { client: 'c1', check: { ...check, status: 'x' } },
      { client: 'c1', check: { ...check, source: '../x' } },
    ];
    for (const message of wrong) assert.equal(readResult(message).ok, false);
  });

  it('announces registrations and keepalives with what the client asks for', () => {
    const registration = registrationResult({ registration: { handler: 'r', name: 'no', x: 1 } }, 5_000);
    assert.deepEqual(registration, {
      handler: 'r',
      status: 1,
      x: 1,
      name: 'registration',
      output: 'new client registration',
      issued: 5,
      executed: 5,
    });
    const alive = keepaliveResult(
      { keepalive: { handlers: ['a'], refresh: 9 } },
      { status: 0, output: 'o', nowMs: 5_000 },
      'keepalive',
    );
    assert.deepEqual(handlersOf(alive), ['a']);
    assert.equal(alive['refresh'], 9);
  });

  it('picks handlers: handlers, else handler, else default; nobody when it is not to be handled', () => {
    assert.deepEqual(handlersOf({ handlers: ['a'], handler: 'b' }), ['a']);
    assert.deepEqual(handlersOf({ handler: 'b' }), ['b']);
    assert.deepEqual(handlersOf({}), ['default']);
    assert.deepEqual(handlersOf({ handle: false, handler: 'b' }), []);
  });

  it('never lets a strange status look like OK', () => {
    for (const [status, expected] of [
      [-1, 3],
      [300, 255],
      [0, 0],
    ]) {
      const event = resultEvent({ name: 'a', output: '', status }, entity, 'c1', { nowMs: 0, id: 'x' });
      assert.equal(event.check.status, expected);
    }
  });

  it('puts requests into the pipes of the earlier generation', () => {
    assert.deepEqual(requestPipes(['web', 'entity:c1', 'direct:x'], false), [
      { type: 'fanout', name: 'web' },
      { type: 'fanout', name: 'client:c1' },
      { type: 'direct', name: 'direct:x' },
    ]);
    assert.deepEqual(requestPipes(['web'], true), [{ type: 'direct', name: 'roundrobin:web' }]);
    const config = checkConfigSchema.parse({
      metadata: { name: 'cpu', annotations: { [attributesAnnotation]: '{"refresh":60}' } },
      command: 'true',
      interval: 10,
      subscriptions: ['web'],
      handlers: ['mail'],
      proxy_entity_name: 'sw-1',
    });
    assert.deepEqual(checkRequest(config, 7), {
      refresh: 60,
      command: 'true',
      source: 'sw-1',
      handlers: ['mail'],
      name: 'cpu',
      issued: 7,
    });
  });

  it('splays standalone checks like the reference product', () => {
    const nowMs = 1_414_213_569_032;
    assert.equal(firstRunDelayMs('i-424242:test', 60, nowMs), 3_321);
    assert.equal(firstRunDelayMs('i-424242:test', 3_600, nowMs), 783_321);
    assert.equal(firstRunDelayMs('test', 60, nowMs), 17_601);
    assert.equal(firstRunDelayMs('test', 3_600, nowMs), 3_497_601);
  });
});
