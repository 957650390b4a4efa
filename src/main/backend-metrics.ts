// What the actor world tells Prometheus: its figures of this moment, read when somebody scrapes.
import { Gauge, Registry } from 'prom-client';
import type { Backend } from '../actors/backend.ts';

/** What each figure means; one that is not named here is not shown. */
const meanings: Readonly<Record<string, string>> = {
  entities: 'Entities that count towards the limit.',
  clientMessagesRefused: 'Messages of clients of the earlier generation that were refused since the start.',
  events: 'Events that are kept: the last one of each check of each entity.',
  largeEventBytes: 'What the events of 4 KiB and more among them take, bytes.',
  eventsOverBounds: 'Events refused since the start because their entity holds all it may.',
  resources: 'Resources of all kinds that are kept: checks, handlers, silences and the like.',
  resourceBytes: 'What they take as JSON, bytes.',
  memoBytes: 'What remembered verdicts on expressions take, bytes.',
  requestsWaiting: 'Check requests that are still being written to their agents.',
  expressionsWaiting: 'Evaluations of filters and proxy requests that wait for the sandbox.',
  secretsWaiting: 'Requests to secrets stores that wait for the rate limit of their provider.',
  commits: 'Group commits to the store since the start.',
  writes: 'Records written since the start.',
  writesCoalesced: 'Writes that became part of one already due.',
  commitFailures: 'Commits that failed since the start; they are tried again.',
  commitDepth: 'Writes that are not durable yet.',
  lastCommitMs: 'How long the last commit took, milliseconds.',
  p99CommitMs: 'The slowest of a hundred commits lately, milliseconds.',
  deliveriesRunning: 'Events whose pipelines run now.',
  deliveriesWaiting: 'Events that wait for a worker.',
  deliveriesRetrying: 'Events that met an outage and wait for another try.',
  delivered: 'Events that went through their pipelines since the start.',
  deliveriesDropped:
    'Deliveries that checks gave up since the start, because too many or too large ones waited for their handlers.',
  watchdogLooks: 'How often the watchdog compared what should have run with what did.',
  checksFoundStopped: 'Checks that were found not to run when they were due, since the start.',
  checksStopped: 'Checks that do not run now though they are due.',
  actors: 'Actors that live now.',
  supervisors: 'Supervisors that live now.',
  messages: 'Messages actors have handled since the start.',
  queueDepth: 'Actors that wait for their turn.',
  turnP99Ms: 'The longest of a hundred turns lately, milliseconds.',
  mailboxDepthP99: 'Messages waiting in the fullest of a hundred mailboxes lately.',
  restarts: 'Restarts of actors after a failure since the start, those once a minute included.',
  deadLetters: 'Messages to actors that do not live, since the start.',
  faults: 'Faults of our own since the start: what threw where nothing may throw.',
  deadlines: 'Waits that are armed.',
  lagMs: 'How late the last timer came, milliseconds.',
  forgivenMs: 'How long this process was held up since the start, milliseconds.',
  wallSteps: 'How often the wall clock was set since the start.',
};

const snakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** `mon_backend_checks_stopped` and its like, in a registry the HTTP room adds its own to. */
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
