// What the edge remembers of frames must never show: an event read with a memory and without says the same.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { jsonCodec } from '../../src/http/edge/codec.ts';
import { readEventFrame } from '../../src/http/edge/frame-reader.ts';
import { createJsonMemory } from '../../src/http/edge/json-memory.ts';
import { KnownEntity } from '../../src/http/edge/known-entity.ts';
import { KnownFrames } from '../../src/http/edge/known-frame.ts';
import { maxKnownFrameBytes, maxKnownFrames } from '../../src/http/edge/limits.ts';
import { maxUnsigned32 } from '../../src/model/limits.ts';
import { fc } from '../property.ts';

interface FrameMemory {
  readonly entity: KnownEntity;
  readonly frames: KnownFrames;
}

const agent = { namespace: 'default', agentName: 'web-01', mayReportFor: () => true };
const idOf = (n: number): string => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;

const read = (payload: Buffer, memory?: FrameMemory, namespace = 'default') =>
  readEventFrame(
    'event',
    payload,
    jsonCodec,
    { ...agent, namespace },
    memory && createJsonMemory(memory.frames, memory.entity),
  );

const eventOf = (payload: Buffer, memory?: FrameMemory, namespace?: string) => {
  const result = read(payload, memory, namespace);
  assert.ok(result.ok, result.ok ? '' : result.message);
  return result.event;
};

const newMemory = (frames = new KnownFrames()): FrameMemory => ({ entity: new KnownEntity(), frames });

const entity = {
  entity_class: 'agent',
  metadata: { name: 'web-01' },
  subscriptions: ['linux'],
  last_seen: 5,
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
  metadata: { name: 'load', labels: { a: 'b' } },
};

const event = { timestamp: 1_700_000_002, id: idOf(1), entity, check, sequence: 1 };

const frame = (over: object = {}, checkOver: object = {}): Buffer =>
  Buffer.from(JSON.stringify({ ...event, ...over, check: { ...check, ...checkOver } }));

/** The first frame teaches the entity, the second the rest. */
const taught = (payload = frame(), memory = newMemory()): FrameMemory => {
  eventOf(payload, memory);
  eventOf(payload, memory);
  return memory;
};

/** Whether the frame is one that need not be parsed. */
const isKnown = (payload: Buffer, memory: FrameMemory, namespace = 'default'): boolean => {
  const span = memory.entity.recognise(payload);
  return span !== undefined && memory.frames.recognise(payload, span, namespace) !== undefined;
};

test('a result with a cached definition is read without parsing, and shares it', () => {
  const memory = taught();
  const first = eventOf(frame(), memory);
  const payload = frame(
    { id: idOf(7), timestamp: 9, sequence: 2 },
    { duration: 1.5e-7, executed: 3, issued: 0, output: 'LOUD "ü\u0000" {}', status: maxUnsigned32 },
  );
  assert.ok(isKnown(payload, memory));
  const again = eventOf(payload, memory);
  assert.deepEqual(again, eventOf(payload));
  assert.equal(again.check?.metadata, first.check?.metadata);
  assert.equal(first.check?.status, 0);
});

test('other agents that run the check share its definition', () => {
  const ranBy = (agent: string): Buffer => frame({}, { processed_by: agent });
  const memory = taught(ranBy('web-01'));
  const other = newMemory(memory.frames);
  eventOf(ranBy('web-02'), other);
  assert.ok(isKnown(ranBy('web-02'), other));
  assert.equal(eventOf(ranBy('web-02'), other).check?.processed_by, 'web-02');
  assert.equal(
    eventOf(ranBy('web-02'), other).check?.metadata,
    eventOf(ranBy('web-01'), memory).check?.metadata,
  );
});

test('a frame that leaves its namespace to the session is not known to sessions of another one', () => {
  const memory = taught();
  assert.ok(isKnown(frame(), memory));
  assert.equal(isKnown(frame(), memory, 'other'), false);
  const elsewhere = newMemory(memory.frames);
  for (let n = 0; n < 3; n += 1) {
    assert.equal(eventOf(frame(), elsewhere, 'other').check?.metadata.namespace, 'other');
  }
});

test('what stands behind the last value that may change counts as well', () => {
  const endingIn = (label: string): Buffer => {
    const labelled = { ...check, metadata: { name: 'load', labels: { a: label } } };
    return Buffer.from(JSON.stringify({ timestamp: 9, id: idOf(1), sequence: 1, entity, check: labelled }));
  };
  const memory = taught(endingIn('b'));
  assert.ok(isKnown(endingIn('b'), memory));
  assert.ok(!isKnown(endingIn('c'), memory));
  assert.deepEqual(eventOf(endingIn('c'), memory).check?.metadata.labels, { a: 'c' });
});

