// The index of events beside the plainest thing that could be in its place: a list that is filtered and sorted anew for
// every question. Whatever was put, deleted or silenced, both say the same.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EventEntry } from '../../../src/actors/events/event-entry.ts';
import { EventIndex } from '../../../src/actors/events/event-index.ts';
import { type EventSearch, searchEvents } from '../../../src/actors/events/event-search.ts';
import { keptChanges } from '../../../src/actors/events/limits.ts';
import { SortedList } from '../../../src/actors/events/sorted-list.ts';
import { severities, severityOf, sinceInHistory } from '../../../src/machines/check/severity-rule.ts';
import type { CheckEvent } from '../../../src/model/event/event.ts';
import { fc } from '../../property.ts';
import { eventOf } from './event-of.ts';

/** An index in a world where the named checks are silenced. */
const openIndex = (silencedChecks: Set<string> = new Set()): EventIndex =>
  new EventIndex({
    nowMs: () => 5_000_000,
    silencesMatching: ({ check }) =>
      silencedChecks.has(check.metadata.name) ? [`*:${check.metadata.name}`] : [],
    onFault: (error) => assert.fail(String(error)),
  });

const keyOf = (event: CheckEvent): string =>
  `default/${event.entity.metadata.name}/${event.check.metadata.name}`;
const put = (index: EventIndex, event: CheckEvent): void => index.learn(keyOf(event), event);
const names = (entries: readonly EventEntry[]): string[] =>
  entries.map(({ key }) => key.slice('default/'.length));
const worst: EventSearch = { namespace: 'default', order: 'worst', limit: 100 };

test('the worst come first, of those the latest to become so; a result like the one before moves nothing', async () => {
  const index = openIndex();
  put(index, eventOf('a', 'cpu', 0, 10));
  put(index, eventOf('a', 'disk', 1, 20));
  put(index, eventOf('b', 'cpu', 2, 30));
  put(index, eventOf('b', 'disk', 2, 40));
  put(index, eventOf('c', 'cpu', 3, 50));
  const order = ['b/disk', 'b/cpu', 'a/disk', 'c/cpu', 'a/cpu'];
  assert.deepEqual(names((await searchEvents(index, worst)).items), order);
  put(index, eventOf('b', 'cpu', 2, 60));
  assert.deepEqual(names((await searchEvents(index, worst)).items), order);
  put(index, eventOf('a', 'cpu', 2, 70));
  assert.deepEqual(names((await searchEvents(index, worst)).items), [
    'a/cpu',
    'b/disk',
    'b/cpu',
    'a/disk',
    'c/cpu',
  ]);
});

test('an event read back at start is as old as its history says', () => {
  const event = eventOf('a', 'cpu', 2, 500);
  const history = [0, 2, 0, 1, 2, 2, 2].map((status, at) => ({ status, executed: at * 10, flapping: false }));
  assert.equal(sinceInHistory({ ...event, check: { ...event.check, history } } as CheckEvent), 40);
  assert.equal(sinceInHistory({ ...event, check: { ...event.check, history: [] } }), 500);
});

test('a page begins behind the place where the last one ended, also when that event is gone', async () => {
  const index = openIndex();
  for (let at = 0; at < 10; at += 1) put(index, eventOf(`h${at}`, 'cpu', 2, 100 - at));
  const first = await searchEvents(index, { ...worst, limit: 4 });
  assert.deepEqual(names(first.items), ['h0/cpu', 'h1/cpu', 'h2/cpu', 'h3/cpu']);
  index.learn('default/h3/cpu', null);
  put(index, eventOf('new', 'cpu', 2, 900));
  const second = await searchEvents(index, { ...worst, limit: 4, after: first.next });
  assert.deepEqual(names(second.items), ['h4/cpu', 'h5/cpu', 'h6/cpu', 'h7/cpu']);
  assert.equal(second.total, 10);
});

