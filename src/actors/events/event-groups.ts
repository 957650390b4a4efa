// A list of events by its groups: how many each has of which severity, the worst first.
import { severities } from '../../machines/check/severity-rule.ts';
import { type Grouping, groupOf } from './event-grouping.ts';
import type { EventIndex } from './event-index.ts';
import { prefixOf } from './event-scope.ts';
import { type EventFilter, testOf } from './event-search.ts';
import { walkInTurns } from './walk-in-turns.ts';

export interface EventGroup {
  readonly name: string;
  /** By rank of severity. */
  readonly counts: number[];
  total: number;
  acknowledged: number;
  silenced: number;
  /** When one of its events got its severity last, in Unix seconds. */
  since: number;
}

export const byGroupUrgency = (a: EventGroup, b: EventGroup): number => {
  for (const rank of severities.keys()) {
    const more = (b.counts[rank] ?? 0) - (a.counts[rank] ?? 0);
    if (more !== 0) return more;
  }
  return a.name < b.name ? -1 : 1;
};

/** All groups of what fits: those with most critical events first, then most warnings, and so on. */
export const groupEvents = async (
  index: EventIndex,
  filter: EventFilter,
  by: Grouping,
): Promise<readonly EventGroup[]> => {
  await index.settled(filter);
  const fits = testOf(filter);
  const groups = new Map<string, EventGroup>();
  await walkInTurns(
    (from) => index.named(prefixOf(filter), from?.key),
    (entry) => {
      if (!fits(entry)) return 'more';
      const name = groupOf(by, filter, entry);
      const group = groups.get(name) ?? emptyGroup(name);
      groups.set(name, group);
      group.total += 1;
      group.counts[entry.rank] = (group.counts[entry.rank] ?? 0) + 1;
      group.since = Math.max(group.since, entry.since);
      if (entry.event.check.acknowledgement) group.acknowledged += 1;
      if (entry.silenced.length > 0) group.silenced += 1;
      return 'more';
    },
  );
  return [...groups.values()].sort(byGroupUrgency);
};

const emptyGroup = (name: string): EventGroup => ({
  name,
  counts: severities.map(() => 0),
  total: 0,
  acknowledged: 0,
  silenced: 0,
  since: 0,
});
