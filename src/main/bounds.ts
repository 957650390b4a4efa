// Every collection that external input can grow, with its limit in entries and bytes, the behavior at the limit,
// and its gauge. docs/limits.md is generated from this table, and a test compares both with the code.
import { maxAncestors } from '../actors/events/limits.ts';
import { entityBounds } from '../actors/families/entity/limits.ts';
import { maxJobEvents, maxJobNameBytes, maxJobs } from '../actors/families/job/limits.ts';
import { keptEndedSilences, maxCheckMail } from '../actors/families/kit/limits.ts';
import { maxQueuedRequests } from '../actors/families/session/limits.ts';
import {
  maxAllWaitingDeliveryBytes,
  maxKeptAssetScripts,
  maxWaitingDeliveries,
} from '../actors/pipelines/limits.ts';
import { maxResourceBytes, maxResourcesPerKind } from '../actors/resources/limits.ts';
import { maxParkedMessages } from '../actors/runtime/limits.ts';
import { maxHeldBytes, maxHeldMessages } from '../cluster/limits.ts';
import { maxDirectoryLogins } from '../http/auth/providers/limits.ts';
import {
  maxSubscriptions as maxEarlierSubscriptions,
  maxUnreadAnswerBytes as maxEarlierUnreadBytes,
  maxInHand,
  maxInHandBytes,
  maxStashBytes,
  maxStashes,
} from '../http/earlier-api/limits.ts';
import { edgeLimits, maxKnownFrameBytes, maxKnownFrames } from '../http/edge/limits.ts';
import { maxBundledStreams, maxWatchedActors } from '../http/inspect/limits.ts';
import {
  bodyLimitBytes,
  maxCompressions,
  maxConnections,
  maxHashingQueue,
  maxPageBytes,
  maxPageItems,
  maxSessionsPerUser,
  maxStreams,
  maxStreamsPerUser,
  maxThrottledKeys,
  maxUnreadAnswerBytes,
} from '../http/limits.ts';
import {
  maxHistoryEntries,
  maxPendingDeliveries,
  maxPendingDeliveryBytes,
  maxRecentIds,
} from '../machines/limits.ts';
import {
  maxCronCharacters,
  maxDependencies,
  maxExpressions,
  maxIncidentNotes,
  maxListItems,
  maxMemoBytes,
  maxMetricPoints,
  maxMetricTags,
  maxNameCharacters,
  maxSilenceWindows,
  maxSystemItems,
} from '../model/limits.ts';
import { maxAssetScriptBytes, maxQueuedEvaluations, maxWorkflowsPerEvent } from '../pipeline/limits.ts';
import { maxWaiting as maxWaitingSecrets } from '../secrets/limits.ts';
import { maxNotedKeys } from '../store/backup/limits.ts';
import { maxPayloadBytes } from '../wire/limits.ts';
import { maxControlConnections } from './maintenance/limits.ts';

export interface Bound {
  readonly collection: string;
  /** The source of growth. */
  readonly by: string;
  /** Maximum number of entries, where entries are counted. */
  readonly entries?: number;
  /** Maximum number of bytes, in total or per entry. */
  readonly bytes?: { readonly most: number; readonly of: 'all' | 'each' };
  /** The behavior at the limit. */
  readonly whenFull: string;
  /** The flag of `mon-backend start` that changes it. */
  readonly flag?: string;
  /** The gauge with the current size. Not needed if the oldest entries are evicted. */
  readonly gauge?: string;
  /** The test at the limit and above: file below test/, and title. */
  readonly test: readonly [file: string, name: string];
}

