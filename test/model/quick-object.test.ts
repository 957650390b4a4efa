// A quick object says what a zod object says, of whatever it is given.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { checkSchema } from '../../src/model/check/check.ts';
import { eventSchema } from '../../src/model/event/event.ts';
import { quickObject } from '../../src/model/schema/quick-object.ts';
import { fc } from '../property.ts';

/** Without the keys that hold undefined: a quick object has them, a zod object leaves them out. */
const plain = (value: unknown): unknown =>
  value === undefined ? undefined : JSON.parse(JSON.stringify(value));

const verdict = (schema: z.ZodType, raw: unknown): unknown => {
  const result = schema.safeParse(structuredClone(raw));
  if (result.success) return { data: plain(result.data) };
  return { issues: result.error.issues.map(({ path, message, code }) => ({ path, message, code })) };
};

const anything = fc.oneof(
  fc.jsonValue(),
  fc.constantFrom(null, '', 0, -1, 1.5, true, [], {}, [''], { name: 'x' }),
);

for (const [name, schema] of Object.entries({ check: checkSchema, event: eventSchema })) {
  test(`the ${name} schema judges as z.object of the same shape does`, () => {
    const zods = z.object(schema.shape);
    const keys = fc.constantFrom(...Object.keys(schema.shape), 'unknown', '__proto__', 'constructor');
    fc.assert(
      fc.property(fc.oneof(fc.dictionary(keys, anything, { maxKeys: 60 }), anything), (raw) => {
        assert.deepEqual(verdict(schema, raw), verdict(zods, raw));
      }),
      { numRuns: 3_000 },
    );
  });
}

test('lists and objects that stand for what is absent are never shared', () => {
  const schema = quickObject({ list: z.array(z.string()).default(() => []), name: z.string().default('x') });
  const [one, other] = [schema.parse({}), schema.parse({})];
  assert.deepEqual({ ...one }, { list: [], name: 'x' });
  assert.notEqual(one.list, other.list);
});

test('a required key that is absent is named', () => {
  const schema = quickObject({ name: z.string(), inner: quickObject({ size: z.number() }) });
  const result = schema.safeParse({ inner: {} });
  assert.deepEqual(result.success ? [] : result.error.issues.map(({ path }) => path.join('.')).sort(), [
    'inner.size',
    'name',
  ]);
});
