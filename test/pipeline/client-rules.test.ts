// Tests which handlers receive events of earlier clients, and in which format.
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { mergeResult } from '../../src/machines/check/merge-rule.ts';
import { clientEntity } from '../../src/machines/client/client-entity-rule.ts';
import { resultEvent } from '../../src/machines/client/client-event-rule.ts';
import type { CheckEvent } from '../../src/model/event/event.ts';
import { handlerSchema, validateHandler } from '../../src/model/pipeline/handler.ts';
import { filterLimits, mutatorLimits } from '../../src/pipeline/limits.ts';
import { runPipelines } from '../../src/pipeline/run.ts';
import { Sandbox } from '../../src/pipeline/sandbox/sandbox.ts';
import { deniedTrace } from '../../src/pipeline/undelivered.ts';
import { depsOf, handler, pipeline, reference } from './fixtures.ts';

const filters = new Sandbox(filterLimits);
const mutators = new Sandbox(mutatorLimits);
after(() => Promise.all([filters.close(), mutators.close()]));

const client = clientEntity({ name: 'c1', address: 'a', subscriptions: ['web'], rack: 7 }, 'default');

/** The last of these results, as the pipelines get it. */
const event = (
  statuses: readonly number[],
  {
    result = {},
    silenced = [],
    entity = client,
  }: {
    readonly result?: object;
    readonly silenced?: readonly string[];
    readonly entity?: CheckEvent['entity'];
  } = {},
): CheckEvent => {
  let last: CheckEvent | null = null;
  for (const [at, status] of statuses.entries()) {
    const sent = { name: 'cpu', output: 'o', status, handlers: ['mail'], ...result };
    const arrival = { nowMs: at * 1000, id: `id-${at}` };
    const merged = mergeResult(last, resultEvent(sent, entity, 'c1', arrival), {
      nowMs: at * 1000,
      silenced,
    });
    last = merged.whole;
  }
  assert.ok(last !== null);
  return last;
};

const mail = (fields: object = {}) => handler('mail', { type: 'pipe', command: 'cat', ...fields });

const outcome = async (told: CheckEvent, fields: object = {}) => {
  const definitions = { handlers: [mail(fields)] };
  const deps = depsOf(definitions, { filters, mutators });
  const trace = await runPipelines(told, deps);
  const [workflow] = trace.workflows;
  // What a filter of the backend denies is found out without the sandbox, with the same words.
  const denied = deniedTrace(told, deps.lookup, 0);
  assert.equal(denied !== undefined, workflow?.outcome === 'denied');
  return [workflow?.outcome, workflow?.why] as const;
};

describe('events of clients of the earlier generation', () => {
  it('name the handlers that do not exist, also when they are denied without the sandbox', async () => {
    const told = event([0], { result: { handlers: ['mail', 'gone'] } });
    const deps = depsOf({ handlers: [mail()] }, { filters, mutators });
    const { skipped } = await runPipelines(told, deps);
    assert.equal(skipped.length, 1);
    assert.deepEqual(deniedTrace(told, deps.lookup, 0)?.skipped, skipped);
  });

  it('are delivered for incidents, resolutions and metrics', async () => {
    for (const [statuses, result, expected] of [
      [[1], {}, 'handled'],
      [[1, 2, 0], {}, 'handled'],
      [[0], {}, 'denied'],
      [[1, 0, 0], {}, 'denied'],
      [[0], { type: 'metric' }, 'handled'],
    ] as const)
      assert.equal((await outcome(event(statuses, { result })))[0], expected, statuses.join());
  });

  it('are not told while they are silenced, unless the handler wants that', async () => {
    const silenced = ['client:c1:*'];
    const [verdict, why] = await outcome(event([2], { silenced }));
    assert.equal(verdict, 'denied');
    assert.match(String(why), /silenced by client:c1:\*; the handler does not set handle_silenced: true/);
    assert.equal((await outcome(event([2], { silenced }), { handle_silenced: true }))[0], 'handled');
    assert.equal((await outcome(event([2, 0], { silenced })))[0], 'denied');
    assert.equal((await outcome(event([0], { silenced, result: { type: 'metric' } })))[0], 'handled');
  });

  it('are not told while they flap, unless the handler wants that', async () => {
    const restless = event(
      Array.from({ length: 22 }, (_, at) => at % 2),
      {
        result: { low_flap_threshold: 20, high_flap_threshold: 40 },
      },
    );
    assert.equal((await outcome(restless))[0], 'denied');
    assert.equal((await outcome(restless, { handle_flapping: true }))[0], 'handled');
  });

  it('are delivered to handlers of their severity; so are their resolutions', async () => {
    const severities = ['critical'];
    assert.equal((await outcome(event([1]), { severities }))[0], 'denied');
    assert.equal((await outcome(event([2]), { severities }))[0], 'handled');
    assert.equal((await outcome(event([2, 1, 0]), { severities }))[0], 'handled');
    assert.equal((await outcome(event([1, 0]), { severities }))[0], 'denied');
  });

  it('keep to the filters of a pipeline that names the handler, silences and flapping aside', async () => {
    const definitions = {
      handlers: [mail({ severities: ['critical'] })],
      pipelines: [pipeline('all', [{ name: 'w', handler: reference('Handler', 'mail') }])],
    };
    const run = async (told: CheckEvent) => {
      const planned = {
        ...told,
        check: { ...told.check, handlers: [] },
        pipelines: [{ name: 'all', type: 'Pipeline', api_version: 'core/v2' }],
      };
      const trace = await runPipelines(planned, depsOf(definitions, { filters, mutators }));
      return trace.workflows[0]?.outcome;
    };
    assert.equal(await run(event([0])), 'handled');
    assert.equal(await run(event([1], { silenced: ['web:*'] })), 'denied');
  });

  it('are events like any other once an agent has the name', async () => {
    const entity = { ...client, entity_class: 'agent' };
    assert.equal((await outcome(event([0], { entity, silenced: ['x'] })))[0], 'handled');
  });
});

describe('the mutator earlier_event', () => {
  const shape = async (told: CheckEvent) => {
    const deps = depsOf({ handlers: [mail({ mutator: 'earlier_event' })] }, { filters, mutators });
    const trace = await runPipelines(told, deps);
    return JSON.parse(trace.workflows[0]?.handler?.output ?? '{}');
  };

  it('hands over client, check, action, and one id for the whole incident', async () => {
    const first = await shape(event([0, 1], { result: { refresh: 60 } }));
    assert.deepEqual(first.client, {
      name: 'c1',
      address: 'a',
      subscriptions: ['web'],
      rack: 7,
      version: '',
      timestamp: 0,
    });
    assert.equal(first.action, 'create');
    assert.deepEqual([first.check.name, first.check.refresh, first.check.history], ['cpu', 60, ['0', '1']]);
    assert.equal(first.entity, undefined);
    const end = await shape(event([0, 1, 2, 0]));
    assert.deepEqual([end.action, end.id], ['resolve', first.id]);
  });
});

describe('a handler', () => {
  it('may name only severities that exist', () => {
    const parsed = handlerSchema.safeParse({ type: 'pipe', severities: ['bad'] });
    assert.equal(parsed.success, false);
    const { success, data } = handlerSchema.safeParse(mail({ severities: ['ok'], handle_flapping: true }));
    assert.ok(success && validateHandler(data) === null);
  });
});