export const bounds: readonly Bound[] = [
  {
    collection: 'entities',
    by: 'agents, API, earlier clients',
    entries: 100,
    whenFull: '402; existing entities are not affected',
    flag: 'entity-limit',
    gauge: 'mon_backend_entities',
    test: [
      'http/license.test.ts',
      'at the limit nothing new comes in: 402 over HTTP and at the handshake, and what is there goes on',
    ],
  },
  {
    collection: 'new entities of one agent session',
    by: 'an agent that names proxy entities',
    entries: edgeLimits.maxNewEntities,
    whenFull: 'the event is rejected',
    flag: 'max-new-entities-per-session',
    gauge: 'mon_backend_entities',
    test: [
      'http/edge.test.ts',
      'the number of entities a session may create is limited; existing ones are not counted',
    ],
  },
  {
    collection: 'checks of one entity',
    by: 'agents, API, earlier clients',
    entries: entityBounds.maxChecks,
    whenFull: 'the event is rejected (400); existing checks are not affected',
    flag: 'max-checks-per-entity',
    gauge: 'mon_backend_events',
    test: [
      'actors/engine/bounds.test.ts',
      'an entity may have so many checks; one more is refused, and what is there goes on',
    ],
  },
  {
    collection: 'check requests on their way to agents',
    by: 'definitions of checks with many subscribers',
    entries: maxQueuedRequests,
    whenFull: 'the waiting requests are written at once',
    gauge: 'mon_backend_queue_length{queue="check_requests"}',
    test: ['actors/engine/request-queue.test.ts', 'more requests than are kept are written at once'],
  },
  {
    collection: 'last events of one entity (those of 4 KiB and more)',
    by: 'agents, API, earlier clients',
    bytes: { most: entityBounds.maxBytes, of: 'all' },
    whenFull: 'the event is rejected (400); smaller ones are accepted',
    flag: 'max-entity-bytes',
    gauge: 'mon_backend_large_event_bytes',
    test: [
      'actors/engine/bounds.test.ts',
      'the last events of an entity may take so many bytes, over restarts as well',
    ],
  },
  {
    collection: 'history of a check',
    by: 'agents, API, earlier clients',
    entries: maxHistoryEntries,
    whenFull: 'the oldest is evicted',
    test: ['machines/status-rules.test.ts', 'keeps 21 results and lets the oldest go with the 22nd'],
  },
  {
    collection: 'notes of an incident (2,000 characters each)',
    by: 'API',
    entries: maxIncidentNotes,
    whenFull: '409; they are released when the incident ends',
    test: ['actors/engine/acknowledgements.test.ts', 'only an incident is acknowledged or gets notes'],
  },
  {
    collection: 'dependencies of a check or an entity',
    by: 'users with permission to write checks or entities, agents',
    entries: maxDependencies,
    whenFull:
      'of what an agent names, the first count; a write of the API answers 400, and what exists stays as it is',
    test: [
      'actors/events/masks.test.ts',
      'that is none is refused with the forms there are; so are too many',
    ],
  },
  {
    collection: 'events above one that can mask it',
    by: 'dependencies of dependencies',
    entries: maxAncestors,
    whenFull:
      'it is told: those farther away do not mask it, nor do those that depend on more; each stays as it is',
    test: [
      'actors/events/masks.test.ts',
      'in a ring larger than what is looked at is told: no ring may mask itself',
    ],
  },
  {
    collection: 'regular windows of a silence',
    by: 'users with permission to create silences',
    entries: maxSilenceWindows,
    whenFull: '400; the silence is not written, and one that exists stays as it is',
    test: ['model/silence-windows.test.ts', 'what is wrong with a window is said with its place'],
  },
  {
    collection: 'bulk jobs',
    by: 'users with permission to list events',
    entries: maxJobs,
    whenFull: 'the oldest that ended is evicted; 429 while 20 wait or run',
    test: ['actors/engine/jobs.test.ts', 'jobs are bounded: under way, kept, and in their events'],
  },
  {
    collection: 'events of a bulk job',
    by: 'users with permission to list events',
    entries: maxJobEvents,
    bytes: { most: maxJobNameBytes, of: 'each' },
    whenFull: '400; the job is not started, and events stay as it is',
    test: ['actors/engine/jobs.test.ts', 'jobs are bounded: under way, kept, and in their events'],
  },
  {
    collection: 'ended silences of a namespace',
    by: 'silences that end',
    entries: keptEndedSilences,
    whenFull: 'the oldest is evicted',
    test: ['actors/engine/silences.test.ts', 'the last hundred that ended'],
  },
  {
    collection: 'remembered event ids of a check',
    by: 'agents, API',
    entries: maxRecentIds,
    whenFull: 'the oldest is evicted',
    test: ['machines/small-rules.test.ts', 'remember exactly the last 32'],
  },
  {
    collection: 'pending deliveries of one check',
    by: 'results that arrive faster than handlers run',
    entries: maxPendingDeliveries,
    bytes: { most: maxPendingDeliveryBytes, of: 'all' },
    whenFull: 'the least important one is dropped, with a log line and a mark in the trace',
    gauge: 'mon_backend_delivery_bytes_waiting',
    test: ['machines/small-rules.test.ts', 'past the bound loses the oldest repetition, never the head'],
  },
  {
    collection: 'pending deliveries of all checks',
    by: 'results that arrive faster than handlers run',
    bytes: { most: maxAllWaitingDeliveryBytes, of: 'all' },
    whenFull: 'each check keeps one waiting, and drops the others with a log line and a mark in the trace',
    gauge: 'mon_backend_delivery_bytes_waiting',
    test: [
      'actors/engine/delivery-records.test.ts',
      'while all deliveries together take as much as they may, a check keeps one waiting',
    ],
  },
  {
    collection: 'resources of one kind, such as checks, silences and stashes',
    by: 'users with permission to create them',
    entries: maxResourcesPerKind,
    whenFull: '400; existing ones can be changed and deleted',
    gauge: 'mon_backend_resources',
    test: [
      'actors/resources-bounds.test.ts',
      'so many resources of a kind are kept; one more is refused, and those that are there can be changed',
    ],
  },
  {
    collection: 'all resources as JSON',
    by: 'users with permission to create them',
    bytes: { most: maxResourceBytes, of: 'all' },
    whenFull: '400; changes that reduce the size are accepted',
    gauge: 'mon_backend_resource_bytes',
    test: [
      'actors/resources-bounds.test.ts',
      'all resources together take so many bytes; a change that makes one smaller is always taken',
    ],
  },
  {
    collection: 'unsettled frames of one agent session',
    by: 'agents',
    entries: edgeLimits.maxUnsettledFrames,
    bytes: { most: maxPayloadBytes, of: 'each' },
    whenFull: 'the socket is not read until some are settled',
    gauge: 'mon_agent_sessions',
    test: ['http/edge.test.ts', 'a session with too many unsettled frames is not read until they settle'],
  },
  {
    collection: 'unread data of an agent',
    by: 'agents that stop reading',
    bytes: { most: edgeLimits.maxBufferedBytes, of: 'each' },
    whenFull: 'the agent is disconnected',
    gauge: 'mon_agent_sessions',
    test: ['http/edge.test.ts', 'an agent that does not read is cut off, and others do not notice'],
  },
  {
    collection: 'frame cache of the agent listener',
    by: 'agents',
    entries: maxKnownFrames,
    bytes: { most: maxKnownFrameBytes, of: 'each' },
    whenFull: 'the oldest is evicted',
    test: ['http/known-frame.test.ts', 'the number of cached frames is limited'],
  },
  {
    collection: 'events waiting for a worker',
    by: 'results that arrive faster than handlers run',
    entries: maxWaitingDeliveries,
    whenFull: 'agents are not read until there are fewer',
    flag: 'pipelined-workers',
    gauge: 'mon_backend_queue_length{queue="deliveries"}',
    test: [
      'http/edge.test.ts',
      'while the store cannot keep up sockets are not read, and afterwards nothing is lost',
    ],
  },
  {
    collection: 'mailbox of one check',
    by: 'agents, API, earlier clients',
    entries: maxCheckMail,
    whenFull: 'rejected as busy; the sender retries',
    gauge: 'mon_backend_mailbox_depth',
    test: ['actors/runtime/overload.test.ts', 'ten times too much for a mailbox that must'],
  },
  {
    collection: 'quarantined events of one check, which crashed on them',
    by: 'agents, API',
    entries: maxParkedMessages,
    whenFull: 'the oldest is evicted',
    test: [
      'actors/runtime/outcome.test.ts',
      'so many parked messages are remembered, then the oldest is forgotten',
    ],
  },
  {
    collection: 'a request to the API',
    by: 'everybody',
    bytes: { most: bodyLimitBytes, of: 'each' },
    whenFull: '413',
    flag: 'api-request-limit',
    gauge: 'mon_http_request_duration_seconds',
    test: ['http/events.test.ts', 'a body of 512,000 bytes is accepted, one byte more is rejected'],
  },
  {
    collection: 'connections to the API',
    by: 'everybody',
    entries: maxConnections,
    whenFull: 'the connection is closed',
    gauge: 'mon_http_connections',
    test: [
      'http/operations.test.ts',
      'the number of open connections is limited; one more is closed, and they are counted',
    ],
  },
  {
    collection: 'one page of a list',
    by: 'clients that read',
    entries: maxPageItems,
    bytes: { most: maxPageBytes, of: 'each' },
    whenFull: 'the page ends with a continue token',
    gauge: 'mon_http_unread_answer_bytes',
    test: [
      'http/long-lists.test.ts',
      'a page has at most 1,000 items, whatever is asked for, and its token goes on behind them',
    ],
  },
  {
    collection: 'unread large responses',
    by: 'clients that read',
    bytes: { most: maxUnreadAnswerBytes, of: 'all' },
    whenFull: '503 with Retry-After for further large reads',
    gauge: 'mon_http_unread_answer_bytes',
    test: [
      'http/long-lists.test.ts',
      'what clients leave unread is bounded: further large answers are 503 until they read or go',
    ],
  },
  {
    collection: 'unsettled messages of one earlier client',
    by: 'earlier clients on the WebSocket',
    entries: maxInHand,
    bytes: { most: maxInHandBytes, of: 'all' },
    whenFull: 'above the bytes it is not read, above the number it is disconnected',
    gauge: 'mon_backend_mailbox_depth',
    test: [
      'http/earlier-api/strangers.test.ts',
      'unsettled messages of a client are limited in bytes; above that it is not read until they settle',
    ],
  },
  {
    collection: 'stashes of the earlier API',
    by: 'users with permission to create silences',
    entries: maxStashes,
    bytes: { most: maxStashBytes, of: 'each' },
    whenFull: '400; existing ones can be changed and deleted',
    gauge: 'mon_backend_resources',
    test: ['http/earlier-api/stash-limits.test.ts', 'stashes are limited in number and size'],
  },
  {
    collection: 'unread large responses of the earlier API',
    by: 'clients that read',
    bytes: { most: maxEarlierUnreadBytes, of: 'all' },
    whenFull: '503 with Retry-After and a log line, until a reader finishes',
    gauge: 'mon_earlier_unread_answer_bytes',
    test: [
      'http/earlier-api/strangers.test.ts',
      'unread large responses are limited: another one is 503, small ones still work',
    ],
  },
  {
    collection: 'subscriptions of one earlier client',
    by: 'earlier clients on the WebSocket',
    entries: maxEarlierSubscriptions,
    whenFull: 'refused',
    gauge: 'mon_earlier_subscriptions',
    test: [
      'http/earlier-api/strangers.test.ts',
      'the number of subscriptions per client is limited; one more is rejected without disconnecting',
    ],
  },
  {
    collection: 'live streams of one user: inspection, event lists',
    by: 'users with read permission',
    entries: maxStreamsPerUser,
    whenFull: '429',
    gauge: 'mon_http_live_streams',
    test: ['http/live-streams.test.ts', 'one user fills only his own places'],
  },
  {
    collection: 'answers that are packed (gzip, Brotli) at once',
    by: 'clients that accept it',
    entries: maxCompressions,
    whenFull: 'the answer is sent as it is',
    test: ['http/compression.test.ts', 'so many answers are packed at once; one more goes out as it is'],
  },
  {
    collection: 'streams one connection carries',
    by: 'users with read permission',
    entries: maxBundledStreams,
    whenFull: '400',
    gauge: 'mon_http_live_streams',
    test: ['http/inspect/stream-bundle.test.ts', 'too many streams on one connection are rejected'],
  },
  {
    collection: 'live streams',
    by: 'users with read permission',
    entries: maxStreams,
    whenFull: 'the oldest stream of the user with the most streams ends',
    gauge: 'mon_http_live_streams',
    test: [
      'http/live-streams.test.ts',
      'at the total limit, the oldest stream of the user with the most streams ends',
    ],
  },
  {
    collection: 'watched actors',
    by: 'users with read permission',
    entries: maxWatchedActors,
    whenFull: 'the least recently requested one is released',
    test: [
      'http/inspect/watch-hub.test.ts',
      'the number of watched actors is limited; one more replaces the least recently requested',
    ],
  },
  {
    collection: 'names and addresses with failed logins, each',
    by: 'everybody',
    entries: maxThrottledKeys,
    whenFull: 'the least recently used one is evicted',
    test: [
      'http/guessing.test.ts',
      'the number of throttled names is limited; one more evicts the least recently used',
    ],
  },
  {
    collection: 'passwords waiting to be verified',
    by: 'everybody',
    entries: maxHashingQueue,
    whenFull: '503 with Retry-After',
    gauge: 'mon_backend_queue_length{queue="logins"}',
    test: [
      'http/guessing.test.ts',
      'the number of queued password checks is limited; one more gets Retry-After',
    ],
  },
  {
    collection: 'pending requests to directories',
    by: 'everybody',
    entries: maxDirectoryLogins,
    whenFull: '503 with Retry-After',
    gauge: 'mon_backend_queue_length{queue="directory_logins"}',
    test: [
      'http/guessing.test.ts',
      'the number of pending directory requests is limited; one more gets Retry-After',
    ],
  },
  {
    collection: 'events for other backends of a cluster (preview)',
    by: 'agents, API, earlier clients',
    entries: maxHeldMessages,
    bytes: { most: maxHeldBytes, of: 'all' },
    whenFull: 'an agent is not read, others get 503; room is made as soon as one is settled or released',
    test: [
      'cluster/forward.test.ts',
      'so many messages for other backends are held, and so many bytes; one more is told busy',
    ],
  },
  {
    collection: 'queued evaluations of expressions',
    by: 'events, checks with proxy requests',
    entries: maxQueuedEvaluations,
    whenFull: 'an outage: the delivery or the scheduled run is retried',
    gauge: 'mon_backend_queue_length{queue="expressions"}',
    test: ['pipeline/sandbox.test.ts', 'limits the number of queued evaluations and rejects one more'],
  },
  {
    collection: 'workflows and handlers of one event',
    by: 'agents, API, earlier clients',
    entries: maxWorkflowsPerEvent,
    whenFull: 'skipped; the trace and the log contain the number',
    gauge: 'mon_backend_deliveries_running',
    test: ['pipeline/plan.test.ts', 'limits the number of workflows, and reports how many were skipped'],
  },
  {
    collection: 'expressions of one filter, proxy request or asset build',
    by: 'users with permission to create them',
    entries: maxExpressions,
    whenFull: '400',
    gauge: 'mon_backend_queue_length{queue="expressions"}',
    test: [
      'model/memo.test.ts',
      'the number of expressions per filter is limited, since each runs for every event',
    ],
  },
  {
    collection: 'one list of a resource or event, such as handlers, subscriptions and hooks',
    by: 'agents, API, earlier clients',
    entries: maxListItems,
    whenFull: '400, or the event is rejected; the message names the list. 1,000 items take about 3 ms',
    gauge: 'mon_backend_resource_bytes',
    test: ['model/list-limits.test.ts', 'a list may have so many items; one more is rejected'],
  },
  {
    collection: 'processes, network interfaces and addresses that an agent reports',
    by: 'agents',
    entries: maxSystemItems,
    whenFull: 'the event is rejected; the message names the list',
    gauge: 'mon_backend_entities',
    test: ['model/list-limits.test.ts', 'a list may have so many items; one more is rejected'],
  },
  {
    collection: 'metric points of one event',
    by: 'agents, API',
    entries: maxMetricPoints,
    whenFull:
      'our agent sends the first ones and logs it; else the event is rejected. At the limit: about 30 ms',
    gauge: 'mon_backend_timer_lag_seconds',
    test: ['model/list-limits.test.ts', 'a list may have so many items; one more is rejected'],
  },
  {
    collection: 'tags of all metric points of one event',
    by: 'agents, API',
    entries: maxMetricTags,
    whenFull: '400, or the event is rejected',
    gauge: 'mon_backend_timer_lag_seconds',
    test: ['model/list-limits.test.ts', 'nested lists are counted as a whole'],
  },
  {
    collection: 'a cron string',
    by: 'users with permission to create checks',
    bytes: { most: maxCronCharacters, of: 'each' },
    whenFull: '400',
    gauge: 'mon_backend_resource_bytes',
    test: [
      'model/small-parts.test.ts',
      'the length of a cron string is limited; a longer one is rejected without parsing',
    ],
  },
  {
    collection: 'requests to one secrets store waiting for its rate limit',
    by: 'checks and handlers with secrets',
    entries: maxWaitingSecrets,
    whenFull: 'an outage: the delivery or the request is retried',
    gauge: 'mon_backend_queue_length{queue="secrets"}',
    test: [
      'secrets/secrets.test.ts',
      'the number of requests waiting for the rate limit is limited; one more is rejected immediately',
    ],
  },
  {
    collection: 'logins of one user',
    by: 'users',
    entries: maxSessionsPerUser,
    whenFull: 'the oldest login ends',
    test: ['http/auth.test.ts', 'the number of logins per user is limited; one more ends the oldest'],
  },
  {
    collection: 'a login name',
    by: 'everybody',
    bytes: { most: maxNameCharacters, of: 'each' },
    whenFull: '401; the name is not stored',
    gauge: 'mon_http_request_duration_seconds',
    test: ['http/auth.test.ts', 'a name longer than any user has is refused and not remembered'],
  },
  {
    collection: 'memo for expressions',
    by: 'users with permission to create filters and checks',
    bytes: { most: maxMemoBytes, of: 'all' },
    whenFull: 'the least recently used are evicted',
    gauge: 'mon_backend_memo_bytes',
    test: ['model/memo.test.ts', 'the judged expressions of many replaced filters do not pile up'],
  },
  {
    collection: 'scripts of runtime assets in memory',
    by: 'users with permission to create assets',
    entries: maxKeptAssetScripts,
    bytes: { most: maxAssetScriptBytes, of: 'each' },
    whenFull: 'the least recently used are read again from disk',
    test: [
      'actors/engine/runtime-assets.test.ts',
      'commands find what their assets brought, filters and mutators see their scripts',
    ],
  },
  {
    collection: 'connections to the control socket',
    by: 'commands such as backup, run by the user of the backend',
    entries: maxControlConnections,
    whenFull: 'the next one is closed, and the command says so; idle ones are released after a minute',
    test: [
      'maintenance/control.test.ts',
      'the control socket takes so many connections; the next is told that it has to wait',
    ],
  },
  {
    collection: 'keys written while a backup runs',
    by: 'agents, API, earlier clients',
    entries: maxNotedKeys,
    whenFull: 'the backup fails with a message, and its memory is released',
    test: [
      'store/consistent-export.test.ts',
      'an export gives up when more keys are written meanwhile than it may note',
    ],
  },
];
