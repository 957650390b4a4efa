import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { makeFolder } from '../../src/program/folders.ts';

const home = mkdtempSync(join(tmpdir(), 'mon-folders-'));
after(() => rmSync(home, { recursive: true, force: true }));

test('a folder is made with those above it, and made again it is left as it is', () => {
  const path = join(home, 'a', 'b', 'c');
  makeFolder(path, 0o750);
  assert.equal(statSync(path).mode & 0o777, 0o750);
  writeFileSync(join(path, 'file'), 'x');
  makeFolder(path);
  assert.ok(existsSync(join(path, 'file')));
});

test('a directory and those created above it are for the current user only, from the start', (t) => {
  const umask = process.umask(0);
  t.after(() => process.umask(umask));
  const paths = ['private', 'private/b', 'private/b/c'].map((path) => join(home, path));
  makeFolder(paths.at(-1) ?? '');
  assert.deepEqual(
    paths.map((path) => (statSync(path).mode & 0o777).toString(8)),
    ['700', '700', '700'],
  );
});

test('a file with the name of the directory is reported', () => {
  writeFileSync(join(home, 'file'), 'x');
  assert.throws(() => makeFolder(join(home, 'file', 'below')), /ENOTDIR/);
});

test('a directory that cannot be created is reported immediately', {
  skip: !existsSync('/proc/self'),
}, () => {
  assert.throws(() => makeFolder('/proc/mon/cache'), /ENOENT/);
});
