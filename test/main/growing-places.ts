// Everything in the backend that can grow, and what keeps it from growing without a bound: a row of the table of bounds, or
// something else that is bounded itself. A new Map, Set or list that lives longer than the call that fills it belongs here.

/** `bound`: the row of `bounds` it is the collection of. `because`: why it needs no row of its own. */
export type Reason = { readonly bound: string } | { readonly because: string };

const bound = (collection: string): Reason => ({ bound: collection });
const because = (why: string): Reason => ({ because: why });

const perEntity = bound('entities');
const perCheck = bound('checks of one entity');
const perResource = bound('resources of one kind, such as checks, silences and stashes');
const perSession = because(
  'one entry an agent connection or one a subscription of it; agents take a place each',
);
const oneCall = because('lives as long as one call, and holds parts of what it was given');
const ofTheProgram = because('filled while the program is put together, by its own code');
const untilCommit = because('what waits for the store; edges are not read while much does');
const perShard = because('one a shard, of which there are 256');
const simulated = because('only in tests and simulations');
const damaged = because(
  'a record that could not be read, kept while the program runs; the store holds no more',
);

export const growingPlaces: Readonly<Record<string, Readonly<Record<string, Reason>>>> = {
  'actors/compose/shard-host': { '#hosted': perShard },
  'actors/durable/commit-slot': { '#byShard': perShard, '#kinds': untilCommit },
  'actors/durable/group-commit': { '#followers': ofTheProgram, '#queue': untilCommit },
  'actors/events/dependency-graph': {
    '#targets': perCheck,
    '#dependents': perCheck,
    '#cyclic': perCheck,
  },
  'actors/events/event-groups': { groups: oneCall },
  'actors/events/event-index': {
    '#entries': perCheck,
    '#boards': perResource,
    '#remarking': perResource,
    '#ofCheck': perCheck,
  },
  'actors/events/remasking': { '#passes': perResource },
  'actors/events/event-search': { items: oneCall, seen: oneCall, found: oneCall },
  'actors/events/read-model': { '#items': oneCall },
  'actors/events/sorted-list': { '#chunks': perCheck },
  'actors/families/circuit/circuits': {
    probing: because('one call under way to a handler each; workers are limited'),
  },
  'actors/families/client/clients': {
    '#outlets': because('one a transport: the socket, and the brokers the operator named'),
    '#committed': perEntity,
  },
  'actors/families/client/refusals': { '#refused': because('maxRefusedKept; the oldest is forgotten') },
  'actors/families/client/result-ids': { '#given': because('maxResultIds; the oldest is forgotten') },
  'actors/families/entity/held-events': { '#byEntity': perEntity },
  'actors/families/entity/registered-entities': {
    '#keys': perEntity,
    '#committed': perEntity,
    '#held': because('messages of clients under way; their mailboxes are limited'),
  },
  'actors/families/job/jobs': {
    '#known': because('maxJobs; those that ended make room, the oldest first'),
    '#held': because('a step of each job that was under way, until the backend serves'),
    found: oneCall,
  },
  'actors/families/kit/families': { '#restores': ofTheProgram },
  'actors/families/schedule/issue-times': { '#last': perResource },
  'actors/families/schedule/proxy-matcher': { '#known': perResource },
  'actors/families/schedule/schedules': { '#defined': perResource },
  'actors/families/schedule/turns': { '#last': perResource },
  'actors/families/session/request-queue': {
    '#jobs': because('maxQueuedRequests; past that the oldest are written at once'),
  },
  'actors/families/session/sessions': { '#byEntity': perSession },
  'actors/families/session/subscription-index': { '#holders': perSession, '#held': perSession },
  'actors/families/silence/silence-book': {
    '#namespaces': because('a page for each silence, and keptEndedSilences that ended in each namespace'),
    '#due': perResource,
    pages: oneCall,
  },
  'actors/families/silence/silence-index': { '#byNamespace': perResource },
  'actors/families/silence/silence-overview': { counts: oneCall },
  'actors/families/silence/silences': { '#endings': untilCommit },
  'actors/pipelines/check-deliveries': { '#underWay': bound('pending deliveries of one check') },
  'actors/pipelines/waiting-bytes': { '#byCheck': bound('pending deliveries of one check') },
  'actors/pipelines/deliveries': {
    '#waiting': bound('events waiting for a worker'),
    '#idle': because('those who wait for the end of a backend that stops'),
  },
  'actors/pipelines/step-times': {
    '#steps': because('maxMeasuredSteps; those beyond it are counted together'),
  },
  'actors/platform/watchdog': { '#followed': perResource },
  'actors/problems/problem-book': { '#entries': perResource, '#namedBy': perResource, names: oneCall },
  'actors/problems/withheld': { '#states': perResource },
  'actors/reach/reach': { '#kept': because('maxKeptAnswers; the oldest is forgotten') },
  'actors/resources/resource-budget': { '#sizes': perResource, '#arriving': because('one number a kind') },
  'actors/resources/resource-store': { '#byKey': perResource },
  'actors/resources/resource-table': { '#stores': because('one a kind'), '#watchers': ofTheProgram },
  'actors/resources/shared-records': {
    '#revs': because('one number a resource or login; resources and logins are limited'),
  },
  'actors/resources/stored-form': { '#names': perResource },
  'actors/resources/write-order': { '#last': untilCommit, '#writers': untilCommit, '#closing': untilCommit },
  'actors/runtime/supervision/backoff-rule': {
    times: because('failures within the period of one supervisor; older ones are forgotten'),
    lastFailed: because('one a child of one supervisor that failed'),
  },
  'actors/runtime/cell/effect-logic': { collected: oneCall, steps: oneCall },
  'actors/runtime/inspection/inspection': {
    '#ring': because('a ring of so many transitions of an actor that is watched'),
  },
  'actors/runtime/listeners': {
    '#all': because('parts of the program, and live streams, which have a limit'),
  },
  'actors/runtime/cell/mailbox': { '#letters': bound('mailbox of one check') },
  'actors/runtime/load/pressure': { '#listeners': ofTheProgram },
  'actors/runtime/registry': { cells: perCheck },
  'actors/runtime/load/run-queue': {
    ready: perCheck,
    tasks: because('short pieces of work of actors; each has one at a time'),
  },
  'actors/runtime/supervision/slots': { '#slots': perCheck },
  'actors/runtime/statechart/chart': {
    nodes: because('one a state of a machine'),
    lines: because('one a transition of a machine'),
  },
  'actors/runtime/statechart/dry-run': { steps: oneCall, effects: oneCall },
  'actors/runtime/statechart/moves': { entered: oneCall },
  'actors/runtime/statechart/step': { emitted: oneCall, taken: oneCall },
  'actors/runtime/supervision/supervisor': {
    '#whenHalted': because('those who wait for one stop'),
    '#whenReady': because('those who wait for one start'),
  },
  'assets/asset-cache': { holders: because('one an asset in use by a run; runs are limited') },
  'assets/asset-filter': { '#waiting': bound('queued evaluations of expressions') },
  'assets/asset-store': { underWay: perResource, kept: oneCall, releases: oneCall },
  'assets/turns': { waiting: because('one a build that is fetched; builds are resources') },
  'assets/unpack-archive': { '#folders': oneCall, '#files': oneCall, '#links': oneCall },
  'cluster/changed': {
    '#heard': because('maxRememberedSenders; the one that was heard of least lately is forgotten'),
    '#pending': because('maxPendingChanges; past that everything is read'),
  },
  'cluster/cluster-member': { out: oneCall },
  'cluster/forward': { '#lanes': perShard },
  'cluster/gather': { answers: oneCall, missing: oneCall, seen: oneCall, sources: oneCall },
  'cluster/lane': { '#ready': perShard },
  'cluster/member-runner': { waiting: untilCommit },
  'cluster/memory-bus': {
    '#clients': simulated,
    '#listeners': simulated,
    '#subscriptions': simulated,
  },
  'cluster/nats-bus': {
    '#complaints': because('maxComplaints; emptied at every reconnect'),
    '#listeners': ofTheProgram,
    '#wishes': ofTheProgram,
  },
  'cluster/receive': {
    '#senders': because('maxRememberedSenders; the one that was heard of least lately is forgotten'),
    begun: oneCall,
  },
  'cluster/requests': { '#waiting': because('maxWaitingRequests; one more is refused') },
  'http/auth/credentials': { underWay: bound('passwords waiting to be verified') },
  'http/auth/hashing-queue': { waiting: bound('passwords waiting to be verified') },
  'http/auth/providers/trusting-fetch': { chunks: because('one answer of an issuer, of limited size') },
  'http/auth/login-store': { '#logins': bound('logins of one user'), '#ofUser': bound('logins of one user') },
  'http/earlier-api/hub': {
    '#fanout': bound('subscriptions of one earlier client'),
    '#direct': bound('subscriptions of one earlier client'),
  },
  'http/earlier-api/transport-socket': { open: because('one a connection; connections are limited') },
  'http/close-connection': {
    pending: because(
      'TLS handshakes under way, closed after tlsHandshakeTimeoutMs; descriptors end them sooner',
    ),
  },
  'http/edge/acknowledger': {
    '#dirty': bound('unsettled frames of one agent session'),
    '#arrivals': bound('unsettled frames of one agent session'),
  },
  'http/edge/agent-connection': { '#retryTimers': bound('unsettled frames of one agent session') },
  'http/edge/known-frame': { '#entries': bound('frame cache of the agent listener') },
  'http/edge/reporting-rights': { known: because('maxRememberedRights a session; then all are asked anew') },
  'http/edge/session-book': { '#byAgent': perSession },
  'http/edge/write-watch': { '#waiting': bound('unsettled frames of one agent session') },
  'http/list-warnings': { known: ofTheProgram },
  'http/inspect/audit': { kept: because('keptAudits; the oldest is forgotten') },
  'http/inspect/diff': { found: oneCall },
  'http/inspect/event-stream': {
    pending: because('one batch of a live stream; a reader that stalls is cut off'),
  },
  'http/inspect/events/event-list': { streams: bound('live streams') },
  'http/inspect/routes': { streams: bound('live streams') },
  'http/inspect/stream-bundle': { open: bound('live streams') },
  'http/inspect/watch-hub': {
    watched: bound('watched actors'),
    listeners: bound('live streams'),
    replay: because('a ring of so many transitions'),
  },
  'http/live-streams': { streams: bound('live streams') },
  'http/metric-book': { queues: ofTheProgram },
  'http/queue-peaks': { '#now': because('one a queue of the program, whose lengths are metrics') },
  'http/reminder': { told: because('maxKeys; then all of them may be told again') },
  'main/describe-metrics': { queues: ofTheProgram },
  'main/quickstart': { waiting: oneCall, lastLines: because('the last lines of a program that is started') },
  'model/earlier/json': { seen: oneCall },
  'model/earlier/tokens': { unmatched: oneCall },
  'model/schema/quick-object': { asked: ofTheProgram },
  'model/template/lexer': { tokens: oneCall },
  'model/template/run': { '#output': because('one run of a template, whose output is limited') },
  'model/template/token-trust': { known: oneCall },
  'model/resource/unknown-fields': { found: oneCall },
  'pipeline/commands/command-helper': { '#running': because('one a command that runs; workers are limited') },
  'pipeline/commands/helper-process': { aborts: because('one a command that runs; workers are limited') },
  'pipeline/filters': { rulings: oneCall, programs: oneCall },
  'pipeline/handler-sets': { found: oneCall, skipped: oneCall, visited: oneCall },
  'pipeline/plan': { workflows: oneCall, '#skipped': oneCall },
  'pipeline/sandbox/sandbox-worker': { tasks: bound('queued evaluations of expressions') },
  'pipeline/sandbox/sandbox': {
    '#queue': bound('queued evaluations of expressions'),
    '#inFlight': bound('queued evaluations of expressions'),
  },
  'pipeline/trace': { counts: oneCall },
  'secrets/secrets': {
    stores: perResource,
    underWay: bound('requests to one secrets store waiting for its rate limit'),
  },
  'store/backup/consistent-export': {
    '#keys': bound('keys written while a backup runs'),
  },
  'store/backup/write-backup': { unreadable: because('records that could not be read, named by one backup') },
  'store/directory-owner': { openHere: because('one a store this process has open') },
  'store/lmdb-store': {
    '#arenas': because('one a kind'),
    '#quarantined': damaged,
    '#underWay': untilCommit,
    results: oneCall,
  },
  'store/memory-store': {
    kinds: because('one a kind'),
    '#quarantined': damaged,
    cells: because('for tests'),
  },
  'store/mongo-store': {
    '#shardIndexes': because('one a kind of records'),
    '#quarantined': damaged,
    '#underWay': untilCommit,
  },
  'store/record-codec': { '#chunks': oneCall },
  'wire/earlier/rabbitmq-transport': {
    '#blocked': ofTheProgram,
    '#connections': ofTheProgram,
    '#declared': bound('subscriptions of one earlier client'),
    '#consumers': bound('subscriptions of one earlier client'),
    '#funnels': bound('subscriptions of one earlier client'),
  },
  'wire/earlier/redis-transport': {
    '#clients': ofTheProgram,
    '#takers': bound('subscriptions of one earlier client'),
    inHand: bound('unsettled messages of one earlier client'),
  },
  'wire/protobuf/event-layout': { fixed: oneCall },
  'wire/earlier/web-socket-transport': {
    '#takers': bound('subscriptions of one earlier client'),
    '#waiting': bound('unsettled messages of one earlier client'),
  },
};
