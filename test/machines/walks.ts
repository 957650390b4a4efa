// Where each machine can go: its input, and the facts a random walk may tell it. Used to show that every transition can
// be taken. A fact is made from the context, so that ids and times fit often enough.
import { readFileSync } from 'node:fs';
import type { EventObject, Snapshot } from 'xstate';
import type { CheckContext } from '../../src/machines/check/check-facts.ts';
import { restoreCheck } from '../../src/machines/check/check-machine.ts';
import type { ClientContext } from '../../src/machines/client/client-facts.ts';
import type { DeliveryQueueContext } from '../../src/machines/delivery-queue/delivery-queue-rule.ts';
import type { EntityContext } from '../../src/machines/entity/entity-facts.ts';
import { configOf } from '../../src/machines/entity/registration-rule.ts';
import type { JobContext } from '../../src/machines/job/job-machine.ts';
import type { ScheduleContext } from '../../src/machines/schedule/schedule-facts.ts';
import type { ShardContext } from '../../src/machines/shard/shard-facts.ts';
import { checkConfigSchema } from '../../src/model/check/check.ts';
import { fixtureMember } from './fixture-member.ts';
import { agentBackOff, idOf, sampleEvent, sampleKeepalive } from './samples.ts';

interface Scene {
  readonly random: () => number;
  readonly nowMs: number;
  readonly context: unknown;
}

export interface Walk {
  readonly input: unknown;
  /** Other places to begin: what earlier programs stored. */
  readonly snapshots?: readonly Snapshot<unknown>[];
  /** Steps of one walk. */
  readonly length: number;
  readonly facts: readonly ((scene: Scene) => EventObject)[];
}

const pick = <T>({ random }: Scene, items: readonly T[]): T => {
  const item = items[Math.floor(random() * items.length)];
  if (item === undefined) throw new Error('nothing to pick from');
  return item;
};

/** Facts that carry nothing but their time. */
const plain = (...types: readonly string[]): Walk['facts'] =>
  types.map((type) => ({ nowMs }) => ({ type, nowMs }));

const flapsAbove = (low: number) => ({ low_flap_threshold: low, high_flap_threshold: low + 1 });

const checkOfVersion2 = JSON.parse(readFileSync('test/fixtures/check/v2.json', 'utf8')) as {
  readonly state: unknown;
};

const checkWalk: Walk = {
  input: { namespace: 'default', entity: 'web-01', check: 'cpu' },
  snapshots: [restoreCheck(checkOfVersion2.state, 2)],
  length: 120,
  facts: [
    ...[1, 2, 3].map(() => (scene: Scene) => ({
      type: 'result.received',
      event: sampleEvent({
        status: pick(scene, [0, 0, 1, 2]),
        id: idOf(Math.floor(scene.random() * 40)),
        check: {
          ttl: pick(scene, [0, 20]),
          handlers: pick(scene, [[], ['slack']]),
          ...pick(scene, [{}, flapsAbove(20), flapsAbove(60)]),
          ttl_status: pick(scene, [0, 2]),
        },
      }),
      nowMs: scene.nowMs,
      silenced: pick(scene, [[], ['a']]),
    })),
    // Written over the API; the first event of a check brings its past, here one that is flapping.
    ({ nowMs }) => ({
      type: 'result.received',
      event: sampleEvent({
        status: 1,
        executed: 20,
        check: {
          ...flapsAbove(20),
          state: 'flapping',
          history: Array.from({ length: 21 }, (_, index) => ({ status: (index + 1) % 2, executed: index })),
        },
      }),
      nowMs,
      silenced: [],
      write: { repeatKey: null, importTrace: {} },
    }),
    (scene) => ({
      type: 'deadline.reached',
      name: 'ttl',
      nowMs: pick(scene, [scene.nowMs, (scene.context as CheckContext).ttlAtMs ?? 0]),
      entityDown: pick(scene, [false, false, true]),
      silenced: [],
    }),
    (scene) => ({ type: 'deadline.reached', name: 'reminder', nowMs: scene.nowMs, silenced: [] }),
    (scene) => ({
      type: 'incident.acknowledged',
      nowMs: scene.nowMs,
      by: 'ada',
      owner: 'bob',
      comment: '',
      remindEverySeconds: pick(scene, [0, 60]),
    }),
    (scene) => ({
      type: pick(scene, ['incident.released', 'incident.noted']),
      note: { by: 'ada', at: 1, text: 'seen' },
    }),
    (scene) => ({
      type: 'delivery.finished',
      seq: (scene.context as CheckContext).pending[0]?.seq ?? 0,
      nowMs: scene.nowMs,
    }),
    (scene) => ({
      type: 'delivery.delayed',
      seq: (scene.context as CheckContext).pending[0]?.seq ?? 0,
      nowMs: scene.nowMs,
      trace: {},
    }),
    (scene) => ({
      type: 'silences.ended',
      names: pick(scene, [['a'], [...((scene.context as CheckContext).endingSilences ?? [])]]),
    }),
    (scene) => ({ type: scene.random() < 0.1 ? 'check.deleted' : 'check.resumed', nowMs: scene.nowMs }),
  ],
};

