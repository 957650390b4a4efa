import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readBegin } from '../../src/ctl/settings/begin.ts';

const now = new Date('2030-05-10T12:00:00Z');
const seconds = (text: string) => Date.parse(text) / 1000;

test('the begin of a silence is read in every notation of the reference', () => {
  for (const [text, means] of [
    ['now', '2030-05-10T12:00:00Z'],
    ['2030-05-10T15:04:00Z', '2030-05-10T15:04:00Z'],
    ['2030-05-10 15:04:00 -08:00', '2030-05-10T23:04:00Z'],
    ['May 10 2030 3:04PM UTC', '2030-05-10T15:04:00Z'],
    ['3:04PM -08:00', '2030-05-10T23:04:00Z'],
    ['12:30AM +00:00', '2030-05-10T00:30:00Z'],
    ['15:04 +07:00', '2030-05-10T08:04:00Z'],
  ] as const)
    assert.equal(readBegin(text, now), seconds(means), text);
});

test('a time without a zone is refused: it would mean another moment on each machine', () => {
  for (const text of ['2030-05-10T15:04:00', '3:04PM', 'May 10 2030 3:04PM', '25:00 +00:00', 'soon', ''])
    assert.throws(() => readBegin(text, now), /--begin must be "now" or a time with its zone/, text);
});
