// One page of events, worst first or by age or name, and how many there are in all. What the index counts is not counted
// again; what it does not know (a word, a selector) is looked for a few events at a time, so that nobody waits for it.
import { type Severity, severities } from '../../machines/check/severity-rule.ts';
import type { CheckEvent } from '../../model/event/event.ts';
import type { ItemTest } from '../../model/resource/item-selectors.ts';
import {
  byAge,
  byLength,
  byName,
  byUrgency,
  type EventEntry,
  type EventPlace,
  maskOf,
  placeOf,
  withMarks,
} from './event-entry.ts';
import { type EventGroupName, groupOf } from './event-grouping.ts';
import type { EventCounts, EventIndex } from './event-index.ts';
import { type EventScope, isInScope, nameIn, prefixOf } from './event-scope.ts';
import { walkInTurns } from './walk-in-turns.ts';

type EventOrder = 'worst' | 'newest' | 'oldest' | 'name';

export interface EventFilter extends EventScope {
  readonly severities?: readonly Severity[] | undefined;
  readonly silenced?: boolean | undefined;
  /** Whether something that it depends on and is down masks it. */
  readonly masked?: boolean | undefined;
  /** `entity/check`: only what that masks now, in its namespace. */
  readonly maskedBy?: string | undefined;
  /** `entity/check`: only what names that as its dependency, or its entity does. */
  readonly dependsOn?: string | undefined;
  /** Whether somebody acknowledged the incident. */
  readonly acknowledged?: boolean | undefined;
  /** Who takes care of it. */
  readonly owner?: string | undefined;
  readonly entity?: string | undefined;
  readonly check?: string | undefined;
  /** Of one group alone. */
  readonly group?: EventGroupName | undefined;
  /** Words that must all occur in the entity's name, the check's or the output, whatever their case. */
  readonly words?: readonly string[];
  /** Characters that occur in this order in the name of the row, whatever their case. */
  readonly fuzzy?: string | undefined;
  /** Asked last; sees the event with its silences of now. */
  readonly selector?: ItemTest<CheckEvent> | undefined;
}

export interface EventSearch extends EventFilter {
  readonly order: EventOrder;
  readonly limit: number;
  readonly after?: EventPlace | undefined;
}

export interface EventPage {
  readonly items: readonly EventEntry[];
  /** All that fit, on every page. */
  readonly total: number;
  readonly next?: EventPlace;
  /** Backends of a cluster that gave no answer, and why. */
  readonly missing?: readonly { readonly backend: string; readonly why: string }[];
}

export type EntryTest = (entry: EventEntry) => boolean;

/** Cheap questions first. */
export const testOf = (filter: EventFilter): EntryTest => {
  const { silenced, masked, acknowledged, owner, entity, check, group, fuzzy, words = [], selector } = filter;
  const ranks = ranksOf(filter);
  const { maskedBy, dependsOn } = filter;
  return (entry) =>
    isInScope(filter, entry.namespace) &&
    ranks.includes(entry.rank) &&
    (silenced === undefined || entry.silenced.length > 0 === silenced) &&
    (masked === undefined || entry.masked.length > 0 === masked) &&
    (maskedBy === undefined || entry.masked.some(({ key }) => key === `${entry.namespace}/${maskedBy}`)) &&
    (dependsOn === undefined || entry.targets.includes(`${entry.namespace}/${dependsOn}`)) &&
    (acknowledged === undefined || (ownerOf(entry) !== undefined) === acknowledged) &&
    (owner === undefined || ownerOf(entry) === owner) &&
    (entity === undefined || entry.event.entity.metadata.name === entity) &&
    (check === undefined || entry.event.check.metadata.name === check) &&
    (group === undefined || groupOf(group.by, filter, entry) === group.name) &&
    (fuzzy === undefined || hasInOrder(nameIn(filter, entry.key).toLowerCase(), fuzzy)) &&
    (words.length === 0 || hasWords(entry, words)) &&
    (selector === undefined || selector(withMarks(entry.event, entry.silenced, entry.masked.map(maskOf))));
};

/** What the keys of all that can fit begin with. */
const startOf = (filter: EventFilter): string => {
  const { namespace, entity } = filter;
  return namespace === '' || entity === undefined ? prefixOf(filter) : `${namespace}/${entity}/`;
};

const ownerOf = ({ event }: EventEntry): string | undefined => event.check.acknowledgement?.owner;

export const ranksOf = ({ severities: asked }: EventFilter): readonly number[] =>
  (asked ?? severities).map((severity) => severities.indexOf(severity));

/** `letters`: lower case. */
const hasInOrder = (text: string, letters: string): boolean => {
  let from = 0;
  for (const letter of letters) {
    const found = text.indexOf(letter, from);
    if (found < 0) return false;
    from = found + letter.length;
  }
  return true;
};

const hasWords = ({ key, event }: EventEntry, words: readonly string[]): boolean => {
  const text = `${key.slice(key.indexOf('/') + 1)} ${event.check.output}`.toLowerCase();
  return words.every((word) => text.includes(word.toLowerCase()));
};

/** Resolves with one page. Holds the loop for about `searchTurnMs` at a time. */
export const searchEvents = async (index: EventIndex, search: EventSearch): Promise<EventPage> => {
  await index.settled(search);
  const counted = countOf(index, search);
  return search.order === 'worst' && search.entity === undefined
    ? pageOfUrgent(index, search, counted)
    : pageOfSorted(index, search, counted);
};

