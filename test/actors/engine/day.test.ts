// The promise of a monitoring platform, over a simulated day: no check skipped, none doubled, every death reported once.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { DayReport } from './day.ts';

const program = fileURLToPath(new URL('./day.js', import.meta.url));

test('24 hours of 1,000 agents with 10 checks each: nothing skipped, nothing doubled, every death reported once', async (t) => {
  const { stdout } = await promisify(execFile)(process.execPath, [
    '--max-semi-space-size=128',
    '--single-threaded-gc',
    program,
    '24',
    '1',
  ]);
  const { skipped, doubled, misreported, refused, ...figures }: DayReport = JSON.parse(stdout);
  t.diagnostic(JSON.stringify(figures));
  assert.deepEqual(
    { skipped, doubled, misreported, refused },
    { skipped: [], doubled: [], misreported: [], refused: [] },
  );
  assert.ok(figures.runs > 230_000, `${figures.runs} runs`);
  assert.ok(figures.deaths > 250, `${figures.deaths} deaths`);
  assert.ok(figures.returns > 200, `${figures.returns} returns`);
});
