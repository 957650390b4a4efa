// Lists, counts and groups over all backends, as one backend has them: the same order, filters, limits and places to go on from.
// Whoever gave no answer is named in `missing`.
import { type Gathered, gatherPage } from '../../cluster/gather.ts';
import { type Severity, severities } from '../../machines/check/severity-rule.ts';
import type { Entity } from '../../model/entity/entity.ts';
import { MonError } from '../../model/errors.ts';
import type { CheckEvent } from '../../model/event/event.ts';
import { travelling } from '../../model/resource/item-selectors.ts';
import type { Silenced } from '../../model/silence/silenced.ts';
import { placeOf } from '../events/event-entry.ts';
import type { Grouping } from '../events/event-grouping.ts';
import { byGroupUrgency, type EventGroup, groupEvents } from '../events/event-groups.ts';
import type { EventCounts, EventIndex } from '../events/event-index.ts';
import {
  comparisons,
  countMatching,
  type EventFilter,
  type EventPage,
  type EventSearch,
  searchEvents,
} from '../events/event-search.ts';
import type { Page, ReadQuery } from '../events/read-model.ts';
import type { SilenceOverview, SilenceStanding } from '../families/silence/silence-overview.ts';
import type { BackendReach } from './backend-reach.ts';
import { wholeListSlice } from './limits.ts';
import { entityKeyOf, eventKeyOf, sent } from './sent-query.ts';

/** A backend that gave no answer in time, and why. */
type Missing = Gathered<unknown>['missing'][number];

const byKey =
  <T>(keyOf: (item: T) => string) =>
  (a: T, b: T): number => {
    const [first, second] = [keyOf(a), keyOf(b)];
    return first < second ? -1 : first > second ? 1 : 0;
  };

interface ListedKinds {
  readonly 'event.list': CheckEvent;
  readonly 'entity.list': Entity;
}

/** A page in the order of keys; without a limit all of it. */
const mergedList = async <M extends keyof ListedKinds>(
  reach: BackendReach,
  method: M,
  query: ReadQuery<ListedKinds[M]>,
  keyOf: (item: ListedKinds[M]) => string,
): Promise<Page<ListedKinds[M]>> => {
  const { namespace, entity, filter } = query;
  const asked = { namespace, entity, selectors: travelling(filter) };
  const backends = backendsOf(reach, namespace, entity);
  const page = (after: string | undefined, limit: number) =>
    gatherPage<ListedKinds[M], string>({
      backends,
      askOne: (backend, from, size) =>
        reach.one(backend, method, { ...asked, after: from, limit: size } as never) as never,
      compare: byKey(keyOf),
      keyOf,
      placeOf: keyOf,
      after,
      limit,
    });
  if (query.limit !== undefined) return page(query.after, query.limit);
  const items: ListedKinds[M][] = [];
  for (let after = query.after; ; ) {
    const part = await page(after, wholeListSlice);
    items.push(...part.items);
    if (part.next === undefined || part.missing.length > 0) return { items, missing: part.missing };
    after = part.next;
  }
};

/** All events of an entity are on one backend. */
const backendsOf = (
  reach: BackendReach,
  namespace: string | undefined,
  entity: string | undefined,
): readonly string[] => {
  if (namespace === undefined || entity === undefined || reach.peers === undefined) return reach.backends();
  if (reach.peers.isHere(namespace, entity)) return [reach.peers.name];
  const home = reach.peers.homeOf(namespace, entity);
  if (home === undefined)
    throw new MonError('unavailable', `no backend serves ${namespace}/${entity} at the moment; try again`);
  return [home];
};

interface EventGroups {
  readonly groups: readonly EventGroup[];
  readonly missing: readonly Missing[];
}

/** The event list of operators. */
export interface EventReader {
  search(search: EventSearch): Promise<EventPage>;
  count(filter: EventFilter): Promise<EventCounts>;
  groups(filter: EventFilter, by: Grouping): Promise<EventGroups>;
}

/** Of a backend alone. */
export const ownEvents = (index: EventIndex): EventReader => ({
  search: (search) => searchEvents(index, search),
  count: (filter) => countMatching(index, filter),
  groups: async (filter, by) => ({ groups: await groupEvents(index, filter, by), missing: [] }),
});

