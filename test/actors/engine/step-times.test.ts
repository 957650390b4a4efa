// Figures of filters, mutators and handlers by name; users name them, so the number of names is bounded.
import assert from 'node:assert/strict';
import test from 'node:test';
import { maxMeasuredSteps } from '../../../src/actors/pipelines/limits.ts';
import { StepTimes } from '../../../src/actors/pipelines/step-times.ts';
import type { Trace, WorkflowTrace } from '../../../src/pipeline/trace.ts';

const workflow = (handler: string, outcome: 'handled' | 'skipped' = 'handled'): WorkflowTrace => ({
  pipeline: '',
  name: handler,
  outcome,
  why: '',
  filters: [{ name: 'is_incident', verdict: 'allowed', why: '', stopped: false, durationMs: 2 }],
  mutator: { name: 'json', bytes: 10, durationMs: 1 },
  handler: { name: handler, type: 'pipe', outcome, why: '', durationMs: 30 },
});

const trace = (...workflows: WorkflowTrace[]): Trace => ({
  event: { id: 'a', namespace: 'default', entity: 'e', check: 'c', timestamp: 1 },
  startedAtMs: 0,
  durationMs: 1,
  summary: '',
  retry: false,
  workflows,
  skipped: [],
});

const countOf = (times: StepTimes, name: string) =>
  times
    .read()
    .filter((step) => step.name === name)
    .map(({ step, type, namespace, seconds, outcomes }) => [
      ...[step, type, namespace, seconds.counts.reduce((sum, count) => sum + count, 0)],
      ...[Math.round(seconds.sum * 1_000), Object.fromEntries(outcomes)],
    ]);

test('steps are counted by name, and a repeated delivery only for what ran again', () => {
  const times = new StepTimes();
  const done = workflow('mail');
  const first = trace(done, workflow('pager', 'skipped'));
  times.note(first, undefined);
  times.note(trace(done, workflow('pager')), first);
  assert.deepEqual(countOf(times, 'mail'), [['handler', 'pipe', 'default', 1, 30, { handled: 1 }]]);
  assert.deepEqual(countOf(times, 'pager'), [
    ['handler', 'pipe', 'default', 1, 30, { skipped: 1, handled: 1 }],
  ]);
  assert.deepEqual(countOf(times, 'is_incident'), [['filter', '', 'default', 3, 6, {}]]);
  assert.deepEqual(countOf(times, 'json'), [['mutator', '', 'default', 3, 3, {}]]);
});

test('names beyond the limit are counted together', () => {
  const times = new StepTimes();
  // Two of the names are the filter and the mutator.
  for (let index = 0; index < maxMeasuredSteps; index += 1)
    times.note(trace(workflow(`h${index}`)), undefined);
  assert.equal(times.read().length, maxMeasuredSteps + 1);
  assert.deepEqual(countOf(times, 'other'), [['handler', 'pipe', 'other', 2, 60, { handled: 2 }]]);
  times.note(trace(workflow('one-more')), undefined);
  assert.equal(times.read().length, maxMeasuredSteps + 1);
});
