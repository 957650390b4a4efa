// Pages of data.mdb that were overwritten: LMDB trusts its pages, so a bad one would end the process by a signal. They are
// found before LMDB sees them, and the error says what to do.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { closeSync, cpSync, openSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { openLmdbStore } from '../../src/store/lmdb-store.ts';
import { tempFolder } from '../agent/helpers.ts';
import { seed, seeded } from '../property.ts';
import { put } from './records.ts';

const pageBytes = 4_096;
const tries = 12;
const reader = fileURLToPath(new URL('./damaged-reader.js', import.meta.url));

const filled = async (): Promise<string> => {
  const dir = join(tempFolder(), 'store');
  const store = await openLmdbStore({ dir });
  for (const [rev, bytes] of [
    [1, 300],
    [2, 700],
  ] as const)
    for (let block = 0; block < 10; block += 1)
      await store.commit(
        Array.from({ length: 100 }, (_, at) => {
          const n = block * 100 + at;
          return put(`k${n}`, rev, { text: 'x'.repeat(n % 17 === 0 ? 9_000 : bytes) });
        }),
      );
  await store.close();
  return dir;
};

const kinds: readonly ((file: Buffer, page: number, next: () => number) => Buffer)[] = [
  () => Buffer.alloc(pageBytes),
  (_file, _page, next) => Buffer.from(Array.from({ length: pageBytes }, () => Math.floor(next() * 256))),
  (file, _page, next) => {
    const other = 2 + Math.floor(next() * (file.length / pageBytes - 2));
    return Buffer.from(file.subarray(other * pageBytes, (other + 1) * pageBytes));
  },
];

test('overwritten pages are found at the start, which says what to do; none ends the process by a signal', async (t) => {
  t.diagnostic(`seed ${seed}`);
  const next = seeded(seed);
  const whole = await filled();
  const outcomes = { used: 0, refused: 0 };
  for (let at = 0; at < tries; at += 1) {
    const dir = join(tempFolder(), 'store');
    cpSync(whole, dir, { recursive: true });
    const bytes = readFileSync(join(dir, 'data.mdb'));
    const file = openSync(join(dir, 'data.mdb'), 'r+');
    for (let count = 0; count < 1 + (at % 3); count += 1) {
      const page = 2 + Math.floor(next() * (bytes.length / pageBytes - 2));
      const text = (kinds[at % kinds.length] as (typeof kinds)[number])(bytes, page, next);
      writeSync(file, text, 0, pageBytes, page * pageBytes);
    }
    closeSync(file);
    const { signal, stdout } = spawnSync(process.execPath, [reader, dir], { encoding: 'utf8' });
    assert.equal(signal, null, `seed ${seed}, try ${at}: ended by ${signal}`);
    if (stdout.startsWith('used')) outcomes.used += 1;
    else {
      outcomes.refused += 1;
      assert.match(
        stdout,
        /^refused: .*data\.mdb is damaged: page \d+ \(at byte \d+\) (is not what belongs there|does not exist)\. Nothing was changed\. Stop the backend, move .* away .*`mon-backend restore`/,
      );
    }
  }
  assert.ok(outcomes.refused >= tries / 4, JSON.stringify(outcomes));
});