const labels = { 'mon.io/managed_by': 'mon-agent' };

const entityWalk: Walk = {
  input: { namespace: 'default', name: 'web-01' },
  length: 40,
  facts: [
    (scene) => ({
      type: 'keepalive.received',
      event: sampleKeepalive({
        entity: {
          entity_class: pick(scene, ['agent', 'agent', 'proxy']),
          deregister: pick(scene, [false, false, true]),
          metadata: { name: 'web-01', namespace: 'default', ...pick(scene, [{}, { labels }]) },
        },
        check: { timeout: 120, ttl: pick(scene, [0, 180]) },
      }),
      nowMs: scene.nowMs,
      newId: 'x',
    }),
    ...[1, 2, 3].map(() => (scene: Scene) => ({
      type: 'deadline.reached',
      name: 'keepalive',
      nowMs: pick(scene, [scene.nowMs, (scene.context as EntityContext).deadlineAtMs ?? 0]),
      newId: 'x',
    })),
    (scene) => ({
      type: 'entity.declared',
      entity: sampleEvent({ entity: { entity_class: pick(scene, ['agent', 'proxy']) } }).entity,
      nowMs: scene.nowMs,
    }),
    (scene) => ({
      type: 'entity.configured',
      config: {
        ...configOf((scene.context as EntityContext).entity),
        entity_class: pick(scene, ['agent', 'agent', 'proxy']),
        deregister: pick(scene, [false, true]),
      },
      nowMs: scene.nowMs,
    }),
    (scene) => ({
      type: 'client.reported',
      report: {
        record: { name: 'web-01', subscriptions: pick(scene, [['web'], ['db']]) },
        heardAtMs: pick(scene, [scene.nowMs, null]),
        isMadeUp: pick(scene, [false, true]),
      },
      nowMs: scene.nowMs,
    }),
    ...plain('entity.resumed', 'agent.stopped', 'keepalive.forgotten', 'registration.announced'),
    (scene) => ({ type: scene.random() < 0.2 ? 'entity.deleted' : 'entity.resumed', nowMs: scene.nowMs }),
  ],
};

const windowAround = (nowMs: number) => ({
  begin: new Date(nowMs - 1_000).toISOString(),
  end: new Date(nowMs + 30_000).toISOString(),
});

/** By how much the wall clock is sometimes set back. */
const hourMs = 3_600_000;

const scheduleConfig = (scene: Scene) =>
  checkConfigSchema.parse({
    metadata: { name: 'cpu', namespace: 'default' },
    ...pick(scene, [{ interval: 10 }, { interval: 60 }, { cron: 'TZ=UTC */5 * * * *' }]),
    publish: pick(scene, [true, true, false]),
    ...pick(scene, [{}, { subdues: [windowAround(scene.nowMs)] }]),
  });

const scheduleWalk: Walk = {
  input: {
    config: checkConfigSchema.parse({ metadata: { name: 'cpu', namespace: 'default' }, interval: 10 }),
  },
  length: 40,
  facts: [
    (scene) => ({ type: 'check.defined', config: scheduleConfig(scene), nowMs: scene.nowMs }),
    (scene) => ({
      type: 'deadline.reached',
      name: 'tick',
      nowMs: ((scene.context as ScheduleContext).nextAtMs ?? scene.nowMs) - pick(scene, [0, 0, hourMs]),
    }),
    ...plain('request.issued'),
    ({ random, nowMs }) => ({ type: random() < 0.1 ? 'check.removed' : 'request.issued', nowMs }),
  ],
};

const sessionWalk: Walk = {
  input: { namespace: 'default', agent: 'web-01', user: 'agent', connectedAtMs: 0 },
  length: 6,
  facts: [
    ...plain('session.established'),
    ({ nowMs }) => ({ type: 'drain.requested', nowMs, reason: 'bye' }),
    ({ nowMs, random }) => ({
      type: 'connection.closed',
      nowMs,
      reason: '1006',
      isStopped: random() < 0.5,
    }),
  ],
};