test('when silences change, every event of the namespace is marked before the next page is read', async () => {
  const silenced = new Set<string>();
  const index = openIndex(silenced);
  for (let at = 0; at < 2_500; at += 1) put(index, eventOf(`h${at}`, at % 2 ? 'cpu' : 'disk', 2));
  silenced.add('cpu');
  index.silencesChanged('default');
  const open = await searchEvents(index, { ...worst, silenced: false });
  assert.equal(open.total, 1_250);
  assert.equal(index.counts({ namespace: 'default' }).silenced.critical, 1_250);
  silenced.clear();
  index.silencesChanged('default');
  assert.equal((await searchEvents(index, { ...worst, silenced: true })).total, 0);
});

test('an order that is walked in turns loses nothing that stays where it is', async () => {
  const index = openIndex();
  for (let at = 0; at < 3_000; at += 1) put(index, eventOf(`h${at}`, 'cpu', at % 3, at));
  const slow = (event: CheckEvent): boolean => {
    const untilMs = performance.now() + 0.05;
    while (performance.now() < untilMs);
    return event.check.status === 1;
  };
  const searching = searchEvents(index, { ...worst, limit: 1_000, selector: slow });
  let turns = 0;
  const others = setInterval(() => {
    turns += 1;
    put(index, eventOf(`new${turns}`, 'cpu', 2, 5_000 + turns));
  }, 1);
  const page = await searching;
  clearInterval(others);
  assert.ok(turns > 0, 'nobody else had a turn');
  assert.equal(page.total, 1_000);
  assert.equal(new Set(names(page.items)).size, 1_000);
});

test('what came after a change is told as long as it is kept', () => {
  const index = openIndex();
  put(index, eventOf('a', 'cpu', 0));
  const { seq } = index;
  put(index, eventOf('a', 'cpu', 2));
  index.learn('default/a/cpu', null);
  assert.deepEqual(
    index.changesAfter(seq)?.map(({ key, before }) => [key, before?.rank]),
    [
      ['default/a/cpu', 3],
      ['default/a/cpu', 0],
    ],
  );
  assert.deepEqual(index.changesAfter(index.seq), []);
  assert.equal(index.changesAfter(index.seq + 1), undefined);
  for (let at = 0; at < keptChanges; at += 1) put(index, eventOf('b', 'cpu', at % 2));
  assert.equal(index.changesAfter(index.seq - keptChanges)?.length, keptChanges);
  assert.equal(index.changesAfter(index.seq - keptChanges - 1), undefined);
});

const operation = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      type: fc.constant('put' as const),
      entity: fc.integer({ min: 0, max: 9 }),
      check: fc.constantFrom('cpu', 'disk', 'mem'),
      status: fc.constantFrom(0, 0, 1, 2, 3, 127),
      executed: fc.integer({ min: 1, max: 50 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant('delete' as const),
      entity: fc.integer({ min: 0, max: 9 }),
      check: fc.constantFrom('cpu', 'disk', 'mem'),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      type: fc.constant('silence' as const),
      check: fc.constantFrom('cpu', 'disk', 'mem'),
    }),
  },
);

const question = fc.record({
  order: fc.constantFrom('worst' as const, 'newest' as const, 'name' as const),
  limit: fc.integer({ min: 1, max: 7 }),
  severities: fc.option(fc.subarray([...severities], { minLength: 1 }), { nil: undefined }),
  silenced: fc.option(fc.boolean(), { nil: undefined }),
  entity: fc.option(fc.constantFrom('host-1', 'host-2'), { nil: undefined, freq: 4 }),
  check: fc.option(fc.constantFrom('cpu', 'disk'), { nil: undefined, freq: 4 }),
  words: fc.constantFrom([], [], ['CPU'], ['says 2', 'host-1']),
});

