import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { expandHandlers } from '../../src/pipeline/handler-sets.ts';
import { maxSkippedSteps, maxWorkflowsPerEvent } from '../../src/pipeline/limits.ts';
import { implicitPipelineName, planWorkflows } from '../../src/pipeline/plan.ts';
import { fc } from '../property.ts';
import { checkEvent, handler, lookupOf, metricsEvent, pipeline, reference } from './fixtures.ts';

const pipe = (name: string, fields = {}) => handler(name, { type: 'pipe', command: 'true', ...fields });
const set = (name: string, handlers: readonly string[]) => handler(name, { type: 'set', handlers });
const namesOf = (plan: ReturnType<typeof planWorkflows>) =>
  plan.workflows.map(({ pipeline, name }) => `${pipeline}/${name}`);

describe('the plan of an event', () => {
  it('is empty when the event names neither pipelines nor handlers', () => {
    const plan = planWorkflows(checkEvent(), lookupOf({}));
    assert.deepEqual([plan.workflows, plan.skipped], [[], []]);
  });

  it('takes explicit pipelines first, then the handlers of check and metrics by name, each once', () => {
    const lookup = lookupOf({
      handlers: [pipe('slack'), pipe('email'), pipe('influx')],
      pipelines: [pipeline('incident', [{ name: 'page', handler: reference('Handler', 'slack') }])],
    });
    const event = checkEvent(
      { handlers: ['slack', 'email', 'slack'] },
      { pipelines: [reference('Pipeline', 'incident')], metrics: { handlers: ['influx', 'email'] } },
    );
    assert.deepEqual(namesOf(planWorkflows(event, lookup)), [
      'incident/page',
      `${implicitPipelineName}/email`,
      `${implicitPipelineName}/influx`,
      `${implicitPipelineName}/slack`,
    ]);
  });

  it('limits the number of workflows, and reports how many were skipped', () => {
    const flows = Array.from({ length: 300 }, (_, index) => ({
      name: `w${index}`,
      handler: reference('Handler', 'slack'),
    }));
    const lookup = lookupOf({ handlers: [pipe('slack')], pipelines: [pipeline('wide', flows)] });
    const planOf = (times: number, handlers: readonly string[]) =>
      planWorkflows(
        checkEvent(
          { handlers },
          { pipelines: Array.from({ length: times }, () => reference('Pipeline', 'wide')) },
        ),
        lookup,
      );
    assert.equal(planOf(3, ['slack']).workflows.length, 901);
    assert.deepEqual(planOf(3, ['slack']).skipped, []);
    const over = planOf(1_000, ['slack']);
    assert.equal(over.workflows.length, maxWorkflowsPerEvent);
    assert.deepEqual(over.skipped, [
      {
        skipped: `${1_000 * 300 + 1 - maxWorkflowsPerEvent} more`,
        why: 'an event runs at most 1000 workflows and handlers',
      },
    ]);
  });

  it('lists a limited number of unresolved names, and counts the rest', () => {
    const named = (count: number) => Array.from({ length: count }, (_, index) => `h${index}`);
    const skippedOf = (count: number) =>
      planWorkflows(checkEvent({ handlers: named(count) }), lookupOf({})).skipped;
    assert.equal(skippedOf(maxSkippedSteps).length, maxSkippedSteps);
    assert.deepEqual(skippedOf(maxSkippedSteps + 1).at(-1), {
      skipped: '1 more',
      why: 'only the first 100 are listed',
    });
    assert.equal(skippedOf(1_000).length, maxSkippedSteps + 1);
  });

  it("ignores the check's own pipelines: only the event's list counts", () => {
    const event = checkEvent({ pipelines: [reference('Pipeline', 'incident')] });
    const lookup = lookupOf({
      handlers: [pipe('slack')],
      pipelines: [pipeline('incident', [{ name: 'page', handler: reference('Handler', 'slack') }])],
    });
    assert.deepEqual(namesOf(planWorkflows(event, lookup)), []);
  });

  it("takes filters and mutator from a workflow's references, not from the handler", () => {
    const lookup = lookupOf({
      handlers: [pipe('slack', { filters: ['own'], mutator: 'own' })],
      pipelines: [
        pipeline('incident', [
          {
            name: 'page',
            filters: [reference('EventFilter', 'is_incident')],
            mutator: reference('Mutator', 'short'),
            handler: reference('Handler', 'slack'),
          },
        ]),
      ],
    });
    const event = checkEvent({ handlers: ['slack'] }, { pipelines: [reference('Pipeline', 'incident')] });
    const [explicit, implicit] = planWorkflows(event, lookup).workflows;
    assert.deepEqual([explicit?.filters, explicit?.mutator], [['is_incident'], 'short']);
    assert.deepEqual([implicit?.filters, implicit?.mutator], [['own'], 'own']);
  });

  it('says for each name that leads nowhere why it does', () => {
    const lookup = lookupOf({
      handlers: [
        set('team', ['gone']),
        handler('old', { type: 'grpc' }),
        handler('blank', {}),
        pipe('slack'),
      ],
      pipelines: [
        pipeline('empty', []),
        pipeline('mixed', [
          { name: 'no-handler' },
          { name: 'missing', handler: reference('Handler', 'gone') },
          { name: 'set', handler: reference('Handler', 'team') },
          { name: 'wrong', filters: [reference('Handler', 'x')], handler: reference('Handler', 'slack') },
        ]),
      ],
    });
    const event = checkEvent(
      { handlers: ['gone', 'team', 'old', 'blank'] },
      {
        pipelines: [
          reference('Pipeline', 'nowhere'),
          reference('Pipeline', 'empty'),
          reference('Pipeline', 'mixed'),
          { api_version: 'x/v1', type: 'Odd', name: 'odd' },
        ],
      },
    );
    const plan = planWorkflows(event, lookup);
    assert.deepEqual(plan.workflows, []);
    assert.deepEqual(
      plan.skipped.map(({ skipped, why }) => `${skipped}: ${why}`),
      [
        'pipeline nowhere: pipeline does not exist',
        'pipeline empty: pipeline has no workflows',
        'workflow mixed/no-handler: workflow handler must be set',
        'workflow mixed/missing: handler gone does not exist',
        'workflow mixed/set: unknown handler type: set',
        'workflow mixed/wrong: resource type not capable of filtering events: core/v2.Handler',
        'pipeline odd: no pipeline adapters were found that support the resource: x/v1.Odd = odd',
        'handler gone: does not exist',
        'handler gone: does not exist (named by handler set team)',
        'handler blank: empty handler type',
        'handler old: unknown handler type: grpc',
      ],
    );
  });

  it('plans the handlers of an event that has only metrics', () => {
    const plan = planWorkflows(metricsEvent(), lookupOf({ handlers: [pipe('influx')] }));
    assert.deepEqual(namesOf(plan), [`${implicitPipelineName}/influx`]);
  });

  it("looks in the namespace of the event's entity", () => {
    const event = checkEvent(
      { handlers: ['slack'] },
      {},
      { metadata: { name: 'web-01', namespace: 'other' } },
    );
    const plan = planWorkflows(event, lookupOf({ handlers: [pipe('slack')] }));
    assert.deepEqual(plan.skipped, [{ skipped: 'handler slack', why: 'does not exist' }]);
  });
});

