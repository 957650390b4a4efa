// The text of a record says the same whether parts of it were written before or not.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { copyCheck } from '../../src/machines/check/check-copy.ts';
import type { Check } from '../../src/model/check/check.ts';
import { definitionOf, resultOf } from '../../src/model/check/check-parts.ts';
import { eventSchema } from '../../src/model/event/event.ts';
import { rememberJson } from '../../src/model/schema/known-json.ts';
import { isPlainHistory, maxHistoryBytes, writeHistory } from '../../src/store/history-text.ts';
import { JsonWriter } from '../../src/store/json-writer.ts';
import { maxWriterBytes } from '../../src/store/limits.ts';
import { decodeRecord, RecordArena, toJson } from '../../src/store/record-codec.ts';
import type { StoredRecord } from '../../src/store/snapshot-store.ts';
import { fc } from '../property.ts';

const record = (state: unknown): StoredRecord => ({
  machine: 'check',
  version: 1,
  rev: 3,
  savedAtMs: 5,
  deadlines: [{ name: 'ttl', atMs: 9 }],
  state,
});

const checkState = (
  entity: unknown,
  check: unknown = { output: 'a "quoted" $& text' },
  more = {},
): unknown => ({
  value: { result: 'passing' },
  context: { event: { timestamp: 1, entity, check, id: null }, pending: [], ...more },
});

const remember = (value: object): void => rememberJson(value, JSON.stringify(value));

const textOf = (state: unknown): string => toJson('check', 'k', record(state)).toString();

const saysTheSame = (state: unknown): void => {
  const expected = JSON.parse(JSON.stringify(record(state)));
  assert.deepEqual(JSON.parse(textOf(state)), expected);
  assert.deepEqual(decodeRecord(new RecordArena().encode('check', 'k', record(state)), 3), expected);
};

test('a record around a known entity reads back the same', () => {
  const entity = { metadata: { name: 'web-01', labels: { 'ü$&': '"$1"' } }, last_seen: 1 };
  saysTheSame(checkState(entity));
  remember(entity);
  saysTheSame(checkState(entity));
  saysTheSame({ context: { event: { entity, check: {} } }, value: 'one' });
});