test('property: pages, totals and counts are those of a list filtered and sorted by hand', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(operation, { maxLength: 60 }), question, async (operations, asked) => {
      const silenced = new Set<string>();
      const index = openIndex(silenced);
      const events = new Map<string, { event: CheckEvent; since: number }>();
      for (const step of operations) {
        if (step.type === 'silence') {
          if (!silenced.delete(step.check)) silenced.add(step.check);
          index.silencesChanged('default');
        } else if (step.type === 'delete') {
          events.delete(`default/host-${step.entity}/${step.check}`);
          index.learn(`default/host-${step.entity}/${step.check}`, null);
        } else {
          const event = eventOf(`host-${step.entity}`, step.check, step.status, step.executed);
          const known = events.get(keyOf(event));
          const stays = known && severityOf(known.event.check.status) === severityOf(step.status);
          events.set(keyOf(event), { event, since: stays ? known.since : step.executed });
          put(index, event);
        }
      }
      const rank = (event: CheckEvent): number => severities.indexOf(severityOf(event.check.status));
      const isSilenced = (event: CheckEvent): boolean => silenced.has(event.check.metadata.name);
      const expected = [...events]
        .filter(([key, { event }]) => {
          const text = `${key.slice(8)} ${event.check.output}`.toLowerCase();
          return (
            (asked.severities ?? severities).includes(severityOf(event.check.status)) &&
            (asked.silenced === undefined || isSilenced(event) === asked.silenced) &&
            (asked.entity === undefined || event.entity.metadata.name === asked.entity) &&
            (asked.check === undefined || event.check.metadata.name === asked.check) &&
            asked.words.every((word) => text.includes(word.toLowerCase()))
          );
        })
        .sort(([keyA, a], [keyB, b]) => {
          if (asked.order === 'worst' && rank(a.event) !== rank(b.event))
            return rank(a.event) - rank(b.event);
          if (asked.order === 'worst' && a.since !== b.since) return b.since - a.since;
          if (asked.order === 'newest' && a.event.timestamp !== b.event.timestamp)
            return b.event.timestamp - a.event.timestamp;
          return keyA < keyB ? -1 : 1;
        })
        .map(([key]) => key);
      const found: string[] = [];
      let after: EventSearch['after'];
      do {
        const page = await searchEvents(index, { namespace: 'default', ...asked, after });
        assert.equal(page.total, expected.length);
        assert.ok(page.items.length <= asked.limit);
        found.push(...page.items.map(({ key }) => key));
        after = page.next;
      } while (after !== undefined);
      assert.deepEqual(found, expected);
      const { all, silenced: hidden } = index.counts({ namespace: 'default' });
      for (const severity of severities) {
        const those = [...events.values()].filter(({ event }) => severityOf(event.check.status) === severity);
        assert.equal(all[severity], those.length);
        assert.equal(hidden[severity], those.filter(({ event }) => isSilenced(event)).length);
      }
    }),
    { numRuns: 300 },
  );
});

test('property: a sorted list holds what was added and not removed, in order, from any position on', () => {
  const step = fc.tuple(fc.boolean(), fc.integer({ min: 0, max: 3_000 }));
  fc.assert(
    fc.property(
      fc.array(step, { maxLength: 2_500, size: 'max' }),
      fc.integer({ min: -1, max: 3_001 }),
      (steps, from) => {
        const list = new SortedList<{ n: number }>((a, b) => a.n - b.n);
        const plain = new Set<number>();
        for (const [adds, n] of steps) {
          if (adds && !plain.has(n)) {
            plain.add(n);
            list.add({ n });
          } else if (!adds) assert.equal(list.remove({ n }), plain.delete(n));
        }
        const sorted = [...plain].sort((a, b) => a - b);
        assert.equal(list.size, sorted.length);
        assert.deepEqual(
          [...list.from(undefined)].map(({ n }) => n),
          sorted,
        );
        assert.deepEqual(
          [...list.from({ n: from })].map(({ n }) => n),
          sorted.filter((n) => n >= from),
        );
      },
    ),
    { numRuns: 50 },
  );
});
