// Unpacking archives: those that mean harm write nothing outside; those of the system tar come out as they went in.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { unpackInThread } from '../../src/assets/unpack.ts';
import { unpackArchive } from '../../src/assets/unpack-archive.ts';
import { tempFolder } from '../agent/helpers.ts';
import { archive, entry } from './archives.ts';

const limits = { maxEntries: 100, maxBytes: 100_000 };

const freshRoot = (): string => {
  const root = join(tempFolder(), 'a', 'b', 'root');
  mkdirSync(root, { recursive: true });
  return root;
};

/** Everything two folders above the root that is not below it. */
const outside = (root: string): string[] =>
  readdirSync(join(root, '..', '..'), { recursive: true, encoding: 'utf8' })
    .filter((path) => !path.startsWith(join('b', 'root')))
    .sort();

const folder = (path: string) => entry(path, '', '5');
const symlink = (path: string, target: string) => entry(path, '', '2', target);
const link = (path: string, target: string) => entry(path, '', '1', target);

const harmful: readonly (readonly [string, Buffer[], RegExp])[] = [
  ['climbs out', [entry('../evil', 'x')], /points outside the archive/],
  ['climbs out and back in', [entry('d/../../root/evil', 'x')], /points outside the archive/],
  ['is absolute', [entry('/tmp/mon-evil', 'x')], /points outside the archive/],
  ['links out', [symlink('link', '../..')], /points outside the archive/],
  ['links to an absolute place', [symlink('link', '/etc')], /points outside the archive/],
  ['hard-links out', [link('link', '../../etc/passwd')], /points outside the archive/],
  ['hard-links to what it did not bring', [link('link', 'etc/passwd')], /its target does not come before it/],
  [
    'leaves through a link whose target passes another link',
    [folder('d/'), folder('d/out/'), symlink('d/l', '..'), symlink('m', 'd/l/../out'), entry('m/evil', 'x')],
    /points outside the archive/,
  ],
  ['writes through a link', [folder('d/'), symlink('l', 'd'), entry('l/evil', 'x')], /"l" occurs twice/],
  [
    'hangs a link below a link',
    [folder('d/'), symlink('l', 'd'), symlink('l/m', 'x')],
    /"l" is both a file and a directory/,
  ],
  ['has a file below a file', [entry('f', 'x'), entry('f/g', 'x')], /"f" is both a file and a directory/],
  ['writes a file over a link', [symlink('l', 'd'), entry('l', 'x'), entry('d', 'y')], /"l" occurs twice/],
  ['has a file twice', [entry('f', 'x'), entry('f', 'y')], /"f" occurs twice/],
  ['has too many entries', Array.from({ length: 101 }, (_, at) => entry(`f${at}`)), /more than 100 entries/],
  [
    'is too large',
    [entry('f', 'x'.repeat(60_000)), entry('g', 'x'.repeat(60_000))],
    /larger than 100000 bytes/,
  ],
];
for (const [what, entries, why] of harmful)
  for (const [form, pack] of [
    ['plain', (bytes: Buffer) => bytes],
    ['compressed', gzipSync],
  ] as const)
    test(`an archive that ${what} is refused, ${form}, and nothing is written outside`, async () => {
      const root = freshRoot();
      await assert.rejects(unpackArchive(pack(archive(...entries)), root, limits), why);
      assert.deepEqual(outside(root), ['b']);
    });

test('a path that is deeper than any file system allows is refused before its directories are made', async () => {
  const root = freshRoot();
  const deep = 'x/'.repeat(2_049);
  await assert.rejects(
    unpackArchive(archive(entry('././@LongLink', `${deep}\0`, 'L'), entry('x')), root, limits),
    { message: 'a path in the archive is longer than 4096 characters' },
  );
  assert.deepEqual(readdirSync(root), []);
});

test('as many entries and bytes as allowed are unpacked', async () => {
  const root = freshRoot();
  await unpackArchive(
    archive(...Array.from({ length: 100 }, (_, at) => entry(`f${at}`, 'x'.repeat(1000)))),
    root,
    limits,
  );
  assert.equal(readdirSync(root).length, 100);
});

test('a link inside the archive works, wherever it stands', async () => {
  const root = freshRoot();
  await unpackArchive(
    archive(symlink('lib/l.so', 'l.so.1'), entry('lib/l.so.1', 'x'), symlink('dir', 'lib')),
    root,
    limits,
  );
  assert.equal(readFileSync(join(root, 'dir', 'l.so'), 'utf8'), 'x');
});

test('an invalid or incomplete archive is reported', async () => {
  const whole = archive(entry('f', 'x'.repeat(2000)));
  for (const [bytes, why] of [
    [Buffer.alloc(0), /EOF/],
    [Buffer.from('hello'), /neither a tar nor a tar.gz/],
    [whole.subarray(0, 1030), /is truncated/],
    [gzipSync(whole).subarray(0, 60), /damaged|too early|end of file/],
    [Buffer.from(whole).fill(0x39, 124, 135), /corrupt/],
  ] as const)
    await assert.rejects(unpackArchive(bytes, freshRoot(), limits), why);
});

test('what the system tar packs is unpacked the same, long names and links included', async (t) => {
  const source = tempFolder();
  const long = 'd'.repeat(90);
  mkdirSync(join(source, long, long), { recursive: true });
  writeFileSync(join(source, long, long, 'file'), 'deep');
  writeFileSync(join(source, 'plain'), 'x'.repeat(1025), { mode: 0o755 });
  writeFileSync(join(source, 'large'), 'y'.repeat(200_001));
  spawnSync('ln', ['-s', 'plain', join(source, 'soft')]);
  spawnSync('ln', [join(source, 'plain'), join(source, 'hard')]);
  for (const format of ['gnu', 'pax', '-z']) {
    const flag = format === '-z' ? '-z' : `--format=${format}`;
    const packed = spawnSync('tar', [flag, '-C', source, '-cf', '-', '.'], { maxBuffer: 1e8 });
    if (packed.status !== 0) return t.skip(`no tar on this machine knows ${flag}`);
    const root = freshRoot();
    await unpackInThread(packed.stdout, root);
    assert.equal(readFileSync(join(root, long, long, 'file'), 'utf8'), 'deep');
    assert.equal(readFileSync(join(root, 'large'), 'utf8'), 'y'.repeat(200_001));
    for (const name of ['plain', 'soft', 'hard']) assert.equal(readFileSync(join(root, name)).length, 1025);
    assert.ok(lstatSync(join(root, 'soft')).isSymbolicLink());
    assert.equal(statSync(join(root, 'plain')).mode & 0o777, 0o700);
  }
});

test('the main thread is free while thousands of files are unpacked', async () => {
  const root = freshRoot();
  const many = archive(...Array.from({ length: 20_000 }, (_, at) => entry(`f${at}`)));
  let turns = 0;
  const timer = setInterval(() => {
    turns += 1;
  }, 5);
  await unpackInThread(many, root);
  clearInterval(timer);
  assert.equal(readdirSync(root).length, 20_000);
  assert.ok(turns > 5, `${turns} turns`);
});

test('an archive that takes too long is given up, and its thread with it', async () => {
  const root = freshRoot();
  await assert.rejects(unpackInThread(archive(entry('f', 'x')), root, 1), /not unpacked after 0.001 s/);
  assert.equal(existsSync(join(root, 'f', 'g')), false);
});
