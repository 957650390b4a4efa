// Every example of the tutorial and the guides does what the page says.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { isShown, Reader } from './examples.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));

test('a text is what a page shows, with lines and words left out', () => {
  assert.ok(isShown('a  b\nc\n', 'a b\nc'));
  assert.ok(isShown('x\ny\nname: 7 ok\nz', '...\nname: ... ok\n...'));
  assert.ok(!isShown('a\nb', 'a'));
  assert.ok(!isShown('a', 'a\nb'));
  assert.ok(!isShown('name: 7 bad', 'name: ... ok'));
});

test('every link and anchor of the handbook leads somewhere', () => {
  execFileSync(process.execPath, ['scripts/build-docs.js'], { cwd: root, stdio: 'pipe' });
});

/** Pages of one row are read one after the other in one folder: what one started in the background runs for the next. */
const readings = [
  ['tutorial/first-alert'],
  [
    'guides/checks',
    'guides/handlers',
    'guides/silences',
    'guides/filters',
    'guides/keepalives',
    'guides/proxy-entities',
    'guides/assets',
    'guides/access',
    'guides/directories',
    'guides/why',
    'guides/from-sensu-go',
    'guides/from-sensu-core',
  ],
  ['guides/dependencies'],
  ['guides/secrets'],
  ['guides/tls'],
  ['running/recovery'],
];

for (const pages of readings)
  test(`the examples of ${pages.join(', ')} run`, async (t) => {
    const dir = mkdtempSync(join(tmpdir(), 'mon-handbook-'));
    const reader = await Reader.open(dir, root);
    t.after(async () => {
      await reader.close();
      rmSync(dir, { recursive: true, force: true, maxRetries: 3 });
    });
    for (const page of pages)
      await t.test(page, async () => {
        await reader.read(join(root, 'docs', `${page}.md`));
      });
  });
