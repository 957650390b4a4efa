// What the list of events shows and hides, with how many each chip stands for; every filter in force can be seen and taken
// off. All of it is in the address.
import type { EventCounts } from '../../../src/http/inspect/events/protocol.ts';
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
  ['attention', 'Needs attention', 'Not passing and not silenced'],
  ['failing', 'Not passing', 'Not passing, silenced ones too'],
  ['silenced', 'Silenced', 'Not passing, but silenced'],
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
}

export const EventFilters = ({ filter, counts }: Props) => {
  const each = counts === undefined ? undefined : chipCounts(counts);
  return (
    <>
      <div class="filters">
        <div class="chips">
          {shown.map(([show, label, title]) => (
            <Chip
              key={show}
              on={filter.show === show}
              title={title}
              onClick={() => setQuery({ show: show === 'attention' ? '' : show })}
            >
              {label} <Count of={each?.[show]} />
            </Chip>
          ))}
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
          <option value="name">by entity</option>
        </select>
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
};

const textsOf = (form: HTMLFormElement): [string, string][] =>
  [...new FormData(form)].map(([name, value]) => [name, String(value).trim()]);

const Count = ({ of }: { of: number | undefined }) =>
  of === undefined ? null : <span class="chip-count num">{of.toLocaleString('en')}</span>;
