// A played agent: sends keepalives, answers check requests, dies and comes back, as its test says.
import type { Connection, OpenSession } from '../../../src/actors/families/session/sessions.ts';
import { type Check, checkSchema } from '../../../src/model/check/check.ts';
import { type Entity, entitySchema } from '../../../src/model/entity/entity.ts';
import { type CheckEvent, eventSchema } from '../../../src/model/event/event.ts';
import { decodeFrame } from '../../../src/wire/frames.ts';
import type { CheckRequest } from '../../../src/wire/messages.ts';
import type { Json, World } from './world.ts';

export interface AgentOptions {
  readonly subscriptions?: readonly string[];
  readonly keepaliveSeconds?: number;
  readonly warningSeconds?: number;
  readonly criticalSeconds?: number;
  /** More fields of its entity. */
  readonly entity?: Json;
  /** Status of a run; default 0. */
  readonly status?: (check: string, runs: number) => number;
  /** How long a run takes, milliseconds; default 0. */
  readonly runsForMs?: number;
  /** It showed a certificate. */
  readonly mutualTls?: boolean;
  /** Told of every request it takes. */
  readonly onRequest?: (agent: Agent, check: string, atMs: number) => void;
  /** When its first keepalive goes out, milliseconds from now. */
  readonly offsetMs?: number;
}

export interface Request {
  readonly check: string;
  readonly issued: number;
  readonly atMs: number;
  readonly request: CheckRequest;
}

/** Requests of one tick are one frame for all agents: it is read once. */
const read = new WeakMap<Buffer, CheckRequest>();
const results = new WeakMap<CheckRequest, Check>();

const requestIn = (frame: Buffer): CheckRequest | undefined => {
  const known = read.get(frame);
  if (known !== undefined) return known;
  const decoded = decodeFrame(frame);
  if (decoded?.type !== 'check_request') return undefined;
  const request = JSON.parse(decoded.payload.toString()) as CheckRequest;
  read.set(frame, request);
  return request;
};

const resultOf = (request: CheckRequest): Check => {
  const known = results.get(request);
  if (known !== undefined) return known;
  const check = checkSchema.parse({ ...request.config, issued: request.issued });
  results.set(request, check);
  return check;
};

export class Agent {
  readonly name: string;
  readonly requests: Request[] = [];
  /** Frames of type entity_config, read. */
  readonly configs: Json[] = [];
  /** Results and keepalives that were not committed: `refused: ...`. */
  readonly refusals: string[] = [];
  /** Keep what was asked of it; off for long simulations. */
  remembers = true;
  entity: Entity;
  readonly #world: World;
  readonly #options: AgentOptions;
  readonly #runs = new Map<string, number>();
  #session: OpenSession | undefined;
  #keepalive: CheckEvent;
  #sequence = 0;
  #alive = true;
  #process = 0;

  constructor(world: World, name: string, options: AgentOptions) {
    this.#world = world;
    this.name = name;
    this.#options = options;
    this.entity = entitySchema.parse({
      metadata: { name, namespace: 'default' },
      entity_class: 'agent',
      subscriptions: [...(options.subscriptions ?? ['all']), `entity:${name}`],
      ...options.entity,
    });
    this.#keepalive = eventSchema.parse({
      entity: this.entity,
      check: {
        metadata: { name: 'keepalive', namespace: 'default' },
        interval: options.keepaliveSeconds ?? 20,
        timeout: options.warningSeconds ?? 120,
        ttl: options.criticalSeconds ?? 0,
      },
    }) as CheckEvent;
    this.#live(options.offsetMs ?? 0);
  }

  get connected(): boolean {
    return this.#session !== undefined;
  }

  /** How often it ran a check and reported it. */
  runsOf(check: string): number {
    return this.#runs.get(check) ?? 0;
  }

  get alive(): boolean {
    return this.#alive;
  }

  /** The process ends; nobody is told. */
  die(): void {
    this.#alive = false;
    this.#process += 1;
    this.disconnect();
  }

  /** Stops as its operator wants it to, and says so. */
  stop(): void {
    this.#session?.closed('1001 agent stopped', { isStopped: true });
    this.#session = undefined;
    this.die();
  }

  /** A new process of the same agent. */
  revive(): void {
    this.die();
    this.#alive = true;
    this.#sequence = 0;
    this.#live(0);
  }

  disconnect(): void {
    this.#session?.closed('the agent went away');
    this.#session = undefined;
  }

  /** Its next keepalive connects it again. */
  backendLost(): void {
    this.#session = undefined;
  }

  connect(): void {
    const { name, entity } = this;
    const connection: Connection = {
      namespace: 'default',
      agentName: name,
      user: 'agent',
      subscriptions: entity.subscriptions,
      contentType: 'application/json',
      mutualTls: this.#options.mutualTls ?? false,
      send: (frame) => this.#hear(frame as Buffer),
      close: () => this.disconnect(),
    };
    this.#session = this.#world.backend.openSession(connection);
  }

  sendKeepalive(): void {
    if (!this.#world.running) return;
    if (!this.connected) this.connect();
    this.#sequence += 1;
    const timestamp = Math.floor(this.#world.nowMs / 1000);
    const event = { ...this.#keepalive, entity: this.entity, timestamp, sequence: this.#sequence };
    this.#world.backend.acceptFrame('keepalive', event, (outcome) => {
      if (outcome.type !== 'done') this.refusals.push(`keepalive ${outcome.type}`);
    });
  }

  #live(offsetMs: number): void {
    const process = this.#process;
    const everyMs = (this.#options.keepaliveSeconds ?? 20) * 1000;
    const beat = (): void => {
      if (process !== this.#process) return;
      this.sendKeepalive();
      this.#world.clock.setTimer(beat, everyMs);
    };
    if (offsetMs === 0) beat();
    else this.#world.clock.setTimer(beat, offsetMs);
  }

  #hear(frame: Buffer): boolean {
    if (!this.#alive) return false;
    const request = requestIn(frame);
    if (request === undefined) {
      const decoded = decodeFrame(frame);
      if (decoded?.type === 'entity_config') this.configs.push(JSON.parse(decoded.payload.toString()));
      return true;
    }
    this.#options.onRequest?.(this, request.config.metadata.name, this.#world.nowMs);
    if (this.remembers) {
      const { config, issued } = request;
      this.requests.push({ check: config.metadata.name, issued, atMs: this.#world.nowMs, request });
    }
    const process = this.#process;
    const report = (): void => {
      if (process === this.#process) this.#report(request);
    };
    const { runsForMs = 0 } = this.#options;
    if (runsForMs === 0) this.#world.clock.yieldTurn(report);
    else this.#world.clock.setTimer(report, runsForMs);
    return true;
  }

  #report(request: CheckRequest): void {
    if (!this.#world.running) return;
    const { name } = request.config.metadata;
    const runs = (this.#runs.get(name) ?? 0) + 1;
    this.#runs.set(name, runs);
    const nowSeconds = Math.floor(this.#world.nowMs / 1000);
    const status = this.#options.status?.(name, runs) ?? 0;
    const check: Check = { ...resultOf(request), status, executed: nowSeconds, output: `run ${runs}` };
    const event: CheckEvent = {
      timestamp: nowSeconds,
      entity: this.entity,
      check,
      metadata: {},
      id: null,
      sequence: runs,
      pipelines: request.config.pipelines,
    };
    this.#world.backend.acceptFrame('event', event, (outcome) => {
      if (outcome.type !== 'done') this.refusals.push(`${name} ${outcome.type}`);
    });
  }
}
