// A field of checks is one row in model/check: what is derived from the rows has every field.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { copyCheck } from '../../src/machines/check/check-copy.ts';
import { type Check, checkConfigSchema, checkSchema } from '../../src/model/check/check.ts';
import { definitionOf, resultOf, shareDefinition } from '../../src/model/check/check-parts.ts';
import { toWireCheck } from '../../src/model/event/wire-shape.ts';
import { compileCopy } from '../../src/model/schema/field-functions.ts';
import { keysOmittedWhenEmpty, wireForms } from '../../src/model/schema/wire-forms.ts';
import { checkMessage, checkRequestMessage } from '../../src/wire/protobuf/messages.ts';

const definitionFields = Object.keys(checkConfigSchema.shape);
const fields = Object.keys(checkSchema.shape);

/** A check whose every field has a value of its own. */
const marked = (): Check =>
  Object.fromEntries(fields.map((field) => [field, { name: field }])) as unknown as Check;

test('a definition and a result together are the check; a copy has every field', () => {
  const check = marked();
  assert.deepEqual(copyCheck(check), check);
  assert.notEqual(copyCheck(check), check);
  assert.deepEqual({ ...definitionOf(check), ...resultOf(check), history: check.history }, check);
  assert.deepEqual(Object.keys(definitionOf(check)), definitionFields);
});

test('two definitions are shared only if no field differs', () => {
  const check = marked();
  const nextResult: Check = { ...check, output: 'other', status: 2 };
  assert.equal(shareDefinition(check, nextResult), true);
  const notNoticed = definitionFields.filter((field) => shareDefinition(check, { ...check, [field]: {} }));
  assert.deepEqual(notNoticed, []);
});

test('every field is in the binary messages, except those that only JSON has', () => {
  const inResult = new Set(checkMessage.fields.map(({ key }) => key));
  const config = checkRequestMessage.fields.find(({ key }) => key === 'config');
  assert.ok(config !== undefined && 'of' in config);
  const inDefinition = new Set(config.of.fields.map(({ key }) => key));
  assert.deepEqual(
    fields.filter((field) => !inResult.has(field)),
    ['subdue', 'acknowledgement', 'incident_notes', 'masked_by', 'masking'],
  );
  assert.deepEqual(
    definitionFields.filter((field) => !inDefinition.has(field)),
    ['subdue'],
  );
  const twice = (['definition', 'result'] as const).flatMap((part) => {
    const numbers = Object.values(checkSchema.shape).flatMap((row) => wireForms.get(row)?.[part] ?? []);
    return numbers.filter((number, at) => numbers.indexOf(number) !== at);
  });
  assert.deepEqual(twice, []);
});

test('a field that is omitted while empty has a value in JSON when it is set', () => {
  const omitted = keysOmittedWhenEmpty(checkSchema.shape);
  const empty = Object.fromEntries(fields.map((field) => [field, field === 'metadata' ? {} : '']));
  const present = Object.keys(toWireCheck(empty as { metadata: object }));
  assert.deepEqual(
    present,
    fields.filter((field) => !omitted.has(field)),
  );
  const set = { ...marked(), metadata: {} };
  assert.deepEqual(Object.keys(toWireCheck(set)), fields);
});

test('only plain names become source text', () => {
  assert.throws(() => compileCopy(['status', 'a,b']), /"a,b" cannot be the name of a field/);
});
