// What is logged about a delivery that could not reach a handler: a warning when somebody should have been told, and only then.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { logTrace } from '../../../src/actors/pipelines/trace-log.ts';
import type { Event } from '../../../src/model/event/event.ts';
import type { Trace } from '../../../src/pipeline/trace.ts';

const levelsFor = (check: { name: string; status: number; before: number } | undefined): string[] => {
  const said: string[] = [];
  const note = (level: string) => (_fields: unknown, text?: string) => said.push(`${level}: ${text}`);
  const log = { warn: note('warn'), error: note('error'), info: note('info') };
  const event = {
    entity: { metadata: { namespace: 'default', name: 'web' } },
    id: null,
    ...(check === undefined
      ? { metrics: { handlers: ['influx'], points: [] } }
      : {
          check: {
            metadata: { name: check.name },
            status: check.status,
            history: [{ status: check.before }, { status: check.status }],
          },
        }),
  };
  const trace = { workflows: [], skipped: [{ skipped: 'handler x', why: 'does not exist' }], summary: 's' };
  logTrace(log as never, event as unknown as Event, trace as unknown as Trace);
  return said;
};

test('a sign of life whose handler was never made is no warning', () => {
  assert.deepEqual(levelsFor({ name: 'keepalive', status: 0, before: 0 }), ['info: event handled: s']);
  assert.deepEqual(levelsFor({ name: 'registration', status: 1, before: 1 }), ['info: event handled: s']);
});

test('an incident, its resolution and metrics that reached nobody are warnings', () => {
  for (const check of [
    { name: 'keepalive', status: 1, before: 0 },
    { name: 'cpu', status: 2, before: 2 },
    { name: 'cpu', status: 0, before: 2 },
    undefined,
  ])
    assert.deepEqual(levelsFor(check), ['warn: nobody was notified: s']);
});
