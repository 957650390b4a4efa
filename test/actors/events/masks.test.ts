// What masks an event: the graph of dependencies, and the index that keeps the marks beside one that is built from scratch.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { DependencyGraph } from '../../../src/actors/events/dependency-graph.ts';
import { EventIndex } from '../../../src/actors/events/event-index.ts';
import { searchEvents } from '../../../src/actors/events/event-search.ts';
import { maxAncestors } from '../../../src/actors/events/limits.ts';
import { checkConfigSchema } from '../../../src/model/check/check.ts';
import { validateCheckConfig } from '../../../src/model/check/check-rules.ts';
import { isDown, readTarget, targetsOf } from '../../../src/model/check/dependencies.ts';
import type { CheckEvent } from '../../../src/model/event/event.ts';
import { maxDependencies } from '../../../src/model/limits.ts';
import { fc } from '../../property.ts';
import { eventOf } from './event-of.ts';

const dependent = (entity: string, check: string, status: number, targets: readonly string[]): CheckEvent => {
  const event = eventOf(entity, check, status);
  return { ...event, check: { ...event.check, depends_on: [...targets] } };
};
const keyOf = ({ entity, check }: CheckEvent): string =>
  `default/${entity.metadata.name}/${check.metadata.name}`;
const openIndex = (): EventIndex =>
  new EventIndex({
    nowMs: () => 5_000_000,
    silencesMatching: () => [],
    onFault: (error) => assert.fail(String(error)),
  });
const put = (index: EventIndex, event: CheckEvent): void => index.learn(keyOf(event), event);
const maskedBy = (index: EventIndex, name: string): string[] =>
  (index.get(`default/${name}`)?.masked ?? []).map(({ key }) => key.slice('default/'.length));
const masks = (index: EventIndex, name: string): number => index.get(`default/${name}`)?.masks ?? 0;

describe('a target', () => {
  test('is a check of the same entity, of another one, or the keepalive of an entity', () => {
    assert.equal(readTarget('web', 'ping'), 'web/ping');
    assert.equal(readTarget('web', 'router-1/ping'), 'router-1/ping');
    assert.equal(readTarget('web', 'entity:router-1'), 'router-1/keepalive');
    for (const wrong of ['', 'a/b/c', '/ping', 'router/', 'entity:', 'two words', 'entity:a/b'])
      assert.equal(readTarget('web', wrong), null, wrong);
  });

  test('is named by the check, by its label or annotation and by those of its entity; never the event itself', () => {
    const event = dependent('web', 'http', 2, ['ping', 'http', 'ping']);
    event.check.metadata.annotations = { 'mon.io/depends_on': 'disk' };
    event.entity.metadata.labels = { 'mon.io/depends_on': 'entity:router-1, not/a/target  http' };
    assert.deepEqual(targetsOf(event), ['web/ping', 'web/disk', 'router-1/keepalive']);
  });

  test('that is none is refused with the forms there are; so are too many', () => {
    const faultOf = (targets: readonly string[]) =>
      validateCheckConfig(
        checkConfigSchema.parse({
          metadata: { name: 'http', namespace: 'default' },
          command: 'true',
          interval: 60,
          depends_on: targets,
        }),
      );
    const names = (count: number) => Array.from({ length: count }, (_, at) => `c${at}`);
    assert.equal(faultOf(names(maxDependencies)), null);
    assert.match(
      faultOf(names(maxDependencies + 1)) ?? '',
      /^depends_on must name at most 16 targets, not 17/,
    );
    assert.match(
      faultOf(['a/b/c']) ?? '',
      /^depends_on: "a\/b\/c" is not a target: use CHECK .*ENTITY\/CHECK/,
    );
  });

  test('masks when it is critical or unknown; a keepalive also with a warning', () => {
    const downAt = (check: string) =>
      [0, 1, 2, 3].filter((status) => isDown(eventOf('a', check, status).check));
    assert.deepEqual(downAt('ping'), [2, 3]);
    assert.deepEqual(downAt('keepalive'), [1, 2, 3]);
  });
});

