// What newly fails in a list of events, seen twice. Pure.
import type { EventList } from './event-list.ts';

/** What failed already when it was looked at is no news; neither is a page of it that was read later. */
const failingIn = ({ rows, gone, waiting }: EventList): ReadonlyMap<string, number> =>
  new Map([
    ...[...rows].flatMap(([key, { check }]): [string, number][] =>
      gone.has(key) || check.status === 0 ? [] : [[key, check.status]],
    ),
    ...[...waiting].filter(([, status]) => status !== 0),
  ]);

/**
 * Keys of what fails now, and did not before, or not as badly. Rows that were read since, further down, are news only if they
 * began to fail after `openedAt`, in Unix seconds. Pure.
 */
export const newlyFailing = (before: EventList, now: EventList, openedAt: number): readonly string[] => {
  const was = failingIn(before);
  const isOld = (key: string): boolean => {
    const row = now.rows.get(key);
    return row !== undefined && !was.has(key) && !before.rows.has(key) && row.since < openedAt;
  };
  return [...failingIn(now)]
    .filter(([key, status]) => isWorse(status, was.get(key)) && !isOld(key))
    .map(([key]) => key);
};

const badness = [0, 1, 3, 2];
const isWorse = (status: number, before = 0): boolean => (badness[status] ?? 2) > (badness[before] ?? 2);