export const mergedEvents = (reach: BackendReach): EventReader => ({
  search(search) {
    const { order } = search;
    const asked = sent(search);
    return gatherPage({
      backends: reach.backends(),
      askOne: (backend, after, limit) => reach.one(backend, 'event.search', { ...asked, after, limit }),
      compare: (a, b) => comparisons[order](placeOf(a), placeOf(b)),
      keyOf: ({ key }) => key,
      placeOf,
      after: search.after,
      limit: search.limit,
    }).then((page) => ({ ...page, total: page.total ?? 0 }));
  },
  async count(filter) {
    const { answers } = await reach.all('event.count', sent(filter));
    return [...answers.values()].reduce(sumOfCounts, noCounts());
  },
  async groups(filter, by) {
    const { answers, missing } = await reach.all('event.group', { filter: sent(filter), by });
    const groups = new Map<string, EventGroup>();
    for (const group of [...answers.values()].flat()) {
      const before = groups.get(group.name);
      groups.set(group.name, before === undefined ? group : sumOfGroups(before, group));
    }
    return { groups: [...groups.values()].sort(byGroupUrgency), missing };
  },
});

const countParts = ['all', 'silenced', 'masked', 'both'] as const;
type CountPart = (typeof countParts)[number];

const countsOf = (count: (part: CountPart, severity: Severity) => number): EventCounts => {
  const part = (name: CountPart) =>
    Object.fromEntries(severities.map((one) => [one, count(name, one)])) as EventCounts[CountPart];
  return Object.fromEntries(countParts.map((name) => [name, part(name)])) as unknown as EventCounts;
};

const noCounts = (): EventCounts => countsOf(() => 0);

const sumOfCounts = (a: EventCounts, b: EventCounts): EventCounts =>
  countsOf((part, severity) => a[part][severity] + b[part][severity]);

const sumOfGroups = (a: EventGroup, b: EventGroup): EventGroup => ({
  name: a.name,
  counts: a.counts.map((count, rank) => count + (b.counts[rank] ?? 0)),
  total: a.total + b.total,
  acknowledged: a.acknowledged + b.acknowledged,
  silenced: a.silenced + b.silenced,
  since: Math.max(a.since, b.since),
});

export const mergedEventList = (
  reach: BackendReach,
  query: ReadQuery<CheckEvent>,
): Promise<Page<CheckEvent>> => mergedList(reach, 'event.list', query, eventKeyOf);

export const mergedEntityList = (reach: BackendReach, query: ReadQuery<Entity>): Promise<Page<Entity>> =>
  mergedList(reach, 'entity.list', query, entityKeyOf);

/** Names of the events that match, for a job. Rejects with `unavailable` if a backend does not answer. */
export const mergedNames = async (
  reach: BackendReach,
  namespace: string,
  filter: EventFilter,
): Promise<readonly string[]> => {
  const { answers, missing } = await reach.all('event.names', { namespace, filter: sent(filter) });
  requireAll(missing);
  return [...answers.values()].flat().sort();
};

/** Whether a silence covers any event. */
export const coversAnywhere = async (
  reach: BackendReach,
  namespace: string,
  silence: Silenced,
): Promise<boolean> => {
  const { answers, missing } = await reach.all('silence.covers', { namespace, silence });
  const isCovering = [...answers.values()].includes(true);
  if (!isCovering) requireAll(missing);
  return isCovering;
};

/** What a silence covers and held back, on all backends together. Rejects with `unavailable` if one does not answer. */
export const mergedSilences = async (reach: BackendReach, namespace: string): Promise<SilenceOverview> => {
  const { answers, missing } = await reach.all('silence.overview', { namespace });
  requireAll(missing);
  const [first, ...others] = [...answers.values()];
  if (first === undefined) return { silences: [], ended: [] };
  const standing = new Map(first.silences.map((one) => [one.silence.metadata.name, one]));
  for (const one of others.flatMap(({ silences }) => silences)) {
    const { name } = one.silence.metadata;
    standing.set(name, sumOfStandings(standing.get(name), one));
  }
  const ended = new Map(
    [first, ...others]
      .flatMap((one) => one.ended)
      .map((one) => [`${one.silence.metadata.name} ${one.at}`, one]),
  );
  return { silences: [...standing.values()], ended: [...ended.values()].sort((a, b) => b.at - a.at) };
};

const sumOfStandings = (a: SilenceStanding | undefined, b: SilenceStanding): SilenceStanding =>
  a === undefined
    ? b
    : {
        ...a,
        covers: a.covers + b.covers,
        suppressed: a.suppressed + b.suppressed,
        last: Math.max(a.last, b.last),
      };

const requireAll = ([silent]: readonly Missing[]): void => {
  if (silent !== undefined)
    throw new MonError('unavailable', `the backend ${silent.backend} is missing: ${silent.why}; try again`);
};