describe('an event', () => {
  test('is masked while a target is down, by way of others too, and named is what nothing else masks', async () => {
    const index = openIndex();
    put(index, eventOf('core', 'ping', 0));
    put(index, dependent('switch', 'ping', 0, ['core/ping']));
    put(index, dependent('web', 'http', 2, ['switch/ping']));
    put(index, dependent('web', 'fine', 0, ['switch/ping']));
    assert.deepEqual(maskedBy(index, 'web/http'), []);
    put(index, eventOf('core', 'ping', 2));
    await index.settled({ namespace: 'default' });
    assert.deepEqual(maskedBy(index, 'web/http'), ['core/ping'], 'the switch itself is in order');
    put(index, dependent('switch', 'ping', 2, ['core/ping']));
    await index.settled({ namespace: 'default' });
    assert.deepEqual(maskedBy(index, 'web/http'), ['core/ping']);
    assert.deepEqual(maskedBy(index, 'switch/ping'), ['core/ping']);
    assert.deepEqual(maskedBy(index, 'web/fine'), []);
    assert.equal(masks(index, 'core/ping'), 2);
    put(index, eventOf('core', 'ping', 1));
    await index.settled({ namespace: 'default' });
    assert.deepEqual(maskedBy(index, 'web/http'), ['switch/ping']);
    index.learn('default/switch/ping', null);
    await index.settled({ namespace: 'default' });
    assert.deepEqual(maskedBy(index, 'web/http'), []);
    assert.equal(masks(index, 'core/ping'), 0);
  });

  test('of a cycle is not masked by its other members, but by what is above all of them', async () => {
    const index = openIndex();
    put(index, dependent('a', 'x', 2, ['b/x']));
    put(index, dependent('b', 'x', 2, ['c/x', 'top/x']));
    put(index, dependent('c', 'x', 2, ['a/x']));
    put(index, dependent('below', 'x', 2, ['a/x']));
    await index.settled({ namespace: 'default' });
    for (const name of ['a/x', 'b/x', 'c/x']) assert.deepEqual(maskedBy(index, name), [], name);
    assert.deepEqual(maskedBy(index, 'below/x'), ['a/x', 'b/x', 'c/x']);
    assert.deepEqual(index.cycles(), [['default/c/x', 'default/a/x', 'default/b/x']]);
    put(index, eventOf('top', 'x', 2));
    await index.settled({ namespace: 'default' });
    for (const name of ['a/x', 'b/x', 'c/x', 'below/x'])
      assert.deepEqual(maskedBy(index, name), ['top/x'], name);
    put(index, dependent('b', 'x', 2, ['top/x']));
    assert.deepEqual(index.cycles(), []);
  });

  test('in a ring larger than what is looked at is told: no ring may mask itself', () => {
    for (const size of [2, maxAncestors - 1, maxAncestors, maxAncestors + 1, 3 * maxAncestors]) {
      const graph = new DependencyGraph(() => true);
      for (let at = 0; at < size; at += 1) graph.set(`n${at}`, [`n${(at + 1) % size}`]);
      assert.deepEqual(graph.masks('n0', ['n1']), [], `a ring of ${size}`);
    }
    const chain = new DependencyGraph((key) => key === 'n1');
    for (let at = 0; at < 3 * maxAncestors; at += 1) chain.set(`n${at}`, [`n${at + 1}`]);
    assert.deepEqual(chain.masks('n0', ['n1']), [], 'what n1 depends on is more than is looked at');
    chain.set('n40', []);
    assert.deepEqual(chain.masks('n0', ['n1']), ['n1']);
  });
});

test('ten thousand dependents are marked without holding the loop; lists and counts leave them out', async () => {
  const index = openIndex();
  put(index, eventOf('router', 'ping', 0));
  const one = dependent('h', 'http', 2, ['router/ping']);
  for (let at = 0; at < 10_000; at += 1)
    put(index, { ...one, entity: { ...one.entity, metadata: { name: `h${at}`, namespace: 'default' } } });
  put(index, eventOf('router', 'ping', 2));
  assert.equal(index.counts({ namespace: 'default' }).masked.critical, 0, 'marked within one turn');
  const list = { namespace: 'default', order: 'worst', limit: 10 } as const;
  const open = await searchEvents(index, { ...list, masked: false });
  assert.deepEqual([open.items.map(({ key }) => key), open.total], [['default/router/ping'], 1]);
  assert.equal(open.items[0]?.masks, 10_000);
  assert.equal(index.counts({ namespace: 'default' }).masked.critical, 10_000);
  assert.equal((await searchEvents(index, { ...list, maskedBy: 'router/ping' })).total, 10_000);
  assert.equal((await searchEvents(index, { ...list, dependsOn: 'router/ping', entity: 'h7' })).total, 1);
  assert.equal((await searchEvents(index, { ...list, masked: true, silenced: false })).total, 10_000);
});

