// The shape of zod that the adapter relies on: a version of zod with another one fails here, by name.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { definitionOf, replaceParse, runSchema, setTraits } from '../../src/model/schema/zod-internals.ts';

test('a schema is run without an error object around its issues', () => {
  const fine = runSchema(z.string().default('none'), undefined);
  const refused = runSchema(z.number(), 'one');
  assert.ok(!(fine instanceof Promise) && !(refused instanceof Promise));
  assert.deepEqual([fine.value, fine.issues.length, refused.issues.length], ['none', 0, 1]);
});

test('a definition names what a schema is made of', () => {
  const inner = z.string();
  const cases: readonly (readonly [z.ZodType, string, string])[] = [
    [inner.optional(), 'optional', 'innerType'],
    [inner.nullable(), 'nullable', 'innerType'],
    [inner.default(''), 'default', 'innerType'],
    [inner.transform(Number), 'pipe', 'in'],
    [z.array(inner), 'array', 'element'],
    [z.record(z.string(), inner), 'record', 'valueType'],
    [z.object({ inner }), 'object', 'shape'],
    [z.looseObject({ inner }), 'object', 'catchall'],
    [z.union([inner, z.number()]), 'union', 'options'],
  ];
  for (const [schema, type, part] of cases) {
    const definition = definitionOf(schema);
    assert.equal(definition.type, type);
    assert.ok(part in definition && definition[part as 'in'] !== undefined, `${type} has ${part}`);
  }
  assert.equal(definitionOf(z.array(inner)).element, inner);
  assert.equal(definitionOf(z.object({ inner })).shape?.['inner'], inner);
  assert.equal(definitionOf(z.object({ inner })).catchall, undefined);
});

test('a schema parses the way it is given, and can fall back to its own', () => {
  const Doubled = z.core.$constructor<z.ZodNumber, z.core.$ZodNumberDef>('Doubled', (inst, def) => {
    z.ZodNumber.init(inst, def);
    replaceParse(inst, (before) => (payload, context) => {
      if (typeof payload.value !== 'number') return before(payload, context);
      payload.value *= 2;
      return payload;
    });
  });
  const schema = new Doubled({ type: 'number' });
  assert.equal(schema.parse(2), 4);
  assert.equal(z.object({ n: schema }).parse({ n: 3 }).n, 6);
  assert.equal(schema.safeParse('two').success, false);
});

test('a schema can be told to read an absent key, and its bounds', () => {
  const Lenient = z.core.$constructor<z.ZodString, z.core.$ZodStringDef>('Lenient', (inst, def) => {
    z.ZodString.init(inst, def);
    setTraits(inst, { bag: { minimum: 3 }, readsAbsent: true });
    replaceParse(inst, () => (payload) => {
      payload.value ??= 'absent';
      return payload;
    });
  });
  const schema = new Lenient({ type: 'string' });
  assert.deepEqual(z.object({ key: schema }).parse({}), { key: 'absent' });
  assert.equal((schema as { readonly _zod: { readonly bag: object } })._zod.bag['minimum' as never], 3);
});
