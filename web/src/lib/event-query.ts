// What the events page is asked to show, as its address holds it, and how the backend is asked for it. Pure.
import {
  byAge,
  byLength,
  byName,
  byUrgency,
  type EventPlace,
} from '../../../src/actors/events/event-entry.ts';
import type { EventCounts, EventRow } from '../../../src/http/inspect/events/protocol.ts';
import { keyInAll } from './event-key.ts';
import { severityRank } from './format.ts';

export type Sort = 'worst' | 'newest' | 'oldest' | 'name';
/** Whose incidents: everybody's, those of the person who looks, or those that nobody takes care of. */
type Owned = '' | 'mine' | 'nobody';
export type Shown = 'attention' | 'failing' | 'silenced' | 'masked' | 'all';
export type SeverityFilter = '' | 'critical' | 'warning' | 'unknown';

/** By what a list can be grouped; `label:region`: by the value of a label. */
export type GroupedBy = '' | 'namespace' | 'entity' | 'check' | 'owner' | `label:${string}`;

export interface EventFilter {
  /** Empty: all namespaces. */
  readonly namespace: string;
  readonly by: GroupedBy;
  /** Only events of this group; undefined: all groups. */
  readonly group: string | undefined;
  /** `attention`: not passing, and neither silenced nor masked; `silenced`, `masked`: not passing, but that. */
  readonly show: Shown;
  readonly severity: SeverityFilter;
  readonly owned: Owned;
  /** The person who looks. */
  readonly user: string;
  /** Words that all occur in entity, check or output. */
  readonly search: string;
  readonly entity: string;
  readonly check: string;
  /** Selectors as in every list of the API. */
  readonly fields: string;
  readonly labels: string;
  readonly sort: Sort;
}

const oneOf = <T extends string>(values: readonly [T, ...T[]], text: string | null): T =>
  values.find((value) => value === text) ?? values[0];

const groupedBy = (text: string): GroupedBy =>
  /^(namespace|entity|check|owner|label:.+)$/.test(text) ? (text as GroupedBy) : '';

export const filterFrom = (namespace: string, query: URLSearchParams, user = ''): EventFilter => ({
  namespace,
  show: oneOf(['attention', 'failing', 'silenced', 'masked', 'all'], query.get('show')),
  severity: oneOf(['', 'critical', 'warning', 'unknown'], query.get('severity')),
  owned: oneOf(['', 'mine', 'nobody'], query.get('owned')),
  user,
  search: query.get('search') ?? '',
  entity: query.get('entity') ?? '',
  check: query.get('check') ?? '',
  fields: query.get('fields') ?? '',
  labels: query.get('labels') ?? '',
  sort: oneOf(['worst', 'newest', 'oldest', 'name'], query.get('sort')),
  by: groupedBy(query.get('by') ?? ''),
  group: groupedBy(query.get('by') ?? '') === '' ? undefined : (query.get('group') ?? undefined),
});

/** The part of a question that a list and the stream of its changes share. */
export const questionOf = (filter: EventFilter): Record<string, string> => {
  const { show, severity, owned, user, search, entity, check, fields, labels, by, group } = filter;
  const asked = {
    state: severity || (show === 'all' ? '' : 'failing'),
    silenced: show === 'attention' ? 'false' : show === 'silenced' ? 'true' : '',
    masked: show === 'attention' ? 'false' : show === 'masked' ? 'true' : '',
    owner: owned === 'mine' ? user : '',
    acknowledged: owned === 'nobody' ? 'false' : '',
    search,
    entity,
    check,
    fieldSelector: fields,
    labelSelector: labels,
    by: group === undefined ? '' : by,
    group: group ?? '',
  };
  return Object.fromEntries(Object.entries(asked).filter(([, value]) => value !== ''));
};

/** Whether it hides nothing but what its chips say. */
export const isPlain = (filter: EventFilter): boolean => {
  const { severity, owned, search, entity, check, fields, labels, group } = filter;
  if (group !== undefined) return false;
  return [severity, owned, search, entity, check, fields, labels].every((value) => value === '');
};

const worstRank = 3;
const placeOf = (row: EventRow): EventPlace => ({
  rank: worstRank - severityRank(row.check.status),
  since: row.since,
  timestamp: row.timestamp,
  key: keyInAll(row),
});
const orders = { worst: byUrgency, newest: byAge, oldest: byLength, name: byName } as const;

/** The order of the backend: tells where news would stand in a list that is read only in part. */
export const comparing =
  (sort: Sort) =>
  (a: EventRow, b: EventRow): number =>
    orders[sort](placeOf(a), placeOf(b));

const failures = (counts: EventCounts['all']): number => counts.critical + counts.warning + counts.unknown;

/** How many each chip stands for. */
export const chipCounts = ({ all, silenced, masked, both }: EventCounts) => {
  const failing = failures(all);
  const quiet = failures(silenced) + failures(masked) - failures(both);
  return {
    attention: failing - quiet,
    failing,
    silenced: failures(silenced),
    masked: failures(masked),
    all: failing + all.passing,
  };
};

export const severityCount = (
  { all, silenced, masked, both }: EventCounts,
  show: Shown,
  severity: Exclude<SeverityFilter, ''>,
): number => {
  if (show === 'silenced') return silenced[severity];
  if (show === 'masked') return masked[severity];
  const quiet = silenced[severity] + masked[severity] - both[severity];
  return show === 'attention' ? all[severity] - quiet : all[severity];
};

/** A silence as a question: what it covers. Both empty is refused by the API; here it is everything. */
export const coveredBy = (silence: {
  readonly subscription?: string | null | undefined;
  readonly check?: string | null | undefined;
  readonly selector?: string | null | undefined;
}): Record<string, string> => {
  const { subscription, check, selector } = silence;
  const checkName = check && check !== '*' ? { check } : {};
  const selected = selector ? { fieldSelector: selector } : {};
  if (!subscription || subscription === '*') return { ...checkName, ...selected };
  const entity = /^entity:(.+)$/.exec(subscription)?.[1];
  if (entity !== undefined) return { ...checkName, entity, ...selected };
  const quoted = JSON.stringify(subscription);
  const fieldSelector = `${quoted} in event.entity.subscriptions && ${quoted} in event.check.subscriptions`;
  return { ...checkName, fieldSelector: selector ? `${fieldSelector} && ${selector}` : fieldSelector };
};
