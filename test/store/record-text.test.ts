// The text of a record is the same whether the entity in it was written before or not.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rememberJson } from '../../src/model/known-json.ts';
import { recordText } from '../../src/store/record-text.ts';
import type { StoredRecord } from '../../src/store/snapshot-store.ts';

const record = (state: unknown): StoredRecord => ({
  machine: 'check',
  version: 1,
  rev: 3,
  savedAtMs: 5,
  deadlines: [{ name: 'ttl', atMs: 9 }],
  state,
});

const checkState = (entity: unknown): unknown => ({
  value: { result: 'passing' },
  context: {
    event: { timestamp: 1, entity, check: { output: 'a "quoted" $& text' }, id: null },
    pending: [],
  },
});

test('a record around a known entity reads as JSON.stringify would write it', () => {
  const entity = { metadata: { name: 'web-01', labels: { 'ü$&': '"$1"' } }, last_seen: 1 };
  const whole = record(checkState(entity));
  const plain = JSON.stringify(whole);
  assert.equal(recordText(whole), plain);
  rememberJson(entity, JSON.stringify(entity));
  assert.equal(recordText(whole), plain);
});

test('the known text is what is written', () => {
  const entity = { metadata: { name: 'web-01' } };
  rememberJson(entity, '{"known":true}');
  assert.match(recordText(record(checkState(entity))), /"entity":\{"known":true\},"check"/);
});

for (const state of [
  null,
  'text',
  5,
  {},
  { context: null },
  { context: { event: null } },
  checkState(null),
]) {
  test(`a state without an entity is written as it is: ${JSON.stringify(state).slice(0, 40)}`, () => {
    assert.equal(recordText(record(state)), JSON.stringify(record(state)));
  });
}
