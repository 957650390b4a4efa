// Prometheus gauges of the actor system, read on scrape.
import { Gauge, Registry } from 'prom-client';
import type { Backend } from '../actors/backend.ts';

/** Gauge descriptions; gauges without one are not exported. */
const meanings: Readonly<Record<string, string>> = {
  entities: 'Entities that count towards the limit.',
  clientMessagesRefused: 'Rejected messages of earlier clients since the start.',
  events: 'Stored events: the last one of each check of each entity.',
  largeEventBytes: 'Total size in bytes of stored events of 4 KiB and more.',
  eventsOverBounds: 'Events rejected since the start because of limits of their entity.',
  resources: 'Stored resources of all kinds, such as checks, handlers and silences.',
  resourceBytes: 'Their total size as JSON, in bytes.',
  memoBytes: 'Size of the memo for expressions, in bytes.',
  requestsWaiting: 'Check requests that are still being written to their agents.',
  expressionsWaiting: 'Queued evaluations of filters and proxy requests.',
  secretsWaiting: 'Requests to secrets stores waiting for a rate limit.',
  commits: 'Group commits to the store since the start.',
  writes: 'Records written since the start.',
  writesCoalesced: 'Writes merged with a pending write of the same record.',
  commitFailures: 'Failed commits since the start; they are retried.',
  commitDepth: 'Writes that are not durable yet.',
  lastCommitMs: 'Duration of the last commit, in milliseconds.',
  p99CommitMs: '99th percentile of recent commit durations, in milliseconds.',
  deliveriesRunning: 'Events whose pipelines are running.',
  deliveriesWaiting: 'Events waiting for a worker.',
  deliveriesRetrying: 'Events waiting for a retry after an outage.',
  delivered: 'Events delivered through their pipelines since the start.',
  deliveriesDropped: 'Deliveries dropped since the start, because too many or too large ones were queued.',
  watchdogLooks: 'Watchdog runs, which compare due checks with executed checks.',
  checksFoundStopped: 'Checks found overdue since the start.',
  checksStopped: 'Checks that are currently overdue.',
  actors: 'Running actors.',
  supervisors: 'Running supervisors.',
  messages: 'Messages processed by actors since the start.',
  queueDepth: 'Actors waiting for their turn.',
  turnP99Ms: '99th percentile of recent turn durations, in milliseconds.',
  mailboxDepthP99: '99th percentile of recent mailbox lengths.',
  restarts: 'Actor restarts after a failure since the start, including those retried once a minute.',
  deadLetters: 'Dead letters since the start.',
  faults: 'Internal errors since the start.',
  deadlines: 'Pending deadlines.',
  lagMs: 'Delay of the last timer, in milliseconds.',
  forgivenMs: 'Time this process was suspended since the start, in milliseconds.',
  wallSteps: 'Changes of the wall clock since the start.',
};

const snakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** `mon_backend_checks_stopped` and others, in a registry that the HTTP layer extends. */
export const createBackendMetrics = (backend: Pick<Backend, 'gauges'>): Registry => {
  const registry = new Registry();
  for (const [name, help] of Object.entries(meanings)) {
    new Gauge({
      name: `mon_backend_${snakeCase(name)}`,
      help,
      registers: [registry],
      collect() {
        const value = backend.gauges()[name];
        if (value !== undefined) this.set(value);
      },
    });
  }
  return registry;
};
