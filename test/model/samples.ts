// Small valid resources for the tests of the model.
import assert from 'node:assert/strict';
import { type Check, type CheckConfig, checkConfigSchema, checkSchema } from '../../src/model/check/check.ts';
import { type Event, eventSchema } from '../../src/model/event/event.ts';

type Json = Record<string, unknown>;

const metadata = (name: string) => ({ name, namespace: 'default' });

export const checkConfig = (fields: Json = {}): CheckConfig =>
  checkConfigSchema.parse({ metadata: metadata('cpu'), interval: 60, command: 'check-cpu', ...fields });

export const check = (fields: Json = {}): Check =>
  checkSchema.parse({ metadata: metadata('cpu'), interval: 60, ...fields });

export const rawEvent = (check: Json = {}, entity: Json = {}, rest: Json = {}): Json => ({
  timestamp: 1_700_000_002,
  entity: { entity_class: 'agent', metadata: metadata('web-01'), subscriptions: ['linux'], ...entity },
  check: { metadata: metadata('cpu'), interval: 60, status: 2, output: 'CRITICAL', ...check },
  metadata: { namespace: 'default' },
  id: '6a1f6f0e-8c0f-4f77-9d3d-0e1a2b3c4d5e',
  ...rest,
});

export const event = (check: Json = {}, entity: Json = {}, rest: Json = {}): Event =>
  eventSchema.parse(rawEvent(check, entity, rest));

/** The value of a reading that must be good. */
export const good = <T>(reading: { readonly ok: true; readonly value: T } | { readonly ok: false }): T => {
  assert.equal(reading.ok, true, JSON.stringify(reading));
  if (!reading.ok) throw new Error('unreachable');
  return reading.value;
};

/** The message of a reading that must be bad. */
export const bad = (
  reading: { readonly ok: true } | { readonly ok: false; readonly message: string },
): string => {
  assert.equal(reading.ok, false, JSON.stringify(reading));
  return reading.ok ? '' : reading.message;
};
