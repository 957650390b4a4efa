// Tokens of the earlier generation.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { substitute } from '../../../src/model/earlier/tokens.ts';

describe('tokens', () => {
  const cases: readonly (readonly [string, string, readonly string[]])[] = [
    [':::nested.attribute:::', 'yes', []],
    [':::nested:::', '', ['nested']],
    [':::nested|d:::', 'd', []],
    [':::off:::', 'false', []],
    [':::empty|x:::', '', []],
    [':::none|a|b:::', 'a|b', []],
    ['a:::b', 'a:::b', []],
    [':::one::: and :::two:::', '1 and ', ['two']],
    [':::__proto__.x|safe:::', 'safe', []],
  ];
  for (const [text, expected, unmatched] of cases)
    test(`${text} becomes ${JSON.stringify(expected)}`, () => {
      const attributes = { nested: { attribute: 'yes' }, off: false, empty: '', one: 1 };
      assert.deepEqual(substitute(text, attributes), { value: expected, unmatched });
    });

  test('keys and values that are not strings are unchanged', () => {
    const { value } = substitute({ ':::one:::': [':::one:::', 2, null, true] }, { one: 1 });
    assert.deepEqual(value, { ':::one:::': ['1', 2, null, true] });
  });
});
