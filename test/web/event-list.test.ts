// The list of events as the page keeps it: rows never jump, news wait, what is hidden is asked for by the address.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type {
  EventChanges,
  EventCounts,
  EventListPage,
  EventRow,
} from '../../src/http/inspect/events/protocol.ts';
import { doAll } from '../../web/src/lib/bulk.ts';
import { caughtUp, changed, continued, type EventList, opened } from '../../web/src/lib/event-list.ts';
import { chipCounts, comparing, coveredBy, filterFrom, questionOf } from '../../web/src/lib/event-query.ts';
import { newlyFailing } from '../../web/src/lib/newly-failing.ts';

const counts: EventCounts = {
  all: { critical: 4, warning: 1, unknown: 0, passing: 5 },
  silenced: { critical: 1, warning: 0, unknown: 0, passing: 2 },
  masked: { critical: 2, warning: 0, unknown: 0, passing: 0 },
  both: { critical: 1, warning: 0, unknown: 0, passing: 0 },
};
const row = (entity: string, status: number, since = 100, timestamp = since): EventRow =>
  ({
    timestamp,
    since,
    entity: { metadata: { name: entity } },
    check: { metadata: { name: 'c' }, status },
  }) as EventRow;
const page = (items: readonly EventRow[], next?: string): EventListPage => ({
  items,
  total: 9,
  counts,
  cursor: 'e.1',
  ...(next === undefined ? {} : { next }),
});
const changes = (
  rows: readonly EventRow[],
  gone: readonly string[] = [],
  why: EventChanges['why'] = {},
): EventChanges => ({ counts, rows, gone, why });
const worst = comparing('worst');
const names = ({ rows }: EventList): string[] => [...rows.keys()].map((key) => key.replace('/c', ''));

test('a row changes in its place, one that no longer fits stays and is marked, one that fits again is not', () => {
  const list = opened(page([row('a', 2), row('b', 2)]));
  const worse = changed(list, changes([row('b', 2, 999)], ['a/c'], { 'a/c': 'silenced' }), worst);
  assert.deepEqual(names(worse), ['a', 'b']);
  assert.deepEqual([...worse.gone], [['a/c', 'silenced']]);
  assert.equal(worse.rows.get('b/c')?.since, 999);
  const back = changed(worse, changes([row('a', 2)]), worst);
  assert.deepEqual([...back.gone], []);
});

test('news wait beside the list, and are forgotten when they pass again', () => {
  const list = changed(opened(page([row('a', 2)])), changes([row('new', 1)]), worst);
  assert.deepEqual([names(list), [...list.waiting]], [['a'], [['new/c', 1]]]);
  assert.deepEqual([...changed(list, changes([], ['new/c']), worst).waiting], []);
});

test('a list says which backends are missing, as of its last page', () => {
  const missing = [{ backend: 'b2', why: 'no answer in time' }];
  const list = opened({ ...page([row('a', 2)], 'more'), missing });
  assert.deepEqual(list.missing, missing);
  assert.deepEqual(continued(list, page([row('b', 2)])).missing, []);
});

test('what belongs below the part that was read is no news', () => {
  const part = opened(page([row('a', 2, 300), row('b', 2, 200)], 'more'));
  const told = changed(part, changes([row('above', 2, 250), row('below', 2, 100), row('ok', 0, 999)]), worst);
  assert.deepEqual([...told.waiting.keys()], ['above/c']);
});

test('a further page goes below, and a row that moved between two pages is there once, as it is now', () => {
  const list = continued(opened(page([row('a', 2), row('b', 2)], 'more')), page([row('b', 1), row('d', 1)]));
  assert.deepEqual(names(list), ['a', 'b', 'd']);
  assert.equal(list.rows.get('b/c')?.check.status, 1);
  assert.equal(list.next, undefined);
});

test('after missed news the rows stay, and those that are no longer listed are marked', () => {
  const list = caughtUp(opened(page([row('a', 2), row('b', 2)])), page([row('b', 2), row('c', 2)]), worst);
  assert.deepEqual(
    [names(list), [...list.gone.keys()], [...list.waiting.keys()]],
    [['a', 'b'], ['a/c'], ['c/c']],
  );
});

