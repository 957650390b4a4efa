// Prometheus metrics of the actor system and of the process. The HTTP layer has its own; docs/metrics.md lists all of them.
import { collectDefaultMetrics } from 'prom-client';
import type { Backend, BackendHistograms } from '../actors/backend.ts';
import { groupCommitLimits } from '../actors/durable/group-commit-limits.ts';
import { maxQueuedRequests } from '../actors/families/session/limits.ts';
import { maxWaitingDeliveries } from '../actors/pipelines/limits.ts';
import type { HistogramFigures } from '../actors/runtime/load/histogram.ts';
import type { MetricBook } from '../http/metric-book.ts';
import { maxQueuedEvaluations } from '../pipeline/limits.ts';

/** Where a gauge of the backend shows in `/metrics`, and what it is divided by. */
interface Shown {
  readonly name: string;
  readonly help: string;
  readonly divisor?: number;
}

/** Values of this moment, by their name in `Backend.gauges()`. */
const gauges: Readonly<Record<string, Shown>> = {
  entities: { name: 'entities', help: 'Entities that count towards the limit.' },
  events: { name: 'events', help: 'Stored events: the last one of each check of each entity.' },
  largeEventBytes: { name: 'large_event_bytes', help: 'Total size of stored events of 4 KiB and more.' },
  resources: {
    name: 'resources',
    help: 'Stored resources of all kinds, such as checks, handlers and silences.',
  },
  resourceBytes: { name: 'resource_bytes', help: 'Total size of stored resources as JSON.' },
  memoBytes: { name: 'memo_bytes', help: 'Size of the memo for expressions.' },
  deliveriesRunning: { name: 'deliveries_running', help: 'Events whose pipelines are running.' },
  deliveryBytesWaiting: {
    name: 'delivery_bytes_waiting',
    help: 'Size of the events that wait behind another delivery of their check.',
  },
  checksStopped: { name: 'checks_stopped', help: 'Checks that are currently overdue.' },
  actors: { name: 'actors', help: 'Running actors.' },
  supervisors: { name: 'supervisors', help: 'Running supervisors.' },
  deadlines: { name: 'deadlines', help: 'Pending deadlines.' },
  lagMs: { name: 'timer_lag_seconds', help: 'Delay of the last timer.', divisor: 1_000 },
};

/** Counts since the start, in the same way. */
const counters: Readonly<Record<string, Shown>> = {
  clientMessagesRefused: {
    name: 'client_messages_refused_total',
    help: 'Rejected messages of earlier clients.',
  },
  eventsOverBounds: {
    name: 'events_over_bounds_total',
    help: 'Events rejected because of limits of their entity.',
  },
  commits: { name: 'commits_total', help: 'Group commits to the store.' },
  writes: { name: 'writes_total', help: 'Records written.' },
  writesCoalesced: {
    name: 'writes_coalesced_total',
    help: 'Writes merged with a pending write of the same record.',
  },
  commitFailures: { name: 'commit_failures_total', help: 'Failed commits; they are retried.' },
  delivered: { name: 'delivered_total', help: 'Events delivered through their pipelines.' },
  deliveriesDropped: {
    name: 'deliveries_dropped_total',
    help: 'Deliveries dropped because too many or too large ones were queued.',
  },
  watchdogLooks: {
    name: 'watchdog_looks_total',
    help: 'Watchdog runs, which compare due checks with executed checks.',
  },
  checksFoundStopped: { name: 'checks_found_stopped_total', help: 'Checks found overdue.' },
  messages: { name: 'messages_total', help: 'Messages processed by actors.' },
  restarts: {
    name: 'restarts_total',
    help: 'Actor restarts after a failure, including those retried once a minute.',
  },
  deadLetters: { name: 'dead_letters_total', help: 'Messages to actors that do not exist.' },
  faults: { name: 'faults_total', help: 'Internal errors.' },
  forgivenMs: { name: 'suspended_seconds_total', help: 'Time this process was suspended.', divisor: 1_000 },
  wallSteps: { name: 'wall_steps_total', help: 'Changes of the wall clock.' },
};

/** Queues, by their gauge, and where they are full. */
const queues: Readonly<Record<string, { readonly queue: string; readonly limit?: number }>> = {
  commitDepth: { queue: 'commits', limit: groupCommitLimits.highWaterWrites },
  queueDepth: { queue: 'actors' },
  requestsWaiting: { queue: 'check_requests', limit: maxQueuedRequests },
  deliveriesWaiting: { queue: 'deliveries', limit: maxWaitingDeliveries },
  deliveriesRetrying: { queue: 'delivery_retries' },
  expressionsWaiting: { queue: 'expressions', limit: maxQueuedEvaluations },
  secretsWaiting: { queue: 'secrets' },
};

