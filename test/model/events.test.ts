// The way in for events: placed by their address, decoded, judged; and the way out, as readers know them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventSchema } from '../../src/model/event/event.ts';
import { parseEvent } from '../../src/model/event/event-parse.ts';
import { validateEvent } from '../../src/model/event/event-rules.ts';
import { toWireEvent } from '../../src/model/event/wire-shape.ts';
import { bad, event, good, rawEvent } from './samples.ts';

type Json = Record<string, unknown>;

const address = { namespace: 'default' };

const faults: readonly (readonly [Json, string])[] = [
  [{}, 'event must contain an entity'],
  [{ entity: null }, 'event must contain an entity'],
  [{ entity: { metadata: { name: 'e' } } }, 'event must contain a check or metrics'],
  [{ entity: { metadata: { name: 'e' } }, check: null }, 'event must contain a check or metrics'],
  [{ entity: {}, check: {} }, 'entity is invalid: entity name must not be empty'],
  [
    rawEvent({}, { metadata: { name: 'a b' } }),
    'entity is invalid: entity name cannot contain spaces or special characters',
  ],
  [
    rawEvent({}, { entity_class: 'a b' }),
    'entity is invalid: entity class cannot contain spaces or special characters',
  ],
  [rawEvent({ metadata: {} }), 'check is invalid: check name must not be empty'],
  [rawEvent({ interval: 10, ttl: 10 }), 'check is invalid: ttl must be greater than check interval'],
  [rawEvent({ interval: 1, ttl: 3 }), 'check is invalid: minimum ttl is 5 seconds'],
  [
    rawEvent({}, {}, { pipelines: [{ name: 'p', type: 'Check', api_version: 'core/v2' }] }),
    'pipeline reference is invalid: resource type not capable of acting as a pipeline: core/v2.Check',
  ],
  [rawEvent({}, {}, { metadata: { name: 'x' } }), 'events cannot be named'],
  [rawEvent({}, {}, { id: 'seven' }), 'event ID is invalid: seven is not a UUID'],
  [rawEvent({ status: -1 }), 'check.status must be a whole number, 0 or more (got -1)'],
  [rawEvent({ output: 5 }), 'check.output must be a string (got 5)'],
  [
    rawEvent({}, {}, { metrics: { points: [{ name: 'a', value: 'x' }] } }),
    'metrics.points[0].value must be a number (got "x")',
  ],
  [rawEvent({}, {}, { check: 'cpu' }), 'check must be an object (got "cpu")'],
  [rawEvent({}, { metadata: 'web' }), 'entity.metadata must be an object (got "web")'],
];

test('each failing rule of an event has its own message', () => {
  for (const [raw, wanted] of faults) {
    assert.equal(bad(parseEvent(structuredClone(raw), address)), wanted, JSON.stringify(raw));
  }
});

test('values other than objects are not events', () => {
  for (const raw of [null, [], 'x', 7])
    assert.equal(bad(parseEvent(raw, address)), 'the body must be an object');
});

test('the address fills what the body leaves open', () => {
  const raw = { entity: {}, check: {} };
  const read = good(parseEvent(raw, { namespace: 'prod', entity: 'web-01', check: 'cpu' }));
  assert.equal(read.entity.metadata.name, 'web-01');
  assert.equal(read.entity.metadata.namespace, 'prod');
  assert.equal(read.check?.metadata.name, 'cpu');
  assert.equal(read.check?.metadata.namespace, 'prod');
  assert.equal(read.metadata.namespace, 'prod');
  assert.equal(read.entity.entity_class, 'proxy');
  assert.equal(read.id, null);
});

test('a body that contradicts its address is refused', () => {
  assert.equal(
    bad(parseEvent(rawEvent(), { namespace: 'prod' })),
    'the namespace of the resource (default) does not match the namespace of the URI (prod)',
  );
  assert.equal(
    bad(parseEvent(rawEvent(), { namespace: 'default', entity: 'web-02' })),
    'the name of the resource (web-01) does not match the name of the URI (web-02)',
  );
  assert.equal(
    bad(parseEvent(rawEvent(), { namespace: 'default', entity: 'web-01', check: 'disk' })),
    'the name of the resource (cpu) does not match the name of the URI (disk)',
  );
});

test('an event with metrics and no check is good', () => {
  const raw = { entity: { metadata: { name: 'e' } }, metrics: { points: [{ name: 'a', value: 1.5 }] } };
  assert.equal(good(parseEvent(raw, address)).check, undefined);
});

