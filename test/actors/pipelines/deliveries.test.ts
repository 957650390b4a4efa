// Deliveries that meet an outage: when they are tried again, with what, and for how long.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Deliveries } from '../../../src/actors/pipelines/deliveries.ts';
import type { Event } from '../../../src/model/event/event.ts';
import type { Trace } from '../../../src/pipeline/trace.ts';
import { sampleEvent } from '../../machines/samples.ts';

const event: Event = sampleEvent();

const traceOf = (summary: string, retry: boolean): Trace => ({
  event: { id: null, namespace: 'default', entity: 'web-01', check: 'cpu', timestamp: 0 },
  startedAtMs: 0,
  durationMs: 0,
  workflows: [],
  skipped: [],
  retry,
  summary,
});

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Deliveries whose waits end when the test says so. */
const withOutage = (isOutage: (run: number) => boolean) => {
  const waits: number[] = [];
  const seen: (string | undefined)[] = [];
  const done: (string | undefined)[] = [];
  let fire: (() => void) | undefined;
  const deliveries = new Deliveries({
    after: (delayMs, task) => {
      waits.push(delayMs);
      fire = task;
    },
    workers: 1,
    run: async (_, previous) => {
      seen.push(previous?.summary);
      return traceOf(`run ${seen.length}`, isOutage(seen.length));
    },
    onTrace: () => {},
    onFault: (error) => assert.fail(String(error)),
  });
  deliveries.submit(event, (trace) => done.push(trace?.summary));
  /** False when nothing waits for another try. */
  const next = async (): Promise<boolean> => {
    await settle();
    const task = fire;
    fire = undefined;
    task?.();
    await settle();
    return task !== undefined;
  };
  return { waits, seen, done, next, deliveries };
};

test('a delivery is tried again with the trace of the try before, so that only what met an outage is repeated', async () => {
  const { seen, done, next } = withOutage((run) => run < 3);
  await next();
  await next();
  assert.deepEqual(seen, [undefined, 'run 1', 'run 2']);
  assert.deepEqual(done, ['run 3']);
});

test('an outage that does not end: nine more tries, each after a wait that is no shorter, then it is given up', async () => {
  const { waits, seen, done, next, deliveries } = withOutage(() => true);
  for (let tries = 0; tries < 20; tries += 1) if (!(await next())) break;
  assert.equal(seen.length, 10);
  assert.deepEqual(waits, [1_000, 5_000, 15_000, 30_000, 60_000, 120_000, 300_000, 300_000, 300_000]);
  assert.deepEqual(done, ['run 10']);
  assert.deepEqual([deliveries.stats().retrying, deliveries.stats().waiting], [0, 0]);
});

test('as many deliveries run at once as there are workers, and the next starts when one ends', async () => {
  const endings: (() => void)[] = [];
  const deliveries = new Deliveries({
    after: () => assert.fail('nothing is tried again'),
    workers: 2,
    run: () => new Promise((resolve) => endings.push(() => resolve(traceOf('done', false)))),
    onTrace: () => {},
    onFault: (error) => assert.fail(String(error)),
  });
  for (let count = 0; count < 4; count += 1) deliveries.submit(event, () => {});
  assert.equal(endings.length, 2);
  endings[0]?.();
  await settle();
  assert.equal(endings.length, 3);
  for (let at = 1; at < 4; at += 1) {
    endings[at]?.();
    await settle();
  }
  await deliveries.drained();
});
