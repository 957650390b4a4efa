// One session on a simulated clock.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createAgentEntity } from '../../src/agent/agent-entity.ts';
import { openSession } from '../../src/agent/connection/session.ts';
import { createCounters } from '../../src/agent/counters.ts';
import { createDeliveryQueue } from '../../src/agent/queue/delivery-queue.ts';
import { emptySystem } from '../../src/model/entity/entity.ts';
import { type Event, eventSchema } from '../../src/model/event/event.ts';
import { decodeFrame, encodeFrame } from '../../src/wire/frames.ts';
import { jsonType } from '../../src/wire/headers.ts';
import { fakeClock } from './fake-clock.ts';
import { configOf, readableLog, supervisionOf } from './helpers.ts';

const eventOf = (id: string): Event => ({
  ...eventSchema.parse({ entity: { metadata: { name: 'a' } }, check: { metadata: { name: 'c' } } }),
  id,
});

const world = () => {
  const clock = fakeClock();
  const config = configOf({ 'keepalive-interval': '20' });
  const log = readableLog();
  const queue = createDeliveryQueue(supervisionOf(log.log, clock), log.log);
  const sent: string[] = [];
  const drops: string[] = [];
  const agreement = { contentType: jsonType, backendId: 'b', ack: true, dialect: 'native' } as const;
  const send = (frame: Buffer, done?: (error?: Error) => void) => {
    sent.push(decodeFrame(frame)?.type ?? '');
    done?.();
  };
  let sequence = 0;
  const session = openSession(
    { agreement, url: 'ws://b', send, ping: () => {}, close: () => {}, cut: () => {} },
    {
      config,
      clock,
      log: log.log,
      entity: createAgentEntity(config, emptySystem()),
      queue,
      counters: createCounters(),
      newId: () => '00000000-0000-4000-8000-000000000000',
      nextSequence: () => ++sequence,
      runCheck: () => {},
      drop: (why) => drops.push(why),
    },
  );
  const say = (type: 'entity_config' | 'ack', payload: unknown) => {
    const frame = decodeFrame(encodeFrame(type, JSON.stringify(payload)));
    if (frame !== null) session.frame(frame);
  };
  return { clock, session, queue, sent, drops, say, log };
};

test('without an entity configuration the agent goes on with its own after ten seconds', () => {
  const { clock, sent, log } = world();
  clock.advance(9_999);
  assert.deepEqual(sent, []);
  clock.advance(1);
  assert.deepEqual(sent, ['keepalive']);
  assert.ok(log.messages().includes('no entity config received; using the local entity'));
});

test('keepalives go out at once and then at their interval, until the end', () => {
  const { clock, session, sent, say } = world();
  say('entity_config', { metadata: { name: 'not found' } });
  assert.equal(sent.length, 1);
  clock.advance(60_000);
  assert.equal(sent.length, 4);
  session.end();
  clock.advance(60_000);
  assert.equal(sent.length, 4);
  assert.equal(clock.pending(), 0);
});

test('the keepalive goes before the events that wait', () => {
  const { queue, sent, say } = world();
  queue.enqueue(eventOf('1'));
  say('entity_config', { metadata: { name: 'not found' } });
  assert.deepEqual(sent, ['keepalive', 'event']);
});

test('a backend that stops acknowledging is left, one that has nothing to acknowledge is not', () => {
  const { clock, queue, drops, say } = world();
  say('entity_config', { metadata: { name: 'not found' } });
  clock.advance(300_000);
  assert.deepEqual(drops, []);
  queue.enqueue(eventOf('1'));
  clock.advance(55_000);
  say('ack', { ids: ['1'] });
  clock.advance(300_000);
  assert.deepEqual(drops, []);
  queue.enqueue(eventOf('2'));
  clock.advance(65_000);
  assert.deepEqual(drops.slice(0, 1), ['no acknowledgement for 60 s']);
});
