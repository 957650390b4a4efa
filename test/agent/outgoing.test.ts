import assert from 'node:assert/strict';
import { test } from 'node:test';
import { encodeEvent } from '../../src/agent/connection/outgoing.ts';
import { type Event, eventSchema } from '../../src/model/event/event.ts';
import { decodeFrame } from '../../src/wire/frames.ts';
import { fc } from '../property.ts';

const eventOf = (output: string, more: object = {}): Event =>
  eventSchema.parse({
    entity: { metadata: { name: 'a' } },
    check: { metadata: { name: 'c' }, output, ...more },
    metrics: { handlers: [], points: [] },
  });
const bodyOf = (frame: Buffer): Event => JSON.parse(decodeFrame(frame)?.payload.toString() ?? '');

test('an event that fits is sent as it is, at the limit and not a byte beyond', () => {
  const event = eventOf('x'.repeat(100));
  const whole = encodeEvent(event).frame.length;
  assert.equal(encodeEvent(event, whole).cut, '');
  const cut = encodeEvent(event, whole - 1);
  assert.equal(cut.cut, 'part of the output');
  assert.ok(cut.frame.length < whole);
});

test('any output fits into the frame, and the number of truncated bytes is reported exactly', () => {
  const limit = 4_000;
  fc.assert(
    fc.property(
      fc.string({ unit: 'binary', minLength: 1, maxLength: 4_000 }),
      fc.integer({ min: 1, max: 8 }),
      (text, times) => {
        const event = eventOf(text.repeat(times));
        const { frame, cut } = encodeEvent(event, limit);
        assert.ok(frame.length <= limit, `${frame.length}`);
        const body = bodyOf(frame);
        const told = Number(body.metadata.labels?.['mon.io/output_truncated_bytes'] ?? 0);
        assert.equal(told > 0, cut !== '');
      },
    ),
  );
});

test('the output of hooks and metrics go when the output alone is not enough', () => {
  const hooks = [{ metadata: { name: 'h' }, output: 'y'.repeat(5_000) }];
  const noHooks = encodeEvent(eventOf('x', { hooks }), 3_000);
  assert.equal(noHooks.cut, 'part of the output, the output of hooks');
  assert.ok(noHooks.frame.length <= 3_000);
  const points = Array.from({ length: 100 }, (_, at) => ({
    name: `m${at}`,
    value: at,
    timestamp: 1,
    tags: [],
  }));
  const event = { ...eventOf(''), metrics: { handlers: [], points } };
  const { frame, cut } = encodeEvent(event, 3_000);
  assert.match(cut, /part of the metrics$/);
  assert.ok(frame.length <= 3_000);
  assert.equal(bodyOf(frame).metrics?.points?.[0]?.name, 'm0');
});
