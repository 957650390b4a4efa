// Reads the events a view wants, worst first, a page at a time: the first page is on the screen while the rest is
// still on its way, and what comes later belongs below what is there already.
import type { EventFilter } from './event-feed.ts';
import type { MonEvent } from './resources.ts';

export type PageReader = (
  selector: string | undefined,
  next: string | undefined,
  limit: number,
) => Promise<{ readonly items: readonly MonEvent[]; readonly next: string | undefined }>;

export interface Reading {
  readonly events: readonly MonEvent[];
  /** There are more than the page keeps. */
  readonly isPartial: boolean;
}

/** Small, so that the first rows are there at once. */
const firstItems = 100;
const pageItems = 500;
const maxEvents = 2_000;

const statusIs: Readonly<Record<string, string>> = {
  critical: 'event.check.status == "2"',
  warning: 'event.check.status == "1"',
  unknown: 'event.check.status notin ["0", "1", "2"]',
};
const notPassing = 'event.check.status != "0"';
const passing = 'event.check.status == "0"';
const notSilenced = 'event.is_silenced != "true"';

const alsoOf = (filter: EventFilter): string => (filter.show === 'attention' ? ` && ${notSilenced}` : '');

/** One question for all that the view shows: the backend looks at every event once. */
const selectorFor = (filter: EventFilter): string | undefined => {
  const bySeverity = statusIs[filter.severity];
  if (bySeverity !== undefined) return bySeverity + alsoOf(filter);
  return filter.show === 'all' ? undefined : notPassing + alsoOf(filter);
};

/** A question for each severity, so that the worst are read before the limit is reached. */
const selectorsInOrder = (filter: EventFilter): readonly string[] => {
  const worst = ['critical', 'warning', 'unknown'].map((word) => statusIs[word] + alsoOf(filter));
  return filter.show === 'all' ? [...worst, passing] : worst;
};

/**
 * Reads at most `maxEvents`; `onProgress` hears of what is there after each page but the last.
 * Worst first: when few are not passing, one question brings them all; when many are, the first page of it tells so,
 * and they are asked for by severity.
 */
export const readEvents = async (
  filter: EventFilter,
  read: PageReader,
  onProgress: (events: readonly MonEvent[]) => void,
): Promise<Reading> => {
  if (filter.sort !== 'severity' || filter.severity !== '')
    return readInTurn([selectorFor(filter)], [], read, onProgress);
  const probe = await read(notPassing + alsoOf(filter), undefined, firstItems);
  if (probe.next !== undefined) return readInTurn(selectorsInOrder(filter), [], read, onProgress);
  return readInTurn(filter.show === 'all' ? [passing] : [], probe.items, read, onProgress);
};

const readInTurn = async (
  selectors: readonly (string | undefined)[],
  already: readonly MonEvent[],
  read: PageReader,
  onProgress: (events: readonly MonEvent[]) => void,
): Promise<Reading> => {
  const events = [...already];
  for (const [index, selector] of selectors.entries()) {
    let next: string | undefined;
    do {
      if (events.length > 0) onProgress([...events]);
      const page = await read(selector, next, events.length === 0 ? firstItems : pageItems);
      events.push(...page.items);
      next = page.next;
    } while (next !== undefined && events.length < maxEvents);
    if (events.length >= maxEvents)
      return { events, isPartial: next !== undefined || index < selectors.length - 1 };
  }
  return { events, isPartial: false };
};

/** Keeps the object of an event that did not change, so that its row need not be drawn again. */
export const keepUnchanged = (
  known: ReadonlyMap<string, MonEvent>,
  key: string,
  event: MonEvent,
): MonEvent => {
  const before = known.get(key);
  return before !== undefined && JSON.stringify(before) === JSON.stringify(event) ? before : event;
};