test('why a row is gone is not forgotten when the list is read anew', () => {
  const list = changed(opened(page([row('a', 2)])), changes([], ['a/c'], { 'a/c': 'acknowledged' }), worst);
  assert.deepEqual([...caughtUp(list, page([]), worst).gone], [['a/c', 'acknowledged']]);
});

test('lists are ordered as the backend orders them', () => {
  const rows = [row('ok', 0, 900), row('w', 1, 800), row('late', 2, 700, 1), row('early', 2, 600, 5)];
  const order = (sort: Parameters<typeof comparing>[0]): string[] =>
    [...rows].sort(comparing(sort)).map((one) => one.entity.metadata.name);
  assert.deepEqual(order('worst'), ['late', 'early', 'w', 'ok']);
  assert.deepEqual(order('newest'), ['ok', 'w', 'early', 'late']);
  assert.deepEqual(order('oldest'), ['early', 'late', 'w', 'ok']);
  assert.deepEqual(order('name'), ['early', 'late', 'ok', 'w']);
});

test('the address says what is asked for; nonsense in it means what stands first', () => {
  const ask = (query: string) => questionOf(filterFrom('default', new URLSearchParams(query), 'ada'));
  assert.deepEqual(ask(''), { state: 'failing', silenced: 'false', masked: 'false' });
  assert.deepEqual(ask('show=nonsense&severity=x'), { state: 'failing', silenced: 'false', masked: 'false' });
  assert.deepEqual(ask('show=all&search=disk&entity=a&labels=x'), {
    search: 'disk',
    entity: 'a',
    labelSelector: 'x',
  });
  assert.deepEqual(ask('show=failing&owned=mine'), { state: 'failing', owner: 'ada' });
  assert.deepEqual(ask('show=failing&owned=nobody'), { state: 'failing', acknowledged: 'false' });
  assert.deepEqual(ask('show=masked'), { state: 'failing', masked: 'true' });
  assert.deepEqual(ask('show=silenced&severity=critical'), { state: 'critical', silenced: 'true' });
});

test('each chip knows how many it stands for', () => {
  assert.deepEqual(chipCounts(counts), { attention: 3, failing: 5, silenced: 1, masked: 2, all: 10 });
});

test('a silence is asked for by entity, by check, or by who subscribed', () => {
  assert.deepEqual(coveredBy({ subscription: 'entity:web-01', check: 'disk' }), {
    check: 'disk',
    entity: 'web-01',
  });
  assert.deepEqual(coveredBy({ subscription: '*', check: 'disk' }), { check: 'disk' });
  assert.deepEqual(coveredBy({ subscription: 'linux', check: null }), {
    fieldSelector: '"linux" in event.entity.subscriptions && "linux" in event.check.subscriptions',
  });
});

test('a thing done to many goes on after a failure and tells of it', async () => {
  const seen: number[] = [];
  const items = Array.from({ length: 50 }, (_, index) => index);
  const { done, failed } = await doAll(
    items,
    async (item) => {
      if (item % 10 === 3) throw new Error(`no ${item}`);
    },
    (through) => seen.push(through),
  );
  assert.equal(done.length, 45);
  assert.deepEqual(failed.map(({ why }) => why).sort(), ['no 13', 'no 23', 'no 3', 'no 33', 'no 43']);
  assert.equal(seen.at(-1), 50);
});

test('news are what fails since, or worse; not what was read further down, passes, or is said again', () => {
  const openedAt = 500;
  const before = opened(page([row('a', 1), row('b', 2)], 'more'));
  const told = (now: EventList) => newlyFailing(before, now, openedAt);
  assert.deepEqual(told(changed(before, changes([row('a', 1, 900), row('b', 2, 900)]), worst)), []);
  assert.deepEqual(told(changed(before, changes([row('a', 2, 900)]), worst)), ['a/c']);
  assert.deepEqual(told(changed(before, changes([row('n', 2, 900), row('p', 0, 900)]), worst)), ['n/c']);
  assert.deepEqual(told(changed(before, changes([], ['b/c']), worst)), []);
  assert.deepEqual(told(continued(before, page([row('old', 1, 100)]))), []);
  assert.deepEqual(told(opened(page([row('new', 2, 900), row('a', 1), row('b', 2)]))), ['new/c']);
  const passed = changed(before, changes([], ['b/c']), worst);
  assert.deepEqual(newlyFailing(passed, changed(passed, changes([row('b', 2, 950)]), worst), openedAt), [
    'b/c',
  ]);
});