/** Whether it asks for a part of the namespace that the index does not count. */
export const isNarrowed = (filter: EventFilter): boolean => {
  const {
    maskedBy,
    dependsOn,
    acknowledged,
    owner,
    entity,
    check,
    group,
    fuzzy,
    words = [],
    selector,
  } = filter;
  return (
    maskedBy !== undefined ||
    dependsOn !== undefined ||
    acknowledged !== undefined ||
    owner !== undefined ||
    entity !== undefined ||
    check !== undefined ||
    group !== undefined ||
    fuzzy !== undefined ||
    words.length > 0 ||
    selector !== undefined
  );
};

/** Counts as the index gives them, of the part that is asked for: of every severity, silenced, masked or not. */
export const countMatching = async (index: EventIndex, filter: EventFilter): Promise<EventCounts> => {
  await index.settled(filter);
  if (!isNarrowed(filter)) return index.counts(filter);
  const fits = testOf({ ...filter, severities: undefined, silenced: undefined, masked: undefined });
  const prefix = startOf(filter);
  const none = (): Record<Severity, number> => ({ critical: 0, warning: 0, unknown: 0, passing: 0 });
  const counts = { all: none(), silenced: none(), masked: none(), both: none() };
  await walkInTurns(
    (from) => index.named(prefix, from?.key),
    (entry) => {
      if (!fits(entry)) return 'more';
      const severity = severities[entry.rank] as Severity;
      counts.all[severity] += 1;
      const [isSilenced, isMasked] = [entry.silenced.length > 0, entry.masked.length > 0];
      if (isSilenced) counts.silenced[severity] += 1;
      if (isMasked) counts.masked[severity] += 1;
      if (isSilenced && isMasked) counts.both[severity] += 1;
      return 'more';
    },
  );
  return counts;
};

/** How many fit, where the index knows; undefined where it has to be found out. */
const countOf = (index: EventIndex, search: EventSearch): number | undefined => {
  if (isNarrowed(search)) return undefined;
  const counts = index.counts(search);
  return ranksOf(search)
    .map((rank) => countIn(counts, severities[rank] as Severity, search))
    .reduce((sum, each) => sum + each, 0);
};

/** How many of a severity are silenced, masked, both or neither, as asked. */
const countIn = (
  { all, silenced, masked, both }: EventCounts,
  severity: Severity,
  asked: Pick<EventFilter, 'silenced' | 'masked'>,
): number => {
  const part = (isSilenced: boolean, isMasked: boolean): number => {
    const lone = isSilenced ? silenced[severity] : masked[severity];
    if (isSilenced && isMasked) return both[severity];
    if (isSilenced || isMasked) return lone - both[severity];
    return all[severity] - silenced[severity] - masked[severity] + both[severity];
  };
  const options = (value: boolean | undefined): readonly boolean[] =>
    value === undefined ? [true, false] : [value];
  return options(asked.silenced)
    .flatMap((isSilenced) => options(asked.masked).map((isMasked) => part(isSilenced, isMasked)))
    .reduce((sum, each) => sum + each, 0);
};

/** Walks the order of urgency from where the last page ended, and no further than the page and the count need. */
const pageOfUrgent = async (
  index: EventIndex,
  search: EventSearch,
  counted: number | undefined,
): Promise<EventPage> => {
  const fits = testOf(search);
  const ranks = ranksOf(search);
  const [best, worst] = [Math.max(...ranks), Math.min(...ranks)];
  const { after, limit } = search;
  const items: EventEntry[] = [];
  const seen = new Set<EventEntry>();
  let total = 0;
  let hasMore = false;
  const start = counted === undefined || after === undefined ? firstOf(worst) : after;
  await walkInTurns(
    (from) => index.urgent(search, from ?? start),
    (entry) => {
      if (entry.rank > best) return 'enough';
      if (!fits(entry) || seen.has(entry)) return 'more';
      total += 1;
      if (after !== undefined && byUrgency(entry, after) <= 0) return 'more';
      if (items.length === limit) {
        hasMore = true;
        return counted === undefined ? 'more' : 'enough';
      }
      items.push(entry);
      seen.add(entry);
      return 'more';
    },
  );
  const last = items.at(-1);
  return { items, total: counted ?? total, ...(hasMore && last ? { next: placeOf(last) } : {}) };
};

/** Before everything of one severity. */
const firstOf = (rank: number) => ({ rank, since: Number.POSITIVE_INFINITY, key: '' });

/** Pages' worth of events that are sorted together. */
const sortedAtOnce = 4;

export const comparisons = { worst: byUrgency, newest: byAge, oldest: byLength, name: byName } as const;

/** For orders the index does not keep, and for single entities: finds all that fit, then sorts what lies ahead. */
const pageOfSorted = async (
  index: EventIndex,
  search: EventSearch,
  counted: number | undefined,
): Promise<EventPage> => {
  const { order, after, limit } = search;
  const prefix = startOf(search);
  const fits = testOf(search);
  const compare = comparisons[order];
  const found: { readonly entry: EventEntry; readonly place: EventPlace }[] = [];
  /** What comes after the page and one more is of no use: it is let go on the way, so that never all are sorted at once. */
  const keepFirst = (): void => {
    found.sort((a, b) => compare(a.place, b.place));
    found.length = Math.min(found.length, limit + 1);
  };
  let total = 0;
  await walkInTurns(
    (from) => index.named(prefix, from?.key),
    (entry) => {
      if (!fits(entry)) return 'more';
      total += 1;
      const place = placeOf(entry);
      if (after !== undefined && compare(place, after) <= 0) return 'more';
      found.push({ entry, place });
      if (found.length >= sortedAtOnce * (limit + 1)) keepFirst();
      return order === 'name' && counted !== undefined && found.length > limit ? 'enough' : 'more';
    },
  );
  keepFirst();
  const last = found[limit - 1];
  return {
    items: found.slice(0, limit).map(({ entry }) => entry),
    total: counted ?? total,
    ...(found.length > limit && last !== undefined ? { next: last.place } : {}),
  };
};
