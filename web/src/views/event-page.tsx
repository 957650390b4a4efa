// One event: what the check said, how it got here, what the pipelines did with it and why, and its statechart, live.
import type { Trace } from '../../../src/pipeline/trace.ts';
import { checkActor } from '../lib/actor-id.ts';
import { encode, getJson, inNamespace, inspect } from '../lib/api.ts';
import { duration } from '../lib/format.ts';
import { useShortcuts } from '../lib/keys.ts';
import { usePolled } from '../lib/live.ts';
import { attempt } from '../lib/notices.ts';
import {
  deleteEvent,
  type EventCheck,
  isSilenced,
  type MonEvent,
  rerun,
  resolveEvent,
} from '../lib/resources.ts';
import { go, href } from '../lib/router.ts';
import { user } from '../lib/session.ts';
import { Ago, CopyButton, Facts, Json, Panel, Problem } from '../parts/bits.tsx';
import { HistoryStrip, StatusWord } from '../parts/status.tsx';
import { ActorPanel } from './actor-panel.tsx';
import { silenceFor } from './silence-dialog.tsx';
import { TraceView } from './trace-view.tsx';

interface Props {
  readonly namespace: string;
  readonly entity: string;
  readonly check: string;
}

const everyMs = 2_000;

export const EventPage = ({ namespace, entity, check }: Props) => {
  const path = inNamespace(namespace, `events/${encode(entity)}/${encode(check)}`);
  const found = usePolled<MonEvent>(path, everyMs, () => getJson(path));
  const tracePath = inspect(`traces/${encode(namespace)}/${encode(entity)}/${encode(check)}`);
  const traces = usePolled<Trace[]>(tracePath, everyMs, () => getJson(tracePath));
  const event = found.data;
  const again = (): void => {
    found.again();
    traces.again();
  };
  const run = (): void => {
    void attempt('Asked the agent to run it again', () => rerun(namespace, entity, check)).then(again);
  };
  const resolve = (): void => {
    if (event)
      void attempt('Resolved', () => resolveEvent(namespace, event, user.value ?? 'somebody')).then(again);
  };
  const silence = (): void => {
    if (event) silenceFor(namespace, [event], again);
  };
  const remove = async (): Promise<void> => {
    if (event === undefined || !confirm('Delete this event with its history?')) return;
    if (await attempt('Deleted', () => deleteEvent(namespace, event))) go(`/n/${encode(namespace)}/events`);
  };
  useShortcuts(
    [
      { keys: 'r', what: 'Run again', run },
      { keys: 's', what: 'Silence', run: silence },
      { keys: 'a', what: 'Resolve', run: resolve },
    ],
    [event],
  );
  return (
    <>
      <header class="page-head">
        <div>
          <p class="crumbs">
            <a href={href(`/n/${encode(namespace)}/events`)}>Events</a> /{' '}
            <a href={href(`/n/${encode(namespace)}/entities/${encode(entity)}`)}>{entity}</a>
          </p>
          <h1>{check}</h1>
        </div>
        <div class="row">
          <button type="button" onClick={run} title="r">
            Run again
          </button>
          <button type="button" onClick={resolve} title="a">
            Resolve
          </button>
          <button type="button" onClick={silence} title="s">
            Silence…
          </button>
          <button type="button" class="danger" onClick={remove}>
            Delete…
          </button>
        </div>
      </header>
      {found.error !== undefined && <Problem text={found.error} again={again} />}
      {event !== undefined && <Summary event={event} />}
      {event !== undefined && (
        <div class="columns">
          <Panel title="Output" aside={<CopyButton text={event.check.output} />}>
            <pre class="output">{event.check.output || 'The check said nothing.'}</pre>
          </Panel>
          <Panel
            title="What the pipelines did"
            aside={traces.data?.[0] && <TraceTime trace={traces.data[0]} />}
          >
            {traces.error !== undefined ? (
              <Problem text={traces.error} />
            ) : (
              <TraceView traces={traces.data ?? []} check={event.check} />
            )}
          </Panel>
        </div>
      )}
      <Panel title="Statechart" class="flush">
        <ActorPanel id={checkActor(namespace, entity, check)} compact onMoved={again} />
      </Panel>
      {event !== undefined && (
        <div class="columns">
          <Panel title="Check">
            <Facts rows={checkFacts(event.check)} />
          </Panel>
          <Panel title="Raw event" aside={<CopyButton text={JSON.stringify(event, null, 2)} />}>
            <Json value={event} />
          </Panel>
        </div>
      )}
    </>
  );
};

const TraceTime = ({ trace }: { trace: Trace }) => <Ago at={trace.startedAtMs / 1000} />;

const Summary = ({ event: { check, timestamp }, event }: { event: MonEvent }) => (
  <div class={`summary ${check.status === 0 ? 'calm' : 'loud'}`}>
    <div>
      <StatusWord status={check.status} />
      <span class="tags">
        {check.state !== undefined && <span class="tag">{check.state}</span>}
        {isSilenced(event) && (
          <span class="tag silenced" title={(check.silenced ?? []).join(', ')}>
            silenced by {(check.silenced ?? []).join(', ') || 'a silence'}
          </span>
        )}
      </span>
    </div>
    <HistoryStrip history={check.history ?? []} wide />
    <dl class="figures">
      <div>
        <dt>last result</dt>
        <dd>
          <Ago at={check.executed || timestamp} />
        </dd>
      </div>
      <div>
        <dt>in a row</dt>
        <dd class="num">
          {check.occurrences}{' '}
          <small title="most in a row in this incident">/ {check.occurrences_watermark}</small>
        </dd>
      </div>
      <div>
        <dt>last ok</dt>
        <dd>
          <Ago at={check.last_ok} />
        </dd>
      </div>
      <div>
        <dt>changes</dt>
        <dd class="num">{check.total_state_change}%</dd>
      </div>
    </dl>
  </div>
);

const list = (values: readonly string[] | null | undefined): string => (values ?? []).join(', ') || 'none';

const checkFacts = (check: EventCheck): [string, string][] => [
  ['command', check.command ?? 'none'],
  [
    'runs',
    check.cron
      ? `cron ${check.cron}`
      : check.interval > 0
        ? `every ${duration(check.interval)}`
        : 'when asked',
  ],
  ['took', check.duration === undefined ? 'unknown' : `${check.duration.toFixed(3)} s`],
  ['TTL', check.ttl > 0 ? duration(check.ttl) : 'none'],
  ['handlers', list(check.handlers)],
  ['pipelines', list(check.pipelines?.map((pipeline) => pipeline.name))],
  ['subscriptions', list(check.subscriptions)],
  ['processed by', check.processed_by ?? 'unknown'],
];
