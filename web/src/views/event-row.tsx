// One event as a line: how bad, what and where, what it says, since when.
import { useMemo } from 'preact/hooks';
import type { EventRow } from '../../../src/http/inspect/events/protocol.ts';
import { keyOf } from '../lib/event-key.ts';
import { firstLine } from '../lib/format.ts';
import { eventPath, isSilenced } from '../lib/resources.ts';
import { href } from '../lib/router.ts';
import { Ago } from '../parts/bits.tsx';
import { HistoryStrip, StatusWord } from '../parts/status.tsx';

interface Props {
  readonly namespace: string;
  readonly event: EventRow;
  readonly isGone: boolean;
  readonly isAt: boolean;
  readonly isChosen: boolean;
  readonly onToggle: () => void;
}

/** Drawn anew only when something of it changed. */
export const EventLine = (props: Props) => {
  const { namespace, event, isGone, isAt, isChosen } = props;
  return useMemo(() => <Line {...props} />, [namespace, event, isGone, isAt, isChosen]);
};

const Line = ({ namespace, event, isGone, isAt, isChosen, onToggle }: Props) => {
  const { check, entity } = event;
  const to = href(eventPath(namespace, event));
  return (
    <li class={`${isAt ? 'at' : ''} ${isChosen ? 'chosen' : ''} ${isGone ? 'gone' : ''}`}>
      <input type="checkbox" checked={isChosen} aria-label={`Select ${keyOf(event)}`} onChange={onToggle} />
      <StatusWord status={check.status} />
      <a class="what" href={to}>
        <b>{check.metadata.name}</b>
        <span>{entity.metadata.name}</span>
      </a>
      <a class="output" href={to} tabIndex={-1}>
        {firstLine(check.output) || 'no output'}
      </a>
      <span class="tags">
        {check.state === 'flapping' && <span class="tag">flapping</span>}
        {isSilenced(event) && (
          <span class="tag silenced" title={check.silenced.join(', ')}>
            silenced
          </span>
        )}
        {check.status !== 0 && check.occurrences > 1 && (
          <span class="tag" title="results in a row with this status">
            {check.occurrences}×
          </span>
        )}
      </span>
      <HistoryStrip history={check.history} />
      <span class="since" title={check.status === 0 ? 'passing since' : 'not passing since'}>
        <Ago at={event.since} />
      </span>
    </li>
  );
};
