// A whole backend without sockets, for tests: the composed tree on a memory store and a clock turned by hand. Agents are
// played (see agent.ts), pipelines are recorded. A crash leaves what was committed and nothing else.
import assert from 'node:assert/strict';
import { Backend } from '../../../src/actors/backend.ts';
import type { BackendOptions } from '../../../src/actors/compose/open-dependencies.ts';
import type { Rebuilt } from '../../../src/actors/compose/restore.ts';
import { seedIfEmpty } from '../../../src/actors/resources/seed.ts';
import type { Clock } from '../../../src/actors/runtime/time/clock.ts';
import { type CheckConfig, checkConfigSchema } from '../../../src/model/check/check.ts';
import { type CheckEvent, type Event, eventSchema } from '../../../src/model/event/event.ts';
import { repeatKeyOf } from '../../../src/model/event/repeat-key.ts';
import { eventFilterSchema } from '../../../src/model/pipeline/event-filter.ts';
import { type Silenced, silencedSchema } from '../../../src/model/silence/silenced.ts';
import type { Trace } from '../../../src/pipeline/trace.ts';
import { MemoryDisk, MemoryStore } from '../../../src/store/memory-store.ts';
import type { SnapshotStore } from '../../../src/store/snapshot-store.ts';
import { seeded } from '../../property.ts';
import { createSimulatedClock, type SimulatedClock } from '../runtime/simulated-clock.ts';
import { Agent, type AgentOptions } from './agent.ts';

export type Json = Record<string, unknown>;

/** The handler that checks name by default; deliveries are recorded whether it is defined or not. */
export const recorder = { metadata: { name: 'record', namespace: 'default' }, type: 'set', handlers: [] };

/** What the pipelines were given, and when. */
export interface Told {
  readonly atMs: number;
  readonly entity: string;
  readonly check: string;
  readonly status: number;
  readonly output: string;
  readonly event: Event;
}

export interface LogLine {
  readonly level: string;
  readonly text: string;
  readonly fields: Json;
}

export interface WorldOptions
  extends Partial<
    Pick<
      BackendOptions,
      | 'elsewhere'
      | 'peers'
      | 'hosting'
      | 'deregistrationHandler'
      | 'entityLimit'
      | 'entityBounds'
      | 'maxWaitingDeliveryBytes'
      | 'assets'
      | 'refusal'
    >
  > {
  readonly seed?: number;
  /** Which deliveries to keep; default all. */
  readonly records?: (event: Event) => boolean;
  /** What the pipelines do with an event; default nothing, at once. */
  readonly handle?: (event: Event) => Promise<void> | undefined;
  /** While true, every delivery meets an outage: nothing is told, and it is tried again later. */
  readonly isOutage?: () => boolean;
  /** Real pipelines in place of the recorder. */
  readonly realPipelines?: boolean;
  readonly store?: (disk: MemoryDisk) => SnapshotStore;
}

/** Sunday 2023-11-12 00:00:00 UTC: a whole day, so that times in tests read well. */
export const startMs = Date.UTC(2023, 10, 12);
const maxRounds = 1_000_000;
/** Turns of the loop in which what needs no time to pass is done. */
const patientTurns = 50;

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** A clock whose timers and turns stop when its owner dies. */
const mortal = (clock: Clock): { readonly clock: Clock; die(): void } => {
  let dead = false;
  const whileAlive = (task: () => void) => () => {
    if (!dead) task();
  };
  return {
    clock: {
      wallMs: clock.wallMs,
      monotonicMs: clock.monotonicMs,
      setTimer: (task, delayMs) => clock.setTimer(whileAlive(task), delayMs),
      yieldTurn: (task) => clock.yieldTurn(whileAlive(task)),
    },
    die: () => {
      dead = true;
    },
  };
};

/** What is on a disk now. */
export const copyOf = (disk: MemoryDisk): MemoryDisk => {
  const copy = new MemoryDisk();
  for (const [kind, cells] of disk.kinds) copy.kinds.set(kind, new Map(cells));
  return copy;
};

const traceOf = (event: Event, nowMs: number): Trace => ({
  event: {
    id: event.id,
    namespace: event.entity.metadata.namespace ?? '',
    entity: event.entity.metadata.name,
    check: event.check?.metadata.name ?? null,
    timestamp: event.timestamp,
  },
  startedAtMs: nowMs,
  durationMs: 0,
  workflows: [],
  skipped: [],
  retry: false,
  summary: 'recorded',
});

export class World {
  readonly clock: SimulatedClock = createSimulatedClock(startMs);
  readonly random: () => number;
  /** In the order in which the pipelines were given them, over all lives of the backend. */
  readonly told: Told[] = [];
  readonly logged: LogLine[] = [];
  readonly agents: Agent[] = [];
  disk = new MemoryDisk();
  store: SnapshotStore = new MemoryStore({ disk: this.disk });
  readonly #options: WorldOptions;
  #backend: Backend | undefined;
  #die: () => void = () => {};
  #life = 0;
  #atWork = 0;

