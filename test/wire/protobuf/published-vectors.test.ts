// Messages written by the reference product's own published types, version 2.21 of its schema: every field of every message
// filled with a value of its own, so that no number can be mistaken for another. Each is held as base64, beside the
// JSON the same types make of it.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import {
  checkRequestMessage,
  entityConfigMessage,
  eventMessage,
} from '../../../src/wire/protobuf/messages.ts';
import { type BinaryType, decodePayload, encodePayload } from '../../../src/wire/protobuf/payloads.ts';
import type { Message } from '../../../src/wire/protobuf/table.ts';

interface Vector {
  readonly bytes: string;
  readonly value: Record<string, unknown>;
}
const path = join(process.cwd(), 'test/wire/protobuf/published-vectors.json');
const vectors = JSON.parse(readFileSync(path, 'utf8')) as Record<string, Vector>;

const vectorOf = (type: string): Vector => {
  const vector = vectors[type];
  assert.ok(vector !== undefined, `no vector for ${type}`);
  return vector;
};

const tables: Readonly<Partial<Record<BinaryType, Message>>> = {
  event: eventMessage,
  check_request: checkRequestMessage,
  entity_config: entityConfigMessage,
};

for (const [type, table] of Object.entries(tables) as [BinaryType, Message][]) {
  const { bytes, value } = vectorOf(type);

  test(`${type}: what the published types wrote is read, every field under its key`, () => {
    assert.deepEqual(decodePayload(type, Buffer.from(bytes, 'base64')), { ok: true, value });
  });

  test(`${type}: what we write is what the published types write, byte for byte`, () => {
    assert.equal(encodePayload(type, value).toString('base64'), bytes);
  });

  test(`${type}: the vector holds every field of our table`, () => {
    const missing = table.fields.filter(({ key }) => value[key] === undefined).map(({ key }) => key);
    assert.deepEqual(missing, []);
  });
}
