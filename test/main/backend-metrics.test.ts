// The figures of the actor world as Prometheus reads them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createBackendMetrics } from '../../src/main/backend-metrics.ts';
import { World } from '../actors/engine/world.ts';

test('every gauge of the backend is exported with its current value', async () => {
  const world = await World.open();
  const registry = createBackendMetrics(world.backend);
  await world.post({ status: 1 });
  const text = await registry.metrics();
  assert.match(text, /^mon_backend_delivered 1$/m);
  assert.match(text, /^mon_backend_checks_stopped 0$/m);
  await world.post({ status: 1 });
  assert.match(await registry.metrics(), /^mon_backend_delivered 2$/m);
  assert.match(text, /^mon_backend_restarts 0$/m);
  assert.match(text, /^mon_backend_turn_p99_ms \d/m);
  assert.match(text, /^mon_backend_mailbox_depth_p99 \d/m);
  const shown =
    text.match(/^mon_backend_\w+ /gm)?.map((line) => line.trim().slice('mon_backend_'.length)) ?? [];
  const known = Object.keys(world.backend.gauges()).map((name) =>
    name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
  );
  // The edge counts its sessions itself.
  assert.deepEqual(
    known.filter((name) => !shown.includes(name)),
    ['sessions'],
  );
  await world.stop();
});
