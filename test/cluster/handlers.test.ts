// Handlers at work on a bus, and waiting for their end.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BusMessage } from '../../src/cluster/bus.ts';
import type { ClusterClock } from '../../src/cluster/clock.ts';
import { Handlers } from '../../src/cluster/handlers.ts';

const message = (): BusMessage => ({ subject: 's', data: new Uint8Array(), respond: () => {} });

test('a handler that fails is reported and has ended: nobody waits for it any longer', async () => {
  const reports: string[] = [];
  const handlers = new Handlers((_level, text) => reports.push(text));
  // No time passes: only the ends of the handlers end the wait.
  const still: ClusterClock = { monotonicMs: () => 0, setTimer: () => () => {} };
  handlers.run(async () => {
    throw new Error('boom');
  }, message());
  handlers.run(() => {
    throw new Error('at once');
  }, message());
  handlers.run(async () => {}, message());
  await handlers.idle(still, 1_000);
  assert.equal(reports.length, 2);
  assert.match(reports.join(), /a message on s could not be handled: .*at once[\s\S]*boom/);
});
