// What stands in the list of events, one line each: events, or groups with the events of those that are unfolded. Pure.
import type { EventGroupRow, EventRow, WhyGone } from '../../../src/http/inspect/events/protocol.ts';
import type { EventGroups } from './event-groups.ts';
import { type KeyOf, keyInAll } from './event-key.ts';
import type { EventList } from './event-list.ts';
import type { EventFilter, GroupedBy } from './event-query.ts';

export type EventItem =
  | {
      readonly type: 'event';
      /** Of the line: an event may stand in two groups while it moves. */
      readonly line: string;
      readonly key: string;
      readonly event: EventRow;
      readonly gone: WhyGone | undefined;
      /** It stands below what masks it. */
      readonly isUnder?: boolean;
    }
  | {
      readonly type: 'group';
      readonly line: string;
      readonly group: EventGroupRow;
      readonly isUnfolded: boolean;
    }
  | {
      readonly type: 'rest';
      readonly line: string;
      readonly group: EventGroupRow;
      /** Events that are not listed here; undefined while the first ones are on their way. */
      readonly count: number | undefined;
    };

export const itemsOf = (list: EventList, under = ''): readonly EventItem[] =>
  [...list.rows].map(([key, event]) => ({
    type: 'event',
    line: under + key,
    key,
    event,
    gone: list.gone.get(key),
  }));

export const itemsOfGroups = ({
  groups,
  rowsOf,
}: Pick<EventGroups, 'groups' | 'rowsOf'>): readonly EventItem[] =>
  groups.flatMap((group): readonly EventItem[] => {
    const line = `group ${group.name}`;
    const rows = rowsOf(group.name);
    const head: EventItem = { type: 'group', line, group, isUnfolded: rows !== undefined };
    if (rows === undefined) return [head];
    if (rows === 'loading') return [head, { type: 'rest', line: `${line} rest`, group, count: undefined }];
    const more = group.total - (rows.rows.size - rows.gone.size);
    const rest: readonly EventItem[] =
      rows.next !== undefined && more > 0 ? [{ type: 'rest', line: `${line} rest`, group, count: more }] : [];
    return [head, ...itemsOf(rows, `${line} `), ...rest];
  });

/** Each event with what it masks below it, if that is unfolded and not in the list anyway. */
export const withDependents = (
  items: readonly EventItem[],
  rows: ReadonlyMap<string, readonly EventRow[]>,
  nameOf: KeyOf,
): readonly EventItem[] => {
  if (rows.size === 0) return items;
  const listed = new Set(items.flatMap((item) => (item.type === 'event' ? [item.key] : [])));
  return items.flatMap((item): readonly EventItem[] => {
    const below = item.type === 'event' ? (rows.get(keyInAll(item.event)) ?? []) : [];
    const added = below.filter((event) => !listed.has(nameOf(event)));
    for (const event of added) listed.add(nameOf(event));
    return [
      item,
      ...added.map((event): EventItem => {
        const key = nameOf(event);
        return {
          type: 'event',
          line: `${item.line} masks ${key}`,
          key,
          event,
          gone: undefined,
          isUnder: true,
        };
      }),
    ];
  });
};

export const rowsIn = (items: readonly EventItem[]): readonly EventRow[] =>
  items.flatMap((item) => (item.type === 'event' ? [item.event] : []));

/** What a group is called. */
export const groupTitle = (by: GroupedBy, name: string): string => {
  if (name !== '') return name;
  return by === 'owner' ? 'nobody' : `no label ${by.slice('label:'.length)}`;
};

/** The list of one group alone: its path and what changes in the query; an empty value takes that off. */
export const listOfGroup = (
  { namespace, by }: Pick<EventFilter, 'namespace' | 'by'>,
  name: string,
): { readonly namespace: string; readonly changes: Readonly<Record<string, string>> } => {
  const slash = name.indexOf('/');
  switch (by) {
    case 'namespace':
      return { namespace: name, changes: { by: '' } };
    case 'check':
      return { namespace, changes: { by: '', check: name } };
    case 'entity':
      return namespace === ''
        ? { namespace: name.slice(0, slash), changes: { by: '', entity: name.slice(slash + 1) } }
        : { namespace, changes: { by: '', entity: name } };
    default:
      return { namespace, changes: { by, group: name } };
  }
};