describe('handler sets', () => {
  const expand = (all: ReturnType<typeof handler>[], names: string[]) => {
    const find = new Map(all.map((item) => [item.metadata.name, item]));
    const { handlers, skipped } = expandHandlers(names, (name) => find.get(name));
    return { names: [...handlers.keys()], skipped };
  };

  it('unfold down to the third level, and not to the fourth', () => {
    const leaf = pipe('leaf');
    assert.deepEqual(expand([set('a', ['b']), set('b', ['leaf']), leaf], ['a']).names, ['leaf']);
    const deep = expand(
      [set('a', ['b', 'leaf2']), set('b', ['c']), set('c', ['leaf']), leaf, pipe('leaf2')],
      ['a'],
    );
    assert.deepEqual(deep.names, ['leaf2']);
    assert.deepEqual(deep.skipped, [
      { skipped: 'handler set c', why: 'handler sets cannot be deeply nested' },
    ]);
  });

  it('end when they hold themselves', () => {
    const circle = expand([set('a', ['a', 'leaf']), pipe('leaf')], ['a']);
    assert.deepEqual(circle.names, ['leaf']);
    assert.equal(circle.skipped.length, 1);
  });

  it('cost what they hold, not what they multiply to', () => {
    const wide = Array.from({ length: 300 }, (_, index) => `s${index}`);
    let looks = 0;
    expandHandlers(wide, (name) => {
      looks += 1;
      return set(name, wide);
    });
    assert.ok(looks <= 3 * wide.length, `${looks} looks`);
  });

  it('never yield a name twice, whatever they hold', () => {
    const name = fc.constantFrom('a', 'b', 'c', 'd', 'e');
    fc.assert(
      fc.property(
        fc.dictionary(name, fc.array(name), { noNullPrototype: true }),
        fc.array(name),
        (sets, names) => {
          const all = Object.entries(sets).map(([key, members]) =>
            members.length > 0 ? set(key, members) : pipe(key),
          );
          const result = expand(all, names).names;
          assert.deepEqual(result, [...new Set(result)].sort());
          for (const found of result) assert.equal(sets[found]?.length, 0);
        },
      ),
    );
  });
});
