// One rule set: what a definition may say, its results may say, in both encodings of the wire; and what the public types
// of the reference product allow and store, we store and give back. Cases are made from the schemas, and from those types.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { resultEvent } from '../../src/agent/checks/result-event.ts';
import { jsonCodec, protobufCodec } from '../../src/http/edge/codec.ts';
import { readEventFrame } from '../../src/http/edge/frame-reader.ts';
import type { CheckConfig } from '../../src/model/check/check.ts';
import { entitySchema } from '../../src/model/entity/entity.ts';
import { toWireEvent } from '../../src/model/event/wire-shape.ts';
import { kindByPath } from '../../src/model/resource/resource-kinds.ts';
import { decode } from '../../src/model/schema/decode.ts';
import { checkRequestSchema } from '../../src/wire/messages.ts';
import { type BinaryType, decodePayload, encodePayload } from '../../src/wire/protobuf/payloads.ts';
import { from } from '../http/openapi/json-arbitrary.ts';
import { fc } from '../property.ts';

type Json = Record<string, unknown>;

const kindOf = (path: string) => {
  const kind = kindByPath.get(path);
  assert.ok(kind, path);
  return kind;
};

const metadata = { name: 'cpu', namespace: 'default' };
const entity = entitySchema.parse({
  metadata: { name: 'web-01', namespace: 'default' },
  entity_class: 'agent',
});
const agentOf = (config: CheckConfig) => ({
  namespace: 'default',
  agentName: 'web-01',
  mayReportFor: () => true,
  definition: () => config,
});

const accepted = (path: string, raw: Json): Json | undefined => {
  const kind = kindOf(path);
  const decoded = kind.decode(raw);
  return decoded.ok && kind.validate(decoded.value) === null ? decoded.value : undefined;
};

interface Encoding {
  readonly codec: typeof jsonCodec;
  readonly write: (type: BinaryType, value: object) => Buffer;
  readonly read: (type: BinaryType, payload: Buffer) => unknown;
}

const encodings: Readonly<Record<string, Encoding>> = {
  json: {
    codec: jsonCodec,
    write: (_type, value) => Buffer.from(JSON.stringify(value)),
    read: (_type, payload) => JSON.parse(payload.toString('utf8')),
  },
  protobuf: {
    codec: protobufCodec,
    write: (type, value) => encodePayload(type, JSON.parse(JSON.stringify(value))),
    read: (type, payload) => {
      const decoded = decodePayload(type, payload);
      assert.ok(decoded.ok, decoded.ok ? '' : decoded.message);
      return decoded.value;
    },
  },
};

/** What an agent reports after it was sent a definition and ran it. */
const reportOf = (config: CheckConfig, { write, read }: Encoding): Buffer => {
  const sent = read('check_request', write('check_request', { config, issued: 1_700_000_000 }));
  const request = decode(checkRequestSchema, sent, 'check_request');
  assert.ok(request.ok, request.ok ? '' : `${request.message}: ${JSON.stringify(sent)}`);
  const facts = {
    config: request.value.config,
    definedCommand: config.command,
    issued: 1_700_000_000,
    scheduler: '',
    agentName: 'web-01',
    namespace: 'default',
    entity,
    id: '6a1f6f0e-8c0f-4f77-9d3d-0e1a2b3c4d5e',
    sequence: 1,
  };
  const event = resultEvent(facts, { status: 1, output: 'x', executed: 1_700_000_001 }, 1_700_000_001);
  return write('event', toWireEvent(event));
};

const assertReported = (config: CheckConfig): void => {
  for (const [name, encoding] of Object.entries(encodings)) {
    const read = readEventFrame('event', reportOf(config, encoding), encoding.codec, agentOf(config));
    assert.ok(read.ok, read.ok ? '' : `${name}: ${read.message}: ${JSON.stringify(config)}`);
  }
};