  private constructor(options: WorldOptions) {
    this.#options = options;
    this.random = seeded(options.seed ?? 1);
  }

  /** A backend with an empty store but for its seeds, serving. */
  static async open(options: WorldOptions = {}): Promise<World> {
    const world = new World(options);
    await world.start();
    return world;
  }

  get backend(): Backend {
    assert.ok(this.#backend, 'the backend is not running');
    return this.#backend;
  }

  get running(): boolean {
    return this.#backend !== undefined;
  }

  get nowMs(): number {
    return this.clock.wallMs();
  }

  /** Starts a backend on what is stored. */
  async start(): Promise<Rebuilt> {
    const { clock, die } = mortal(this.clock);
    this.#die = die;
    this.#life += 1;
    const life = this.#life;
    this.store = this.#options.store?.(this.disk) ?? new MemoryStore({ disk: this.disk });
    const opening = Backend.open({
      store: this.store,
      log: this.#log(),
      name: 'backend-under-test',
      entityLimit: this.#options.entityLimit ?? 0,
      deregistrationHandler: this.#options.deregistrationHandler ?? '',
      deliveryWorkers: 100,
      entityBounds: this.#options.entityBounds,
      maxWaitingDeliveryBytes: this.#options.maxWaitingDeliveryBytes,
      elsewhere: this.#options.elsewhere,
      peers: this.#options.peers,
      hosting: this.#options.hosting,
      ...(this.#options.refusal === undefined ? {} : { refusal: this.#options.refusal }),
      ...(this.#options.assets === undefined ? {} : { assets: this.#options.assets }),
      env: process.env,
      onCollapse: () => assert.fail('the supervisor tree gave up'),
      clock,
      random: this.random,
      ...(this.#options.realPipelines === true ? {} : { runPipelines: (event) => this.#record(event, life) }),
    });
    const { backend, rebuilt } = await this.drive(opening);
    this.#backend = backend;
    await this.drive(
      seedIfEmpty(backend.resources, {
        adminUsername: 'admin',
        adminPassword: 'P@ssw0rd!',
        hash: async () => '$2a$04$notarealhash',
      }),
    );
    await this.drive(backend.serve());
    await this.quiet();
    return rebuilt;
  }

  /** `kill -9`: what was committed stays, what was under way is gone. */
  async crash(): Promise<void> {
    this.#die();
    this.disk = copyOf(this.disk);
    this.#forgetBackend();
    await turn();
  }

  async stop(): Promise<void> {
    if (this.#backend === undefined) return;
    await this.drive(this.#backend.stop());
    this.#die();
    this.#forgetBackend();
  }

  /** Moves time from timer to timer; at each everything comes to rest before time goes on. */
  async advance(ms: number): Promise<void> {
    const untilMs = this.clock.monotonicMs() + ms;
    await this.quiet();
    for (;;) {
      const next = this.clock.nextTimerMs;
      if (next === undefined || this.clock.monotonicMs() + next > untilMs) break;
      const before = this.#signature();
      this.clock.advance(next);
      // Most timers only look at the clock: one turn for promises shows that nothing moved.
      await turn();
      if (this.#isAtRest() && this.#signature() === before) continue;
      await this.quiet();
    }
    this.clock.advance(untilMs - this.clock.monotonicMs());
    await this.quiet();
  }

  /** Until nothing is left to do without time passing. */
  async quiet(): Promise<void> {
    let before = '';
    for (let still = 0, round = 0; still < 2; round += 1) {
      assert.ok(round < maxRounds, 'the backend does not come to rest');
      this.clock.runTurns();
      await turn();
      const now = this.#signature();
      // The sandbox answers from another thread, in its own time.
      if ((this.#backend?.proxyChecksMatching ?? 0) > 0) still = 0;
      else still = now === before ? still + 1 : 0;
      before = now;
    }
  }

  /** Waits for a promise, moving time on only when nothing else can settle it. */
  async drive<T>(promise: Promise<T>): Promise<T> {
    let settled = false;
    const done = promise.finally(() => {
      settled = true;
    });
    done.catch(() => {});
    for (let round = 0; !settled; round += 1) {
      assert.ok(round < maxRounds, 'what was waited for never came');
      await this.quiet();
      // A start reads and commits in turn, which nothing shows from outside.
      for (let patience = 0; !settled && patience < patientTurns; patience += 1) {
        this.clock.runTurns();
        await turn();
      }
      const next = this.clock.nextTimerMs;
      if (settled) break;
      if (next === undefined) await turn();
      else this.clock.advance(next);
    }
    return done;
  }

  // What operators do

  async define(segment: string, name: string, resource: object, namespace = 'default'): Promise<void> {
    await this.drive(this.backend.resources.put({ segment, namespace, name }, resource as Json));
    await this.quiet();
  }

  async remove(segment: string, name: string, namespace = 'default'): Promise<void> {
    await this.drive(this.backend.resources.delete({ segment, namespace, name }));
    await this.quiet();
  }

  async check(name: string, fields: Json = {}): Promise<CheckConfig> {
    const config = checkConfigSchema.parse({
      metadata: { name, namespace: 'default' },
      command: 'true',
      interval: 60,
      publish: true,
      subscriptions: ['all'],
      handlers: ['record'],
      ...fields,
    });
    await this.define('checks', name, config);
    return config;
  }

  async silence(fields: Json): Promise<Silenced> {
    const { subscription = '', check = '' } = fields as { subscription?: string; check?: string };
    const name = `${subscription || '*'}:${check || '*'}`;
    const entry = silencedSchema.parse({
      metadata: { name, namespace: 'default' },
      begin: Math.floor(this.nowMs / 1000),
      ...fields,
    });
    await this.define('silenced', name, entry);
    return entry;
  }

  async filter(name: string, fields: Json): Promise<void> {
    const filter = eventFilterSchema.parse({ metadata: { name, namespace: 'default' }, ...fields });
    await this.define('filters', name, filter);
  }

  // What arrives

  event(check: Json, entity: Json = {}, rest: Json = {}): CheckEvent {
    const nowSeconds = Math.floor(this.nowMs / 1000);
    const { name = 'cpu', ...fields } = check;
    const { name: entityName = 'web-01', ...entityFields } = entity;
    return eventSchema.parse({
      timestamp: nowSeconds,
      entity: {
        metadata: { name: entityName, namespace: 'default' },
        entity_class: 'proxy',
        subscriptions: [],
        ...entityFields,
      },
      check: {
        metadata: { name, namespace: 'default' },
        interval: 60,
        status: 0,
        executed: nowSeconds,
        handlers: ['record'],
        ...fields,
      },
      metadata: { namespace: 'default' },
      ...rest,
    }) as CheckEvent;
  }

  /** Sends an event and waits until it is committed and everything it caused has come to rest. */
  async post(check: Json, entity: Json = {}, rest: Json = {}): Promise<void> {
    const event = this.event(check, entity, rest);
    await this.drive(this.backend.acceptEvent(event, rest.id === undefined ? null : repeatKeyOf(event)));
    await this.quiet();
  }

  async agent(name: string, options: AgentOptions = {}): Promise<Agent> {
    const agent = new Agent(this, name, options);
    this.agents.push(agent);
    await this.quiet();
    return agent;
  }

  // What can be seen

  read(entity: string, check: string): Promise<CheckEvent | undefined> {
    return this.drive(this.backend.readEvent('default', entity, check));
  }

  /** Deliveries of one check of one entity, as `status:output`-like rows of the caller's choice. */
  toldOf(entity: string, check: string): Told[] {
    return this.told.filter((told) => told.entity === entity && told.check === check);
  }

  warnings(text: RegExp): LogLine[] {
    return this.logged.filter((line) => line.level !== 'debug' && text.test(line.text));
  }

  #record(event: Event, life: number): Promise<Trace> {
    const isMine = life === this.#life;
    if (this.#options.isOutage?.() === true)
      return Promise.resolve({ ...traceOf(event, this.nowMs), retry: true, summary: 'outage' });
    if (isMine && (this.#options.records?.(event) ?? true)) {
      this.told.push({
        atMs: this.nowMs,
        entity: event.entity.metadata.name,
        check: event.check?.metadata.name ?? '',
        status: event.check?.status ?? 0,
        output: event.check?.output ?? '',
        event,
      });
    }
    const trace = traceOf(event, this.nowMs);
    const work = this.#options.handle?.(event);
    if (work === undefined) return Promise.resolve(trace);
    this.#atWork += 1;
    return work.then(() => {
      this.#atWork -= 1;
      return trace;
    });
  }

  #isAtRest(): boolean {
    if (this.#options.realPipelines === true || this.#backend === undefined) return false;
    const { runtime, committer, proxyChecksMatching } = this.#backend;
    return runtime.queue.depth === 0 && committer.depth === 0 && proxyChecksMatching === 0;
  }

  #signature(): string {
    if (this.#backend === undefined) return `${this.told.length} ${this.clock.timers}`;
    const { runtime, committer } = this.#backend;
    return `${runtime.queue.handled} ${runtime.queue.depth} ${committer.depth} ${this.told.length} ${this.#atWork}`;
  }

  #forgetBackend(): void {
    this.#backend = undefined;
    for (const agent of this.agents) agent.backendLost();
  }

  #log(): BackendOptions['log'] {
    const at = (level: string) => (fields: object, text: string) => {
      if (level !== 'debug' && level !== 'info') this.logged.push({ level, text, fields: fields as Json });
    };
    return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
  }
}
