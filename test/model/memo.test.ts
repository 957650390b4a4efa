// Memos of pure functions, and the expressions that strangers have judged with one of them.
import assert from 'node:assert/strict';
import test from 'node:test';
import { expressionMemo, expressionsFault } from '../../src/model/expression-syntax.ts';
import { maxExpressionCharacters, maxExpressions, maxMemoBytes } from '../../src/model/limits.ts';
import { remember } from '../../src/model/memo.ts';

test('a memo forgets what was not used for longest, and asks each question once', () => {
  const asked: string[] = [];
  const answer = remember(2, (text) => {
    asked.push(text);
    return text.length;
  });
  for (const text of ['a', 'bb', 'a', 'ccc', 'a', 'bb']) assert.equal(answer(text), text.length);
  assert.deepEqual(asked, ['a', 'bb', 'ccc', 'bb']);
  assert.equal(answer.kept.entries, 2);
});

test('a memo is limited in bytes; a string that would fill it is not cached', () => {
  const answer = remember(1_000, (text) => text.length, 16_000);
  for (let i = 0; i < 100; i += 1) answer(`${i}`.padStart(400, 'x'));
  assert.ok(answer.kept.bytes <= 16_000, `${answer.kept.bytes} bytes`);
  assert.ok(answer.kept.entries >= 10, `${answer.kept.entries} entries`);
  const before = answer.kept;
  assert.equal(answer('y'.repeat(8_000)), 8_000);
  assert.deepEqual(answer.kept, before);
});

test('the judged expressions of many replaced filters do not pile up', () => {
  for (let i = 0; i < 200; i += 1)
    assert.equal(expressionsFault([`'${`${i}`.padStart(60_000, 'x')}' == 'y'`]), null);
  assert.ok(expressionMemo().bytes <= maxMemoBytes, `${expressionMemo().bytes} bytes`);
});

test('an expression nested too deeply for a parser is a fault of the expression', () => {
  const deep = `${'('.repeat(30_000)}1${')'.repeat(30_000)}`;
  assert.equal(expressionsFault([deep]), 'syntax error in expression 0: it is nested too deeply');
});

test('the longest expression is accepted, one character more is rejected', () => {
  const sized = (characters: number) => `'${'x'.repeat(characters - 2)}'`;
  assert.equal(expressionsFault([sized(maxExpressionCharacters)]), null);
  assert.equal(
    expressionsFault(['true', sized(maxExpressionCharacters + 1)]),
    'syntax error in expression 1: it must be at most 65536 characters (got 65537)',
  );
});

test('the number of expressions per filter is limited, since each runs for every event', () => {
  const many = (count: number) => Array.from({ length: count }, () => 'true');
  assert.equal(expressionsFault(many(maxExpressions)), null);
  assert.match(expressionsFault(many(maxExpressions + 1)) ?? '', /more than 256 expressions \(got 257\)/);
});