/** Values at which rules begin and end, for the fields that have rules. */
const edges: Readonly<Record<string, readonly unknown[]>> = {
  interval: [0, 1, 2, 60, 4_294_967_295, 4_294_967_296],
  cron: ['', '* * * * *', '@every 5s', '0 0 ? * MON', '0 0 L * *', 'TZ=UTC @daily'],
  ttl: [-5, 0, 1, 2, 3, 4, 5, 61, Number.MAX_SAFE_INTEGER],
  publish: [true, false],
  max_output_size: [-1, 0, 1, Number.MAX_SAFE_INTEGER],
  check_hooks: [[{}], [{ '256': ['a'] }], [{ '01': [] }], [{ critical: null, ok: ['a'] }]],
  output_metric_thresholds: [
    [{}],
    [{ name: 'a b', thresholds: [] }],
    [{ thresholds: [{ min: 'x' }, {}] }],
    [
      {
        name: 'disk',
        thresholds: [{ min: '1' }],
        tags: [{ name: '', value: '' }],
        null_status: 4_294_967_295,
      },
    ],
  ],
  subdue: [{}, { days: { all: [{ begin: '5:00 PM', end: '8:00 AM' }] } }],
  subdues: [[{ begin: '2022-04-18T17:00:00Z', end: '2022-04-18T17:00:00Z', repeat: ['daily'] }]],
  timeout: [0, 1, 4_294_967_295],
  low_flap_threshold: [0, 1, 4_294_967_295],
  high_flap_threshold: [0, 2, 4_294_967_295],
  pipelines: [[{ name: 'p' }], []],
  fallback_pipeline: [{ name: 'f' }, null],
  ttl_status: [0, 3, 4_294_967_295],
  env_vars: [['A=b'], null],
  subscriptions: [[], ['a'], ['entity:web-01'], ['x'.repeat(3_000)]],
  metadata: [metadata, { ...metadata, name: 'x'.repeat(600) }, { ...metadata, labels: { a: '' } }],
};

const definitions = (): fc.Arbitrary<Json> => {
  const schema = z.toJSONSchema(kindOf('checks').schema, { io: 'input', unrepresentable: 'any' });
  const { properties = {} } = schema as { properties?: Record<string, unknown> };
  const field = (key: string, inner: unknown): fc.Arbitrary<unknown> =>
    edges[key] === undefined ? from(inner, () => ({})) : fc.constantFrom(...edges[key]);
  const shape = Object.fromEntries(
    Object.entries(properties).map(([key, inner]) => [key, field(key, inner)]),
  );
  return fc
    .subarray(Object.keys(shape), { maxLength: 6 })
    .chain((keys) => fc.record(Object.fromEntries(keys.map((key) => [key, shape[key] ?? fc.constant(null)]))))
    .map((fields) => ({
      metadata,
      command: 'true',
      ...(('cron' in fields && fields.cron !== '') || 'interval' in fields ? {} : { interval: 1 }),
      ...fields,
    }));
};

test('property: whatever a definition may say, its results may say', () => {
  let taken = 0;
  fc.assert(
    fc.property(definitions(), (raw) => {
      const config = accepted('checks', JSON.parse(JSON.stringify(raw)));
      if (config === undefined) return;
      taken += 1;
      assertReported(config as unknown as CheckConfig);
    }),
    { numRuns: 1_000 },
  );
  assert.ok(taken > 200, `too few definitions were accepted to mean anything: ${taken}`);
});

test('every edge of a rule that a definition may reach alone, its results may reach', () => {
  let taken = 0;
  for (const [key, values] of Object.entries(edges))
    for (const value of values) {
      const other = key === 'cron' && value !== '' ? {} : { interval: 1 };
      const config = accepted('checks', { metadata, command: 'true', ...other, [key]: value });
      if (config === undefined) continue;
      taken += 1;
      assertReported(config as unknown as CheckConfig);
    }
  assert.ok(taken > 50, `${taken}`);
});