/** Of the hour a time is in, which is over sooner or later. */
const hourWindow = (nowMs: number) => {
  const hour = String(new Date(nowMs).getUTCHours()).padStart(2, '0');
  return { days: [], begin: `${hour}:00`, end: `${hour}:59`, time_zone: 'UTC' };
};

const silenceWalk: Walk = {
  input: { namespace: 'default', name: 'linux:*' },
  length: 15,
  facts: [
    (scene) => ({
      type: 'silence.defined',
      nowMs: scene.nowMs,
      beginMs: scene.nowMs + pick(scene, [-10_000, 10_000]),
      endMs: pick(scene, [null, scene.nowMs - 1, scene.nowMs + 15_000, scene.nowMs + 60_000]),
      expireOnResolve: pick(scene, [true, false]),
      windows: pick(scene, [[], [hourWindow(scene.nowMs)]]),
    }),
    ({ nowMs }) => ({ type: 'deadline.reached', name: 'silence', nowMs }),
    ...plain('incident.resolved'),
    ({ random, nowMs }) => ({ type: random() < 0.2 ? 'silence.cleared' : 'incident.resolved', nowMs }),
  ],
};

const circuitWalk: Walk = {
  input: { name: 'slack' },
  length: 40,
  facts: [
    ...[1, 2, 3].map(() => ({ nowMs }: Scene) => ({ type: 'call.failed', nowMs, error: 'refused' })),
    ...plain('call.succeeded', 'probe.started', 'probe.abandoned'),
    ({ random, nowMs }) => ({ type: random() < 0.2 ? 'circuit.reset' : 'probe.started', nowMs }),
    ({ nowMs }) => ({ type: 'deadline.reached', name: 'probe', nowMs }),
  ],
};

const bootWalk: Walk = {
  input: { nowMs: 0 },
  length: 10,
  facts: [
    ...plain('store.opened', 'store.opened', 'serve.requested', 'drain.requested', 'drain.finished'),
    ({ nowMs }) => ({ type: 'rebuild.finished', nowMs, entities: 1, checks: 2, quarantined: 0 }),
    ({ nowMs }) => ({ type: 'fault.reported', nowMs, error: 'the store is gone' }),
  ],
};

const agentConnectionWalk: Walk = {
  input: { urls: ['ws://a', 'ws://b'], backOff: agentBackOff },
  length: 15,
  facts: [
    ...plain('start.requested', 'start.requested', 'line.opened', 'line.opened'),
    ({ nowMs, random }) => ({ type: 'line.refused', nowMs, random: random(), why: '503' }),
    ({ nowMs, random }) => ({ type: 'line.ended', nowMs, random: random(), why: '1006' }),
    ({ nowMs }) => ({ type: 'deadline.reached', name: 'retry', nowMs }),
    ({ nowMs, random }) => ({ type: random() < 0.3 ? 'stop.requested' : 'line.opened', nowMs }),
  ],
};

let queuedKeys = 0;
const deliveryQueueWalk: Walk = {
  input: { limits: { waiting: 3, waitingBytes: 1_000, underWay: 2 } },
  length: 20,
  facts: [
    ...[1, 2, 3].map(() => (scene: Scene) => {
      queuedKeys += 1;
      return {
        type: 'event.queued',
        queued: { key: queuedKeys, id: `id-${queuedKeys}`, bytes: pick(scene, [1, 600]) },
      };
    }),
    (scene) => ({ type: 'line.opened', acknowledges: pick(scene, [true, false]) }),
    () => ({ type: 'line.closed' }),
    (scene) => {
      const [first] = (scene.context as DeliveryQueueContext).underWay;
      return { type: 'event.left', key: first?.key ?? 0 };
    },
    (scene) => {
      const ids = (scene.context as DeliveryQueueContext).underWay.map(({ id }) => id);
      return { type: 'events.answered', delivered: ids.slice(0, pick(scene, [0, 1, 2])), refused: ['x'] };
    },
  ],
};

const executionWalk: Walk = {
  input: { key: 'cpu', issuedSeconds: 0 },
  length: 8,
  facts: [
    (scene) => ({ type: 'request.accepted', nowMs: scene.nowMs, needsAssets: pick(scene, [true, false]) }),
    (scene) => ({
      type: 'command.finished',
      nowMs: scene.nowMs,
      status: 1,
      hooks: pick(scene, [[], ['ps']]),
    }),
    ...plain('assets.fetched', 'hooks.finished', 'result.reported'),
    (scene) => ({
      type: pick(scene, ['request.refused', 'assets.failed', 'stop.requested']),
      nowMs: scene.nowMs,
      why: 'no',
    }),
  ],
};

