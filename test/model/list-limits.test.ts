// Every list that others fill has a maximum, in both encodings and in every way in; what is at the maximum is accepted.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { z } from 'zod';
import { encodeEvent } from '../../src/agent/connection/outgoing.ts';
import { socketEvent } from '../../src/agent/local/socket-event.ts';
import { jsonCodec, protobufCodec } from '../../src/http/edge/codec.ts';
import { readEventFrame } from '../../src/http/edge/frame-reader.ts';
import { readKeepalive, readResult } from '../../src/machines/client/client-registry-rule.ts';
import { eventSchema } from '../../src/model/event/event.ts';
import { parseEvent } from '../../src/model/event/event-parse.ts';
import { maxListItems, maxMetricPoints, maxMetricTags, maxSystemItems } from '../../src/model/limits.ts';
import { resourceKinds } from '../../src/model/resource/resource-kinds.ts';
import { definitionOf } from '../../src/model/schema/zod-internals.ts';
import { decodeFrame } from '../../src/wire/frames.ts';
import { encodePayload } from '../../src/wire/protobuf/payloads.ts';

/** Paths of the lists in a schema that have no maximum. */
const unlimited = (
  schema: z.core.$ZodType,
  path: string,
  open: readonly z.core.$ZodType[] = [],
): string[] => {
  if (open.includes(schema)) return [];
  const { type, shape = {}, innerType, in: from, element, valueType, options = [] } = definitionOf(schema);
  const within = [...open, schema];
  const most = (schema._zod.bag as { maximum?: number }).maximum;
  return [
    ...(type === 'array' && most === undefined ? [path] : []),
    ...Object.entries(shape).flatMap(([key, part]) => unlimited(part, `${path}.${key}`, within)),
    ...[innerType, from, valueType, ...options].flatMap((part) =>
      part === undefined ? [] : unlimited(part, path, within),
    ),
    ...(element === undefined ? [] : unlimited(element, `${path}[]`, within)),
  ];
};

test('every list of every resource and of events has a maximum', () => {
  const found = resourceKinds.flatMap(({ path, schema }) => unlimited(schema, path));
  assert.deepEqual([...found, ...unlimited(eventSchema, 'event')], []);
});

const names = (count: number): string[] => Array.from({ length: count }, (_, index) => `name-${index}`);
const named = (count: number): object[] => names(count).map((name) => ({ name }));

interface Case {
  readonly path: string;
  readonly most: number;
  readonly fill: (count: number) => { check?: object; entity?: object; metrics?: object; pipelines?: object };
}

const ofCheck = (
  path: string,
  item: (name: string) => unknown = (name) => name,
  more: object = {},
): Case => ({
  path: `check.${path}`,
  most: maxListItems,
  fill: (count) => ({ check: { ...more, [path]: names(count).map(item) } }),
});

const cases: readonly Case[] = [
  ofCheck('handlers'),
  ofCheck('subscriptions'),
  ofCheck('silenced'),
  ofCheck('runtime_assets'),
  ofCheck('output_metric_handlers'),
  ofCheck('env_vars', (name) => `${name}=1`),
  ofCheck('hooks', (name) => ({ metadata: { name } })),
  ofCheck('check_hooks', (name) => ({ critical: [name] })),
  ofCheck('secrets', (name) => ({ name, secret: name })),
  ofCheck('pipelines', (name) => ({ name, type: 'Pipeline', api_version: 'core/v2' })),
  ofCheck('output_metric_tags', (name) => ({ name, value: name })),
  ofCheck('output_metric_thresholds', (name) => ({ name, thresholds: [{ min: '1', max: '', status: 1 }] })),
  ofCheck('subdues', () => ({
    begin: '2026-01-01T00:00:00Z',
    end: '2026-01-01T01:00:00Z',
    repeat: ['daily'],
  })),
  ofCheck('history', () => ({ status: 1, executed: 1 })),
  {
    path: 'check.check_hooks[0].critical',
    most: maxListItems,
    fill: (count) => ({ check: { check_hooks: [{ critical: names(count) }] } }),
  },
  ...['subscriptions', 'keepalive_handlers', 'redact'].map((path) => ({
    path: `entity.${path}`,
    most: maxListItems,
    fill: (count: number) => ({ entity: { [path]: names(count) } }),
  })),
  {
    path: 'entity.system.processes',
    most: maxSystemItems,
    fill: (count) => ({ entity: { system: { processes: named(count) } } }),
  },
  {
    path: 'entity.system.network.interfaces',
    most: maxSystemItems,
    fill: (count) => ({ entity: { system: { network: { interfaces: named(count) } } } }),
  },
  {
    path: 'metrics.points',
    most: maxMetricPoints,
    fill: (count) => ({ metrics: { points: named(count).map((point) => ({ ...point, value: 1 })) } }),
  },
  {
    path: 'metrics.handlers',
    most: maxListItems,
    fill: (count) => ({ metrics: { handlers: names(count) } }),
  },
  {
    path: 'pipelines',
    most: maxListItems,
    fill: (count) => ({
      pipelines: names(count).map((name) => ({ name, type: 'Pipeline', api_version: 'core/v2' })),
    }),
  },
];

const eventWith = ({ check, entity, ...rest }: ReturnType<Case['fill']>): object => ({
  timestamp: 1,
  id: '00000000-0000-4000-8000-000000000001',
  entity: { entity_class: 'agent', metadata: { name: 'web-01', namespace: 'default' }, ...entity },
  check: { metadata: { name: 'load', namespace: 'default' }, interval: 10, ...check },
  ...rest,
});

const agent = { namespace: 'default', agentName: 'web-01', mayReportFor: () => true };

