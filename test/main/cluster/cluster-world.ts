// Whole backends of a cluster in one process: real clocks, a real store on MongoDB's wire, members with leases, events that travel.
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { Backend } from '../../../src/actors/backend.ts';
import { HostedShards } from '../../../src/actors/durable/hosted-shards.ts';
import { seedIfEmpty } from '../../../src/actors/resources/seed.ts';
import { realClock } from '../../../src/actors/runtime/time/clock.ts';
import { Forwarder } from '../../../src/cluster/forward.ts';
import { type MemberRunner, runMember } from '../../../src/cluster/member-runner.ts';
import { MemoryBusServer } from '../../../src/cluster/memory-bus.ts';
import { Receiver } from '../../../src/cluster/receive.ts';
import { subjectsOf } from '../../../src/cluster/subjects.ts';
import { forwardEvents, takeForwarded } from '../../../src/main/cluster/event-forwarding.ts';
import { fenceOf } from '../../../src/main/cluster/record-fence.ts';
import type { CheckEvent, Event } from '../../../src/model/event/event.ts';
import type { Trace } from '../../../src/pipeline/trace.ts';
import { openMongoStore } from '../../../src/store/mongo-store.ts';
import { eventually } from '../../eventually.ts';

export interface Told {
  readonly backend: string;
  readonly event: Event;
}

export interface RunningBackend {
  readonly name: string;
  readonly backend: Backend;
  readonly runner: MemberRunner;
  readonly shards: HostedShards;
  /** Shards of which a write was refused. */
  readonly stale: number[];
  /** It serves events for these. */
  accepted(): readonly number[];
  /** Its heartbeats end and its connection breaks, and nothing else: what it runs goes on, as in a process that hangs and comes back. */
  halt(): void;
  close(): Promise<void>;
}

/** The first shards only, so that the test is about shards and not about how fast a machine reads 256 of them. */
export const usedShards = 16;

const subjects = subjectsOf('test');
/** For a machine that is busy with other tests. */
export const patienceMs = 180_000;

const clock = {
  monotonicMs: () => performance.now(),
  wallMs: () => Date.now(),
  setTimer: (task: () => void, delayMs: number) => {
    const timer = setTimeout(task, delayMs);
    return () => clearTimeout(timer);
  },
};

const traceOf = (event: Event): Trace => ({
  event: {
    id: event.id,
    namespace: event.entity.metadata.namespace ?? '',
    entity: event.entity.metadata.name,
    check: event.check?.metadata.name ?? null,
    timestamp: event.timestamp,
  },
  startedAtMs: Date.now(),
  durationMs: 0,
  workflows: [],
  skipped: [],
  retry: false,
  summary: 'recorded',
});

const seed = (backend: Backend): Promise<unknown> =>
  seedIfEmpty(backend.resources, {
    adminUsername: 'admin',
    adminPassword: 'P@ssw0rd!',
    hash: async () => '$2a$04$notarealhash',
  });

export class ClusterWorld {
  readonly #url: string;
  readonly #bus = new MemoryBusServer({ clock, random: Math.random });
  readonly backends: RunningBackend[] = [];
  /** What the pipelines of all backends were given. */
  readonly told: Told[] = [];
  readonly errors: string[] = [];

  /** A database of its own. */
  constructor(url: string) {
    this.#url = url;
  }

