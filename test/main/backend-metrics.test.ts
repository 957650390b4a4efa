// The figures of the actor world as Prometheus reads them, and the page that lists them.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { createMetricBook } from '../../src/http/metric-book.ts';
import { showBackendMetrics, unshownGauges } from '../../src/main/backend-metrics.ts';
import { describeMetrics } from '../../src/main/describe-metrics.ts';
import { World } from '../actors/engine/world.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));

test('every gauge of the backend is exported with its current value', async (t) => {
  const world = await World.open();
  t.after(() => world.stop());
  let nowMs = 0;
  const book = createMetricBook(() => nowMs);
  t.after(() => book.close());
  showBackendMetrics(book, world.backend);
  await world.post({ status: 1 });
  const text = await book.text();
  assert.match(text, /^mon_backend_delivered_total 1$/m);
  assert.match(text, /^mon_backend_checks_stopped 0$/m);
  assert.match(text, /^mon_backend_queue_length\{queue="commits"\} 0$/m);
  assert.match(text, /^mon_backend_queue_length_peak\{queue="commits"\} \d+$/m);
  assert.match(text, /^mon_backend_queue_limit\{queue="commits"\} 8192$/m);
  assert.match(text, /^mon_backend_commit_duration_seconds_count [1-9]\d*$/m);
  assert.match(text, /^mon_backend_turn_duration_seconds_bucket\{le="\+Inf"\} [1-9]/m);
  assert.match(text, /^mon_backend_mailbox_wait_seconds_count [1-9]/m);
  assert.match(text, /^mon_backend_mailbox_depth_bucket\{le="1"\} [1-9]/m);
  await world.post({ status: 1 });
  assert.match(await book.text(), /^mon_backend_delivered_total 1$/m, 'the same within a second');
  nowMs += 1_000;
  assert.match(await book.text(), /^mon_backend_delivered_total 2$/m);
  assert.deepEqual(unshownGauges(Object.keys(world.backend.gauges())), []);
});

test('names and units follow the conventions of Prometheus', () => {
  for (const { name, type, help } of describeMetrics().metrics) {
    assert.ok(help.length > 0, name);
    assert.doesNotMatch(name, /_(ms|milliseconds|micros|us|kb|mb|p99|p50)(_|$)(?!seconds)/i, name);
    if (!/^(mon|process)_/.test(name)) continue;
    assert.equal(name.endsWith('_total'), type === 'counter', `${name} is a ${type}`);
    if (type === 'histogram' && !name.endsWith('_depth')) assert.match(name, /_seconds$/);
  }
});

test('docs/metrics.md says what the code says', () => {
  execFileSync(process.execPath, [`${root}scripts/metrics-doc.js`, '--check'], { stdio: 'pipe' });
});
