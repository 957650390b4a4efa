// The parts of a binary event are located without decoding it only where that cannot be wrong.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { encodeMessage } from '../../../src/wire/protobuf/encode.ts';
import { eventLayout } from '../../../src/wire/protobuf/event-layout.ts';
import { checkMessage, eventMessage } from '../../../src/wire/protobuf/messages.ts';

const entity = { entity_class: 'agent', metadata: { name: 'web-01' } };
const check = { status: 2, executed: 7, output: 'bad', metadata: { name: 'cpu' } };
const bytesOf = (event: object): Buffer => Buffer.from(encodeMessage(eventMessage, event));

/** An event whose check is these bytes. */
const around = (checkBytes: Buffer): Buffer =>
  Buffer.concat([bytesOf({ entity }), Buffer.from([0x1a, checkBytes.length]), checkBytes]);

test('what differs between results is read, the rest is located', () => {
  const layout = eventLayout(bytesOf({ timestamp: 9, entity, check, sequence: 3 }));
  assert.deepEqual([layout?.timestamp, layout?.sequence], [9, 3]);
  const { name, status, executed, output } = layout?.check ?? {};
  assert.deepEqual([name, status, executed, output], ['cpu', 2, 7, 'bad']);
  assert.equal(eventLayout(around(Buffer.from(encodeMessage(checkMessage, check))))?.check.name, 'cpu');
});

test('a message in two parts, which a decoder would merge, is left to the decoder', () => {
  const again = (part: object): Buffer => Buffer.concat([bytesOf({ entity, check }), bytesOf(part)]);
  assert.equal(eventLayout(again({ entity })), undefined);
  assert.equal(eventLayout(again({ check })), undefined);
  const named = (name: string): Buffer => Buffer.from(encodeMessage(checkMessage, { metadata: { name } }));
  assert.equal(eventLayout(around(Buffer.concat([named('cpu'), named('disk')]))), undefined);
});

test('an event without an entity, a check or the name of one is left to the decoder', () => {
  assert.equal(eventLayout(bytesOf({ entity })), undefined);
  assert.equal(eventLayout(bytesOf({ check })), undefined);
  assert.equal(eventLayout(bytesOf({ entity, check: { status: 1 } })), undefined);
});
