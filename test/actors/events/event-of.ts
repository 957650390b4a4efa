// An event for tests that only look at how events stand.
import assert from 'node:assert/strict';
import { type CheckEvent, eventSchema, hasCheck } from '../../../src/model/event/event.ts';

export const eventOf = (entity: string, check: string, status: number, executed = 1_000): CheckEvent => {
  const event = eventSchema.parse({
    timestamp: executed,
    entity: { metadata: { name: entity, namespace: 'default' } },
    check: {
      metadata: { name: check, namespace: 'default' },
      status,
      executed,
      output: `${check} says ${status}`,
    },
  });
  assert.ok(hasCheck(event));
  return event;
};
