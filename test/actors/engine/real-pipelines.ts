// Real pipelines behind the composed backend, for tests: processes, sockets and the sandbox live in real time, the waits of
// the backend on the simulated clock.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { handlerSchema } from '../../../src/model/pipeline/handler.ts';
import type { Trace } from '../../../src/pipeline/trace.ts';
import { type Json, World, type WorldOptions } from './world.ts';

const patienceMs = 20_000;

/** Waits in real time for what a process does; the simulated clock stands still. */
export const until = async (
  world: World,
  what: string,
  holds: () => boolean | Promise<boolean>,
): Promise<void> => {
  const giveUpAt = Date.now() + patienceMs;
  while (!(await holds())) {
    assert.ok(Date.now() < giveUpAt, `${what} did not happen within ${patienceMs} ms`);
    await world.quiet();
    await sleep(5);
  }
};

/** A backend with real pipelines, and a folder of the test's own. Both are gone after it. */
export const open = async (
  t: TestContext,
  options: Partial<WorldOptions> = {},
): Promise<{ world: World; folder: string }> => {
  const folder = mkdtempSync(join(tmpdir(), 'mon-engine-'));
  const world = await World.open({ realPipelines: true, ...options });
  t.after(async () => {
    await world.stop();
    rmSync(folder, { recursive: true });
  });
  return { world, folder };
};

export const handler = (world: World, name: string, fields: Json): Promise<void> =>
  world.define(
    'handlers',
    name,
    handlerSchema.parse({ metadata: { name, namespace: 'default' }, type: 'pipe', ...fields }),
  );

/** What became of the last delivered event. */
export const traceOf = async (world: World, check = 'cpu', entity = 'web-01'): Promise<Trace | undefined> =>
  (await world.drive(world.backend.readTrace('default', entity, check))) as Trace | undefined;
