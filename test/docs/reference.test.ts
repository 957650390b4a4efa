// The reference in docs/ is written from the code: it is up to date, and every field, setting and state has a meaning.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../..', import.meta.url));

test('docs/reference is what the code says', () => {
  execFileSync(process.execPath, [`${root}scripts/reference-docs.js`, '--check'], { stdio: 'pipe' });
});

/** Rows of tables with a last column `Meaning` that is empty, or holds nothing but facts. */
const meaningless = (page: string): readonly string[] =>
  readFileSync(`${root}docs/reference/${page}.md`, 'utf8')
    .split('\n')
    .filter((line) => /^\| `.*\|$/.test(line))
    .filter((line) => /\| (Required\. )?((Default:|Allowed:|At least|At most|Unit:)[^|]*)?\|$/.test(line));

for (const page of ['settings', 'resources'])
  test(`every row of the reference of ${page} says what it means`, () => {
    assert.deepEqual(meaningless(page), []);
  });
