// One event as a line: how bad, what and where, what it says, since when.
import type { ComponentChildren } from 'preact';
import { useMemo } from 'preact/hooks';
import type { EventRow, WhyGone } from '../../../src/http/inspect/events/protocol.ts';
import { now } from '../lib/clock.ts';
import type { Column } from '../lib/columns.ts';
import { keyOf, namespaceOf } from '../lib/event-key.ts';
import { duration, firstLine } from '../lib/format.ts';
import { readOutput } from '../lib/output-text.ts';
import { eventPath, isSilenced, type Mask } from '../lib/resources.ts';
import { href } from '../lib/router.ts';
import { Ago } from '../parts/bits.tsx';
import { OwnerTag } from '../parts/owner-tag.tsx';
import { HistoryStrip, StatusWord } from '../parts/status.tsx';

interface Props {
  readonly event: EventRow;
  /** Why it stands here no longer by right. */
  readonly gone: WhyGone | undefined;
  /** Its agent is silent since then, in seconds, so nobody knows how it is now. */
  readonly silentSince: number | undefined;
  readonly isResolving: boolean;
  readonly isAt: boolean;
  readonly isChosen: boolean;
  readonly columns: readonly Column[];
  readonly onToggle: () => void;
  /** It stands below what masks it. */
  readonly isUnder: boolean;
  /** What it masks stands below it. */
  readonly isUnfolded: boolean;
  readonly onUnfold: () => void;
}

/** Drawn again only when something of it changed. */
export const EventLine = (props: Props) => {
  const { event, gone, silentSince, isResolving, isAt, isChosen, columns, isUnder, isUnfolded } = props;
  return useMemo(
    () => <Line {...props} />,
    [event, gone, silentSince, isResolving, isAt, isChosen, columns.join(), isUnder, isUnfolded],
  );
};

const goneWords: Readonly<Record<WhyGone, string>> = {
  passing: 'passes now',
  silenced: 'silenced now',
  masked: 'masked now',
  acknowledged: 'acknowledged now',
  deleted: 'deleted',
  other: 'no longer fits',
};

const Line = (props: Props) => {
  const { event, gone, silentSince, isAt, isChosen, onToggle, columns } = props;
  const { check, entity } = event;
  const to = href(eventPath(namespaceOf(event), event));
  return (
    <li
      class={`${isAt ? 'at' : ''} ${isChosen ? 'chosen' : ''} ${gone === undefined ? '' : 'gone'} ${props.isUnder ? 'under' : ''} ${silentSince === undefined ? '' : 'stale'}`}
      aria-current={isAt ? 'true' : undefined}
    >
      <input type="checkbox" checked={isChosen} aria-label={`Select ${keyOf(event)}`} onChange={onToggle} />
      <StatusWord status={check.status} />
      <a class="what" href={to}>
        <b>{check.metadata.name}</b>
        <span>
          {columns.includes('namespace') && <i class="narrow-only">{namespaceOf(event)} · </i>}
          {entity.metadata.name}
        </span>
      </a>
      {columns.map((column) => (
        <Cell key={column} column={column} to={to} {...props} />
      ))}
    </li>
  );
};

const Cell = (props: Props & { readonly column: Column; readonly to: string }) => {
  const { event, column, to } = props;
  const { check, entity } = event;
  switch (column) {
    case 'output':
      return (
        <a class="output" href={to} tabIndex={-1}>
          {firstLine(readOutput(check.output).text) || 'no output'}
        </a>
      );
    case 'tags':
      return <Tags {...props} />;
    case 'history':
      return <HistoryStrip history={check.history} />;
    case 'since':
      return (
        <span class="since" title={check.status === 0 ? 'passing since' : 'not passing since'}>
          <Ago at={event.since} />
        </span>
      );
    case 'last':
      return <Extra name="since">{<Ago at={event.timestamp} />}</Extra>;
    case 'lastOk':
      return <Extra name="since">{<Ago at={check.last_ok} />}</Extra>;
    case 'namespace':
      return <span class="cell namespace-cell">{namespaceOf(event)}</span>;
    case 'owner':
      return <Extra>{check.acknowledgement?.owner ?? ''}</Extra>;
    case 'occurrences':
      return <Extra name="num">{check.status === 0 ? '' : `${check.occurrences}×`}</Extra>;
    case 'class':
      return <Extra>{entity.entity_class}</Extra>;
    case 'subscriptions':
      return <Extra>{(check.subscriptions ?? []).join(', ')}</Extra>;
    case 'handlers':
      return <Extra>{(check.handlers ?? []).join(', ')}</Extra>;
    case 'interval':
      return <Extra name="num">{check.interval > 0 ? duration(check.interval) : ''}</Extra>;
  }
};

/** On a narrow screen there is no place for it. */
const Extra = ({ name = '', children }: { name?: string; children: ComponentChildren }) => (
  <span class={`cell extra ${name}`} title={typeof children === 'string' ? children : undefined}>
    {children}
  </span>
);

const maskNames = (masks: readonly Mask[]): string =>
  masks.map(({ entity, check }) => `${entity}/${check}`).join(', ');

const Tags = ({ event, gone, silentSince, isResolving, columns, isUnfolded, onUnfold }: Props) => {
  const { check } = event;
  return (
    <span class="tags">
      {gone !== undefined && <span class="tag">{goneWords[gone]}</span>}
      {isResolving && <span class="tag">resolving…</span>}
      {silentSince !== undefined && (
        <span class="tag stale" title="Its agent is silent: nobody knows how it is now">
          stale for {duration(now.peek() / 1000 - silentSince)}
        </span>
      )}
      {check.state === 'flapping' && <span class="tag">flapping</span>}
      {check.acknowledgement !== null && !columns.includes('owner') && (
        <OwnerTag {...check.acknowledgement} />
      )}
      {check.masks > 0 && (
        <button
          type="button"
          class="tag masks"
          aria-expanded={isUnfolded}
          title={`Fold or unfold what depends on it, is failing and was not told of (d)`}
          onClick={onUnfold}
        >
          {check.masks.toLocaleString('en')} {check.masks === 1 ? 'depends' : 'depend'} on it
        </button>
      )}
      {check.masked_by.length > 0 && (
        <span class="tag masked" title={`masked by ${maskNames(check.masked_by)}`}>
          masked
        </span>
      )}
      {isSilenced(event) && (
        <span class="tag silenced" title={check.silenced.join(', ')}>
          silenced
        </span>
      )}
      {check.status !== 0 && check.occurrences > 1 && !columns.includes('occurrences') && (
        <span class="tag" title="results in a row with this status">
          {check.occurrences}×
        </span>
      )}
    </span>
  );
};
