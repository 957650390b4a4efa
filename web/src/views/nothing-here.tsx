// What stands in the place of an empty list: green is only what was looked at and is well.
import type { ComponentChildren } from 'preact';
import type { EventCounts } from '../../../src/http/inspect/events/protocol.ts';
import type { Access } from '../lib/access.ts';
import { encode } from '../lib/api.ts';
import { type EventFilter, isPlain } from '../lib/event-query.ts';
import { href, setQuery } from '../lib/router.ts';
import { StatusIcon } from '../parts/status.tsx';

interface NothingProps {
  readonly filter: EventFilter;
  readonly access: Access;
  readonly counts: EventCounts | undefined;
  readonly isLive: boolean;
}

export const NothingHere = ({ filter, access, counts, isLive }: NothingProps) => {
  const isSomethingThere = counts !== undefined && Object.values(counts.all).some((each) => each > 0);
  const isOfAll = filter.namespace === '';
  const list = isOfAll ? '/events' : `/n/${encode(filter.namespace)}/events`;
  const showAll = <a href={href(`${list}?show=all`)}>Show all events</a>;
  if (!isPlain(filter))
    return (
      <Nothing title="No event matches.">
        {isSomethingThere
          ? 'What matches the search is hidden by the chip above: '
          : `Nothing ${isOfAll ? 'anywhere' : 'in this namespace'} does, whatever the chips. `}
        {isSomethingThere && (
          <>
            <button type="button" onClick={() => setQuery({ show: 'all', severity: '' })}>
              Show passing, silenced and masked ones too
            </button>{' '}
          </>
        )}
        <button
          type="button"
          onClick={() =>
            setQuery({
              search: '',
              severity: '',
              owned: '',
              entity: '',
              check: '',
              labels: '',
              fields: '',
              by: '',
              group: '',
            })
          }
        >
          Take the filters off
        </button>
      </Nothing>
    );
  if (!isSomethingThere)
    return (
      <Nothing title="No events yet.">
        No agent has reported{isOfAll ? ' anywhere' : ` in ${filter.namespace}`}, and nothing was posted
        there.{' '}
        {!isOfAll && access.may('list', 'checks') && (
          <a href={href(`/n/${encode(filter.namespace)}/config/checks`)}>Look at its checks</a>
        )}
      </Nothing>
    );
  if (filter.show !== 'attention') return <Nothing title="No event here.">{showAll}</Nothing>;
  return (
    <div class="quiet-page">
      <StatusIcon status={0} size={34} />
      <p>Nothing needs attention.</p>
      <p class="dim">
        {isLive
          ? 'Passing, silenced and masked events are hidden here. '
          : 'That was so when the backend was last heard. '}
        {showAll}
      </p>
    </div>
  );
};

const Nothing = ({ title, children }: { title: string; children: ComponentChildren }) => (
  <div class="quiet-page">
    <p>{title}</p>
    <p class="dim">{children}</p>
  </div>
);