test('a delivery reads back the same', () => {
  const sender = { metadata: { name: 'web-01' } };
  const metrics = { handlers: ['influx'], points: [{ name: 'load', value: 0.5, timestamp: 1, tags: null }] };
  const event = { timestamp: 1, entity: sender, check: { output: 'a "quoted" $& text' }, metrics, id: null };
  saysTheSame({ event });
  remember(sender);
  saysTheSame({ event });
  assert.match(textOf({ event }), /"state":\{"event":/);
  saysTheSame({ event, more: 1 });
  saysTheSame({ event: { entity: sender } });
});

test('the known text is what is written', () => {
  const entity = { metadata: { name: 'web-01' } };
  rememberJson(entity, '{"known":true}');
  assert.match(textOf(checkState(entity)), /"entity":\{"known":true\},"check"/);
});

const entity = { entity_class: 'agent', metadata: { name: 'web-01' } };

const checkOf = (over: object): Check => {
  const event = eventSchema.parse({
    entity,
    check: { metadata: { name: 'cpu' }, interval: 10, handlers: ['a'], ...over },
  });
  return copyCheck(event.check as Check);
};

test('every field of a check belongs to its definition or to its result', () => {
  const check = checkOf({});
  const both = { ...definitionOf(check), ...resultOf(check), history: check.history };
  assert.deepEqual(Object.keys(both).sort(), Object.keys(check).sort());
  assert.deepEqual(both, check);
});

test('results that share a definition read back the same, and so does one that shares only a part of it', () => {
  const first = checkOf({ command: 'check "it"', env_vars: ['A=1'], executed: 7 });
  remember(first.metadata);
  const result = fc.record({
    output: fc.string({ unit: 'binary' }),
    status: fc.nat(),
    executed: fc.integer(),
    duration: fc.option(fc.double(), { nil: undefined }),
    silenced: fc.option(fc.array(fc.string()), { nil: undefined }),
    history: fc.option(
      fc.array(
        fc.record(
          { status: fc.nat(), executed: fc.integer(), flapping: fc.constant(true) },
          { requiredKeys: ['status', 'executed'] },
        ),
        { maxLength: 22 },
      ),
    ),
  });
  const other = fc.record(
    { secrets: fc.constant(null), env_vars: fc.constant(['B=2']), subdues: fc.constant([]), ttl: fc.nat() },
    { requiredKeys: [] },
  );
  const recentIds = fc.oneof(
    fc.array(fc.uuid()).map((ids) => ids.join('')),
    fc.constantFrom<unknown>('"'.repeat(36), '\\'.repeat(36), 'a\n', 5, null, undefined),
  );
  fc.assert(
    fc.property(result, fc.option(other), fc.boolean(), recentIds, (values, definition, known, recentIds) => {
      const around = { ...entity };
      if (known) remember(around);
      saysTheSame(checkState(around, { ...first, ...values, ...definition }, { recentIds }));
    }),
    { numRuns: 500 },
  );
});

test('a history reads to the byte as JSON.stringify writes it', () => {
  const number = fc.oneof(fc.nat(), fc.integer(), fc.double(), fc.maxSafeInteger(), fc.constant(-0));
  const entry = fc.oneof(
    { weight: 50, arbitrary: fc.record({ status: fc.nat(), executed: fc.integer() }) },
    { weight: 5, arbitrary: fc.record({ status: fc.maxSafeInteger(), executed: fc.maxSafeInteger() }) },
    { weight: 5, arbitrary: fc.constantFrom({ status: 0, executed: -1 }, { status: 9, executed: 10 }) },
    fc.record({ status: number, executed: number }),
    fc.record({ executed: fc.nat(), status: fc.nat() }),
    fc.record({ status: fc.nat(), executed: fc.nat(), more: fc.nat() }, { requiredKeys: [] }),
    fc.constantFrom<unknown>(null, 5, 'x', [], [1, 2]),
  );
  fc.assert(
    fc.property(fc.array(entry, { maxLength: 22 }), fc.nat(9), (history, from) => {
      if (!isPlainHistory(history)) return;
      const text = JSON.stringify(history);
      const bytes = Buffer.alloc(from + maxHistoryBytes(history));
      assert.equal(bytes.toString('utf8', from, writeHistory(bytes, from, history)), text);
    }),
    { numRuns: 1_000 },
  );
});

test('fields read to the byte as JSON.stringify writes them', () => {
  const text = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 80 }),
    fc.string({ unit: 'grapheme-ascii', maxLength: 80 }),
    fc.string({ unit: fc.constantFrom('a', '"', '\\', '\n', '{', 'é', '\ud83d', '\ude00'), maxLength: 60 }),
  );
  const value = fc.oneof(
    ...[text, fc.nat(), fc.maxSafeInteger(), fc.double(), fc.boolean()],
    fc.constantFrom<unknown>(null, undefined, -0, [], {}, Number.NaN, () => 1, Symbol('s')),
    fc.jsonValue(),
  );
  fc.assert(
    fc.property(fc.dictionary(text, value, { noNullPrototype: true }), (object) => {
      // So small a buffer grows while it is written.
      const writer = new JsonWriter(1);
      writer.begin();
      writer.text('{');
      writer.fields(object);
      writer.text('}');
      assert.equal(writer.written.toString(), JSON.stringify(object));
    }),
    { numRuns: 1_000 },
  );
});

test('after a large record the next one is written as before', () => {
  const large = checkState({ ...known, more: 'é'.repeat(maxWriterBytes) });
  for (const state of [large, checkState(known), large, checkState(known)]) saysTheSame(state);
});

test('what JSON has no form for is refused, wherever it stands', () => {
  for (const more of [{ big: 1n }, { pending: [1n] }, { lastTrace: { a: 1n } }])
    assert.throws(
      () => textOf(checkState(known, undefined, more)),
      /check k: the record is not plain JSON data/,
    );
});

const known = { ...entity };
remember(known);

for (const state of [
  null,
  'text',
  5,
  {},
  { context: null },
  { context: { event: null } },
  checkState(null),
  { ...(checkState(known) as object), more: 1 },
  checkState(known, null),
  checkState(known, 'text'),
]) {
  test(`a state of another kind is written as it is: ${JSON.stringify(state).slice(0, 60)}`, () => {
    assert.equal(textOf(state), JSON.stringify(record(state)));
  });
}
