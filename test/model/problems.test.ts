// What can't work of a definition by its own text: a time that never comes, an expression that sets what it meant to compare.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkConfigSchema } from '../../src/model/check/check.ts';
import { eventFilterSchema } from '../../src/model/pipeline/event-filter.ts';
import { problemsOf } from '../../src/model/resource/problems.ts';

const reasons = (segment: string, resource: unknown): readonly string[] =>
  problemsOf(segment, 'default', resource, () => true).map(({ why }) => why);

test('a cron string of a date that never comes is a problem', () => {
  const check = (cron: string) =>
    checkConfigSchema.parse({
      metadata: { name: 'cpu', namespace: 'default' },
      command: 'true',
      subscriptions: ['linux'],
      cron,
    });
  for (const cron of ['0 0 30 2 *', 'TZ=Europe/Berlin 0 0 31 4,6 *'])
    assert.deepEqual(reasons('checks', check(cron)), ['neverRuns'], cron);
  for (const cron of ['0 0 29 2 *', '* * * * *', '@every 10s', '@daily'])
    assert.deepEqual(reasons('checks', check(cron)), [], cron);
});

test('an expression that sets what it meant to compare is a problem', () => {
  const filter = (expression: string) =>
    eventFilterSchema.parse({
      metadata: { name: 'odd', namespace: 'default' },
      action: 'allow',
      expressions: [expression],
    });
  for (const expression of [
    'event.check.status = 0',
    "event.entity.labels['site'] = 'a'",
    'event.check.occurrences > 1 && event.check.status=2',
  ])
    assert.deepEqual(reasons('filters', filter(expression)), ['assigns'], expression);
  for (const expression of [
    'event.check.status == 0',
    'event.check.status === 0',
    'event.check.status != 0',
    'event.check.status >= 1',
    'event.check.status <= 1',
    "event.check.output.includes('event.check.status = 0')",
    'event.check.history.some(entry => entry.status > 0)',
    'event.check.hooks => true',
  ])
    assert.deepEqual(reasons('filters', filter(expression)), [], expression);
});
