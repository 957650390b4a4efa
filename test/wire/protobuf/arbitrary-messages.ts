// Any plain data a table of fields can carry, in the form in which it comes back: nothing empty, nothing unnamed.

import type { Field, Json, Message } from '../../../src/wire/protobuf/table.ts';
import { fc } from '../../property.ts';

const word = fc.string({ minLength: 1, maxLength: 12, unit: 'grapheme' });
const key = word.filter((text) => text !== '__proto__');
const whole = fc.oneof(
  fc.integer({ min: -300, max: 70_000 }),
  fc.maxSafeInteger(),
  fc.constantFrom(Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER, 4_294_967_295, -1, 2 ** 31, 2 ** 53),
);

const long = fc.oneof(
  whole.filter((value) => value !== 0 && Number.isSafeInteger(value)),
  fc.bigInt({ min: 2n ** 53n, max: 2n ** 63n - 1n }).map(String),
  fc.bigInt({ min: -(2n ** 63n), max: -(2n ** 53n) }).map(String),
);

const arbitraryOf = (field: Field): fc.Arbitrary<unknown> => {
  switch (field.kind) {
    case 'text':
      return word;
    case 'integer':
      return whole.filter((value) => value !== 0);
    case 'long':
      return long;
    case 'double':
      return fc.double({ noNaN: true }).filter((value) => value !== 0);
    case 'flag':
      return fc.constant(true);
    case 'uuid':
      return fc.uuid();
    case 'texts':
      return fc.array(fc.oneof(word, fc.constant('')), { minLength: 1, maxLength: 3 });
    case 'textMap':
      return fc.dictionary(key, word, { minKeys: 1, maxKeys: 3, noNullPrototype: true });
    case 'messageMap':
      return fc.dictionary(key, jsonOf(field.of), { minKeys: 1, maxKeys: 2, noNullPrototype: true });
    case 'one':
      return jsonOf(field.of);
    case 'many':
      return fc.array(jsonOf(field.of), { minLength: 1, maxLength: 2 });
  }
};

/** The JSON form of a message: what the adapter makes of its fields. */
export const jsonOf = (message: Message): fc.Arbitrary<Json> => {
  if (message.name === 'HookList')
    return fc
      .tuple(key, fc.array(word, { minLength: 1, maxLength: 2 }))
      .map(([type, hooks]) => ({ [type]: hooks }));
  const fields = Object.fromEntries(message.fields.map((field) => [field.key, arbitraryOf(field)]));
  return fc
    .record(fields, { requiredKeys: [], noNullPrototype: true })
    .map((value) => (message.adapter === undefined ? value : message.adapter.toJson(value as Json)) as Json);
};