test('the agent version is read under either name and told under both', () => {
  for (const field of ['mon_agent_version', 'sensu_agent_version']) {
    const read = good(parseEvent(rawEvent({}, { [field]: '6.12.0' }), address));
    assert.equal(read.entity.mon_agent_version, '6.12.0');
    assert.equal('sensu_agent_version' in read.entity, false);
    const shown = toWireEvent(read).entity as Json;
    assert.equal(shown.mon_agent_version, '6.12.0');
    assert.equal(shown.sensu_agent_version, '6.12.0');
  }
});

test('unknown fields are dropped silently', () => {
  const read = good(parseEvent(rawEvent({ colour: 'red' }), address));
  assert.equal('colour' in (read.check ?? {}), false);
});

test('a minimal event reads back with the keys of the reference shape', () => {
  const read = event(
    { status: 1, output: 'x', state: 'failing', history: [{ status: 1, executed: 0 }], occurrences: 1 },
    { entity_class: 'proxy', metadata: { name: 'sw1', namespace: 'default', created_by: 'admin' } },
  );
  const shape = toWireEvent(read);
  assert.deepEqual(Object.keys(shape).sort(), [
    'check',
    'entity',
    'id',
    'metadata',
    'pipelines',
    'sequence',
    'timestamp',
  ]);
  assert.deepEqual(
    Object.keys(shape.entity as Json).sort(),
    [
      'deregister',
      'deregistration',
      'entity_class',
      'last_seen',
      'metadata',
      'mon_agent_version',
      'sensu_agent_version',
      'subscriptions',
      'system',
    ].sort(),
  );
  assert.deepEqual((shape.entity as Json).system, {
    network: { interfaces: null },
    libc_type: '',
    vm_system: '',
    vm_role: '',
    cloud_provider: '',
    processes: null,
  });
  assert.deepEqual(
    Object.keys(shape.check as Json).sort(),
    [
      ...['handlers', 'high_flap_threshold', 'interval', 'low_flap_threshold', 'publish', 'runtime_assets'],
      ...['subscriptions', 'proxy_entity_name', 'check_hooks', 'stdin', 'subdue', 'ttl', 'timeout'],
      ...['round_robin', 'executed', 'history', 'issued', 'output', 'state', 'status', 'total_state_change'],
      ...['last_ok', 'occurrences', 'occurrences_watermark', 'output_metric_format'],
      ...[
        'output_metric_handlers',
        'env_vars',
        'metadata',
        'secrets',
        'is_silenced',
        'scheduler',
        'pipelines',
      ],
    ].sort(),
  );
  assert.equal(shape.pipelines, null);
});

test('optional keys are present if they are not empty', () => {
  const shape = toWireEvent(
    event(
      { command: 'c', cron: '* * * * *', interval: 0, duration: 0.5, silenced: ['a:*'], processed_by: 'web' },
      { user: 'agent', redact: ['secret'], keepalive_handlers: ['slack'] },
      { metrics: { handlers: null, points: null } },
    ),
  );
  for (const key of ['command', 'cron', 'duration', 'silenced', 'processed_by']) {
    assert.ok(key in (shape.check as Json), key);
  }
  for (const key of ['user', 'redact', 'keepalive_handlers']) assert.ok(key in (shape.entity as Json), key);
  assert.deepEqual(shape.metrics, { handlers: null, points: null });
  const bare = toWireEvent(event({ silenced: [], hooks: [], duration: 0, command: '' }));
  for (const key of ['silenced', 'hooks', 'duration', 'command']) {
    assert.equal(key in (bare.check as Json), false, key);
  }
});

test('what went out comes in again as the same event', () => {
  const before = event({ history: [{ status: 1, executed: 5 }], hooks: [{ command: 'ps', output: 'x' }] });
  const again = good(parseEvent(JSON.parse(JSON.stringify(toWireEvent(before))), address));
  assert.deepEqual(toWireEvent(again), toWireEvent(before));
  assert.equal(validateEvent(again), null);
});

test('times past the year 9999 are refused: they are milliseconds, or none at all', () => {
  const at = (fields: { timestamp?: number; executed?: number }) => {
    const { executed = 1, ...rest } = fields;
    return validateEvent(
      eventSchema.parse({
        entity: { metadata: { name: 'web-01', namespace: 'default' }, entity_class: 'proxy' },
        check: { metadata: { name: 'cpu', namespace: 'default' }, interval: 60, executed },
        metadata: { namespace: 'default' },
        ...rest,
      }),
    );
  };
  assert.equal(at({ timestamp: 253_402_300_799, executed: 253_402_300_799 }), null);
  assert.equal(
    at({ timestamp: 253_402_300_800 }),
    'timestamp must be in seconds since 1970 (got 253402300800)',
  );
  assert.match(String(at({ executed: 9e15 })), /^check\.executed must be in seconds/);
});
