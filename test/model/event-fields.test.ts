// One field of an event asked for by name is what the list of all its fields says, for every name there is and some that
// there are not.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventSchema } from '../../src/model/event/event.ts';
import { eventKind } from '../../src/model/kinds/watching.ts';
import { fc } from '../property.ts';

const labels = fc.option(
  fc.dictionary(fc.constantFrom('region', 'team', '__proto__', 'a.b', 'pass-word'), fc.string()),
  {
    nil: undefined,
  },
);
const metadata = fc.record({
  name: fc.constantFrom('web-01', 'db'),
  namespace: fc.constant('default'),
  labels,
});
const events = fc.record({
  timestamp: fc.nat(),
  metadata: fc.record({ labels }),
  entity: fc.record({
    metadata,
    entity_class: fc.constantFrom('agent', 'proxy'),
    redact: fc.constantFrom([], ['password'], ['team']),
    subscriptions: fc.array(fc.string()),
  }),
  check: fc.option(
    fc.record({
      metadata,
      status: fc.nat(255),
      state: fc.constantFrom('passing', 'flapping'),
      handlers: fc.array(fc.string()),
      is_silenced: fc.boolean(),
      publish: fc.boolean(),
    }),
    { nil: undefined },
  ),
});
const strangers = [
  'event.nothing',
  'check.status',
  'event.labels.nobody',
  'event.labels.toString',
  'event.',
  '',
  'event.constructor',
];

test('property: each field by name is what all fields say', () => {
  fc.assert(
    fc.property(events, (raw) => {
      const event = eventSchema.parse(raw);
      const all = eventKind.fields(event);
      for (const name of [...Object.keys(all), ...strangers])
        assert.equal(eventKind.field(event, name), Object.hasOwn(all, name) ? all[name] : undefined, name);
    }),
  );
});
