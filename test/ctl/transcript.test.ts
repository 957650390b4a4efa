// Recorded sessions: every command line of a file, with the output it had when somebody looked at it, over a backend that runs
// as a process of its own. Lines after a command that begin with `< ` are its standard input. What differs from run to run
// (times, keys) is written in angle brackets. `RECORD=1` writes the files anew; look at the difference.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { openProcess } from './harness.ts';
import { runHere, shellWords } from './in-process.ts';
import { recordedFolder as folder, linesOf } from './recorded-lines.ts';

const files = readdirSync(folder);

const steady = (text: string, url: string): string =>
  text
    .replaceAll(url, '<url>')
    .replaceAll(
      /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g,
      '<------------uuid------------------>',
    )
    .replaceAll(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d \+0000 UTC/g, '<----------time------------->')
    .replaceAll(/20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ/g, '<------time-------->')
    .replaceAll(/\b1[789]\d{8}\b/g, '<-time-->')
    .replaceAll(/\$2[aby]\$\d\d\$[./A-Za-z0-9]{53}/g, '<bcrypt hash>')
    .replaceAll(/eyJ[\w-]+\.[\w-]+\.[\w-]+/g, '<access token>')
    .replaceAll(/(REFRESH_TOKEN=)"[^"]*"/g, '$1"<refresh token>"')
    .replace(/\(node v[\d.]+\)/, '(node <version>)')
    .replaceAll(/[ \t]+$/gm, '');

process.env.TZ = 'UTC';

for (const file of files) {
  test(`the recorded session ${file} has the same output again`, async (t) => {
    const { dir, url } = await openProcess(t);
    const path = join(folder, file);
    const recorded = readFileSync(path, 'utf8');
    // A key that was granted is known to later lines as KEY.
    let key = '';
    let again = '';
    for (const { command, input } of linesOf(recorded)) {
      const words = shellWords(command)
        .slice(2)
        .map((word) => (word === 'KEY' ? key : word));
      const { code, text } = await runHere(words, { MON_CONFIG_DIR: dir }, input.join('\n'));
      key = /^Created: .*\/apikeys\/(\S+)$/m.exec(text)?.[1] ?? key;
      again += [command, ...input.map((line) => `< ${line}`)].join('\n');
      again += `\n${steady(text, url)}${code === 0 ? '' : `[${code}]\n`}\n`;
    }
    if (process.env.RECORD) writeFileSync(path, again);
    else assert.equal(again, recorded);
  });
}
