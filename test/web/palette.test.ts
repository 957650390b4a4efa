// What the palette makes of what is typed.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readCommand } from '../../web/src/lib/command-text.ts';
import { fuzzyScore } from '../../web/src/lib/fuzzy.ts';

const best = (wanted: string, ...texts: string[]): readonly string[] =>
  texts
    .filter((text) => fuzzyScore(text, wanted) !== undefined)
    .sort((a, b) => (fuzzyScore(b, wanted) ?? 0) - (fuzzyScore(a, wanted) ?? 0));

test('what occurs as it is typed comes first, then the beginnings of words, then letters anywhere', () => {
  assert.deepEqual(best('disk', 'web-01/disk', 'd-i-s-k', 'handisk', 'cpu'), [
    'web-01/disk',
    'handisk',
    'd-i-s-k',
  ]);
  assert.deepEqual(best('w1d', 'web-01/disk', 'swallow1red'), ['web-01/disk', 'swallow1red']);
  assert.deepEqual(best('web disk', 'web-01/disk', 'web-01/cpu', 'db/disk'), ['web-01/disk']);
  assert.equal(fuzzyScore('anything', ''), 0);
  assert.equal(fuzzyScore('WEB', 'web') !== undefined, true);
});

test('orders are read with their target and time', () => {
  const table: readonly (readonly [string, ReturnType<typeof readCommand>])[] = [
    ['silence web-01 for 1 h', { verb: 'silence', target: 'web-01', seconds: 3_600 }],
    ['mute web-01/disk for 90 minutes', { verb: 'silence', target: 'web-01/disk', seconds: 5_400 }],
    ['sil web for', { verb: 'silence', target: 'web', seconds: undefined }],
    ['silence web for 2', { verb: 'silence', target: 'web', seconds: undefined }],
    ['silence for-sale for 2d', { verb: 'silence', target: 'for-sale', seconds: 172_800 }],
    ['ack disk', { verb: 'acknowledge', target: 'disk', seconds: undefined }],
    ['Resolve a b', { verb: 'resolve', target: 'a b', seconds: undefined }],
    ['rerun disk', { verb: 'run', target: 'disk', seconds: undefined }],
    ['silence', undefined],
    ['re disk', undefined],
    ['disk on web-01', undefined],
  ];
  for (const [text, command] of table) assert.deepEqual(readCommand(text), command, text);
});
