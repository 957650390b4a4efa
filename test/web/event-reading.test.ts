// What the events list asks the backend for, and in which order, with few and with very many events not passing.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EventFilter } from '../../web/src/lib/event-feed.ts';
import { keepUnchanged, type PageReader, readEvents } from '../../web/src/lib/event-reading.ts';
import type { MonEvent } from '../../web/src/lib/resources.ts';

const filter: EventFilter = {
  namespace: 'default',
  show: 'attention',
  search: '',
  severity: '',
  silenced: false,
  sort: 'severity',
};

const eventOf = (name: string, status: number): MonEvent =>
  ({ id: name, entity: { metadata: { name } }, check: { metadata: { name: 'c' }, status } }) as MonEvent;

/** A backend that understands the selectors of the list, and writes down what it was asked. */
const backendOf = (counts: Readonly<Record<number, number>>): { asked: string[]; read: PageReader } => {
  const all = Object.entries(counts).flatMap(([status, count]) =>
    Array.from({ length: count }, (_, index) => eventOf(`${status}-${index}`, Number(status))),
  );
  const asked: string[] = [];
  const fits = (selector: string | undefined, status: number): boolean => {
    if (selector === undefined) return true;
    if (selector.includes('notin')) return status > 2;
    const [, sign, value] = /status (==|!=) "(\d)"/.exec(selector) ?? [];
    return (status === Number(value)) === (sign === '==');
  };
  const read: PageReader = async (selector, next, limit) => {
    asked.push(`${selector ?? 'all'} ${limit}`);
    const found = all.filter((event) => fits(selector, event.check.status));
    const from = Number(next ?? 0);
    const end = from + limit;
    return { items: found.slice(from, end), next: end < found.length ? String(end) : undefined };
  };
  return { asked, read };
};

test('few events that do not pass are all there after one question', async () => {
  const { asked, read } = backendOf({ 0: 50_000, 1: 3, 2: 4 });
  const { events, isPartial } = await readEvents(filter, read, () => undefined);
  assert.deepEqual(asked, ['event.check.status != "0" && event.is_silenced != "true" 100']);
  assert.equal(events.length, 7);
  assert.equal(isPartial, false);
});

test('of very many the worst are read first, and the first hundred are shown before the rest is there', async () => {
  const { asked, read } = backendOf({ 1: 1_900, 2: 800, 3: 700 });
  const shown: number[] = [];
  const { events, isPartial } = await readEvents(filter, read, (some) => {
    assert.ok(
      some.slice(0, 800).every((event) => event.check.status === 2),
      'a lesser one came before a critical one',
    );
    shown.push(some.length);
  });
  assert.equal(asked[1], 'event.check.status == "2" && event.is_silenced != "true" 100');
  assert.equal(shown[0], 100);
  assert.equal(isPartial, true);
  assert.ok(events.length >= 2_000);
  assert.ok(!events.some((event) => event.check.status === 3));
});

test('with all events wanted, the passing ones come after the others', async () => {
  const { read } = backendOf({ 0: 250, 2: 2 });
  const { events, isPartial } = await readEvents({ ...filter, show: 'all' }, read, () => undefined);
  assert.deepEqual(
    events.slice(0, 3).map((event) => event.check.status),
    [2, 2, 0],
  );
  assert.equal(events.length, 252);
  assert.equal(isPartial, false);
});

test('an event that did not change stays the same object', () => {
  const before = eventOf('a', 2);
  const known = new Map([['a/c', before]]);
  assert.equal(keepUnchanged(known, 'a/c', eventOf('a', 2)), before);
  assert.notEqual(keepUnchanged(known, 'a/c', eventOf('a', 1)), before);
});
