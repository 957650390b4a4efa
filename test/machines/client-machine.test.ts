// One client of the earlier generation: the client machine, fact by fact.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ClientContext, ClientEffect, ClientFact } from '../../src/machines/client/client-facts.ts';
import { judgeClient, nextJudgement, thresholdsOf } from '../../src/machines/client/client-keepalive-rule.ts';
import { clientMachine, clientVersion, restoreClient } from '../../src/machines/client/client-machine.ts';
import { proxyRecord } from '../../src/machines/client/client-registry-rule.ts';
import { judgeSignature } from '../../src/machines/client/client-signature-rule.ts';
import { RestoreError } from '../../src/machines/restore-rule.ts';
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
  id: 'id-1',
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

  it('counts what was waited, not what the clock on the wall says', () => {
    for (const stepMs of [-3_600_000, 3_600_000]) {
      const client = start();
      client.send(keepalive(10_000_000));
      const warned = client.send(silence(10_120_000 + stepMs));
      assert.deepEqual(told(warned), [[1, 'No keepalive sent from client for 120 seconds (>=120)']]);
      assert.equal(contextOf(client).deadlineAtMs, 10_150_000 + stepMs);
      client.send(silence(10_150_000 + stepMs));
      assert.equal(contextOf(client).deadlineAtMs, 10_180_000 + stepMs);
      client.send(silence(10_180_000 + stepMs));
      assert.equal(statesOf(client).keepalive, 'critical');
    }
  });

  it('is watched on after a restart that found the clock set back', () => {
    const client = start();
    client.send(keepalive(10_000_000));
    client.send({ type: 'client.resumed', nowMs: 1_000_000 });
    assert.equal(contextOf(client).deadlineAtMs, 1_120_000);
    assert.deepEqual(told(client.send(silence(1_120_000))), [
      [1, 'No keepalive sent from client for 120 seconds (>=120)'],
    ]);
  });

  it('is believed in nothing while it is barred, and ends with the bar', () => {
    const client = start();
    client.send(keepalive(0, 'S1'));
    const barred = { type: 'client.deleted', barredUntilMs: 60_000, nowMs: 1_000 } as const;
    assert.deepEqual(types(client.send(barred)), ['persist', 'deadline.set']);
    assert.deepEqual(statesOf(client), { keepalive: 'barred', signature: 'barred' });
    assert.deepEqual(types(client.send(keepalive(2_000, 'S1'))), ['refuse']);
    assert.deepEqual(types(client.send(result(2_000))), ['refuse']);
    assert.equal(contextOf(client).record, null);
    const { value, context } = client.snapshot();
    const stored: unknown = JSON.parse(JSON.stringify({ value, context }));
    const again: LiveClient = bring(clientMachine, { snapshot: restoreClient(stored, clientVersion) });
    assert.deepEqual(again.send({ type: 'client.resumed', nowMs: 3_000 }), [
      { type: 'deadline.set', name: 'keepalive', atMs: 60_000 },
    ]);
    assert.deepEqual(types(again.send(silence(60_000))), ['forget']);
    assert.equal(again.snapshot().status, 'done');
    const declared = { type: 'client.declared', record: { name: 'c1' }, nowMs: 3_000 } as const;
    client.send(declared);
    assert.deepEqual(statesOf(client), { keepalive: 'healthy', signature: 'unsigned' });
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
      assert.deepEqual(types(client.send({ type: 'client.deleted', barredUntilMs: null, nowMs: 1 })), [
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
