// One check of one client, as the earlier generation tells it: the state machine of the reference product as a
// table.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { mergeResult } from '../../src/machines/check/merge-rule.ts';
import { clientEntity } from '../../src/machines/client/client-entity-rule.ts';
import { resultEvent } from '../../src/machines/client/client-event-rule.ts';
import { keepingIncident, resolvedEvent, storedResult } from '../../src/machines/client/client-view-rule.ts';
import { attributesAnnotation } from '../../src/model/earlier/attributes.ts';
import {
  earlierAction,
  earlierEvent,
  earlierResult,
  isEarlierEvent,
} from '../../src/model/earlier/event-shape.ts';
import type { CheckEvent } from '../../src/model/event/event.ts';

const entity = clientEntity({ name: 'c1', subscriptions: ['web'], custom: { a: 1 } }, 'default');

/** The events that come of results with these statuses. */
const events = (statuses: readonly number[], more: object = {}): CheckEvent[] => {
  let previous: CheckEvent | null = null;
  return statuses.map((status, at) => {
    const event = resultEvent({ name: 'cpu', output: 'x', status, executed: at, ...more }, entity, 'c1', {
      nowMs: at * 1000,
      id: `id-${at}`,
    });
    previous = mergeResult(previous, event, { nowMs: at * 1000, silenced: [] }).stored;
    return previous;
  });
};

