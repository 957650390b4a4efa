// A walk along an order that may take long and may change meanwhile: after a while others get a turn, and the walk goes on
// from the place of the last entry seen. An entry that moved in between may come twice, or not at all.
import { type EventEntry, type EventPlace, placeOf } from './event-entry.ts';
import { searchBatch, searchTurnMs } from './limits.ts';

type Visit = (entry: EventEntry) => 'more' | 'enough';

/** `entriesFrom` may or may not begin with the entry at the place itself: it is not visited again. */
export const walkInTurns = async (
  entriesFrom: (place: EventPlace | undefined) => Iterable<EventEntry>,
  visit: Visit,
): Promise<void> => {
  let last: EventPlace | undefined;
  for (;;) {
    const paused = visitForATurn(entriesFrom(last), last, visit);
    if (paused === undefined) return;
    last = placeOf(paused);
    await new Promise((resolve) => setImmediate(resolve));
  }
};

/** The entry after which the turn was over; undefined when there is no more to visit. */
const visitForATurn = (
  entries: Iterable<EventEntry>,
  seen: EventPlace | undefined,
  visit: Visit,
): EventEntry | undefined => {
  const untilMs = performance.now() + searchTurnMs;
  let count = 0;
  for (const entry of entries) {
    if (entry.key === seen?.key) continue;
    if (visit(entry) === 'enough') return undefined;
    count += 1;
    if (count % searchBatch === 0 && performance.now() > untilMs) return entry;
  }
  return undefined;
};