/** Figures for people, which `/metrics` has as histograms, and one that the agent listener counts itself. */
const notShown: readonly string[] = [
  'lastCommitMs',
  'p99CommitMs',
  'turnP99Ms',
  'mailboxDepthP99',
  'sessions',
];

/** Those of the gauges that no metric shows, though they should. */
export const unshownGauges = (names: readonly string[]): readonly string[] =>
  names.filter((name) => !(name in gauges || name in counters || name in queues || notShown.includes(name)));

/** One read serves all metrics of a scrape: they are read in one go. */
const readOnce = <T>(read: () => T): (() => T) => {
  let last: { readonly value: T } | undefined;
  return () => {
    if (last === undefined) {
      last = { value: read() };
      queueMicrotask(() => {
        last = undefined;
      });
    }
    return last.value;
  };
};

const alone = (figures: HistogramFigures) => [[{}, figures]] as const;

export const showBackendMetrics = (
  book: Pick<MetricBook, 'gauge' | 'counter' | 'histogram' | 'queue'>,
  backend: Pick<Backend, 'gauges' | 'histograms'>,
): void => {
  const gaugesNow = readOnce(() => backend.gauges());
  const histogramsNow = readOnce(() => backend.histograms());
  const showEach = (table: typeof gauges, show: MetricBook['gauge']): void => {
    for (const [key, { name, help, divisor = 1 }] of Object.entries(table))
      show({ name: `mon_backend_${name}`, help }, () => {
        const value = gaugesNow()[key];
        return value === undefined ? undefined : value / divisor;
      });
  };
  showEach(gauges, book.gauge);
  showEach(counters, book.counter);
  for (const [key, queue] of Object.entries(queues)) book.queue({ ...queue, read: () => gaugesNow()[key] });
  const histogram = (name: string, help: string, read: (all: BackendHistograms) => HistogramFigures) =>
    book.histogram({ name: `mon_backend_${name}`, help }, () => alone(read(histogramsNow())));
  histogram('commit_duration_seconds', 'Duration of successful group commits.', (all) => all.commitSeconds);
  histogram(
    'turn_duration_seconds',
    'Duration of turns in which actors process messages.',
    (all) => all.turnSeconds,
  );
  histogram(
    'mailbox_wait_seconds',
    'From the first message of an idle actor to its turn; a sample, one actor at a time is followed.',
    (all) => all.waitSeconds,
  );
  histogram(
    'mailbox_depth',
    'Messages that the first actor of a turn found in its mailbox.',
    (all) => all.mailboxDepths,
  );
  book.histogram(
    {
      name: 'mon_backend_pipeline_step_duration_seconds',
      help: 'Duration of filters, mutators and handlers. `type` is that of a handler. Names beyond 100 are `other`.',
      labels: ['step', 'type', 'namespace', 'name'],
    },
    () =>
      histogramsNow().steps.map(({ step, type, namespace, name, seconds }) => [
        { step, type, namespace, name },
        seconds,
      ]),
  );
  book.counter(
    {
      name: 'mon_backend_handler_runs_total',
      help: 'Runs of handlers by outcome: handled, failed, timedOut, skipped.',
      labels: ['type', 'namespace', 'name', 'outcome'],
    },
    () =>
      histogramsNow().steps.flatMap(({ type, namespace, name, outcomes }) =>
        [...outcomes].map(([outcome, count]) => [{ type, namespace, name, outcome }, count] as const),
      ),
  );
};

/** They walk every open handle, which takes long with thousands of connections. */
const costly = [
  ...['nodejs_active_handles', 'nodejs_active_handles_total', 'nodejs_active_requests'],
  ...['nodejs_active_requests_total', 'nodejs_active_resources', 'nodejs_active_resources_total'],
];

/** `process_*` and `nodejs_*` as Prometheus clients name them, and the version of this program. */
export const showProcessMetrics = (book: Pick<MetricBook, 'registry' | 'gauge'>, version: string): void => {
  collectDefaultMetrics({ register: book.registry, eventLoopMonitoringPrecision: 20 });
  for (const name of costly) book.registry.removeSingleMetric(name);
  book.gauge(
    { name: 'mon_build_info', help: 'Always 1; the version is its label.', labels: ['version'] },
    () => [[{ version }, 1]],
  );
};