  #optionsOf(name: string) {
    const ignore = (): void => {};
    const error = (fields: object, text: string): void =>
      void this.errors.push(`${name}: ${text} ${JSON.stringify(fields)}`);
    return {
      log: { debug: ignore, info: ignore, warn: ignore, error },
      name,
      entityLimit: 0,
      deregistrationHandler: '',
      deliveryWorkers: 100,
      env: {},
      onCollapse: () => assert.fail('the supervisor tree gave up'),
      clock: realClock,
    };
  }

  /** A backend without a cluster runs on the database until `work` is done. */
  async alone(name: string, work: (backend: Backend) => Promise<void>): Promise<void> {
    const store = await openMongoStore({ url: this.#url });
    try {
      const { backend } = await Backend.open({
        ...this.#optionsOf(name),
        store,
        runPipelines: async (event) => traceOf(event),
      });
      try {
        await seed(backend);
        await backend.serve();
        await work(backend);
      } finally {
        await backend.stop();
      }
    } finally {
      await store.close();
    }
  }

  async start(name: string): Promise<RunningBackend> {
    const store = await openMongoStore({ url: this.#url });
    const incarnation = `${name}-${Math.round(performance.now() * 1_000)}`;
    const bus = this.#bus.connect(name);
    const report = (): void => {};
    const shards = new HostedShards();
    const stale: number[] = [];
    const hanging: (() => void)[] = [];
    let isHalted = false;
    let runner: MemberRunner | undefined;
    const forwarder = new Forwarder({
      bus,
      clock,
      sender: incarnation,
      subjectOf: subjects.shards,
      ownerOf: (shard) => {
        const owner = runner?.member.ownerOf(shard) ?? '';
        return owner === '' ? undefined : { backend: owner, epoch: 1 };
      },
      lookUpAgain: () => runner?.poked(),
      report,
    });
    const { backend } = await Backend.open({
      ...this.#optionsOf(name),
      store,
      elsewhere: forwardEvents(forwarder, (shard) => shards.isMine(shard)),
      hosting: {
        shards,
        records: store,
        onStale: (shard) => {
          stale.push(shard);
          runner?.poked();
        },
      },
      runPipelines: async (event) => {
        // A backend that is gone handles nothing any more.
        if (isHalted) await new Promise<void>((resolve) => hanging.push(resolve));
        else this.told.push({ backend: name, event });
        return traceOf(event);
      },
    });
    await seed(backend);
    const host = backend.shards;
    assert.ok(host);
    const started = runMember({
      incarnation,
      name,
      shards: usedShards,
      leases: store.leases,
      clock,
      host,
      poke: () => {
        for (const other of this.backends) if (other.name !== name) other.runner.poked();
      },
      onFault: (error) => this.errors.push(`${name}: ${String(error)}`),
      onLost: () => {},
    });
    runner = started;
    store.fenceWith(fenceOf(shards, started));
    const receiver = new Receiver({
      bus,
      subject: subjects.shards(incarnation),
      clock,
      report,
      ports: {
        holds: (shard) => ({
          isMine: shards.isMine(shard) && started.member.accepts(shard, started.now()) !== undefined,
          epoch: shards.epochOf(shard) ?? 0,
        }),
        apply: takeForwarded((offered, receipt) => backend.takeEvent(offered, receipt)),
      },
    });
    await backend.serve();
    const running: RunningBackend = {
      name,
      backend,
      runner: started,
      shards,
      stale,
      accepted: () =>
        shards.open().filter((shard) => started.member.accepts(shard, started.now()) !== undefined),
      halt: () => {
        isHalted = true;
        started.halt();
        receiver.close();
        forwarder.close();
      },
      close: async () => {
        if (!isHalted) await started.drain();
        receiver.close();
        forwarder.close();
        const stopped = backend.stop().catch(() => {});
        for (const go of hanging) go();
        await stopped;
        // A stop that could not write what was due leaves it.
        backend.runtime.close();
        await bus.drain(1_000);
        await store.close();
      },
    };
    this.backends.push(running);
    return running;
  }

  /** Until every shard is served by one of these. */
  async settled(serving: readonly RunningBackend[]): Promise<void> {
    await eventually(
      'every shard to be served',
      () => {
        const served = serving.flatMap((one) => one.accepted());
        return served.length === usedShards && new Set(served).size === usedShards;
      },
      patienceMs,
    );
  }

  /** Offers an event until somebody has acknowledged it, to one of the backends that `at` names at the time. */
  async offer(
    event: CheckEvent,
    at: () => RunningBackend,
    kind: 'event' | 'keepalive' = 'event',
  ): Promise<void> {
    for (;;) {
      const outcome = await new Promise<string>((resolve) =>
        at().backend.acceptFrame(kind, event, ({ type }) => resolve(type)),
      );
      if (outcome === 'done') return;
      assert.ok(outcome === 'busy' || outcome === 'outage', outcome);
      await sleep(50);
    }
  }

  async close(): Promise<void> {
    for (const running of [...this.backends].reverse()) await running.close();
  }
}
