// The table of bounds is held against the code: the document says the same, the metrics and the flags are there, and each
// bound has its test.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { backendFlags } from '../../src/main/backend-flags.ts';
import { bounds } from '../../src/main/bounds.ts';
import { describeMetrics } from '../../src/main/describe-metrics.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));

test('docs/limits.md says what the code says', () => {
  execFileSync(process.execPath, [`${root}scripts/limits-doc.js`, '--check'], { stdio: 'pipe' });
});

test('every collection has a limit; what does not forget by itself has a metric that exists', () => {
  const { metrics, queues } = describeMetrics();
  const names = new Set([
    ...metrics.map(({ name }) => name),
    ...queues.map((queue) => `mon_backend_queue_length{queue="${queue}"}`),
  ]);
  for (const { collection, entries, bytes, gauge, whenFull, flag } of bounds) {
    assert.ok(entries !== undefined || bytes !== undefined, `${collection} has no limit`);
    assert.ok(
      gauge !== undefined || /evicted|released|read again|ends$|as it is$/.test(whenFull),
      `${collection} has no metric`,
    );
    if (gauge !== undefined) assert.ok(names.has(gauge), `${gauge} of ${collection} is not shown`);
    if (flag !== undefined) assert.ok(Object.hasOwn(backendFlags, flag), `there is no flag ${flag}`);
  }
});

test('every bound has its test', () => {
  for (const {
    collection,
    test: [file, name],
  } of bounds)
    assert.ok(
      readFileSync(`${root}test/${file}`, 'utf8').includes(name),
      `${collection}: ${file} has no "${name}"`,
    );
});