// The public types of the reference product: a field and its type in Go, as its JSON decoder takes them.
const uint32 = fc.constantFrom(0, 1, 2 ** 31, 4_294_967_295);
const int64 = fc.constantFrom(-1, 0, 1, 2 ** 33, Number.MAX_SAFE_INTEGER);
const text = fc.constantFrom('', 'a', 'a b', '{{ .name }}', 'é\n', 'x'.repeat(2_000));
const texts = fc.constantFrom(null, [], ['a'], ['a', 'a'], ['a b', '']);
const flag = fc.boolean();
const textMap = fc.constantFrom(null, {}, { a: 'b', 'c d/e': '' });
const pair = (one: string, other: string) => fc.record({ [one]: text, [other]: text });
const list = (item: fc.Arbitrary<unknown>) => fc.oneof(fc.constant(null), fc.array(item, { maxLength: 2 }));

type Fields = Readonly<Record<string, fc.Arbitrary<unknown>>>;
interface PublicType {
  readonly path: string;
  /** What its rules ask for. */
  readonly least: Json;
  readonly fields: Fields;
}

const publicTypes: readonly PublicType[] = [
  {
    path: 'checks',
    least: { metadata, command: 'true', interval: 1 },
    fields: {
      command: fc.constantFrom('true', '{{ .x }}', ' a '),
      handlers: texts,
      interval: fc.constantFrom(1, 4_294_967_295),
      publish: flag,
      runtime_assets: fc.constantFrom(null, [], ['a/b:1']),
      subscriptions: fc.constantFrom(null, [], ['a b', 'a:b:c']),
      proxy_entity_name: fc.constantFrom('', 'x'.repeat(300)),
      check_hooks: list(fc.constantFrom({}, { '256': ['a'] }, { '01': [] }, { ok: null }, { '': ['a'] })),
      stdin: flag,
      subdue: fc.constantFrom(
        null,
        {},
        { days: { all: null } },
        { days: { monday: [{ begin: '3:00PM', end: '4:00 PM' }] } },
      ),
      ttl: fc.constantFrom(-1, 0, 4_294_967_296),
      timeout: uint32,
      round_robin: flag,
      output_metric_handlers: texts,
      output_metric_tags: list(pair('name', 'value')),
      output_metric_thresholds: list(
        fc.record({
          name: text,
          tags: list(pair('name', 'value')),
          null_status: uint32,
          thresholds: list(pair('min', 'max')),
        }),
      ),
      env_vars: fc.constantFrom(null, [], ['A=b=c']),
      max_output_size: int64,
      discard_output: flag,
      secrets: list(pair('name', 'secret')),
      low_flap_threshold: fc.constantFrom(0, 1),
      high_flap_threshold: fc.constantFrom(0, 2, 4_294_967_295),
    },
  },
  {
    path: 'handlers',
    least: { metadata, type: 'set' },
    fields: {
      mutator: text,
      command: text,
      timeout: uint32,
      socket: fc.constantFrom(null, { host: 'h', port: 4_294_967_295 }),
      handlers: texts,
      filters: texts,
      env_vars: texts,
      runtime_assets: texts,
      secrets: list(pair('name', 'secret')),
    },
  },
  {
    path: 'filters',
    least: { metadata, action: 'allow', expressions: ['true'] },
    fields: { runtime_assets: texts, when: fc.constantFrom(null, { days: {} }, { days: { all: [] } }) },
  },
  {
    path: 'mutators',
    least: { metadata, command: 'true' },
    fields: { timeout: uint32, runtime_assets: texts, secrets: list(pair('name', 'secret')), eval: text },
  },
  { path: 'mutators', least: { metadata, eval: 'return 1', type: 'pipe' }, fields: { timeout: uint32 } },
  {
    path: 'hooks',
    least: { metadata, command: 'ps', timeout: 1 },
    fields: { stdin: flag, runtime_assets: texts },
  },
  {
    path: 'assets',
    least: { metadata, url: 'not a url', sha512: 'x'.repeat(128) },
    fields: {
      headers: textMap,
      filters: fc.constantFrom(null, [], ['true']),
      builds: fc.constantFrom(null, []),
    },
  },
  {
    path: 'silenced',
    least: { metadata: { namespace: 'default' }, check: 'x'.repeat(300) },
    fields: {
      expire: int64,
      expire_on_resolve: flag,
      creator: text,
      reason: text,
      begin: int64,
      expire_at: int64,
    },
  },
  {
    path: 'entities',
    least: { metadata: { ...metadata, name: 'x'.repeat(300) }, entity_class: 'proxy' },
    fields: {
      user: text,
      subscriptions: texts,
      last_seen: int64,
      deregister: flag,
      deregistration: fc.constantFrom({}, { handler: '' }, { handler: 'a b' }),
      redact: texts,
      keepalive_handlers: texts,
    },
  },
];

