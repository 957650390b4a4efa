// Nanosecond timestamps of metrics keep every digit, in both encodings, through agent, store and pipelines.
import assert from 'node:assert/strict';
import test from 'node:test';
import { encodeEvent } from '../../src/agent/connection/outgoing.ts';
import { prepareEvent } from '../../src/agent/local/local-event.ts';
import { emptySystem } from '../../src/model/entity/entity.ts';
import { type Event, eventSchema } from '../../src/model/event/event.ts';
import { parseEvent } from '../../src/model/event/event-parse.ts';
import { parseGuarded } from '../../src/model/schema/guarded-json.ts';
import { serialiseEvent } from '../../src/pipeline/serialise.ts';
import { decodePayload, encodePayload } from '../../src/wire/protobuf/payloads.ts';

const nanoseconds = '1700000000123456789';
const text = (timestamp: string, output = 'x') =>
  `{"entity":{"entity_class":"proxy","metadata":{"name":"a"}},"check":{"metadata":{"name":"c"},"interval":1,"output":${JSON.stringify(output)}},` +
  `"metrics":{"handlers":["h"],"points":[{"name":"m","value":1.5,"timestamp":${timestamp},"tags":[{"name":"t","value":"v"}]}]}}`;

const read = (json: string): Event => {
  const raw = parseGuarded(json);
  assert.ok(raw.ok);
  const parsed = parseEvent(raw.value, { namespace: 'default' });
  assert.ok(parsed.ok, parsed.ok ? '' : parsed.message);
  return parsed.value;
};

const timestampIn = (json: string): string | undefined =>
  /"timestamp":(-?\d+)[,}]/.exec(json.slice(json.indexOf('"points"')))?.[1];

test('handlers get the digits that were sent, whatever stands in texts', () => {
  for (const sent of [
    nanoseconds,
    '-1700000000123456789',
    '9223372036854775807',
    '1700000000',
    '1700000000123',
  ])
    assert.equal(timestampIn(serialiseEvent(read(text(sent)))), sent);
  const output = '{"points":[{"timestamp":1700000000123456789}]} "timestamp":1700000000123456789,';
  const event = read(text(nanoseconds, output));
  assert.equal(event.check?.output, output);
  assert.deepEqual(JSON.parse(serialiseEvent(event)).metrics.points[0].tags, [{ name: 't', value: 'v' }]);
});

test('the digits outlive the store', () => {
  const event = eventSchema.parse(JSON.parse(JSON.stringify(read(text(nanoseconds)))));
  assert.equal(timestampIn(serialiseEvent(event)), nanoseconds);
});

test('an event handed to the agent is sent on to the digit', () => {
  const raw = parseGuarded(text(nanoseconds));
  assert.ok(raw.ok);
  const entity = read(text('1')).entity;
  const facts = {
    agentName: 'web-01',
    namespace: 'default',
    entity,
    nowSeconds: 1,
    newId: () => '6a1f6f0e-8c0f-4f77-9d3d-0e1a2b3c4d5e',
  };
  const prepared = prepareEvent(raw.value, { ...facts, entity: { ...entity, system: emptySystem() } });
  assert.ok(prepared.ok);
  assert.equal(timestampIn(encodeEvent(prepared.value).frame.toString()), nanoseconds);
});

test('the binary encoding reads them to the digit', () => {
  for (const sent of [nanoseconds, '-1700000000123456789', '1700000000']) {
    const point = { name: 'm', value: 1, timestamp: sent === '1700000000' ? 1_700_000_000 : sent };
    const bytes = encodePayload('event', {
      entity: { entity_class: 'proxy', metadata: { name: 'a' } },
      check: { metadata: { name: 'c' }, interval: 1 },
      metrics: { points: [point] },
    });
    const decoded = decodePayload('event', bytes);
    assert.ok(decoded.ok);
    const parsed = parseEvent(decoded.value, { namespace: 'default' });
    assert.ok(parsed.ok, parsed.ok ? '' : parsed.message);
    assert.equal(timestampIn(serialiseEvent(parsed.value)), sent);
  }
});

test('only the reader sets the digits', () => {
  const forged = text('5').replace('"timestamp":5', '"timestamp":5,"exact_timestamp":"1],\\"x\\":[1"');
  const event = read(forged);
  assert.equal(event.metrics?.points?.[0]?.exact_timestamp, undefined);
  assert.equal(timestampIn(serialiseEvent(event)), '5');
});
