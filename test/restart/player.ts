// Plays a scenario against a whole backend with its HTTP API, on a clock turned by hand. With kills, the backend loses all
// that was not committed wherever the scenario says so, and another one begins on the same store at once. Without them, only
// what a start promises happens at these points.
import type { InjectOptions } from 'fastify';
import { type Api, createApi } from '../../src/http/api.ts';
import { createEventList } from '../../src/http/inspect/events/event-list.ts';
import { silentLog } from '../../src/http/log.ts';
import { secretsProviderSchema } from '../../src/model/access/secrets-provider.ts';
import { type Json, World } from '../actors/engine/world.ts';
import type { Operation, Step } from './operations.ts';
import { viewerHash } from './operations.ts';

export interface PlayOptions {
  readonly kills: boolean;
  readonly entityLimit?: number;
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const realPause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 1));

export const keys = {
  admin: '00000000-0000-4000-8000-00000000000a',
  viewer: '00000000-0000-4000-8000-00000000000b',
} as const;

/** Rounds in which everything an answer needs usually happens without time passing. */
const patientRounds = 40;

const maxFailingMs = 600_000;

/** Half a second off the full ones, so that no kill falls on the very millisecond of a tick. */
const offsetMs = 500;

export class Player {
  readonly world: World;
  api!: Api;
  /** What each answered operation was answered with; undefined when a kill came before the answer. */
  readonly answers: (number | undefined)[] = [];
  readonly #options: PlayOptions;
  readonly #statuses: Map<string, number>;
  readonly #failing: { now: boolean };
  #lastId = 0;
  #failures = 0;
  #connected: World['agents'] = [];
  kills = 0;

  private constructor(
    world: World,
    options: PlayOptions,
    statuses: Map<string, number>,
    failing: { now: boolean },
  ) {
    this.world = world;
    this.#options = options;
    this.#statuses = statuses;
    this.#failing = failing;
  }

  static async open(options: PlayOptions): Promise<Player> {
    const failing = { now: false };
    const world = await World.open({
      entityLimit: options.entityLimit ?? 0,
      isOutage: () => failing.now,
    });
    const player = new Player(world, options, new Map(), failing);
    await player.#furnish();
    await player.#openApi();
    await world.advance(offsetMs);
    return player;
  }

  async play(steps: readonly Step[]): Promise<void> {
    for (const { operation, kill } of steps) {
      if (kill === 'before') await this.#restart();
      const units = unitsOf(operation);
      for (const [index, unit] of units.entries()) {
        const isLast = index === units.length - 1;
        await this.#do(unit, isLast && typeof kill === 'number' ? kill : undefined);
      }
    }
  }

  async close(): Promise<void> {
    await this.api.close();
    await this.world.stop();
  }

  async ask(options: InjectOptions, as: keyof typeof keys = 'admin'): Promise<Answer> {
    const headers = { authorization: `Key ${keys[as]}`, ...options.headers };
    const {
      statusCode,
      headers: told,
      body,
    } = await this.settle(this.api.server.app.inject({ ...options, headers }));
    return { status: statusCode, headers: told, body };
  }

  /** Waits for what needs no time, or hardly any, to pass. */
  async settle<T>(promise: Promise<T>): Promise<T> {
    let settled = false;
    const done = promise.finally(() => {
      settled = true;
    });
    done.catch(() => {});
    for (let round = 0; !settled; round += 1) {
      this.world.clock.runTurns();
      await turn();
      if (settled || round < patientRounds) continue;
      // A commit may wait a moment for company; a thread answers in its own time.
      if (this.world.backend.committer.depth > 0) await this.world.advance(1);
      else await realPause();
    }
    return done;
  }

  /** Kills the backend and starts another one, or does what a start promises. */
  async #restart(): Promise<void> {
    this.kills += 1;
    if (!this.#options.kills) return this.#keepPromisesOfStart();
    await this.#kill();
    await this.#boot();
  }