test('each event without an id is given one of its own', () => {
  const memory = taught(frame({ id: null }));
  assert.ok(isKnown(frame({ id: null }), memory));
  const ids = [1, 2, 3].map(() => eventOf(frame({ id: null }), memory).id);
  assert.equal(new Set(ids).size, 3);
});

const notKnown: Record<string, Buffer> = {
  'another definition': frame({}, { interval: 11 }),
  'a status out of range': frame({}, { status: maxUnsigned32 + 1 }),
  'a status that is no number': frame({}, { status: '0' }),
  'an id that is none': frame({ id: 'x'.repeat(36) }),
  'a number past all': Buffer.from(frame().toString().replace('0.25', '1e999')),
  'a number that is none': Buffer.from(frame().toString().replace('0.25', '1.2.3')),
  'a leading zero': Buffer.from(frame().toString().replace('"status":0', '"status":00')),
  'a control character': Buffer.from(frame().toString().replace('OK\\n', 'O\n')),
  'an end within the output': frame().subarray(0, frame().indexOf('OK') + 1),
  'something after the end': Buffer.concat([frame(), Buffer.from('}')]),
  metrics: frame({ metrics: { points: [] } }),
};

for (const [title, payload] of Object.entries(notKnown)) {
  test(`a frame with ${title} is parsed, and judged as ever`, () => {
    const memory = taught();
    assert.equal(isKnown(payload, memory), false);
    assert.deepEqual(read(payload, memory), read(payload));
  });
}

test('keys written twice or in disguise teach nothing', () => {
  const texts = [
    frame().toString().replace('"status":0', '"status":0,"st\\u0061tus":0'),
    frame().toString().replace('"status":0', '"status":0,"status":0'),
    frame().toString().replace('"sequence":1', '"sequence":1,"sequence":1'),
  ];
  for (const text of texts) assert.equal(isKnown(Buffer.from(text), taught(Buffer.from(text))), false);
});

test('the number of cached frames is limited', () => {
  const memory = taught();
  for (let n = 0; n < maxKnownFrames; n += 1) {
    assert.ok(isKnown(frame(), memory), `forgotten after ${n} others`);
    if (n < maxKnownFrames - 1) eventOf(frame({}, { metadata: { name: `check-${n}` } }), memory);
  }
  eventOf(frame({}, { metadata: { name: 'one-more' } }), memory);
  assert.equal(isKnown(frame(), memory), false);
});

test('a frame that is too large is not remembered', () => {
  const bare = frame({}, { command: '' }).length;
  const sized = (bytes: number): Buffer => frame({}, { command: 'x'.repeat(bytes - bare) });
  assert.ok(isKnown(sized(maxKnownFrameBytes), taught(sized(maxKnownFrameBytes))));
  const larger = sized(maxKnownFrameBytes + 1);
  assert.equal(isKnown(larger, taught(larger)), false);
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
  const scalar = fc.oneof(
    fc.integer(),
    fc.double(),
    fc.string(),
    fc.constantFrom<unknown>(null, true, [], {}, { status: 1 }),
  );
  const plain = {
    duration: fc.double({ noNaN: true, noDefaultInfinity: true, min: 0 }),
    executed: fc.nat(),
    issued: fc.nat(),
    output: fc.string({ unit: 'binary' }),
    status: fc.nat({ max: 3 }),
  };
  const values = fc.oneof(
    fc.record(plain),
    fc.record(plain, { requiredKeys: [] }),
    fc.record({ status: scalar, output: scalar, duration: scalar, executed: scalar }, { requiredKeys: [] }),
  );
  const outer = fc.record({ timestamp: fc.nat(), sequence: fc.nat(), id: fc.nat().map(idOf) });
  const hit = fc.option(
    fc.tuple(fc.nat(), fc.constantFrom('0', '9', '"', '{', '}', ',', ' ', '\\', 'e', '.', '\n')),
    { freq: 1 },
  );
  const one = fc.record({ values, outer, hit, name: fc.constantFrom('load', 'disk') });
  let known = 0;
  fc.assert(
    fc.property(fc.constantFrom(0, 1, 2), fc.array(one, { maxLength: 12 }), (layout, frames) => {
      const write = (outer: object, values: object, name: string): Buffer => {
        const scope = { ...check, ...values, metadata: { name, labels: { 'ü"': '}' } } };
        const parts = [
          { ...outer, entity, check: scope },
          { entity, ...outer, metadata: {}, check: scope },
          { check: scope, ...outer, entity },
        ];
        return Buffer.from(JSON.stringify(parts[layout], null, layout === 1 ? 1 : 0));
      };
      const memory = taught(write({ timestamp: 1, sequence: 1, id: idOf(1) }, {}, 'load'));
      for (const { values, outer, hit, name } of frames) {
        const payload = write(outer, values, name);
        if (hit !== null) payload.write(hit[1], hit[0] % payload.length);
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
