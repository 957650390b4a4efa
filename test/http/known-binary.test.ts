// What a session of the binary encoding remembers must never show: an event read with a memory and without says the same.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createBinaryMemory, KnownDefinitions } from '../../src/http/edge/binary-memory.ts';
import { protobufCodec } from '../../src/http/edge/codec.ts';
import type { EventMemory } from '../../src/http/edge/event-memory.ts';
import { readEventFrame } from '../../src/http/edge/frame-reader.ts';
import { maxKnownFrameBytes, maxKnownFrames } from '../../src/http/edge/limits.ts';
import { maxUnsigned32 } from '../../src/model/limits.ts';
import { knownJson } from '../../src/model/schema/known-json.ts';
import { encodePayload } from '../../src/wire/protobuf/payloads.ts';
import { fc } from '../property.ts';

const agent = { namespace: 'default', agentName: 'web-01', mayReportFor: () => true };
const idOf = (n: number): string => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;

const read = (payload: Buffer, memory?: EventMemory, namespace = 'default') =>
  readEventFrame('event', payload, protobufCodec, { ...agent, namespace }, memory);

const eventOf = (payload: Buffer, memory?: EventMemory, namespace?: string) => {
  const result = read(payload, memory, namespace);
  assert.ok(result.ok, result.ok ? '' : result.message);
  return result.event;
};

const entity = {
  entity_class: 'agent',
  subscriptions: ['linux'],
  last_seen: 1_700_000_000,
  metadata: { name: 'web-01' },
};

const check = {
  command: 'check_load',
  interval: 10,
  handlers: ['slack'],
  subscriptions: ['linux'],
  duration: 0.25,
  executed: 1_700_000_001,
  issued: 1_700_000_000,
  output: 'OK\n',
  status: 0,
  processed_by: 'web-01',
  metadata: { name: 'load', labels: { a: 'b' } },
};

const event = { timestamp: 1_700_000_002, entity, check, id: idOf(1), sequence: 1 };

const frame = (over: object = {}, checkOver: object = {}): Buffer =>
  encodePayload('event', { ...event, ...over, check: { ...check, ...checkOver } });

const newMemory = (definitions = new KnownDefinitions()): EventMemory => createBinaryMemory(definitions);

const taught = (payload = frame(), memory = newMemory()): EventMemory => {
  eventOf(payload, memory);
  return memory;
};

const isKnown = (payload: Buffer, memory: EventMemory, namespace = 'default'): boolean =>
  memory.recognise(payload, { namespace }) !== undefined;

test('a result with a cached definition is read without decoding, and shares it', () => {
  const memory = taught();
  const first = eventOf(frame(), memory);
  const payload = frame(
    { id: idOf(7), timestamp: 9, sequence: 2, entity: { ...entity, last_seen: 1_700_000_099 } },
    { duration: 1.5e-7, executed: 3, issued: 0, output: 'LOUD "ü\u0000" {}', status: maxUnsigned32 },
  );
  assert.ok(isKnown(payload, memory));
  const again = eventOf(payload, memory);
  assert.deepEqual(again, eventOf(payload));
  assert.equal(again.check?.metadata, first.check?.metadata);
  assert.equal(first.check?.status, 0);
  assert.equal(knownJson(again.entity), JSON.stringify(again.entity));
});

test('values that a result leaves out have their defaults, not those of an earlier result', () => {
  const memory = taught(frame({}, { status: 2, output: 'CRITICAL', duration: 3 }));
  const bare = { status: 0, output: '', duration: undefined, executed: 0, processed_by: undefined };
  const payload = frame({ timestamp: 0, sequence: 0 }, bare);
  assert.ok(isKnown(payload, memory));
  assert.deepEqual(eventOf(payload, memory), eventOf(payload));
});

test('other agents that run the check share its definition', () => {
  const definitions = new KnownDefinitions();
  const memory = taught(frame(), newMemory(definitions));
  const other = newMemory(definitions);
  const elsewhere = frame(
    { entity: { ...entity, metadata: { name: 'web-02' } } },
    { processed_by: 'web-02' },
  );
  eventOf(elsewhere, other);
  assert.ok(isKnown(elsewhere, other));
  assert.equal(eventOf(elsewhere, other).check?.metadata, eventOf(frame(), memory).check?.metadata);
  assert.equal(eventOf(elsewhere, other).entity.metadata.name, 'web-02');
});

test('a frame that leaves its namespace to the session is not known to sessions of another one', () => {
  const definitions = new KnownDefinitions();
  assert.ok(isKnown(frame(), taught(frame(), newMemory(definitions))));
  const other = newMemory(definitions);
  for (let n = 0; n < 3; n += 1)
    assert.equal(eventOf(frame(), other, 'other').check?.metadata.namespace, 'other');
});