  /** The interface: "created automatically with name `env` and an empty spec when the backend starts". */
  async #keepPromisesOfStart(): Promise<void> {
    const { world } = this;
    if (world.backend.resources.get('providers', '', 'env') !== undefined) return;
    const env = secretsProviderSchema.parse({ type: 'Env', metadata: { name: 'env' } });
    await this.settle(
      world.backend.resources.put(
        { segment: 'providers', namespace: '', name: 'env' },
        env as unknown as Json,
      ),
    );
  }

  async #kill(): Promise<void> {
    const { world } = this;
    this.#connected = world.agents.filter(({ connected }) => connected);
    const { api } = this;
    await world.crash();
    // Its timers would keep the dead backend in memory.
    await api.close();
  }

  async #boot(): Promise<void> {
    const { world } = this;
    await world.start();
    for (const agent of this.#connected) if (agent.alive) agent.connect();
    await world.quiet();
    await this.#openApi();
  }

  async #do(operation: Operation, killAfterTurns: number | undefined): Promise<void> {
    const work = this.#workOf(operation);
    if (killAfterTurns === undefined || isTime(operation) || !this.#options.kills) {
      this.answers.push(await (isTime(operation) ? work() : this.settle(work())));
      await this.world.quiet();
      if (killAfterTurns !== undefined) await this.#restart();
      return;
    }
    let answer: number | undefined;
    work().then(
      (status) => {
        answer = status;
      },
      () => {},
    );
    for (let count = 0; count < killAfterTurns; count += 1) {
      this.world.clock.runTurns();
      await turn();
    }
    this.kills += 1;
    // What the dead still say is heard by nobody.
    const told = answer;
    await this.#kill();
    await this.#boot();
    // Nobody was told that it happened, so it is asked for again, as every sender does.
    if (told === undefined) {
      await this.settle(this.#again(work, operation));
      await this.world.quiet();
    }
    this.answers.push(told);
  }

  async #again(work: () => Promise<number>, operation: Operation): Promise<number> {
    // A run that was asked for twice is run twice: nothing to compare.
    return operation.type === 'post' ? 0 : work();
  }

  /** What an operation is, to be done now or again; its identity is fixed here. */
  #workOf(operation: Operation): () => Promise<number> {
    const { world } = this;
    const id = this.#newId();
    const answered = async (promise: Promise<unknown>): Promise<number> => {
      const status = await promise.then(
        () => 200,
        () => 400,
      );
      return status;
    };
    const nowSeconds = Math.floor(world.nowMs / 1000);
    switch (operation.type) {
      case 'results': {
        const { entity, check, status, ttl } = operation;
        const body = {
          id,
          timestamp: nowSeconds,
          entity: { entity_class: 'proxy', metadata: { name: entity, namespace: 'default' } },
          check: {
            metadata: { name: check, namespace: 'default' },
            interval: 10,
            status,
            output: `status ${status}`,
            executed: nowSeconds,
            ttl,
            handlers: ['record'],
          },
        };
        return () => this.#change('POST', '/api/core/v2/namespaces/default/events', body);
      }
      case 'put':
        return () => this.#change('PUT', operation.path, operation.body);
      case 'post':
        return () => this.#change('POST', operation.path, operation.body);
      case 'delete':
        return () => this.#change('DELETE', operation.path);
      case 'client.keepalive': {
        const message = {
          name: operation.client,
          address: operation.address,
          subscriptions: ['web'],
          version: '1.9.0',
          timestamp: nowSeconds,
          keepalive: { thresholds: { warning: 900_000, critical: 1_800_000 } },
        };
        return () => answered(world.backend.clients.keepalive(message, 'websocket'));
      }
      case 'client.result': {
        const { client, check, status } = operation;
        const result = {
          name: check,
          output: 'x',
          status,
          executed: nowSeconds,
          issued: nowSeconds,
          handler: 'record',
        };
        return () => answered(world.backend.clients.result({ client, check: result }, id));
      }
      case 'client.deleted':
        return () => answered(world.backend.deleteClient(operation.client));
      case 'handlers':
        return async () => {
          this.#fail(operation.failing);
          return 0;
        };
      case 'agent.started':
        return async () => {
          if (world.agents.some(({ name }) => name === operation.agent)) return 0;
          await world.agent(operation.agent, {
            subscriptions: operation.subscriptions,
            status: () => this.#statuses.get(operation.agent) ?? 0,
          });
          return 0;
        };
      case 'agent.died':
        return async () => {
          const agent = this.#agent(operation.agent);
          if (agent === undefined || !agent.alive) return 0;
          agent.die();
          // No kill in this time: how long silence is forgiven depends on the last start, as promised.
          await world.advance(150_000);
          return 0;
        };
      case 'agent.revived':
        return async () => {
          const agent = this.#agent(operation.agent);
          if (agent?.alive === false) agent.revive();
          await world.quiet();
          return 0;
        };
      case 'agent.status':
        return async () => {
          this.#statuses.set(operation.agent, operation.status);
          return 0;
        };
      case 'time':
        return async () => {
          await world.advance(operation.seconds * 1000);
          return 0;
        };
    }
  }

  /** Never for so long that a delivery is given up. */
  #fail(failing: boolean): void {
    this.#failing.now = failing;
    this.#failures += 1;
    const mine = this.#failures;
    this.world.clock.setTimer(() => {
      if (this.#failures === mine) this.#failing.now = false;
    }, maxFailingMs);
  }

  #agent(name: string) {
    return this.world.agents.find((agent) => agent.name === name);
  }

  async #change(method: 'PUT' | 'POST' | 'DELETE', path: string, body?: object): Promise<number> {
    const url = encodeURI(path);
    const { statusCode } = await this.api.server.app.inject({
      method,
      url,
      headers: { authorization: `Key ${keys.admin}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { payload: JSON.stringify(body) }),
    });
    return statusCode;
  }

  /** Known to both runs, whatever happens in between. */
  #newId(): string {
    this.#lastId += 1;
    return `10000000-0000-4000-8000-${String(this.#lastId).padStart(12, '0')}`;
  }

  async #openApi(): Promise<void> {
    const { world } = this;
    const { backend } = world;
    const eventList = createEventList({ index: backend.events, events: backend.eventReader });
    this.api = await this.settle(
      createApi({
        logins: backend,
        backend,
        routes: eventList.routes,
        log: silentLog,
        clock: { wallMs: () => world.nowMs, monotonicMs: () => world.clock.monotonicMs() },
        version: '0.1.0',
        backendId: 'backend-under-test',
        http: { host: '127.0.0.1', port: 0 },
        agents: { host: '127.0.0.1', port: 0 },
      }),
    );
    await this.settle(Promise.resolve(this.api.server.app.ready()));
  }

  async #furnish(): Promise<void> {
    const { resources } = this.world.backend;
    const user = { username: 'viewer', password_hash: viewerHash, groups: ['viewers'], disabled: false };
    await this.settle(resources.put({ segment: 'users', namespace: '', name: 'viewer' }, user));
    for (const username of ['admin', 'viewer'] as const) {
      const name = keys[username];
      const key = { username, created_at: 1_700_000_000, metadata: { name } };
      await this.settle(resources.put({ segment: 'apikeys', namespace: '', name }, key));
    }
  }
}

const isTime = ({ type }: Operation): boolean =>
  type === 'time' || type.startsWith('agent.') || type === 'handlers';

/** A second passes between the results of a burst. */
const unitsOf = (operation: Operation): readonly Operation[] => {
  if (operation.type !== 'results' && operation.type !== 'client.result') return [operation];
  const second: Operation = { type: 'time', seconds: 1 };
  return Array.from({ length: operation.count }, () => [second, operation]).flat();
};