test('masks of an event that is not committed yet are those it will have', async () => {
  const index = openIndex();
  put(index, eventOf('router', 'ping', 2, 700));
  const event = dependent('web', 'http', 2, ['router/ping']);
  assert.deepEqual(index.masksOf(event), [
    { entity: 'router', check: 'ping', severity: 'critical', since: 700 },
  ]);
  assert.deepEqual(index.masksOf(dependent('web', 'http', 0, ['router/ping'])), []);
  assert.deepEqual(index.masksOf(dependent('web', 'http', 2, ['gone/ping'])), []);
});

const names = ['a/x', 'a/y', 'b/x', 'b/y', 'c/x', 'c/keepalive'];
const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      name: fc.constantFrom(...names),
      status: fc.constantFrom(0, 1, 2, 3),
      targets: fc.uniqueArray(fc.constantFrom('x', 'y', 'a/x', 'b/x', 'b/y', 'c/x', 'entity:c'), {
        maxLength: 3,
      }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ name: fc.constantFrom(...names), deleted: fc.constant(true) }) },
  { weight: 1, arbitrary: fc.constant('pause' as const) },
);

test('property: an index built step by step has the masks and counts of one built from scratch, and of the rule', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      const index = openIndex();
      const events = new Map<string, CheckEvent>();
      for (const each of steps) {
        if (each === 'pause') await new Promise((resolve) => setImmediate(resolve));
        else if ('deleted' in each) {
          events.delete(each.name);
          index.learn(`default/${each.name}`, null);
        } else {
          const [entity = '', check = ''] = each.name.split('/');
          const event = dependent(entity, check, each.status, each.targets);
          events.set(each.name, event);
          put(index, event);
        }
      }
      await index.settled({ namespace: 'default' });
      const fresh = openIndex();
      for (const name of [...events.keys()].sort()) put(fresh, events.get(name) as CheckEvent);
      await fresh.settled({ namespace: 'default' });
      const rule = byTheRule(events);
      for (const name of events.keys()) {
        const expected = [...(rule.get(name) ?? [])].sort();
        assert.deepEqual(maskedBy(index, name).sort(), expected, name);
        assert.deepEqual(maskedBy(fresh, name).sort(), expected, name);
        const of = [...rule.values()].filter((each) => each.has(name)).length;
        assert.deepEqual([masks(index, name), masks(fresh, name)], [of, of]);
      }
      assert.deepEqual(index.counts({ namespace: 'default' }), fresh.counts({ namespace: 'default' }));
    }),
    { numRuns: 400 },
  );
});

/** The rule without an index: reachable and down, not part of a common cycle, and not masked itself. */
const byTheRule = (events: ReadonlyMap<string, CheckEvent>): Map<string, Set<string>> => {
  const above = (name: string): Set<string> => {
    const found = new Set<string>();
    const walk = (at: string): void => {
      const event = events.get(at);
      for (const target of event === undefined ? [] : targetsOf(event))
        if (!found.has(target)) {
          found.add(target);
          walk(target);
        }
    };
    walk(name);
    return found;
  };
  const down = (name: string): boolean => {
    const event = events.get(name);
    return event !== undefined && isDown(event.check);
  };
  const downAbove = (name: string): string[] =>
    [...above(name)].filter((each) => down(each) && !above(each).has(name));
  const masked = [...events].filter(([, { check }]) => check.status !== 0);
  return new Map(
    masked.map(([name]) => [name, new Set(downAbove(name).filter((each) => downAbove(each).length === 0))]),
  );
};
