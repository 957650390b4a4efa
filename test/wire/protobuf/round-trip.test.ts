// What is written is read back the same, for every message of the conversation and every value its table can hold.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeMessage } from '../../../src/wire/protobuf/decode.ts';
import { encodeMessage } from '../../../src/wire/protobuf/encode.ts';
import {
  checkRequestMessage,
  entityConfigMessage,
  eventMessage,
} from '../../../src/wire/protobuf/messages.ts';
import { fc } from '../../property.ts';
import { jsonOf } from './arbitrary-messages.ts';

for (const message of [eventMessage, checkRequestMessage, entityConfigMessage]) {
  test(`${message.name}: encoded and decoded, any value is the same`, () => {
    fc.assert(
      fc.property(jsonOf(message), (value) => {
        assert.deepEqual(decodeMessage(message, encodeMessage(message, value)), { ok: true, value });
      }),
      { numRuns: 300 },
    );
  });

  test(`${message.name}: cut off anywhere, or with any byte changed, it is told or read, never thrown`, () => {
    fc.assert(
      fc.property(jsonOf(message), fc.nat(), fc.integer({ min: 0, max: 255 }), (value, position, byte) => {
        const bytes = Buffer.from(encodeMessage(message, value));
        const at = position % (bytes.length + 1);
        const cut = decodeMessage(message, bytes.subarray(0, at));
        if (!cut.ok) assert.match(cut.message, /^not a valid /);
        if (at < bytes.length) bytes[at] = byte;
        const bent = decodeMessage(message, bytes);
        if (!bent.ok) assert.match(bent.message, /^not a valid /);
      }),
      { numRuns: 300 },
    );
  });
}

test('bytes nobody wrote are told or read, never thrown', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      const read = decodeMessage(eventMessage, Buffer.from(bytes));
      if (!read.ok) assert.match(read.message, /^not a valid Event: .+/);
    }),
    { numRuns: 2_000 },
  );
});
