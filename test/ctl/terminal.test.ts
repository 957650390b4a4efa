import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { details, table } from '../../src/ctl/output/table.ts';
import { textWidth } from '../../src/ctl/output/terminal-text.ts';

const plain = { colour: false, width: undefined };

test('the output of a check can not steer the terminal, and stays on its line', () => {
  const text = table(['Output'], [['a\u001b[2Jb\nc\u0007\u202ed']], plain);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the point of the test
  assert.doesNotMatch(text, /[\u0000-\u0009\u000b-\u001f\u202e]/);
  assert.equal(text.split('\n').length, 3);
  assert.equal(details('x', [['Output', 'one\ntwo\u001b[1m']], plain), '=== x\nOutput: one\n        two [1m');
});

test('of a table the ids are cut first, and times last', () => {
  const row = (at: string) => ['web01', 'x'.repeat(60), at, '499fda44-e6bf-45a1-9c1a-0c5a2f0c9d11'];
  const rows = [row('2026-11-22 11:07:04 +0000 UTC'), row('N/A')];
  const titles = ['Entity', 'Output', 'Timestamp', 'UUID'];
  const line = table(titles, rows, { colour: false, width: 80 }).split('\n')[2] ?? '';
  assert.match(line, /x{15}… {2}2026-11-22 11:07:04 \+0000 UTC {2}499fda4…$/);
  assert.ok(textWidth(line) <= 80);
  const narrow = table(titles, rows, { colour: false, width: 50 }).split('\n')[2] ?? '';
  assert.match(narrow, /x{7}… {2}2026-11-22 11:07:0/);
});

test('a table is cut to the width of the terminal, the widest columns first', () => {
  const rows = [['web01', 'x'.repeat(300), '日本'.repeat(40)]];
  for (const width of [60, 80, 200])
    for (const line of table(['Name', 'Output', 'Note'], rows, { colour: false, width }).split('\n'))
      assert.ok(textWidth(line) <= width, `${textWidth(line)} of ${width}: ${line}`);
  assert.match(table(['Name', 'Output', 'Note'], rows, { colour: false, width: 60 }), /web01 {2}x+… {2}/);
  assert.ok(table(['Name', 'Output'], rows, plain).includes('x'.repeat(300)));
});

test('times are shown in the time zone of the machine, with its offset', () => {
  const values = new URL('../../src/ctl/output/values.js', import.meta.url).href;
  const shownIn = (zone: string): string =>
    execFileSync(
      process.execPath,
      ['--input-type=module', '-e', `console.log((await import('${values}')).timestamp(1700000000))`],
      { env: { TZ: zone }, encoding: 'utf8' },
    ).trim();
  assert.equal(shownIn('UTC'), '2023-11-14 22:13:20 +0000 UTC');
  assert.equal(shownIn('America/New_York'), '2023-11-14 17:13:20 -0500 EST');
  assert.match(shownIn('Asia/Kolkata'), /^2023-11-15 03:43:20 \+0530 /);
});
