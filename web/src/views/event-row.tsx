// One event as a line: how bad, what and where, what it says, since when.
import { useMemo } from 'preact/hooks';
import type { EventRow, WhyGone } from '../../../src/http/inspect/events/protocol.ts';
import { now } from '../lib/clock.ts';
import { keyOf } from '../lib/event-key.ts';
import { duration, firstLine } from '../lib/format.ts';
import { readOutput } from '../lib/output-text.ts';
import { eventPath, isSilenced } from '../lib/resources.ts';
import { href } from '../lib/router.ts';
import { Ago } from '../parts/bits.tsx';
import { OwnerTag } from '../parts/owner-tag.tsx';
import { HistoryStrip, StatusWord } from '../parts/status.tsx';

interface Props {
  readonly namespace: string;
  readonly event: EventRow;
  /** Why it stands here no longer by right. */
  readonly gone: WhyGone | undefined;
  /** Its agent is silent since then, in seconds, so nobody knows how it is now. */
  readonly silentSince: number | undefined;
  readonly isResolving: boolean;
  readonly isAt: boolean;
  readonly isChosen: boolean;
  readonly onToggle: () => void;
}

/** Drawn anew only when something of it changed. */
export const EventLine = (props: Props) => {
  const { namespace, event, gone, silentSince, isResolving, isAt, isChosen } = props;
  return useMemo(
    () => <Line {...props} />,
    [namespace, event, gone, silentSince, isResolving, isAt, isChosen],
  );
};

const goneWords: Readonly<Record<WhyGone, string>> = {
  passing: 'passes now',
  silenced: 'silenced now',
  acknowledged: 'acknowledged now',
  deleted: 'deleted',
  other: 'no longer fits',
};

const Line = ({ namespace, event, gone, silentSince, isResolving, isAt, isChosen, onToggle }: Props) => {
  const { check, entity } = event;
  const to = href(eventPath(namespace, event));
  return (
    <li
      class={`${isAt ? 'at' : ''} ${isChosen ? 'chosen' : ''} ${gone === undefined ? '' : 'gone'} ${silentSince === undefined ? '' : 'stale'}`}
      aria-current={isAt ? 'true' : undefined}
    >
      <input type="checkbox" checked={isChosen} aria-label={`Select ${keyOf(event)}`} onChange={onToggle} />
      <StatusWord status={check.status} />
      <a class="what" href={to}>
        <b>{check.metadata.name}</b>
        <span>{entity.metadata.name}</span>
      </a>
      <a class="output" href={to} tabIndex={-1}>
        {firstLine(readOutput(check.output).text) || 'no output'}
      </a>
      <span class="tags">
        {gone !== undefined && <span class="tag">{goneWords[gone]}</span>}
        {isResolving && <span class="tag">resolving…</span>}
        {silentSince !== undefined && (
          <span class="tag stale" title="Its agent is silent: nobody knows how it is now">
            stale for {duration(now.peek() / 1000 - silentSince)}
          </span>
        )}
        {check.state === 'flapping' && <span class="tag">flapping</span>}
        {check.acknowledgement !== null && <OwnerTag {...check.acknowledgement} />}
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
