// What keeps happening to the same caller is said once a minute, on the listener of the agents too.
import assert from 'node:assert/strict';
import test from 'node:test';
import { silentLog } from '../../src/http/log.ts';
import { createReminder } from '../../src/http/reminder.ts';
import { agentHeaders, openHouse, refusedHandshake } from './harness.ts';

test('a key is due again after a minute, and each key by itself', () => {
  let nowMs = 0;
  const isDue = createReminder(() => nowMs);
  assert.deepEqual([isDue('a'), isDue('a'), isDue('b')], [true, false, true]);
  nowMs = 59_999;
  assert.equal(isDue('a'), false);
  nowMs = 60_000;
  assert.deepEqual([isDue('a'), isDue('a')], [true, false]);
});

test('an agent that is turned away is a warning at its first try', async (t) => {
  const warned: unknown[] = [];
  const log = { ...silentLog, warn: (fields: unknown, text?: string) => warned.push([text, fields]) };
  const house = await openHouse(t, { log });
  for (let tries = 0; tries < 3; tries += 1)
    await refusedHandshake(house, agentHeaders('web-01', 'default', 'wrong-password'));
  assert.equal(warned.length, 1);
  assert.match(JSON.stringify(warned[0]), /agent refused.*"status":401/);
});