/** What each way in says of an event; undefined when it is accepted. */
const ways: Readonly<Record<string, (event: object) => string | undefined>> = {
  HTTP: (event) => {
    const read = parseEvent(structuredClone(event), { namespace: 'default' });
    return read.ok ? undefined : read.message;
  },
  'agent, JSON': (event) => {
    const read = readEventFrame('event', Buffer.from(JSON.stringify(event)), jsonCodec, agent);
    return read.ok ? undefined : read.message;
  },
  'agent, protobuf': (event) => {
    const read = readEventFrame('event', encodePayload('event', event), protobufCodec, agent);
    return read.ok ? undefined : read.message;
  },
};

for (const { path, most, fill } of cases)
  test(`${path}: a list may have so many items; one more is rejected`, () => {
    for (const [way, read] of Object.entries(ways)) {
      assert.equal(read(eventWith(fill(most))), undefined, way);
      const refused = read(eventWith(fill(most + 1))) ?? 'accepted';
      assert.match(refused, new RegExp(`must have at most ${most} items, not ${most + 1}: remove some`), way);
      assert.ok(refused.startsWith(path), `${way}: ${refused}`);
    }
  });

test('nested lists are counted as a whole', () => {
  const hooks = (count: number) => ({
    check: { check_hooks: [{ warning: names(count - 600) }, { critical: names(600) }] },
  });
  const halves = <T>(count: number, item: T): T[][] =>
    [count - 400, 400].map((length) => Array.from({ length }, () => item));
  const periods = (count: number) => ({
    check: {
      subdues: halves(count, 'daily').map((repeat) => ({
        begin: '2026-01-01T00:00:00Z',
        end: '2026-01-01T01:00:00Z',
        repeat,
      })),
    },
  });
  const rules = (count: number) => ({
    check: {
      output_metric_thresholds: halves(count, { min: '1', max: '', status: 1 }).map((thresholds) => ({
        name: 'cpu',
        thresholds,
      })),
    },
  });
  const perPoint = 1_000;
  const tags = (count: number) => ({
    metrics: {
      points: Array.from({ length: Math.ceil(count / perPoint) }, (_, index) => ({
        name: 'a',
        value: 1,
        tags: Array.from({ length: Math.min(perPoint, count - index * perPoint) }, () => ({
          name: 't',
          value: '',
        })),
      })),
    },
  });
  for (const [way, read] of Object.entries(ways)) {
    assert.equal(read(eventWith(hooks(maxListItems))), undefined, way);
    assert.match(
      read(eventWith(hooks(maxListItems + 1))) ?? '',
      /check_hooks must name at most 1000 hooks, not 1001: remove some/,
      way,
    );
    for (const [nested, wanted] of [
      [periods, /subdues must repeat in at most 1000 periods in all, not 1001: remove some/],
      [rules, /output_metric_thresholds must have at most 1000 rules in all, not 1001: remove some/],
    ] as const) {
      assert.equal(read(eventWith(nested(maxListItems))), undefined, way);
      assert.match(read(eventWith(nested(maxListItems + 1))) ?? '', wanted, way);
    }
    assert.equal(read(eventWith(tags(maxMetricTags))), undefined, way);
    assert.match(
      read(eventWith(tags(maxMetricTags + 1))) ?? '',
      /metrics\.points must have at most 40000 tags in all, not 40001: send several events/,
      way,
    );
  }
});

test('lists in messages of earlier clients are limited as well', () => {
  const result = (check: object) =>
    readResult({ client: 'c1', check: { name: 'load', output: '', status: 0, ...check } });
  const keepalive = (client: object) => readKeepalive({ name: 'c1', subscriptions: [], ...client });
  for (const key of ['handlers', 'aggregates', 'subscribers']) {
    assert.equal(result({ [key]: names(maxListItems) }).ok, true);
    assert.deepEqual(result({ [key]: names(maxListItems + 1) }), {
      ok: false,
      why: `check ${key} must have at most 1000 items`,
    });
  }
  const hooks = (count: number) => Object.fromEntries(names(count).map((name) => [name, { output: '' }]));
  assert.equal(result({ hooks: hooks(maxListItems) }).ok, true);
  assert.equal(result({ hooks: hooks(maxListItems + 1) }).ok, false);
  for (const part of ['keepalive', 'registration', 'deregistration']) {
    assert.equal(keepalive({ [part]: { handlers: names(maxListItems) } }).ok, true);
    assert.deepEqual(keepalive({ [part]: { handlers: names(maxListItems + 1) } }), {
      ok: false,
      why: `client ${part} handlers must have at most 1000 items`,
    });
  }
  assert.equal(keepalive({ redact: names(maxListItems) }).ok, true);
  assert.equal(keepalive({ redact: names(maxListItems + 1) }).ok, false);
});

const facts = { namespace: 'default', agentName: 'web-01' } as Parameters<typeof socketEvent>[1];

test("an agent's socket refuses a longer list at once, instead of queuing an event nobody takes", () => {
  const read = socketEvent({ name: 'load', status: 0, handlers: names(maxListItems + 1) }, facts);
  assert.match(JSON.stringify(read), /handlers must have at most 1000 items, not 1001/);
});

test('an agent sends as many metric points as the backend accepts, and says how many it left out', () => {
  const empty = eventSchema.parse({ entity: { metadata: { name: 'web-01' } }, metrics: { points: [] } });
  const points = names(maxMetricPoints + 7).map((name) => ({ name, value: 1, timestamp: 1 }));
  const event = { ...empty, metrics: { handlers: [], points } };
  const { frame, cut } = encodeEvent(event);
  assert.equal(cut, '7 of 15007 metric points');
  const sent = JSON.parse(decodeFrame(frame)?.payload.toString() ?? '') as typeof event;
  assert.equal(sent.metrics?.points?.length, maxMetricPoints);
});
