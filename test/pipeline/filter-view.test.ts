import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import type { Event } from '../../src/model/event/event.ts';
import { filterLimits } from '../../src/pipeline/limits.ts';
import { Sandbox } from '../../src/pipeline/sandbox/sandbox.ts';
import { serialiseEvent } from '../../src/pipeline/serialise.ts';
import { checkEvent, metricsEvent, nowMs, withHistory } from './fixtures.ts';

const sandbox = new Sandbox(filterLimits);
after(() => sandbox.close());

/** Each expression, asked of the event in the form filters get it. */
const hold = async (event: Event, expressions: readonly string[]): Promise<void> => {
  const programs = expressions.map((text) => ({
    name: text,
    action: 'allow' as const,
    expressions: [text],
    scripts: [],
  }));
  const runs = await sandbox.evaluate(serialiseEvent(event), nowMs, programs);
  for (const [index, run] of runs.entries())
    assert.deepEqual(run.outcomes, [{ type: 'value', truthy: true }], expressions[index]);
};

describe('what a filter sees', () => {
  it('is the event with metadata both nested and one level higher', () =>
    hold(checkEvent({ metadata: { name: 'cpu', namespace: 'default', labels: { team: 'a' } } }), [
      'event.check.name === "cpu" && event.check.metadata.name === "cpu"',
      'event.check.labels.team === "a" && event.check.metadata.labels.team === "a"',
      'event.entity.name === "web-01" && event.entity.labels.region === "eu" && event.entity.namespace === "default"',
      'Object.keys(event.labels).length === 0 && Object.keys(event.annotations).length === 0',
      'event.timestamp === 1700000000 && event.id.length === 36',
    ]));

  it('has no undefined field that may be absent', async () => {
    const lists =
      'handlers subscriptions runtime_assets check_hooks env_vars hooks silenced output_metric_handlers';
    const more = 'output_metric_tags output_metric_thresholds secrets pipelines subdues';
    const words = 'command cron processed_by state proxy_entity_name';
    const numbers = 'duration ttl ttl_status max_output_size issued interval timeout';
    const bare = checkEvent({ history: undefined, occurrences: undefined });
    await hold(bare, [
      ...`${lists} ${more} history`
        .split(' ')
        .map((name) => `Array.isArray(event.check.${name}) && event.check.${name}.length === 0`),
      ...words.split(' ').map((name) => `event.check.${name} === ""`),
      ...numbers.split(' ').map((name) => `event.check.${name} === 0`),
      'event.check.discard_output === false && event.check.publish === false',
      'Object.keys(event.check.annotations).length === 0 && Object.keys(event.entity.annotations).length === 0',
      'event.entity.redact.length === 0 && event.entity.user === "" && event.entity.deregistration.handler === ""',
      'event.pipelines.length === 0 && typeof event.metrics === "undefined"',
    ]);
  });

  it('says what kind of event it is', async () => {
    const flags = ['has_check', 'has_metrics', 'is_incident', 'is_resolution', 'is_silenced'];
    const only = (...set: readonly string[]) =>
      flags.map((name) => `event.${name} === ${set.includes(name) ? 'true' : 'false'}`);
    await hold(withHistory(2, [0, 2]), only('has_check', 'is_incident'));
    await hold(withHistory(0, [2, 0]), only('has_check', 'is_resolution'));
    await hold(withHistory(0, [0, 0]), only('has_check'));
    await hold(withHistory(0, [0]), only('has_check'));
    await hold(checkEvent({ status: 0, history: [], silenced: ['x'] }), only('has_check', 'is_silenced'));
    await hold(metricsEvent(), only('has_metrics'));
    await hold(metricsEvent(), [
      'typeof event.check === "undefined" && event.metrics.points[0].value === 1.5',
    ]);
  });

  it('says with which event flapping began, and with which it ended', async () => {
    const kind = (state: string, before: boolean, now: boolean): Event =>
      checkEvent({
        state,
        history: [
          { status: 0, executed: 1, ...(before ? { flapping: true } : {}) },
          { status: 2, executed: 2, ...(now ? { flapping: true } : {}) },
        ],
      });
    const begins = ['event.is_flapping_start === true', 'event.is_flapping_end === false'];
    const neither = ['event.is_flapping_start === false', 'event.is_flapping_end === false'];
    await hold(kind('flapping', false, true), begins);
    await hold(kind('flapping', true, true), neither);
    await hold(kind('failing', true, false), [
      'event.is_flapping_start === false',
      'event.is_flapping_end === true',
    ]);
    await hold(kind('failing', false, false), neither);
    await hold(metricsEvent(), neither);
  });

  it('is redacted', () =>
    hold(checkEvent(), [
      'event.entity.labels.api_key === "REDACTED"',
      'event.entity.metadata.labels.api_key === "REDACTED"',
    ]));
});
