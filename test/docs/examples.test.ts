// Every example of the tutorial and the guides does what the page says.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { startStandIn } from '../store/mongodb-server.ts';
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
    'guides/metrics',
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

const openReader = async (t: TestContext, given: Readonly<Record<string, number>> = {}): Promise<Reader> => {
  const dir = mkdtempSync(join(tmpdir(), 'mon-handbook-'));
  const reader = await Reader.open(dir, root, given);
  t.after(async () => {
    await reader.close();
    rmSync(dir, { recursive: true, force: true, maxRetries: 3 });
  });
  return reader;
};

// Each reading has folders and ports of its own, and mostly waits: two at once take little more than the longer one.
describe('the examples of the handbook', { concurrency: 2 }, () => {
  for (const pages of readings)
    test(`of ${pages.join(', ')} run`, async (t) => {
      const reader = await openReader(t);
      for (const page of pages)
        await t.test(page, async () => {
          await reader.read(join(root, 'docs', `${page}.md`));
        });
    });

  test('of running/mongodb run, with a MongoDB', async (t) => {
    const server = await startStandIn('mon');
    t.after(() => server.stop());
    const reader = await openReader(t, { 27017: Number(new URL(server.url).port) });
    await reader.read(join(root, 'docs/running/mongodb.md'));
  });
});
