// Recorded sessions: every command line of a file, with the output it had when somebody looked at it. What differs from run to
// run (times, keys) is written in angle brackets. `RECORD=1` writes the files anew; look at the difference.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { openCtl } from './harness.ts';
import { runHere, shellWords } from './in-process.ts';

const folder = join('test', 'ctl', 'recorded');

const steady = (text: string, url: string): string =>
  text
    .replaceAll(url, '<url>')
    .replaceAll(
      /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g,
      '<------------uuid------------------>',
    )
    .replaceAll(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d \+0000 UTC/g, '<----------time------------->')
    .replaceAll(/20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ/g, '<------time-------->')
    .replaceAll(/[ \t]+$/gm, '');

process.env.TZ = 'UTC';

for (const file of readdirSync(folder)) {
  test(`the recorded session ${file} is had again`, async (t) => {
    const { dir, url } = await openCtl(t);
    const path = join(folder, file);
    const recorded = readFileSync(path, 'utf8');
    const lines = recorded.split('\n').filter((line) => line.startsWith('$ mon-ctl '));
    let again = '';
    for (const line of lines) {
      const { code, text } = await runHere(shellWords(line).slice(2), { MON_CONFIG_DIR: dir });
      again += `${line}\n${steady(text, url)}${code === 0 ? '' : `[${code}]\n`}\n`;
    }
    if (process.env.RECORD) writeFileSync(path, again);
    else assert.equal(again, recorded);
  });
}
