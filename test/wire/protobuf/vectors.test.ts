// Bytes written by hand from the public description of the encoding: what our own writer and reader agree on between
// themselves proves nothing about others.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ByteReader, ByteWriter } from '../../../src/wire/protobuf/bytes.ts';
import { maxMapEntries } from '../../../src/wire/protobuf/limits.ts';
import { decodePayload, encodePayload, hasBinaryForm } from '../../../src/wire/protobuf/payloads.ts';

/** Hex digits with blanks; texts in quotes stand for their bytes. */
const bytes = (notation: string): Buffer =>
  Buffer.concat(
    (notation.match(/"[^"]*"|[0-9a-f]{2}/g) ?? []).map((part) =>
      part.startsWith('"') ? Buffer.from(part.slice(1, -1)) : Buffer.from(part, 'hex'),
    ),
  );

const value = (type: Parameters<typeof decodePayload>[0], notation: string): unknown => {
  const read = decodePayload(type, bytes(notation));
  assert.ok(read.ok, read.ok ? '' : read.message);
  return read.value;
};
const fault = (notation: string): string => {
  const read = decodePayload('event', bytes(notation));
  return read.ok ? 'no fault' : read.message;
};

// timestamp 1,700,000,000; entity {class agent, name web-01, namespace default, version}; check {interval 60, status 2,
// duration 0.5, output, metadata, hooks [{config {ps}, status -1}]}; id; sequence 7.
const event = [
  '08 80 e2 cf aa 06',
  '12 28',
  ' 0a 05 "agent"',
  ' 72 11 0a 06 "web-01" 12 07 "default"',
  ' 7a 0c "6.12.0-linux"',
  '1a 34',
  ' 28 3c',
  ' b1 01 00 00 00 00 00 00 e0 3f',
  ' d2 01 04 "BAD\n"',
  ' e0 01 02',
  ' 92 02 13 0a 06 0a 04 0a 02 "ps" 30 ff ff ff ff ff ff ff ff ff 01',
  ' b2 02 05 0a 03 "cpu"',
  '32 10 6a 1f 6f 0e 8c 0f 4f 77 9d 3d 0e 1a 2b 3c 4d 5e',
  '38 07',
].join(' ');

test('an event is read from bytes written by hand', () => {
  assert.deepEqual(value('event', event), {
    timestamp: 1_700_000_000,
    entity: {
      entity_class: 'agent',
      metadata: { name: 'web-01', namespace: 'default' },
      sensu_agent_version: '6.12.0-linux',
    },
    check: {
      interval: 60,
      duration: 0.5,
      output: 'BAD\n',
      status: 2,
      hooks: [{ metadata: { name: 'ps' }, status: -1 }],
      metadata: { name: 'cpu' },
    },
    id: '6a1f6f0e-8c0f-4f77-9d3d-0e1a2b3c4d5e',
    sequence: 7,
  });
});

test('a check request is written as by hand, byte for byte', () => {
  const request = {
    config: {
      command: 'true',
      check_hooks: [{ critical: ['ps'], ok: ['w'] }],
      ttl: -1,
      metadata: { name: 'cpu' },
      handlers: [],
      secrets: null,
    },
    assets: [{ url: '', sha512: '', metadata: { name: 'a' }, headers: { K: 'v' }, builds: [{ url: 'u' }] }],
    hooks: [{ metadata: { name: 'ps' }, command: 'ps', timeout: 60, stdin: true, runtime_assets: null }],
    issued: 1_700_000_000,
    hook_assets: { ps: { assets: [] } },
    secrets: ['A=b'],
    unknown: 'left out',
  };
  const expected = [
    '0a 33',
    ' 0a 04 "true"',
    ' 72 0e 0a 02 "ps" 12 08 "critical"',
    ' 72 07 0a 01 "w" 12 02 "ok"',
    ' 90 01 ff ff ff ff ff ff ff ff ff 01',
    ' d2 01 05 0a 03 "cpu"',
    '12 12 32 03 12 01 "u" 42 03 0a 01 "a" 4a 06 0a 01 "K" 12 01 "v"',
    '1a 0e 0a 04 0a 02 "ps" 12 02 "ps" 18 3c 20 01',
    '20 80 e2 cf aa 06',
    '2a 06 0a 02 "ps" 12 00',
    '32 03 "A=b"',
  ].join(' ');
  assert.equal(encodePayload('check_request', request).toString('hex'), bytes(expected).toString('hex'));
});

