// What the list of events shows and hides, with how many each chip stands for; every filter in force can be seen and taken
// off. All of it is in the address.
import { useSignal } from '@preact/signals';
import type { EventCounts } from '../../../src/http/inspect/events/protocol.ts';
import { allColumns, type Column, keepColumns } from '../lib/columns.ts';
import { groupTitle } from '../lib/event-items.ts';
import {
  chipCounts,
  type EventFilter,
  type SeverityFilter,
  type Shown,
  severityCount,
} from '../lib/event-query.ts';
import { setQuery } from '../lib/router.ts';
import { Chip } from '../parts/bits.tsx';
import { Menu } from '../parts/menu.tsx';
import { SearchBox } from '../parts/search-box.tsx';
import { StatusIcon } from '../parts/status.tsx';

const shown: readonly (readonly [Shown, string, string])[] = [
  ['attention', 'Needs attention', 'Not passing, and neither silenced nor masked'],
  ['failing', 'Not passing', 'Not passing, silenced and masked ones too'],
  ['silenced', 'Silenced', 'Not passing, but silenced'],
  ['masked', 'Masked', 'Not passing, but what it depends on is down'],
  ['all', 'All', 'Everything there is'],
];
const severities: readonly (readonly [Exclude<SeverityFilter, ''>, number])[] = [
  ['critical', 2],
  ['warning', 1],
  ['unknown', 3],
];
const owners = [
  ['mine', 'Mine', 'Incidents that you take care of'],
  ['nobody', 'Unowned', 'Incidents that nobody takes care of'],
] as const;
const narrowing = [
  ['entity', 'Entity', 'its whole name'],
  ['check', 'Check', 'its whole name'],
  ['labels', 'Labels', "region == 'eu'"],
  ['fields', 'Fields', "event.check.state == 'flapping'"],
] as const;

interface Props {
  readonly filter: EventFilter;
  readonly counts: EventCounts | undefined;
  readonly columns: readonly Column[];
}

export const EventFilters = ({ filter, counts, columns }: Props) => (
  <>
    <div class="filters">
      <Chips filter={filter} counts={counts} />
    </div>
    <div class="filters">
      <SearchBox
        value={filter.search}
        placeholder="Search entity, check, output"
        onChange={(search) => setQuery({ search })}
      />
      <select
        aria-label="Order"
        value={filter.sort}
        onChange={(event) => setQuery({ sort: event.currentTarget.value })}
      >
        <option value="worst">worst first</option>
        <option value="newest">newest first</option>
        <option value="oldest">oldest first</option>
        <option value="name">by name</option>
      </select>
      <GroupBy filter={filter} />
      <NarrowMenu filter={filter} />
      <ColumnsMenu columns={columns} isOfAll={filter.namespace === ''} />
      {filter.group !== undefined && (
        <Chip on title="Take this filter off" onClick={() => setQuery({ by: '', group: '' })}>
          {groupingLabel(filter.by)}: {groupTitle(filter.by, filter.group)} ✕
        </Chip>
      )}
      {narrowing.map(
        ([name, label]) =>
          filter[name] !== '' && (
            <Chip key={name} on title="Take this filter off" onClick={() => setQuery({ [name]: '' })}>
              {label.toLowerCase()}: {filter[name]} ✕
            </Chip>
          ),
      )}
    </div>
  </>
);

const Chips = ({ filter, counts }: Pick<Props, 'filter' | 'counts'>) => {
  const each = counts === undefined ? undefined : chipCounts(counts);
  return (
    <div class="chips">
      {shown.map(
        ([show, label, title]) =>
          // Where nothing depends on anything, nobody needs to learn the word.
          (show !== 'masked' || filter.show === 'masked' || (each?.masked ?? 0) > 0) && (
            <Chip
              key={show}
              on={filter.show === show}
              title={title}
              onClick={() => setQuery({ show: show === 'attention' ? '' : show })}
            >
              {label} <Count of={each?.[show]} />
            </Chip>
          ),
      )}
      <span class="divider" />
      {severities.map(([severity, status]) => (
        <Chip
          key={severity}
          on={filter.severity === severity}
          onClick={() => setQuery({ severity: filter.severity === severity ? '' : severity })}
        >
          <StatusIcon status={status} size={13} /> {severity}{' '}
          <Count of={counts && severityCount(counts, filter.show, severity)} />
        </Chip>
      ))}
      <span class="divider" />
      {owners.map(([owned, label, title]) => (
        <Chip
          key={owned}
          on={filter.owned === owned}
          title={title}
          onClick={() => setQuery({ owned: filter.owned === owned ? '' : owned })}
        >
          {label}
        </Chip>
      ))}
    </div>
  );
};

