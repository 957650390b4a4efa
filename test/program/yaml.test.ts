// YAML files with limits.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readYaml } from '../../src/program/yaml.ts';

test('a file is read with its aliases', () => {
  assert.deepEqual(readYaml('a: &a {x: 1}\nb: *a\n'), { a: { x: 1 }, b: { x: 1 } });
  assert.deepEqual(readYaml('[]'), []);
});

test('a file that would fill the memory is refused with the reason in one line', () => {
  const level = (at: number) =>
    `a${at}: &a${at} [${Array(9)
      .fill(`*a${at - 1}`)
      .join(',')}]`;
  const bomb = ['a0: &a0 [x]', ...Array.from({ length: 9 }, (_, at) => level(at + 1))].join('\n');
  for (const mapAsMap of [true, false])
    assert.throws(
      () => readYaml(bomb, { mapAsMap }),
      /^Error: aliases expand to more than 100 values; write the values out$/,
    );
  assert.throws(() => readYaml('['.repeat(200_000)), /^Error: [^\n]+$/);
  assert.throws(() => readYaml('a'.repeat(4_194_305)), /too large/);
  assert.throws(() => readYaml('a: [1\nb: 2'), /^Error: [^\n]+$/);
});