const isEmpty = (value: unknown): boolean =>
  value === null ||
  value === '' ||
  value === 0 ||
  value === false ||
  JSON.stringify(value) === '{}' ||
  JSON.stringify(value) === '[]';

test('property: what the public types of the reference product allow is stored and reads back as it was', () => {
  for (const { path, least, fields } of publicTypes) {
    const kind = kindOf(path);
    const bodies = fc.record({ ...fields, labels: textMap, annotations: textMap }, { requiredKeys: [] });
    fc.assert(
      fc.property(bodies, ({ labels, annotations, ...given }: Json) => {
        const body: Json = structuredClone({
          ...least,
          ...given,
          metadata: { ...(least.metadata as Json), labels, annotations },
        });
        const decoded = kind.decode(body);
        assert.ok(decoded.ok, decoded.ok ? '' : decoded.message);
        assert.equal(kind.validate(decoded.value), null);
        const back = JSON.parse(JSON.stringify(decoded.value));
        for (const [key, value] of Object.entries(given)) {
          if (isEmpty(value))
            assert.ok(isEmpty(back[key] ?? null), `${path}.${key}: ${JSON.stringify(back[key])}`);
          else assertHolds(back[key], value, `${path}.${key}`);
        }
      }),
      { numRuns: 300 },
    );
  }
});

/** Everything given is there; defaults may have come to it. */
const assertHolds = (found: unknown, given: unknown, where: string): void => {
  if (given === null) return assert.ok(isEmpty(found ?? null), `${where}: ${JSON.stringify(found)}`);
  if (Array.isArray(given)) {
    assert.equal((found as unknown[]).length, given.length, where);
    for (const [index, item] of given.entries())
      assertHolds((found as unknown[])[index], item, `${where}[${index}]`);
  } else if (typeof given === 'object') {
    for (const [key, value] of Object.entries(given))
      assertHolds((found as Json)[key], value, `${where}.${key}`);
  } else assert.equal(found, given, where);
};

test('what the reference product refuses is refused: numbers past 32 bits, cron beyond its grammar, hours past 23', () => {
  const bodies: readonly Json[] = [
    { interval: 4_294_967_296 },
    { interval: 1, timeout: 4_294_967_296 },
    { interval: 1, low_flap_threshold: 4_294_967_296 },
    { interval: 1, proxy_requests: { splay_coverage: 4_294_967_296 } },
    { cron: '0 0 L * *' },
    { cron: '0 0 * * 7' },
    { cron: '0 22-2 * * *' },
    { interval: 1, subdue: { days: { all: [{ begin: '25:00', end: '26:00' }] } } },
    { interval: 1, subdues: [{ begin: '2022-04-18T25:00:00Z', end: '2022-04-19T08:00:00Z' }] },
    { interval: 1, subdues: [{ begin: '2022-04-18T24:00:00Z', end: '2022-04-19T08:00:00Z' }] },
  ];
  for (const body of bodies)
    assert.equal(accepted('checks', { metadata, command: 'true', ...body }), undefined, JSON.stringify(body));
});
