// The StatsD listeners over real sockets: datagrams, and the lines of a TCP stream however they are cut.
import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { connect } from 'node:net';
import { type TestContext, test } from 'node:test';
import { createCounters } from '../../src/agent/counters.ts';
import { maxStatsdLineBytes } from '../../src/agent/limits.ts';
import { startStatsd } from '../../src/agent/statsd/statsd.ts';
import {
  type OpenStatsdListener,
  openTcpListener,
  openUdpListener,
} from '../../src/agent/statsd/statsd-listeners.ts';
import { entitySchema } from '../../src/model/entity/entity.ts';
import { eventually } from '../eventually.ts';
import { fakeClock } from './fake-clock.ts';
import { readableLog } from './helpers.ts';

const listenerOf = async (t: TestContext, open: OpenStatsdListener) => {
  const texts: string[] = [];
  const listener = await open({
    host: '127.0.0.1',
    port: 0,
    received: (text, from) => texts.push(`${from} ${text}`),
    fault: (error) => assert.fail(error.message),
  });
  t.after(() => listener.close());
  return { port: listener.port, texts };
};

const dial = async (t: TestContext, port: number) => {
  const socket = connect(port, '127.0.0.1');
  t.after(() => socket.destroy());
  socket.setNoDelay();
  await once(socket, 'connect');
  return socket;
};

test('a datagram is handed on with the address of its sender', async (t) => {
  const { port, texts } = await listenerOf(t, openUdpListener);
  const socket = createSocket('udp4');
  socket.send('a:1|c\nb:2|c', port, '127.0.0.1');
  await eventually('the datagram', () => texts.length > 0);
  assert.deepEqual(texts, ['127.0.0.1 a:1|c\nb:2|c']);
  socket.close();
});

test('a line on a TCP connection is handed on once it has ended, whatever pieces it came in', async (t) => {
  const { port, texts } = await listenerOf(t, openTcpListener);
  const socket = await dial(t, port);
  socket.write('a:1|c\nb:');
  await eventually('the first line', () => texts.length === 1);
  assert.deepEqual(texts, ['127.0.0.1 a:1|c\n']);
  socket.write('2|c\nlast:3|c');
  await eventually('the second line', () => texts.length === 2);
  socket.end();
  await eventually('the line without an end', () => texts.length === 3);
  assert.deepEqual(texts.slice(1), ['127.0.0.1 b:2|c\n', '127.0.0.1 last:3|c']);
});

test('a line that never ends is cut off, and only its connection', async (t) => {
  const { port, texts } = await listenerOf(t, openTcpListener);
  const [endless, other] = [await dial(t, port), await dial(t, port)];
  endless.on('error', () => {});
  endless.write('x'.repeat(maxStatsdLineBytes + 1));
  await once(endless, 'close');
  other.end('a:1|c\n');
  await eventually('the other line', () => texts.length === 1);
});

for (const [name, open] of [
  ['UDP', openUdpListener],
  ['TCP', openTcpListener],
] as const)
  test(`an address in use is reported: ${name}`, async (t) => {
    const { port } = await listenerOf(t, open);
    const options = { host: '127.0.0.1', port, received: () => {}, fault: () => {} };
    await assert.rejects(open(options), /EADDRINUSE/);
  });

test('lines by TCP become the metrics of an event, as lines by UDP do', async (t) => {
  const clock = fakeClock();
  const counters = createCounters();
  const reported: unknown[] = [];
  const entity = entitySchema.parse({ metadata: { name: 'a' }, entity_class: 'agent' });
  const listener = await startStatsd(
    {
      ...{ host: '127.0.0.1', port: 0, flushIntervalMs: 10_000, handlers: ['influx'] },
      ...{ clock, counters, log: readableLog().log, entity: () => entity, newId: () => 'id' },
      report: (event) => reported.push(event.metrics?.points?.map(({ name, value }) => [name, value])),
    },
    openTcpListener,
  );
  t.after(() => listener.close());
  const socket = await dial(t, listener.port);
  socket.write('foo:1|c\nfoo:1|c\nbad\n');
  await eventually('the last line', () => counters.render().includes('statsd'));
  clock.advance(10_000);
  assert.deepEqual(reported, [
    [
      ['foo.value', 2],
      ['foo.per_second', 0.2],
    ],
  ]);
});
