// Command words: quoting as in a shell, and no syntax a shell would act on.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import fc from 'fast-check';
import { commandWords } from '../../src/execution/shell-words.ts';

const split = (command: string, platform = 'linux') => {
  const result = commandWords(command, platform);
  return result.ok ? result.words : result.why;
};

test('blanks part words, quotes and backslashes group them', () => {
  assert.deepEqual(split('  check  -w 80\t-c 90 '), ['check', '-w', '80', '-c', '90']);
  assert.deepEqual(split(`check "a b" 'c "d" $e' f\\ g h"i"'j' ""`), [
    'check',
    'a b',
    'c "d" $e',
    'f g',
    'hij',
    '',
  ]);
  assert.deepEqual(split(''), []);
});

test('what a shell would act on is refused, wherever it stands unquoted', () => {
  for (const command of [
    'a;b',
    'a & b',
    'a|b',
    'a > /f',
    'a < /f',
    'a $(b)',
    'a `b`',
    'a $HOME',
    'a "$(b)"',
    'a "`b`"',
    'a *',
    'a ~/f',
    'a # b',
    'a\nb',
    'a\rb',
    'a\0b',
    'a \u001b[0m',
    'a "b',
    "a 'b",
    'a \\',
  ])
    assert.equal(typeof split(command), 'string', JSON.stringify(command));
});

test('on Windows a backslash is part of a path and single quotes are text', () => {
  assert.deepEqual(split(String.raw`"C:\Program Files\check.exe" -w 'x y'`, 'win32'), [
    String.raw`C:\Program Files\check.exe`,
    '-w',
    "'x",
    "y'",
  ]);
  for (const command of ['a & b', 'a %PATH%', 'a ^b', 'a "b', 'a\nb'])
    assert.equal(typeof split(command, 'win32'), 'string', command);
});

test('words are those a shell would make of the same command', () => {
  const piece = fc.constantFrom(
    'a',
    ' ',
    '  ',
    "'",
    '"',
    '\\',
    '\t',
    'b c',
    '=',
    '/',
    '?x',
    '-',
    '{',
    '!',
    ',',
    'é',
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      const command = pieces.join('');
      const words = split(command);
      if (typeof words === 'string') return;
      // `set -f`: no file of this machine takes the place of a `?`.
      const script = `set -f; set -- ${command}; for word in "$@"; do printf '%s\\0' "$word"; done`;
      const shell = spawnSync('sh', ['-c', script], { encoding: 'utf8' });
      assert.deepEqual(shell.stdout.split('\0').slice(0, -1), words, command);
    }),
    { numRuns: 150, seed: 7 },
  );
});