const NarrowMenu = ({ filter }: Pick<Props, 'filter'>) => (
  <Menu label="Filter…" title="Only some entities, checks, labels or fields" closesOnClick={false}>
    <form
      class="form narrow"
      onSubmit={(event) => {
        event.preventDefault();
        setQuery(Object.fromEntries(textsOf(event.currentTarget)));
      }}
    >
      {narrowing.map(([name, label, hint]) => (
        <label key={name}>
          {label}
          <input key={filter[name]} name={name} defaultValue={filter[name]} placeholder={hint} />
        </label>
      ))}
      <button type="submit" class="primary">
        Apply
      </button>
    </form>
  </Menu>
);

const labelStart = 'label:';
const isOfLabel = (by: string): boolean => by.startsWith(labelStart);
const groupingLabel = (by: string): string => (isOfLabel(by) ? `label ${by.slice(labelStart.length)}` : by);

const groupings = [
  ['', 'no groups'],
  ['entity', 'by entity'],
  ['check', 'by check'],
  ['owner', 'by owner'],
  ['namespace', 'by namespace'],
] as const;

const GroupBy = ({ filter: { by, group, namespace } }: Pick<Props, 'filter'>) => {
  const shownBy = group === undefined ? by : '';
  const isAsking = useSignal(false);
  const isLabel = isAsking.value || isOfLabel(shownBy);
  return (
    <>
      <select
        aria-label="Groups"
        value={isLabel ? labelStart : shownBy}
        onChange={(event) => {
          const { value } = event.currentTarget;
          isAsking.value = value === labelStart;
          if (value !== labelStart) setQuery({ by: value, group: '' });
        }}
      >
        {groupings.map(
          ([value, label]) =>
            (value !== 'namespace' || namespace === '') && (
              <option key={value} value={value}>
                {label}
              </option>
            ),
        )}
        <option value={labelStart}>by label…</option>
      </select>
      {isLabel && (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            const label = String(new FormData(event.currentTarget).get('label')).trim();
            isAsking.value = false;
            setQuery({ by: label === '' ? '' : labelStart + label, group: '' });
          }}
        >
          <input
            class="label-name"
            name="label"
            aria-label="Label to group by"
            placeholder="label, then Enter"
            autofocus={isAsking.value}
            defaultValue={isOfLabel(shownBy) ? shownBy.slice(labelStart.length) : ''}
          />
        </form>
      )}
    </>
  );
};

const ColumnsMenu = ({ columns, isOfAll }: { columns: readonly Column[]; isOfAll: boolean }) => (
  <Menu label="Columns" title="Columns of the list" closesOnClick={false}>
    <div class="looks columns">
      {allColumns.map(
        ([column, label]) =>
          // A list of all namespaces always names them, one of a single namespace has no use for it.
          column !== 'namespace' && (
            <label key={column}>
              <input
                type="checkbox"
                checked={columns.includes(column)}
                onChange={(event) => {
                  const isOn = event.currentTarget.checked;
                  const chosen = columns.filter((one) => one !== column && (one !== 'namespace' || !isOfAll));
                  const next = isOn ? [...chosen, column] : chosen;
                  setQuery({
                    columns: keepColumns(allColumns.map(([one]) => one).filter((one) => next.includes(one))),
                  });
                }}
              />{' '}
              {label}
            </label>
          ),
      )}
    </div>
  </Menu>
);

const textsOf = (form: HTMLFormElement): [string, string][] =>
  [...new FormData(form)].map(([name, value]) => [name, String(value).trim()]);

const Count = ({ of }: { of: number | undefined }) =>
  of === undefined ? null : <span class="chip-count num">{of.toLocaleString('en')}</span>;