test('the configuration of an entity nobody knows is written as by hand, and read again', () => {
  const config = {
    metadata: { name: 'not found', namespace: 'default' },
    entity_class: 'agent',
    subscriptions: [],
    deregister: false,
    deregistration: {},
  };
  const written = '0a 14 0a 09 "not found" 12 07 "default" 12 05 "agent" 32 00';
  assert.equal(encodePayload('entity_config', config).toString('hex'), bytes(written).toString('hex'));
  assert.deepEqual(value('entity_config', written), {
    metadata: { name: 'not found', namespace: 'default' },
    entity_class: 'agent',
    deregistration: {},
  });
});

test('metrics: doubles, tags, and nanoseconds to the digit', () => {
  // points { name m, value -1.5, timestamp 1700000000000000000, tags {host, a} }
  const point =
    '0a 01 "m" 11 00 00 00 00 00 00 f8 bf 18 80 80 a8 b1 e3 9f e7 cb 17 22 09 0a 04 "host" 12 01 "a"';
  assert.deepEqual(value('event', `22 23 12 21 ${point}`), {
    metrics: {
      points: [
        { name: 'm', value: -1.5, timestamp: '1700000000000000000', tags: [{ name: 'host', value: 'a' }] },
      ],
    },
  });
});

test('fields nobody knows are passed over, whatever their layout', () => {
  const unknown = 'c0 3e 96 01 c9 3e 01 02 03 04 05 06 07 08 ca 3e 03 "abc" cd 3e 01 02 03 04';
  assert.deepEqual(value('event', `${unknown} 08 01 ${unknown}`), { timestamp: 1 });
});

test('of a number that comes twice the last counts; a message that comes twice is one', () => {
  assert.deepEqual(value('event', '08 01 08 02 12 03 0a 01 "a" 12 05 72 03 0a 01 "n"'), {
    timestamp: 2,
    entity: { entity_class: 'a', metadata: { name: 'n' } },
  });
});

test('an id that is not set, or all zero, is none', () => {
  assert.deepEqual(value('event', '32 00'), { id: null });
  assert.deepEqual(value('event', `32 10 ${'00 '.repeat(16)}`), { id: null });
});

test('text that is no UTF-8 is read all the same', () => {
  assert.deepEqual(value('event', '1a 06 d2 01 03 41 ff 42'), { check: { output: 'A\ufffdB' } });
});

test('what is broken is told with its place', () => {
  assert.equal(fault('08'), 'not a valid Event: a number is truncated (at byte 1)');
  assert.equal(
    fault('08 ff ff ff ff ff ff ff ff ff ff 01'),
    'not a valid Event: a varint is too long (at byte 1)',
  );
  assert.equal(fault('12 05 0a'), 'not a valid Event: a value is truncated (at byte 1)');
  assert.equal(fault('12 03 0a 05 41'), 'not a valid Event: a value is truncated (at byte 3)');
  assert.equal(fault('00 01'), 'not a valid Event: field number 0 is invalid (at byte 0)');
  assert.equal(fault('0b'), 'not a valid Event: Event.timestamp cannot have wire type 3');
  assert.equal(fault('c3 3e'), 'not a valid Event: unknown wire type 3 (at byte 2)');
  assert.equal(fault('32 02 01 02'), 'not a valid Event: id must be 16 bytes long');
  assert.equal(
    fault('12 ff ff ff ff ff ff ff ff ff 01'),
    'not a valid Event: a value is truncated (at byte 1)',
  );
});

test('a key that would not be a key is refused, and so are more keys than an object may have', () => {
  assert.match(fault('2a 0f 1a 0d 0a 09 "__proto__" 12 00'), /labels.__proto__ is not an allowed key/);
  const labels = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, 'v']));
  const of = (count: number) =>
    decodePayload('event', encodePayload('event', { metadata: { labels: labels(count) } }));
  assert.equal(of(maxMapEntries).ok, true);
  const refused = of(maxMapEntries + 1);
  assert.match(refused.ok ? '' : refused.message, /labels has more than 10000 keys/);
});

test('numbers of every length survive', () => {
  const numbers = [0, 1, 127, 128, 16_383, 16_384, 2 ** 31, 2 ** 32, 2 ** 35 - 1, 2 ** 35, 2 ** 53 - 1];
  for (const each of [...numbers, ...numbers.map((number) => -number - 1)]) {
    const writer = new ByteWriter();
    writer.writeInteger(each);
    assert.equal(new ByteReader(writer.written()).readInteger(), each);
  }
});

test('acknowledgements have no binary form', () => {
  assert.deepEqual(['event', 'keepalive', 'check_request', 'entity_config', 'ack', 'x'].map(hasBinaryForm), [
    true,
    true,
    true,
    true,
    false,
    false,
  ]);
});
