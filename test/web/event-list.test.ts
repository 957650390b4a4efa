// The list of events on the screen: rows stay where they are, what is new waits, what is gone is greyed.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EventListPage, EventRow } from '../../src/http/inspect/events/protocol.ts';
import {
  type EventFilter,
  firstPage,
  queryOf,
  type ShownList,
  withChanges,
  withPage,
  withReading,
} from '../../web/src/lib/event-list.ts';

const filter: EventFilter = {
  namespace: 'default',
  show: 'attention',
  search: '',
  severity: '',
  silenced: false,
  sort: 'severity',
};

const none = { critical: 0, warning: 0, unknown: 0, passing: 0 };
const counts = { all: none, silenced: none };

const row = (name: string, status: number, since: number): EventRow =>
  ({
    timestamp: since,
    since,
    entity: { metadata: { name } },
    check: { metadata: { name: 'c' }, status },
  }) as EventRow;

const page = (items: readonly EventRow[], total: number, next?: string): EventListPage => ({
  items,
  total,
  counts,
  cursor: 'e.1',
  ...(next === undefined ? {} : { next }),
});

const told = (rows: readonly EventRow[], gone: readonly string[] = []) => ({ counts, rows, gone });
const look = ({ rows, waiting, total }: ShownList) => ({
  rows: [...rows].map(([key, { fits, event }]) => `${key} ${event.check.status}${fits ? '' : ' gone'}`),
  waiting: [...waiting],
  total,
});

test('the backend is asked for what the chips say', () => {
  assert.deepEqual(queryOf(filter), { order: 'worst', state: 'failing', silenced: 'false' });
  assert.deepEqual(queryOf({ ...filter, show: 'all', sort: 'newest' }), { order: 'newest' });
  assert.deepEqual(
    queryOf({ ...filter, show: 'failing', severity: 'warning', sort: 'entity', search: 'web disk' }),
    {
      order: 'name',
      state: 'warning',
      search: 'web disk',
    },
  );
  assert.deepEqual(queryOf({ ...filter, show: 'failing', silenced: true }), {
    order: 'worst',
    state: 'failing',
    silenced: 'true',
  });
});

test('rows change where they are; what is new waits; what no longer fits stays, greyed', () => {
  const first = firstPage(page([row('a', 2, 50), row('b', 1, 40)], 2));
  const changed = withChanges(first, 'severity', told([row('b', 2, 60), row('new', 2, 70)]));
  assert.deepEqual(look(changed), { rows: ['a/c 2', 'b/c 2'], waiting: ['new/c'], total: 3 });
  const left = withChanges(changed, 'severity', told([], ['a/c', 'new/c', 'stranger/c']));
  assert.deepEqual(look(left), { rows: ['a/c 2 gone', 'b/c 2'], waiting: [], total: 1 });
  const back = withChanges(left, 'severity', told([row('a', 1, 80)]));
  assert.deepEqual(look(back), { rows: ['a/c 1', 'b/c 2'], waiting: [], total: 2 });
});

test('what belongs below the last row that was read is no news: it comes when somebody scrolls there', () => {
  const first = firstPage(page([row('a', 2, 50), row('b', 1, 40)], 900, 'more'));
  const changed = withChanges(
    first,
    'severity',
    told([row('deep', 1, 30), row('worse', 1, 45), row('ok', 0, 99)]),
  );
  assert.deepEqual(look(changed).waiting, ['worse/c']);
  const longer = withPage(changed, page([row('b', 1, 40), row('deep', 1, 30)], 901));
  assert.deepEqual(look(longer).rows, ['a/c 2', 'b/c 1', 'deep/c 1']);
  assert.equal(longer.next, undefined);
});

test('read anew after too many changes: what did not come back is gone, what lies beyond the reading is as it was', () => {
  const first = firstPage(page([row('a', 2, 50), row('b', 2, 40), row('z', 1, 10)], 3));
  const again = withReading(first, 'severity', page([row('b', 2, 40), row('n', 2, 30)], 900, 'more'));
  assert.deepEqual(look(again), { rows: ['a/c 2 gone', 'b/c 2', 'z/c 1'], waiting: ['n/c'], total: 900 });
});
