// Parts of mon-ctl that need no backend.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readWindows } from '../../src/ctl/import/core/parts.ts';
import { unifiedDiff } from '../../src/ctl/output/unified-diff.ts';

test('a window of which one end names no zone is read as local time', () => {
  const localOf = (begin: string, end: string) => readWindows({ days: { all: [{ begin, end }] } }).local;
  assert.equal(localOf('5PM UTC', '9AM UTC'), false);
  for (const [begin, end] of [
    ['5PM', '9AM UTC'],
    ['5PM UTC', '9AM'],
    ['5PM', '9AM'],
  ] as const)
    assert.equal(localOf(begin, end), true, `${begin} to ${end}`);
});

test('changes whose contexts overlap share a hunk, so that no line is shown twice', () => {
  const before = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j'];
  const hunksOf = (second: number): number => {
    const now = before.flatMap((line, at) => (at === 1 || at === second ? [line, 'new'] : [line]));
    const diff = unifiedDiff(['old', 'new'], before.join('\n'), now.join('\n'), { colour: false });
    return diff.split('\n').filter((line) => line.startsWith('@@')).length;
  };
  // Five lines between the changes, and seven.
  assert.equal(hunksOf(6), 1);
  assert.equal(hunksOf(8), 2);
});
