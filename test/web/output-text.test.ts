// The output of a check as the page shows it: terminal colours, links and search. Text is never anything but text.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { linksIn, matchesIn, piecesOf, readOutput, withLinks } from '../../web/src/lib/output-text.ts';
import { fc } from '../property.ts';

const shown = (raw: string): string[] => {
  const { text, runs } = readOutput(raw);
  return runs.map(({ from, to, look }) => `${look}|${text.slice(from, to)}`);
};

test('colours become classes, and end where the terminal would end them', () => {
  assert.deepEqual(shown('a \u001b[31mred \u001b[1mbold\u001b[0m b'), [
    '|a ',
    'ansi-red|red ',
    'ansi-red ansi-bold|bold',
    '| b',
  ]);
  assert.deepEqual(shown('\u001b[1;4;92mx\u001b[22;24my\u001b[39mz\u001b[mw'), [
    'ansi-green ansi-bold ansi-underline|x',
    'ansi-green|y',
    '|z',
    '|w',
  ]);
  assert.deepEqual(shown('\u001b[38;5;31mfar\u001b[38;2;1;2;31mfurther\u001b[48;5;31;33my'), [
    '|far',
    '|further',
    'ansi-yellow|y',
  ]);
});

test('what else a terminal obeys is not shown', () => {
  const { text } = readOutput(
    '\u001b[2J\u001b]0;title\u0007ok\u001b]8;;http://x\u001b\\link\u001b[?25l\u001b',
  );
  assert.equal(text, 'oklink');
});

test('only addresses of the web are links, without what ends a sentence', () => {
  const found = (text: string) => linksIn(text).map(({ from, to }) => text.slice(from, to));
  assert.deepEqual(found('see https://a.example/x?y=1#z, or (http://b.example/w_(1)).'), [
    'https://a.example/x?y=1#z',
    'http://b.example/w_(1)',
  ]);
  assert.deepEqual(found('javascript:alert(1) data:text/html,x ftp://x file:///etc'), []);
  assert.deepEqual(found('<a href="https://c.example">'), ['https://c.example']);
});

test('what is searched for is found whatever its case, over changes of colour too', () => {
  const { text, runs } = readOutput('Disk\u001b[31m FULL\u001b[0m, disk');
  const matches = matchesIn(text, 'DISK f');
  assert.deepEqual(matches, [{ from: 0, to: 6 }]);
  const pieces = piecesOf({ from: 0, to: text.length }, runs, matches);
  assert.deepEqual(
    pieces.map(({ from, to, look, match }) => `${look}|${text.slice(from, to)}|${match}`),
    ['|Disk|0', 'ansi-red| F|0', 'ansi-red|ULL|-1', '|, disk|-1'],
  );
  assert.equal(matchesIn(text, 'disk').length, 2);
  assert.deepEqual(matchesIn(text, ''), []);
  assert.equal(matchesIn('a'.repeat(5_000), 'a').length, 1_000);
});

test('property: whatever a check writes, every character of the text is shown once and in order', () => {
  const part = fc.oneof(
    fc.string(),
    fc.constantFrom('\u001b[31m', '\u001b[0m', '\u001b', 'https://a.example/', ' ', 'disk', '\u001b]0;'),
  );
  fc.assert(
    fc.property(fc.array(part), fc.string(), (parts, wanted) => {
      const { text, runs } = readOutput(parts.join(''));
      const matches = matchesIn(text, wanted);
      const pieces = withLinks(text).flatMap((range) => piecesOf(range, runs, matches));
      assert.equal(pieces.map(({ from, to }) => text.slice(from, to)).join(''), text);
    }),
  );
});
