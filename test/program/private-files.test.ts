// Files of a program are for its own user only.
import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { keepPrivate } from '../../src/program/private-files.ts';
import { readableLog, tempFolder } from '../agent/helpers.ts';

const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8);

const looseFolder = (): string => {
  const folder = join(tempFolder(), 'state');
  mkdirSync(join(folder, 'store', 'deep'), { recursive: true, mode: 0o755 });
  writeFileSync(join(folder, 'store', 'data'), 'x', { mode: 0o644 });
  writeFileSync(join(folder, 'store', 'deep', 'program'), 'x', { mode: 0o755 });
  return folder;
};
const isOurs = (name: string): boolean => name === 'store';

test('folders and files that were open to others are closed, with one line in the log', () => {
  const folder = looseFolder();
  const log = readableLog();
  keepPrivate(folder, isOurs, log.log);
  assert.deepEqual(
    ['.', 'store', 'store/data', 'store/deep', 'store/deep/program'].map((path) =>
      modeOf(join(folder, path)),
    ),
    ['700', '700', '600', '700', '700'],
  );
  assert.deepEqual(
    log.lines().map(({ level, closed }) => [level, closed]),
    [['warning', 5]],
  );
  keepPrivate(folder, isOurs, log.log);
  assert.equal(log.lines().length, 1);
});

test('a folder that holds files of others stays as it is, and so do they; ours in it are closed', () => {
  const folder = looseFolder();
  writeFileSync(join(folder, 'theirs'), 'x', { mode: 0o644 });
  const log = readableLog();
  keepPrivate(folder, isOurs, log.log);
  assert.deepEqual(
    ['.', 'theirs', 'store'].map((path) => modeOf(join(folder, path))),
    ['755', '644', '700'],
  );
  assert.match(JSON.stringify(log.lines()), /also contains files that are not ours/);
});

test('a link is not followed', () => {
  const folder = looseFolder();
  const elsewhere = join(tempFolder(), 'elsewhere');
  writeFileSync(elsewhere, 'x');
  chmodSync(elsewhere, 0o644);
  symlinkSync(elsewhere, join(folder, 'store', 'link'));
  keepPrivate(folder, isOurs, readableLog().log);
  assert.equal(modeOf(elsewhere), '644');
});

test('a folder that is not there is nothing to close', () => {
  const log = readableLog();
  keepPrivate(join(tempFolder(), 'none'), isOurs, log.log);
  assert.equal(log.lines().length, 0);
});
