// One event: what the check said, how it got here, what the pipelines did with it and why, and its statechart, live.

import { type ComponentChildren, Fragment } from 'preact';
import type { EventListPage } from '../../../src/http/inspect/events/protocol.ts';
import type { Trace } from '../../../src/pipeline/trace.ts';
import { accessTo } from '../lib/access.ts';
import { checkActor } from '../lib/actor-id.ts';
import { encode, getJson, inNamespace, inspect } from '../lib/api.ts';
import { now } from '../lib/clock.ts';
import { eventsPath } from '../lib/event-feed.ts';
import { dateTime, duration, severityOf } from '../lib/format.ts';
import { useShortcuts } from '../lib/keys.ts';
import { usePolled } from '../lib/live.ts';
import { attempt, notify } from '../lib/notices.ts';
import {
  deleteEvent,
  type EventCheck,
  isRunnable,
  isSilenced,
  type MonEvent,
  rerun,
  resolveEvent,
  whyNotRun,
} from '../lib/resources.ts';
import { go, href } from '../lib/router.ts';
import { user } from '../lib/session.ts';
import { useSilentAgents } from '../lib/silent-agents.ts';
import { useTitle } from '../lib/title.ts';
import { doLater, isWaiting } from '../lib/undo.ts';
import { Ago, CopyButton, Facts, Json, NoStatechart, Panel, Problem } from '../parts/bits.tsx';
import { OwnerTag } from '../parts/owner-tag.tsx';
import { SilentBanner } from '../parts/silent-banner.tsx';
import { HistoryStrip, StatusWord } from '../parts/status.tsx';
import { acknowledgeFor } from './acknowledge-dialog.tsx';
import { ActorPanel } from './actor-panel.tsx';
import { DependenciesPanel, MaskedTag } from './dependencies-panel.tsx';
import { FiguresPanel } from './figures-panel.tsx';
import { IncidentPanel } from './incident-panel.tsx';
import { HelpLinks, LabelsPanel } from './labels-panel.tsx';
import { OutputPanel } from './output-panel.tsx';
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
  const rowPath = eventsPath(namespace, { entity, check, limit: '1' });
  const rows = usePolled<EventListPage>(rowPath, everyMs, () => getJson(rowPath));
  const tracePath = inspect(`traces/${encode(namespace)}/${encode(entity)}/${encode(check)}`);
  const traces = usePolled<Trace[]>(tracePath, everyMs, () => getJson(tracePath));
  const silent = useSilentAgents(namespace, entity);
  const access = accessTo(namespace);
  const event = found.data;
  const row = rows.data?.items[0];
  const key = `${entity}/${check}`;
  const fullKey = `${namespace}/${key}`;
  const again = (): void => {
    found.again();
    rows.again();
    traces.again();
  };
  const run = (): void => {
    if (row === undefined) return;
    if (!isRunnable(row)) return void notify('failed', `It can't be run again: ${whyNotRun(row)}`);
    void attempt('Asked the agent to run it again', () => rerun(namespace, row)).then(again);
  };
  const resolve = (): void => {
    if (event === undefined || isWaiting(fullKey)) return;
    if (event.check.status === 0) return void notify('failed', 'Nothing to resolve: it passes.');
    const by = user.value ?? 'somebody';
    doLater(
      `Resolving ${key}`,
      [fullKey],
      () => void attempt(`Resolved ${key}`, () => resolveEvent(namespace, event, by)).then(again),
    );
  };
  const acknowledge = (): void => {
    if (event === undefined) return;
    if (event.check.state === 'passing') return void notify('failed', 'Nothing to acknowledge: it passes.');
    acknowledgeFor([event], again);
  };
  const silence = (): void => {
    if (event) silenceFor(namespace, [event], again);
  };
  const remove = async (): Promise<void> => {
    if (event === undefined || !confirm('Delete this event with its history?')) return;
    if (await attempt('Deleted', () => deleteEvent(namespace, event))) go(`/n/${encode(namespace)}/events`);
  };
  const mayRun = access.may('create', 'checks');
  const maySilence = access.may('create', 'silenced');
  const mayResolve = access.may('update', 'events');
  useShortcuts([
    ...(mayRun ? [{ keys: 'r', what: 'Run again', run }] : []),
    ...(maySilence ? [{ keys: 's', what: 'Silence', run: silence }] : []),
    ...(mayResolve
      ? [
          { keys: 'o', what: 'Acknowledge: take care of it', run: acknowledge },
          { keys: 'a', what: 'Resolve (10 s to undo)', run: resolve },
        ]
      : []),
  ]);
  const severity =
    event === undefined || event.check.status === 0 ? '' : `${severityOf(event.check.status)}: `;
  useTitle(`${severity}${check} on ${entity}`);
  const silentSince = row && silent.since(row);
  return (
    <>
      <header class="page-head">
        <div>
          <p class="crumbs">
            <a href={href(`/n/${encode(namespace)}/events`)}>Events</a> /{' '}
            <a href={href(`/n/${encode(namespace)}/entities/${encode(entity)}`)}>{entity}</a>
          </p>
          <h1 tabIndex={-1}>{check}</h1>
        </div>
        <div class="row">
          {event !== undefined && <HelpLinks event={event} />}
          {mayRun && (
            <button
              type="button"
              onClick={run}
              disabled={row !== undefined && !isRunnable(row)}
              title={row === undefined || isRunnable(row) ? 'r' : `Can't be run again: ${whyNotRun(row)}`}
            >
              Run again
            </button>
          )}
          {mayResolve && (
            <button type="button" onClick={acknowledge} disabled={event?.check.state === 'passing'} title="o">
              Acknowledge…
            </button>
          )}
          {mayResolve && (
            <button type="button" onClick={resolve} disabled={event?.check.status === 0} title="a">
              {isWaiting(fullKey) ? 'Resolving…' : 'Resolve'}
            </button>
          )}
          {maySilence && (
            <button type="button" onClick={silence} title="s">
              Silence…
            </button>
          )}
          {access.may('delete', 'events') && (
            <button type="button" class="danger" onClick={remove}>
              Delete…
            </button>
          )}
        </div>
      </header>
      {found.error !== undefined && (
        <Problem
          text={event === undefined ? found.error : `${found.error} What is shown below is old.`}
          again={again}
        />
      )}
      {silentSince !== undefined && <SilentBanner entity={entity} since={silentSince} />}
      {event !== undefined && (
        <Summary namespace={namespace} event={event} since={row?.since} isStale={silentSince !== undefined} />
      )}
      {event !== undefined && event.check.state !== 'passing' && (
        <IncidentPanel
          namespace={namespace}
          event={event}
          mayWrite={mayResolve}
          onAcknowledge={acknowledge}
          onDone={again}
        />
      )}
      {event !== undefined && <DependenciesPanel namespace={namespace} event={event} />}
      {event !== undefined && (
        <div class="columns">
          <OutputPanel output={event.check.output} executed={event.check.executed} />
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
      {event !== undefined && <FiguresPanel event={event} />}
      {event !== undefined && (
        <Panel title="Statechart" class="flush">
          {access.may('inspect:get', 'actors') ? (
            <ActorPanel id={checkActor(namespace, entity, check)} compact onMoved={again} />
          ) : (
            <NoStatechart />
          )}
        </Panel>
      )}
      {event !== undefined && (
        <div class="columns">
          <Panel title="Check">
            <Facts rows={checkFacts(namespace, event.check, row?.rerun !== 'noCheck')} />
          </Panel>
          <LabelsPanel event={event} />
          <Panel title="Raw event" aside={<CopyButton text={JSON.stringify(event, null, 2)} />}>
            <Json value={event} />
          </Panel>
        </div>
      )}
    </>
  );
};

const TraceTime = ({ trace }: { trace: Trace }) => <Ago at={trace.startedAtMs / 1000} />;

interface SummaryProps {
  readonly namespace: string;
  readonly event: MonEvent;
  /** When it got its severity, in Unix seconds, as the backend keeps it; undefined until it is known. */
  readonly since: number | undefined;
  readonly isStale: boolean;
}

const Summary = ({ namespace, event: { check, timestamp }, event, since, isStale }: SummaryProps) => (
  <div class={`summary ${check.status === 0 ? 'calm' : 'loud'} ${isStale ? 'stale' : ''}`}>
    <div>
      <StatusWord status={check.status} />
      {since !== undefined && (
        <span class="how-long num" title={`since ${dateTime(since * 1000)}`}>
          for {duration(now.value / 1000 - since)}
        </span>
      )}
      <span class="tags">
        {check.state !== undefined && <span class="tag">{check.state}</span>}
        {check.acknowledgement && <OwnerTag {...check.acknowledgement} />}
        {(check.masked_by ?? []).length > 0 && (
          <MaskedTag namespace={namespace} masks={check.masked_by ?? []} />
        )}
        {isSilenced(event) && (
          <a class="tag silenced" href={href(`/n/${encode(namespace)}/silences`)}>
            silenced by <bdi>{(check.silenced ?? []).join(', ') || 'a silence'}</bdi>
          </a>
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

/** Names of definitions, each leading to where it is kept. */
const Kept = ({
  namespace,
  kind,
  names,
}: {
  readonly namespace: string;
  readonly kind: string;
  readonly names: readonly string[];
}) =>
  names.length === 0 ? (
    <>none</>
  ) : (
    names.map((name, index) => (
      <Fragment key={name}>
        {index > 0 && ', '}
        <a href={href(`/n/${encode(namespace)}/config/${kind}/${encode(name)}`)}>
          <bdi>{name}</bdi>
        </a>
      </Fragment>
    ))
  );

const checkFacts = (
  namespace: string,
  check: EventCheck,
  isDefined: boolean,
): (readonly [string, ComponentChildren])[] => [
  [
    'definition',
    isDefined ? (
      <Kept namespace={namespace} kind="checks" names={[check.metadata.name]} />
    ) : (
      'none: its results come from elsewhere'
    ),
  ],
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
  ['handlers', <Kept key="handlers" namespace={namespace} kind="handlers" names={check.handlers ?? []} />],
  [
    'pipelines',
    <Kept
      key="pipelines"
      namespace={namespace}
      kind="pipelines"
      names={(check.pipelines ?? []).map(({ name }) => name)}
    />,
  ],
  ['subscriptions', list(check.subscriptions)],
  ['processed by', check.processed_by ?? 'unknown'],
];
