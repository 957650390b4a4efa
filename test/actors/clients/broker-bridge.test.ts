// The bridge between a broker and the registry: what happens to a message that cannot be taken.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openBridge } from '../../../src/actors/families/client/broker-bridge.ts';
import type { Outlet } from '../../../src/actors/families/client/client-requests.ts';
import { MonError } from '../../../src/model/errors.ts';
import { fakeTransport } from '../../client/fake-transport.ts';
import { eventually } from '../../eventually.ts';

const maxMessageBytes = 2_000;

const open = (result: (message: unknown, id?: string) => Promise<void>) => {
  const broker = fakeTransport();
  const outlets: Outlet[] = [];
  const heardAgain: string[] = [];
  const told: [string, string][] = [];
  const fields: object[] = [];
  const note = (level: string) => (more: object, text: string) => {
    told.push([level, text]);
    fields.push(more);
  };
  const bridge = openBridge({
    transport: broker.transport,
    clients: {
      keepalive: async () => {},
      result,
      attach: (outlet) => void outlets.push(outlet),
      heardAgain: (via) => void heardAgain.push(via),
    },
    log: { info: () => {}, warn: note('warn'), error: note('error') },
    retryMs: 1,
    maxMessageBytes,
  });
  broker.connect();
  return {
    bridge,
    told,
    fields,
    say: (message: object | string) => broker.request('results', message),
    broker,
    heardAgain,
    isConnected: () => outlets.every((outlet) => outlet.isConnected()),
  };
};

const upTo = (failures: number, error: Error) => {
  const ids: unknown[] = [];
  const result = async (_message: unknown, id?: string) => {
    ids.push(id);
    if (ids.length <= failures) throw error;
  };
  return { result, calls: () => ids.length, ids };
};

test('an outage of ours is waited out: the message is not done before it was taken', async () => {
  const outage = upTo(3, new MonError('unavailable'));
  const { say, told, broker } = open(outage.result);
  await eventually('the subscription', () => broker.takers.has('results'));
  await say({});
  assert.equal(outage.calls(), 4);
  assert.equal(new Set(outage.ids).size, 1, 'told again, it is the same event');
  assert.deepEqual(told, [['error', 'a result of a client cannot be taken now, trying again']]);
});

test('what is wrong stays wrong, and is dropped; so is what trips over a fault of ours', async () => {
  const wrong = upTo(1, new MonError('invalid', 'check must be a hash'));
  const refused = open(wrong.result);
  await eventually('the subscription', () => refused.broker.takers.has('results'));
  await refused.say({});
  assert.deepEqual(refused.fields, [{ via: 'redis', reason: 'check must be a hash' }], 'without a stack');
  const fault = open(upTo(1, new Error('a bug')).result);
  await eventually('the subscription', () => fault.broker.takers.has('results'));
  await fault.say({});
  assert.deepEqual(
    [wrong.calls(), refused.told, fault.told],
    [1, [['warn', 'a result of a client was dropped']], [['error', 'a result of a client was dropped']]],
  );
});

test('what is no JSON, or too large, is told of and never handed on', async () => {
  const nobody = upTo(0, new Error());
  const { say, told, broker } = open(nobody.result);
  await eventually('the subscription', () => broker.takers.has('results'));
  await say('{');
  await say(JSON.stringify('x'.repeat(maxMessageBytes - 1)));
  await say(`${'['.repeat(65)}${']'.repeat(65)}`);
  assert.equal(nobody.calls(), 0);
  await say(JSON.stringify('x'.repeat(maxMessageBytes - 2)));
  assert.equal(nobody.calls(), 1);
  assert.deepEqual(told, [
    ['error', 'failed to parse result payload'],
    ['error', 'message exceeds the configured max message size (--earlier-max-message-size)'],
    ['error', 'failed to parse result payload'],
  ]);
});

test('a bridge that is closed waits for nothing, and leaves the result to the broker', async () => {
  const outage = upTo(Number.POSITIVE_INFINITY, new MonError('unavailable'));
  const { bridge, say, told, broker } = open(outage.result);
  await eventually('the subscription', () => broker.takers.has('results'));
  const waiting = say({});
  await eventually('the wait', () => told.length === 1);
  await bridge.close();
  await waiting;
  assert.deepEqual(told.at(-1), ['warn', 'a result of a client is left to the broker']);
});

test('a result that is delivered again has the id it had; two that look alike have two', async () => {
  const before = upTo(0, new Error());
  const first = open(before.result);
  await eventually('the subscription', () => first.broker.takers.has('results'));
  const timed = { client: 'a', check: { name: 'cpu', status: 1, output: '', issued: 5, executed: 4 } };
  const untimed = { client: 'a', check: { name: 'cpu', status: 1, output: '' } };
  await first.say(timed);
  await first.say(timed);
  await first.say(untimed);
  await first.say(untimed);
  await first.broker.request('results', timed, { redelivered: true });
  const [one, two, three, four, again] = before.ids;
  assert.equal(new Set([one, two, three, four]).size, 4, 'each counts');
  assert.equal(again, one, 'a line that broke and came back');
  assert.match(String(one), /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/);

  const after = upTo(0, new Error());
  const second = open(after.result);
  await eventually('the subscription', () => second.broker.takers.has('results'));
  await second.broker.request('results', timed, { redelivered: true });
  assert.deepEqual(after.ids, [one], 'a backend that was killed and started again');
});

test('a broker that takes no messages counts as gone until it does: nobody is asked through it, nobody called silent', async () => {
  const made = open(async () => {});
  await eventually('the subscription', () => made.isConnected());
  assert.deepEqual(made.heardAgain, ['redis']);
  made.broker.block('low on memory');
  assert.equal(made.isConnected(), false);
  assert.deepEqual(made.told, [
    ['warn', 'the broker takes no messages; its clients are not called silent meanwhile'],
  ]);
  made.broker.unblock();
  assert.equal(made.isConnected(), true);
  assert.deepEqual(made.heardAgain, ['redis', 'redis']);
  made.broker.block('low on memory');
  made.broker.lose();
  made.broker.connect();
  await eventually('the new subscription', () => made.isConnected());
});
