// What the event page reads from an output: performance data, and the difference to the output before.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { diffLines } from '../../web/src/lib/line-diff.ts';
import { figuresIn, scaleOf } from '../../web/src/lib/perfdata.ts';
import { fc } from '../property.ts';

test('performance data is read with units and thresholds, on every line', () => {
  const read = (output: string) =>
    figuresIn(output).map(({ name, value, unit, warn, crit, min, max }) => [
      name,
      value,
      unit,
      warn,
      crit,
      min,
      max,
    ]);
  assert.deepEqual(read("DISK OK | /=2643MB;5948;5958;0;5968 'a b'=3%;80;90"), [
    ['/', 2643, 'MB', 5948, 5958, 0, 5968],
    ['a b', 3, '%', 80, 90, undefined, undefined],
  ]);
  assert.deepEqual(read('OK|t=0.2s;0:1;@5:10\nmore | u=-1.5e3'), [
    ['t', 0.2, 's', 1, undefined, undefined, undefined],
    ['u', -1500, '', undefined, undefined, undefined, undefined],
  ]);
  for (const nothing of ['', 'all is well', 'a=1;2;3', '| no figures here', 'x | =5 a= b=c'])
    assert.deepEqual(read(nothing), [], nothing);
});

test('a bar ends at the most that is known, and holds the value in any case', () => {
  const figure = { name: 'x', value: 50, unit: '%', warn: 80, crit: 90, min: undefined, max: undefined };
  assert.equal(scaleOf(figure)?.(50), 0.5);
  assert.equal(scaleOf({ ...figure, value: 200 })?.(200), 1);
  assert.equal(scaleOf({ ...figure, unit: '', warn: undefined, crit: undefined }), undefined);
  assert.equal(scaleOf({ ...figure, unit: 's', crit: 100, value: 25 })?.(25), 0.2);
});

test('a difference says what stayed, came and went', () => {
  const told = (before: string, now: string) =>
    diffLines(before, now).map(({ type, text }) => `${{ same: ' ', added: '+', removed: '-' }[type]}${text}`);
  assert.deepEqual(told('a\nb\nc', 'a\nx\nc'), [' a', '-b', '+x', ' c']);
  assert.deepEqual(told('a\nb', 'b\nc'), ['-a', ' b', '+c']);
  assert.deepEqual(told('a', 'a'), [' a']);
  assert.deepEqual(told('', 'a'), ['-', '+a']);
});

test('property: both texts can be made from their difference', () => {
  const lines = fc.array(fc.constantFrom('a', 'b', 'c', ''), { minLength: 1, maxLength: 30 });
  fc.assert(
    fc.property(lines, lines, (old, fresh) => {
      const found = diffLines(old.join('\n'), fresh.join('\n'));
      const without = (type: string): string[] =>
        found.filter((line) => line.type !== type).map(({ text }) => text);
      assert.deepEqual(without('added'), old);
      assert.deepEqual(without('removed'), fresh);
    }),
  );
});
