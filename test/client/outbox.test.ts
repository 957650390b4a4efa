// Results that could not be sent: which are kept, when they are sent again, and which are not.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createOutbox } from '../../src/client/outbox.ts';
import type { Transport } from '../../src/wire/earlier/transport.ts';
import { fakeTransport } from './fake-transport.ts';
import { rememberingLog } from './helpers.ts';

const result = (name: string) => ({ client: 'c1', check: { name, output: '', status: 0 } });

const outboxOn = (refusals: string[]) => {
  const sent: string[] = [];
  const transport: Transport = {
    ...fakeTransport().transport,
    isConnected: () => true,
    publish: async (_, message) => {
      const refusal = refusals.shift();
      if (refusal !== undefined) throw new Error(refusal);
      sent.push(JSON.parse(message).check.name);
    },
  };
  const retries: (() => void)[] = [];
  const outbox = createOutbox(transport, rememberingLog(), {
    after: (_, next) => {
      retries.push(next);
      return () => {};
    },
  });
  return { outbox, sent, retries };
};

test('a result that could not be sent while connected is sent again later', async () => {
  const { outbox, sent, retries } = outboxOn(['the broker is busy']);
  outbox.send(result('a'));
  await outbox.settled();
  assert.deepEqual([sent, outbox.held, retries.length], [[], 1, 1]);
  retries[0]?.();
  await outbox.settled();
  assert.deepEqual([sent, outbox.held], [['a'], 0]);
});

test('a result that the backend refused for good is not sent again', async () => {
  const { outbox, sent, retries } = outboxOn(['the backend refused: no such check']);
  outbox.send(result('a'));
  outbox.send(result('b'));
  await outbox.settled();
  assert.deepEqual([sent, outbox.held, retries.length], [['b'], 0, 0]);
});

test('what comes after a result that could not be sent waits behind it', async () => {
  const { outbox, sent, retries } = outboxOn(['the broker is busy']);
  outbox.send(result('a'));
  outbox.send(result('b'));
  await outbox.settled();
  outbox.send(result('c'));
  await outbox.settled();
  assert.deepEqual([sent, outbox.held, retries.length], [[], 3, 1]);
  retries[0]?.();
  await outbox.settled();
  assert.deepEqual([sent, outbox.held], [['a', 'b', 'c'], 0]);
});
