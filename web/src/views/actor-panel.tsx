// One actor under the glass: its statechart with what is active, what it waits for, how it got here, what it would do.
// Used whole on the actor page and, smaller, inside event and entity pages.
import { useSignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import type { DryRun, Frame } from '../../../src/http/inspect/protocol.ts';
import { activeStateIds, stateWords } from '../../../src/http/inspect/state-value.ts';
import { type Drawing, loadDrawing } from '../chart/load-chart.ts';
import { Statechart } from '../chart/statechart.tsx';
import { type ActorFeed, useActor } from '../lib/actor-feed.ts';
import { encode } from '../lib/api.ts';
import { heatOf } from '../lib/heat.ts';
import { href, query, setQuery } from '../lib/router.ts';
import { isHeatShown } from '../lib/settings.ts';
import { Chip, Empty, Json, Panel, Problem } from '../parts/bits.tsx';
import { DeadlineChip } from '../parts/deadline-ring.tsx';
import { Candidates } from './candidates.tsx';
import { ControlBox } from './control-box.tsx';
import { DiffList } from './diff-list.tsx';
import { DryRunBox } from './dry-run-box.tsx';
import { PickedNote } from './picked-note.tsx';
import { SaveMenu } from './save-menu.tsx';
import { SequenceView } from './sequence-view.tsx';
import { Timeline } from './timeline.tsx';
import { TransitionList } from './transition-list.tsx';

export const useDrawing = (machine: string | undefined): Drawing | null | undefined => {
  const drawing = useSignal<Drawing | null | undefined>(undefined);
  useEffect(() => {
    drawing.value = undefined;
    if (machine === undefined) return;
    let left = false;
    loadDrawing(machine)
      .then((found) => {
        if (!left) drawing.value = found ?? null;
      })
      .catch(() => {
        if (!left) drawing.value = null;
      });
    return () => {
      left = true;
    };
  }, [machine]);
  return drawing.value;
};

interface ActorPanelProps {
  readonly id: string;
  readonly compact?: boolean;
  /** Told after each batch of transitions: what is shown around the chart may be old now. */
  readonly onMoved?: () => void;
}

/** What the chart shows: now, or a moment of the past picked on the time line, or what a dry run would lead to. */
export const ActorPanel = (props: ActorPanelProps) => <ActorPanelOf {...props} feed={useActor(props.id)} />;

/** The same, of a feed that is there already; `recorded`: it is from a file, nothing can be tried or touched. */
export const ActorPanelOf = ({
  id,
  compact = false,
  onMoved,
  feed,
  recorded = false,
}: ActorPanelProps & { readonly feed: ActorFeed; readonly recorded?: boolean }) => {
  const drawing = useDrawing(feed.view?.row.machine);
  const at = useSignal<number | undefined>(undefined);
  const trial = useSignal<DryRun | undefined>(undefined);
  const picked = useSignal<{ state?: string; transition?: string }>({});
  useEffect(() => {
    at.value = undefined;
    trial.value = undefined;
    picked.value = {};
  }, [id]);
  const { view, frames } = feed;
  const newest = frames.at(-1)?.seq;
  useEffect(() => {
    if (newest !== undefined) onMoved?.();
  }, [newest]);
  const past = frames.find((frame) => frame.seq === at.value);
  const shown = useShown(feed, past, trial.value);
  const heat = useMemo(
    () => (isHeatShown.value ? heatOf(frames) : undefined),
    [isHeatShown.value, frames.at(-1)],
  );
  if (view === undefined)
    return feed.problem === undefined ? (
      <Empty>Looking…</Empty>
    ) : (
      <Problem text={feed.problem} again={feed.reload} />
    );
  const chart =
    drawing === null ? (
      <Empty>This page has no drawing of the machine “{view.row.machine}”. Build the page again.</Empty>
    ) : drawing === undefined ? (
      <div class="chart loading" />
    ) : (
      <Statechart
        drawing={drawing}
        active={shown.active}
        taken={shown.taken}
        refused={shown.refused}
        moment={shown.moment}
        heat={heat}
        deadlines={past === undefined && trial.value === undefined ? view.deadlines : []}
        picked={picked.value.transition ?? picked.value.state}
        onPick={(found) => {
          picked.value = found;
        }}
      />
    );
  const timeline = (
    <Timeline
      frames={frames}
      at={at.value}
      onPick={(seq) => {
        at.value = seq;
        trial.value = undefined;
      }}
    />
  );
  const canSequence = !compact && !recorded;
  const isSequence = canSequence && query.value.get('as') === 'sequence';
  const isStale = drawing?.graph.sha !== undefined && view.sha !== '' && drawing.graph.sha !== view.sha;
  return (
    <div class={`actor ${compact ? 'compact' : ''}`}>
      <div class="actor-chart">
        <div class="state-line">
          {recorded && past === undefined ? (
            <span class="live-dot past">recorded</span>
          ) : (
            <LiveDot feed={feed} past={past} isTrial={trial.value !== undefined} />
          )}
          <span class="state-words">
            {stateWords(past?.to ?? trial.value?.to ?? view.row.value).map((word) => (
              <code key={word}>{word}</code>
            ))}
          </span>
          {past === undefined &&
            view.deadlines.map((deadline) => <DeadlineChip key={deadline.name} deadline={deadline} />)}
          {past === undefined && view.committed === false && (
            <span
              class="chip warn"
              title="This state waits for the store; the API still shows the one before it"
            >
              not stored yet
            </span>
          )}
          <span class="state-tools">
            {canSequence && (
              <span class="chips">
                <Chip on={!isSequence} onClick={() => setQuery({ as: '' })}>
                  Chart
                </Chip>
                <Chip
                  on={isSequence}
                  title="Messages between this actor and its neighbours, over time"
                  onClick={() => setQuery({ as: 'sequence' })}
                >
                  Sequence
                </Chip>
              </span>
            )}
            <button
              type="button"
              class="chip"
              disabled={isSequence}
              aria-pressed={isHeatShown.value}
              title="How often each state and transition was taken"
              onClick={() => {
                isHeatShown.value = !isHeatShown.value;
              }}
            >
              Heat
            </button>
            {compact && <a href={href(`/actor/${encode(id)}`)}>open actor</a>}
          </span>
        </div>
        {isStale && (
          <p class="hint">
            {recorded ? 'The recording is of' : 'The backend runs'} another version of this machine than the
            page was drawn from.
          </p>
        )}
        {isSequence ? (
          <SequenceView
            id={id}
            at={at.value}
            onPick={(seq) => {
              at.value = seq === at.value ? undefined : seq;
            }}
          />
        ) : (
          chart
        )}
        {!isSequence && drawing && <PickedNote drawing={drawing} picked={picked.value} />}
        {timeline}
      </div>
      <div class="actor-side">
        {!compact && !recorded && (
          <Panel title="What would happen if…">
            <DryRunBox
              id={id}
              view={view}
              drawing={drawing ?? undefined}
              result={trial.value}
              onResult={(found) => {
                trial.value = found;
                at.value = undefined;
              }}
            />
          </Panel>
        )}
        <Panel
          title="Transitions"
          aside={
            <>
              {frames.length > 0 ? `${frames.length} seen` : 'since this page watches'}
              {!compact && !recorded && (
                <SaveMenu view={view} frames={frames} drawing={drawing ?? undefined} />
              )}
            </>
          }
        >
          <TransitionList
            frames={compact ? frames.slice(-8) : frames}
            at={at.value}
            drawing={drawing ?? undefined}
            onPick={(seq) => {
              at.value = seq === at.value ? undefined : seq;
            }}
          />
        </Panel>
        {!compact && (
          <Panel title={past === undefined ? 'Context' : 'Why, and what it changed'}>
            {past === undefined ? (
              <Json value={view.context} />
            ) : (
              <>
                <Candidates list={past.candidates} />
                <DiffList entries={past.diff} />
              </>
            )}
          </Panel>
        )}
        {!compact && view.restarts.length > 0 && (
          <Panel title="Restarts">
            <ul class="restarts">
              {view.restarts.map((restart) => (
                <li key={restart.atMs}>
                  <time>{new Date(restart.atMs).toLocaleTimeString()}</time> {restart.error}
                </li>
              ))}
            </ul>
          </Panel>
        )}
        {!compact && !recorded && (
          <ControlBox id={id} isPaused={view.row.status === 'paused'} canControl={view.canControl} />
        )}
      </div>
    </div>
  );
};

const togetherMs = 1_200;

interface Shown {
  readonly active: ReadonlySet<string>;
  readonly taken: ReadonlySet<string>;
  readonly refused: ReadonlySet<string>;
  readonly moment: number | string;
}

const useShown = (feed: ActorFeed, past: Frame | undefined, trial: DryRun | undefined): Shown => {
  const { view, frames } = feed;
  const machine = view?.row.machine ?? '';
  const last = frames.at(-1);
  return useMemo(() => {
    if (trial !== undefined)
      return {
        active: new Set(trial.active),
        taken: new Set(trial.candidates.filter((one) => one.taken).map((one) => one.id)),
        refused: new Set(trial.candidates.filter((one) => one.verdict !== 'yes').map((one) => one.id)),
        moment: 'trial',
      };
    const frame = past ?? last;
    const value = past?.to ?? view?.row.value;
    // A result and its delivery are milliseconds apart: what came together is shown together.
    const recent =
      past === undefined ? frames.filter(({ atMs }) => atMs > (last?.atMs ?? 0) - togetherMs) : [past];
    return {
      active: new Set(value === null || value === undefined ? [] : activeStateIds(machine, value)),
      taken: new Set(recent.flatMap(({ taken }) => taken)),
      refused: new Set(past?.candidates.filter(({ verdict }) => verdict !== 'yes').map(({ id }) => id)),
      moment: frame?.seq ?? 0,
    };
  }, [machine, view?.row.value, last, past, trial]);
};

const LiveDot = ({ feed, past, isTrial }: { feed: ActorFeed; past: Frame | undefined; isTrial: boolean }) => {
  if (isTrial) return <span class="live-dot trial">dry run</span>;
  if (past !== undefined) return <span class="live-dot past">past</span>;
  const lost = feed.lost === null || feed.lost > 0 ? ' (some frames were lost)' : '';
  return (
    <span
      class={`live-dot ${feed.isLive ? 'on' : 'off'}`}
      title={`Transitions are ${feed.isLive ? 'streamed' : 'not streamed now'}${lost}`}
    >
      {feed.isLive ? 'live' : 'waiting'}
    </span>
  );
};
