// The lines of the list of events: of events, and of groups that fold and unfold.

import { encode } from '../lib/api.ts';
import { allColumns, type Column, gridOf, needsHead } from '../lib/columns.ts';
import type { EventChoice } from '../lib/event-choice.ts';
import type { EventDependents } from '../lib/event-dependents.ts';
import { type EventItem, groupTitle, listOfGroup } from '../lib/event-items.ts';
import { keyInAll } from '../lib/event-key.ts';
import type { EventFilter } from '../lib/event-query.ts';
import { plural } from '../lib/format.ts';
import { href, query } from '../lib/router.ts';
import { useSilentAgents } from '../lib/silent-agents.ts';
import { isWaiting } from '../lib/undo.ts';
import { Ago } from '../parts/bits.tsx';
import { StatusIcon } from '../parts/status.tsx';
import { VirtualList } from '../parts/virtual-list.tsx';
import { EventLine } from './event-row.tsx';

interface Props {
  readonly filter: EventFilter;
  readonly items: readonly EventItem[];
  readonly total: number;
  readonly columns: readonly Column[];
  readonly choice: EventChoice;
  readonly onNearEnd: () => void;
  readonly onFold: (name: string) => void;
  readonly dependents: EventDependents;
}

export const EventLines = ({
  filter,
  items,
  total,
  columns,
  choice,
  onNearEnd,
  onFold,
  dependents,
}: Props) => {
  const silent = useSilentAgents(filter.namespace);
  return (
    <div class="event-table" style={{ '--columns': gridOf(columns) }}>
      {needsHead(columns) && <Head columns={columns} />}
      <VirtualList
        class="events"
        items={items}
        total={total}
        reveal={choice.atIndex}
        onNearEnd={onNearEnd}
        row={(item, index) =>
          item.type === 'event' ? (
            <EventLine
              key={item.line}
              event={item.event}
              gone={item.gone}
              silentSince={silent.since(item.event)}
              isResolving={isWaiting(keyInAll(item.event))}
              isAt={index === choice.atIndex}
              isChosen={choice.isChosen(item.event)}
              columns={columns}
              onToggle={() => choice.toggle(item.event)}
              isUnder={item.isUnder === true}
              isUnfolded={dependents.rows.has(keyInAll(item.event))}
              onUnfold={() => dependents.fold(item.event)}
            />
          ) : (
            <GroupLine
              key={item.line}
              filter={filter}
              item={item}
              isAt={index === choice.atIndex}
              onFold={onFold}
            />
          )
        }
      />
    </div>
  );
};

const titles = new Map<Column, string>(allColumns);

const Head = ({ columns }: { columns: readonly Column[] }) => (
  <div class="event-head" aria-hidden="true">
    <span />
    <span>Status</span>
    <span>Check, entity</span>
    {columns.map((column) => (
      <span key={column}>{titles.get(column)}</span>
    ))}
  </div>
);

interface GroupProps {
  readonly filter: EventFilter;
  readonly item: Exclude<EventItem, { readonly type: 'event' }>;
  readonly isAt: boolean;
  readonly onFold: (name: string) => void;
}

const severities = [
  ['critical', 2],
  ['warning', 1],
  ['unknown', 3],
  ['passing', 0],
] as const;

const GroupLine = ({ filter, item, isAt, onFold }: GroupProps) => {
  const { group } = item;
  const alone = listOfGroup(filter, group.name);
  const list = alone.namespace === '' ? '/events' : `/n/${encode(alone.namespace)}/events`;
  const to = href(`${list}?${queryWith(alone.changes)}`);
  if (item.type === 'rest')
    return (
      <li class={`group-rest ${isAt ? 'at' : ''}`}>
        {item.count === undefined ? (
          <span class="dim">Loading…</span>
        ) : (
          <a href={to}>{item.count.toLocaleString('en')} more in a list of their own</a>
        )}
      </li>
    );
  const title = groupTitle(filter.by, group.name);
  return (
    <li class={`group ${isAt ? 'at' : ''}`} aria-current={isAt ? 'true' : undefined}>
      <button type="button" class="fold" aria-expanded={item.isUnfolded} onClick={() => onFold(group.name)}>
        <span aria-hidden="true" class="arrow">
          ▸
        </span>
        <bdi class={group.name === '' ? 'dim' : ''}>{title}</bdi>
      </button>
      <span class="group-counts">
        {severities.map(
          ([severity, status]) =>
            group.counts[severity] > 0 && (
              <span key={severity} class="num" title={`${group.counts[severity]} ${severity}`}>
                <StatusIcon status={status} size={13} /> {group.counts[severity].toLocaleString('en')}
                <span class="unseen"> {severity}</span>
              </span>
            ),
        )}
      </span>
      <span class="tags">
        {group.acknowledged > 0 && filter.by !== 'owner' && (
          <span class="tag owner">{group.acknowledged.toLocaleString('en')} acknowledged</span>
        )}
        {group.silenced > 0 && (
          <span class="tag silenced">{group.silenced.toLocaleString('en')} silenced</span>
        )}
      </span>
      <a class="alone" href={to} aria-label={`${plural(group.total, 'event')} of ${title} alone`}>
        {plural(group.total, 'event')}
      </a>
      <span class="since" title="last change of a status">
        <Ago at={group.since} />
      </span>
    </li>
  );
};

/** The query of now with changes; the group without a name is one, too. */
const queryWith = (changes: Readonly<Record<string, string>>): string => {
  const next = new URLSearchParams(query.value);
  for (const [name, value] of Object.entries(changes)) {
    if (value === '' && name !== 'group') next.delete(name);
    else next.set(name, value);
  }
  return next.toString();
};
