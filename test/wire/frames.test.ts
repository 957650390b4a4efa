import assert from 'node:assert/strict';
import { test } from 'node:test';
import { asBuffer, decodeFrame, encodeFrame, messageTypes } from '../../src/wire/frames.ts';
import { maxFrameTypeBytes } from '../../src/wire/limits.ts';
import { fc } from '../property.ts';

test('a frame is split at its first newline and the payload keeps the others', () => {
  const frame = decodeFrame(Buffer.from('event\n{"output":"a\nb"}\n'));
  assert.equal(frame?.type, 'event');
  assert.equal(frame?.payload.toString(), '{"output":"a\nb"}\n');
});

test('a message without a newline is no frame', () => {
  assert.equal(decodeFrame(Buffer.from('event')), null);
  assert.equal(decodeFrame(Buffer.alloc(0)), null);
});

test('a type may be as long as the limit and not a byte longer', () => {
  assert.notEqual(decodeFrame(Buffer.from(`${'x'.repeat(maxFrameTypeBytes)}\n{}`)), null);
  assert.equal(decodeFrame(Buffer.from(`${'x'.repeat(maxFrameTypeBytes + 1)}\n{}`)), null);
});

test('what was encoded is decoded to the same, text or bytes', () => {
  fc.assert(
    fc.property(fc.constantFrom(...messageTypes), fc.uint8Array({ maxLength: 300 }), (type, bytes) => {
      const frame = decodeFrame(encodeFrame(type, bytes));
      assert.equal(frame?.type, type);
      assert.deepEqual(Buffer.from(frame?.payload ?? []), Buffer.from(bytes));
    }),
  );
  assert.equal(decodeFrame(encodeFrame('event', 'grün'))?.payload.toString(), 'grün');
});

test('every form a WebSocket library hands out becomes one buffer', () => {
  assert.equal(asBuffer(Buffer.from('a\nb')).toString(), 'a\nb');
  assert.equal(asBuffer([Buffer.from('a'), Buffer.from('\nb')]).toString(), 'a\nb');
  assert.equal(asBuffer(new Uint8Array([97, 10, 98]).buffer).toString(), 'a\nb');
});