test('each event without an id is given one of its own', () => {
  const memory = taught(frame({ id: undefined }));
  assert.ok(isKnown(frame({ id: undefined }), memory));
  const ids = [1, 2, 3].map(() => eventOf(frame({ id: undefined }), memory).id);
  assert.equal(new Set(ids).size, 3);
});

const notKnown: Record<string, Buffer> = {
  'another definition': frame({}, { interval: 11 }),
  'another entity': frame({ entity: { ...entity, subscriptions: ['linux', 'web'] } }),
  'a status out of range': frame({}, { status: maxUnsigned32 + 1 }),
  'a negative time': frame({}, { executed: -1 }),
  'a duration that is no number': frame({}, { duration: Number.NaN }),
  'pipelines of its own': frame({ pipelines: [{ name: 'p', type: 'Pipeline', api_version: 'core/v2' }] }),
  metrics: frame({ metrics: { points: [] } }),
  'a cut end': frame().subarray(0, -1),
  'something after the end': Buffer.concat([frame(), Buffer.from([0x08])]),
  'its check in two parts': Buffer.concat([frame(), Buffer.from([0x1a, 0x02, 0x28, 0x0b])]),
  'its entity in two parts': Buffer.concat([frame(), Buffer.from([0x12, 0x02, 0x30, 0x01])]),
};

for (const [title, payload] of Object.entries(notKnown)) {
  test(`a frame with ${title} is decoded and validated`, () => {
    const memory = taught();
    assert.equal(isKnown(payload, memory), false);
    assert.deepEqual(read(payload, memory), read(payload));
  });
}

test('the number of cached definitions is limited, and large ones are not cached', () => {
  const memory = taught();
  for (let n = 0; n < maxKnownFrames; n += 1)
    eventOf(frame({}, { metadata: { name: `check-${n}` } }), memory);
  assert.equal(isKnown(frame(), memory), false);
  const large = frame({}, { command: 'x'.repeat(maxKnownFrameBytes) });
  assert.equal(isKnown(large, taught(large)), false);
});

const late = 1_700_000_000_000;
const milliseconds: Record<string, Buffer> = {
  timestamp: frame({ timestamp: late }),
  'check.executed': frame({}, { executed: late }),
  'check.issued': frame({}, { issued: late }),
};

for (const [field, payload] of Object.entries(milliseconds)) {
  test(`${field} in milliseconds is refused, whether or not the frame is known`, () => {
    const memory = taught();
    assert.ok(isKnown(payload, memory));
    const { id, ...refused } = read(payload, memory) as { id: string };
    assert.equal(id, idOf(1));
    assert.deepEqual(refused, { ok: false, message: `${field} must be in seconds since 1970 (got ${late})` });
    assert.deepEqual(read(payload, memory), read(payload));
  });
}

test('with and without a memory, damaged and odd frames read the same', () => {
  const values = fc.record(
    {
      duration: fc.double(),
      executed: fc.oneof(fc.integer(), fc.nat({ max: 1e15 })),
      issued: fc.nat(),
      output: fc.string({ unit: 'binary' }),
      status: fc.integer({ min: -1, max: 300 }),
      processed_by: fc.constantFrom('web-01', 'web-02'),
      interval: fc.constantFrom(10, 11),
    },
    { requiredKeys: [] },
  );
  const outer = fc.record(
    {
      timestamp: fc.nat(),
      sequence: fc.nat(),
      id: fc.nat().map(idOf),
      entity: fc.constantFrom(entity, { ...entity, last_seen: 5 }, { ...entity, last_seen: 0 }),
    },
    { requiredKeys: ['id'] },
  );
  const hit = fc.option(fc.tuple(fc.nat(), fc.nat({ max: 255 })), { freq: 1 });
  const one = fc.record({ values, outer, hit, name: fc.constantFrom('load', 'disk') });
  let known = 0;
  fc.assert(
    fc.property(fc.array(one, { maxLength: 12 }), (frames) => {
      const memory = taught();
      for (const { values, outer, hit, name } of frames) {
        const payload = frame(outer, { ...values, metadata: { name, labels: { a: 'b' } } });
        if (hit !== null) payload[hit[0] % payload.length] = hit[1];
        if (isKnown(payload, memory)) known += 1;
        const wanted = read(Buffer.from(payload));
        const got = read(payload, memory);
        // An event without an id is given a random one.
        const strip = (result: typeof got): unknown =>
          result.ok ? { ...result.event, id: result.event.id === outer.id } : result;
        assert.deepEqual(strip(got), strip(wanted));
      }
    }),
    { numRuns: 2_000 },
  );
  assert.ok(known > 1_000, `only ${known} frames were known`);
});