const clientWalk: Walk = {
  input: { name: 'c1' },
  length: 30,
  facts: [
    ...[1, 2, 3].map(() => (scene: Scene) => ({
      type: 'keepalive.received',
      record: { name: 'c1', ...pick(scene, [{}, {}, { keepalives: false }]) },
      signature: pick(scene, ['', '', '', 'S1', 'EVIL']),
      via: 'websocket',
      nowMs: scene.nowMs,
    })),
    (scene) => ({
      type: 'result.received',
      id: 'id-1',
      result: { name: 'cpu', output: '', status: 0 },
      signature: pick(scene, ['', 'S1']),
      sender: 'c1',
      firstRecord: { name: 'c1', keepalives: false },
      nowMs: scene.nowMs,
    }),
    ...[1, 2, 3].map(() => (scene: Scene) => ({
      type: 'deadline.reached',
      name: 'keepalive',
      nowMs: pick(scene, [scene.nowMs, (scene.context as ClientContext).deadlineAtMs ?? 0]),
      blind: pick(scene, [false, false, true]),
    })),
    (scene) => ({
      type: 'client.declared',
      record: { name: 'c1', keepalives: pick(scene, [true, false]) },
      nowMs: scene.nowMs,
    }),
    (scene) => ({
      type: scene.random() < 0.2 ? 'client.deleted' : 'client.resumed',
      barredUntilMs: pick(scene, [null, scene.nowMs + 60_000]),
      nowMs: scene.nowMs,
    }),
  ],
};

const shardWalk: Walk = {
  input: { shard: 7 },
  length: 40,
  facts: [
    ...plain('lease.claimed', 'shard.unwanted', 'member.lost'),
    ...['shard.loaded', 'shard.loaded', 'shard.loadFailed', 'shard.stopped', 'shard.stopped'].map(
      (type) => (scene: Scene) => ({ type, epoch: pick(scene, [0, (scene.context as ShardContext).epoch]) }),
    ),
    ...[1, 2, 3].map(() => (scene: Scene) => ({
      type: 'lease.seen',
      isMine: pick(scene, [true, true, false]),
      epoch: (scene.context as ShardContext).epoch + pick(scene, [-1, 0, 1]),
    })),
  ],
};

/** By machine id. */
const jobEvents = ['web-01/cpu', 'web-01/disk', 'web-02/cpu'];

const jobWalk: Walk = {
  input: { namespace: 'default', id: '5d0c6f7e' },
  length: 12,
  facts: [
    (scene) => ({
      type: 'job.submitted',
      nowMs: scene.nowMs,
      action: 'resolve',
      parameters: {},
      by: { username: 'ada', groups: [] },
      events: jobEvents,
      beginAtMs: scene.nowMs + pick(scene, [0, 10_000]),
    }),
    (scene) => ({
      type: 'job.stepped',
      nowMs: scene.nowMs,
      from: pick(scene, [(scene.context as JobContext).next, 77]),
      done: 1,
      skipped: 0,
      errors: pick(scene, [[], [{ event: 'web-01/cpu', why: 'gone' }]]),
    }),
    (scene) => ({
      type: 'deadline.reached',
      name: 'begin',
      nowMs: pick(scene, [scene.nowMs, (scene.context as JobContext).beginAtMs]),
    }),
    ...plain('job.resumed'),
    ({ random, nowMs }) => ({
      type: random() < 0.3 ? 'job.canceled' : random() < 0.2 ? 'job.forgotten' : 'job.resumed',
      nowMs,
      by: 'ada',
    }),
  ],
};

const walks: Readonly<Record<string, Walk>> = {
  job: jobWalk,
  check: checkWalk,
  entity: entityWalk,
  schedule: scheduleWalk,
  session: sessionWalk,
  silence: silenceWalk,
  circuit: circuitWalk,
  client: clientWalk,
  boot: bootWalk,
  agentConnection: agentConnectionWalk,
  deliveryQueue: deliveryQueueWalk,
  execution: executionWalk,
  shard: shardWalk,
};

const fixtureWalk = (id: string): Walk | undefined => {
  const member = fixtureMember(id);
  if (member === undefined) return undefined;
  return {
    input: member.input,
    length: 20,
    facts: member.facts.map((fact) => ({ nowMs }: Scene) => ({ nowMs, ...fact })),
  };
};

export const walkOf = ({ id }: { readonly id: string }): Walk => {
  const walk = walks[id] ?? fixtureWalk(id);
  if (walk === undefined)
    throw new Error(`no walk for machine ${id}: add one to walks.ts, or a member to its fixture`);
  return walk;
};