describe('the earlier generation: one check of one client', () => {
  const table: readonly (readonly [string, readonly number[], string, boolean, number, number])[] = [
    // what, statuses, action, in the registry, occurrences, watermark
    ['a first failure', [1], 'create', true, 1, 1],
    ['the same failure again', [1, 1, 1], 'create', true, 3, 3],
    ['another failure keeps the watermark', [1, 1, 2], 'create', true, 1, 2],
    ['a resolution', [2, 2, 0], 'resolve', false, 1, 2],
    ['plain OK', [0], 'create', false, 1, 1],
    ['OK again', [2, 0, 0], 'create', false, 2, 2],
    ['a failure after OK begins anew', [2, 2, 0, 1], 'create', true, 1, 1],
  ];
  for (const [what, statuses, action, stored, occurrences, watermark] of table) {
    it(`${what}: ${statuses.join(' ')} -> ${action}`, () => {
      const last = events(statuses).at(-1) as CheckEvent;
      assert.equal(earlierAction(last), action);
      assert.equal(isEarlierEvent(last), stored);
      assert.deepEqual([last.check.occurrences, last.check.occurrences_watermark], [occurrences, watermark]);
    });
  }

  it('flaps above the high threshold, whatever the status, until it is at the low one', () => {
    const thresholds = { low_flap_threshold: 20, high_flap_threshold: 40 };
    const restless = events(
      Array.from({ length: 22 }, (_, at) => at % 2),
      thresholds,
    );
    const last = restless.at(-1) as CheckEvent;
    assert.equal(earlierAction(last), 'flapping');
    assert.equal(last.check.total_state_change, 98);
    const failing = events(
      [...Array.from({ length: 22 }, (_, at) => at % 2), ...Array(21).fill(1)],
      thresholds,
    );
    assert.equal(earlierAction(failing.at(-1) as CheckEvent), 'create');
    const calm = events([...Array.from({ length: 22 }, (_, at) => at % 2), ...Array(21).fill(0)], thresholds);
    const actions = calm.map(earlierAction);
    const end = actions.lastIndexOf('flapping') + 1;
    assert.deepEqual([actions[end], new Set(actions.slice(end + 1))], ['resolve', new Set(['create'])]);
  });

  it('has one id for an incident, from its first result to the one that resolves it', () => {
    const ids = events([0, 1, 2, 2, 0, 0, 1, ...Array(30).fill(1), 0]).map(
      (event) => earlierEvent(event, {})['id'],
    );
    assert.deepEqual(ids.slice(0, 7), ['id-0', 'id-1', 'id-1', 'id-1', 'id-1', 'id-5', 'id-6']);
    assert.deepEqual(new Set(ids.slice(6)), new Set(['id-6']));
  });

  it('keeps the count of an incident in its resolution', () => {
    const count = (statuses: readonly number[]) =>
      earlierEvent(events(statuses).at(-1) as CheckEvent, {})['occurrences'];
    assert.equal(count([0, 2, 2, 2, 0]), 3);
    assert.equal(count([1, 1, 2, 0]), 1);
    assert.equal(count([...Array(30).fill(2), 0]), 30);
    assert.equal(count([2, 0, 0]), 2);
  });

  it('tells history as texts, and the attributes nobody here knows', () => {
    const last = events([0, 1, 1], { refresh: 60, pager: { team: 'x' }, handler: 'mail' }).at(
      -1,
    ) as CheckEvent;
    const told = earlierEvent(last, { name: 'c1' }) as { check: Record<string, unknown> } & Record<
      string,
      unknown
    >;
    assert.deepEqual(told.check['history'], ['0', '1', '1']);
    assert.equal(told.check['refresh'], 60);
    assert.deepEqual(told.check['pager'], { team: 'x' });
    assert.deepEqual([told.check['handler'], told.check['handlers']], ['mail', undefined]);
    assert.equal(told['occurrences'], 2);
    assert.equal(told['last_ok'], null);
    assert.equal(told['last_state_change'], 1);
    assert.equal(told['action'], 'create');
  });

  it('keeps an incident that is not to resolve by itself, until somebody resolves it', () => {
    const patient = { auto_resolve: false, handler: 'mail' };
    const [, failed] = events([1, 1], patient);
    const [ok] = events([0], patient);
    assert.ok(failed !== undefined && ok !== undefined);
    const kept = keepingIncident(ok, patient, failed);
    assert.deepEqual([kept.check.status, kept.check.handlers], [0, []]);
    assert.ok(isEarlierEvent(kept));
    const told = earlierEvent(kept, { name: 'c1' });
    assert.deepEqual(told, earlierEvent(failed, { name: 'c1' }));
    assert.equal(earlierResult(kept)['status'], 0);
    assert.equal(earlierResult(kept)['unresolved'], undefined);
    assert.deepEqual(earlierEvent(keepingIncident(ok, patient, kept), { name: 'c1' }), told);
    const resolved = resolvedEvent(kept, { id: 'x', nowSeconds: 9 });
    assert.ok(!isEarlierEvent(resolved));
    assert.deepEqual(resolved.check.handlers, ['mail']);
    assert.equal(resolved.check.output, 'Resolving on request of the API');
  });

  it('resolves by itself otherwise, and when it is forced to', () => {
    const [failed] = events([1]);
    const [ok] = events([0]);
    assert.ok(failed !== undefined && ok !== undefined);
    for (const result of [{}, { auto_resolve: true }, { auto_resolve: false, force_resolve: true }])
      assert.equal(keepingIncident(ok, result, failed), ok);
    assert.equal(keepingIncident(ok, { auto_resolve: false }, null), ok);
    assert.equal(keepingIncident(ok, { auto_resolve: false }, ok), ok);
  });

  it('lets nobody but the registry keep an incident', () => {
    const [event] = events([0], { unresolved: { id: 'forged' } });
    assert.ok(event !== undefined && !isEarlierEvent(event));
  });

  it('is no longer flapping for those who forced it to resolve', () => {
    const thresholds = { low_flap_threshold: 20, high_flap_threshold: 40 };
    const restless = events(
      Array.from({ length: 22 }, (_, at) => at % 2),
      thresholds,
    ).at(-1) as CheckEvent;
    const resolved = resolvedEvent(restless, { id: 'x', nowSeconds: 30 });
    const stored = mergeResult(restless, resolved, { nowMs: 30_000, silenced: [] }).stored;
    assert.deepEqual([stored.check.state, isEarlierEvent(stored)], ['flapping', false]);
  });

  it('keeps the first line of metrics, and of what asks for it', () => {
    const kept = (output: string, more: object) =>
      storedResult(events([0], { output, ...more })[0] as CheckEvent)['output'];
    assert.equal(kept('a\nb', {}), 'a\nb');
    assert.equal(kept('a\nb', { type: 'metric' }), 'a\n...');
    assert.equal(kept('a\n', { type: 'metric' }), 'a');
    assert.equal(kept('a\nb', { type: 'metric', truncate_output: false }), 'a\nb');
    assert.equal(kept('abcdef', { truncate_output: true, truncate_output_length: 3 }), 'abcd\n...');
    assert.equal(kept('x'.repeat(255), { truncate_output: true }), 'x'.repeat(255));
    assert.equal(kept('x'.repeat(256), { truncate_output: true }), `${'x'.repeat(256)}\n...`);
  });

  it('survives an annotation that an operator broke', () => {
    const last = events([1]).at(-1) as CheckEvent;
    last.check.metadata = { ...last.check.metadata, annotations: { [attributesAnnotation]: '{' } };
    assert.equal((earlierEvent(last, {}) as { check: { name: string } }).check.name, 'cpu');
  });
});
