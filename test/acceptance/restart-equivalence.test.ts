// Restart equivalence over real processes and sockets: whatever happened to a backend, once everything has come to rest a
// `kill -9` and a start change nothing that can be seen, and one that is killed amid its work ends as one that is not.
// MON_TEST_PROCESS_RESTARTS=50 plays so many scenarios on each store, MON_TEST_SEED=random others.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fc, seed } from '../property.ts';
import { differences } from '../restart/differences.ts';
import { type Operation, type Step, scenario } from '../restart/operations.ts';
import { startFastMongodb } from '../store/mongodb-server.ts';
import { AgentFrames } from './agent-frames.ts';
import { freshMetrics, observe, phaseMs } from './observed-backend.ts';
import { ApiClient, type Backend, eventually, inDefault, startBackend, tempDir } from './programs.ts';

const runs = Number(process.env.MON_TEST_PROCESS_RESTARTS ?? 1);
const maxKills = 3;
/** A kill in the middle of an operation comes so many milliseconds after it was sent. */
const killAfterMs = 3;
const shown = 12;
const hardlyMs = 10_000;
const hardlyOutOfPhaseMs = 1_500;

const server = await startFastMongodb();
after(() => server.stop());

type Result = Extract<Operation, { readonly type: 'results' }>;
type Change = Extract<Operation, { readonly type: 'put' | 'post' | 'delete' }>;

/** Those that need no time to pass and nobody else. Runs that are asked for twice run twice: nothing to compare. */
const isPlayed = ({ operation }: Step): boolean =>
  operation.type === 'results' || operation.type === 'put' || operation.type === 'delete';

class Player {
  backend: Backend;
  api: ApiClient;
  readonly #dir: string;
  readonly #args: readonly string[];
  readonly #kills: boolean;
  #agent: AgentFrames | undefined;
  /** The same in every play of a scenario. */
  #second: number;
  #lastId = 0;
  kills = 0;

  private constructor(
    place: { readonly dir: string; readonly args: readonly string[] },
    started: { readonly backend: Backend; readonly api: ApiClient },
    kills: boolean,
    second: number,
  ) {
    this.#dir = place.dir;
    this.#args = place.args;
    this.backend = started.backend;
    this.api = started.api;
    this.#kills = kills;
    this.#second = second;
  }

  static async open(dir: string, args: readonly string[], kills: boolean, second: number): Promise<Player> {
    const backend = await startBackend(dir, args);
    const api = await ApiClient.login(backend.api);
    const player = new Player({ dir, args }, { backend, api }, kills, second);
    await api.post(inDefault('handlers'), {
      metadata: { name: 'record', namespace: 'default' },
      type: 'pipe',
      // One write a line: others write at the same time.
      command: `line=$(cat); printf '%s\\n' "$line" >> ${join(dir, 'told')}`,
    });
    return player;
  }

  async play(steps: readonly Step[]): Promise<void> {
    for (const { operation, kill } of steps) {
      const mayKill = this.#kills && this.kills < maxKills;
      if (mayKill && kill === 'before') await this.compareOverKill();
      if (operation.type === 'results') await this.#results(operation, mayKill && typeof kill === 'number');
      else await this.#change(operation as Change, mayKill && typeof kill === 'number');
    }
  }

  /** Kills the backend at rest: what is seen before and after is the same. */
  async compareOverKill(): Promise<void> {
    await this.atRest();
    const before = await observe(this.backend, this.api);
    await this.#restart();
    let found: readonly string[] = [];
    await eventually(
      'the same as before',
      async () => {
        const now = await observe(this.backend, this.api);
        found = differences('seen', now, before).filter((line) => !isHardlyLater(line));
        return found.length === 0;
      },
      15_000,
    ).catch(() => assert.fail(found.slice(0, shown).join('\n')));
  }

  /** Nothing is delivered, nothing waits to be written. */
  async atRest(): Promise<void> {
    const busy =
      /^mon_backend_(deliveries_running|queue_length\{queue="(deliveries|delivery_retries|commits)"\}) [1-9]/m;
    await eventually('rest', async () => !busy.test(await freshMetrics(this.backend)));
    await eventually('every delivery is noted', async () => {
      const { items } = await this.api.get<{ items: readonly { value: unknown }[] }>(
        '/api/inspect/v1/actors?limit=1000&prefix=check%3A',
      );
      return items.every(({ value }) => (value as { delivery?: string }).delivery !== 'delivering');
    });
  }

  /** Who was told of what, each once however often. */
  async told(): Promise<ReadonlySet<string>> {
    const text = await readFile(join(this.#dir, 'told'), 'utf8').catch(() => '');
    return new Set(
      text
        .split('\n')
        // A command that was killed with its backend may have written half of what it was given.
        .flatMap((line) => (line.startsWith('{') && line.endsWith('}') ? [JSON.parse(line)] : []))
        .map(({ entity, check }) =>
          [entity.metadata.name, check.metadata.name, check.status, check.executed, check.occurrences].join(
            ' ',
          ),
        ),
    );
  }

  async stop(): Promise<void> {
    this.#agent?.close();
    await this.backend.program.kill('SIGKILL');
  }

  /** Every other one over the socket of an agent, which sends again what nobody acknowledged. */
  async #results({ entity, check, status, count, ttl }: Result, kill: boolean): Promise<void> {
    for (let at = 0; at < count; at += 1) {
      this.#second += 1;
      this.#lastId += 1;
      const event = {
        id: `10000000-0000-4000-8000-${String(this.#lastId).padStart(12, '0')}`,
        timestamp: this.#second,
        entity: { entity_class: 'proxy', metadata: { name: entity, namespace: 'default' } },
        check: {
          metadata: { name: check, namespace: 'default' },
          interval: 10,
          status,
          output: `status ${status}`,
          executed: this.#second,
          ttl: ttl === 0 ? 0 : ttl + 3_600,
          handlers: ['record'],
        },
      };
      const send = this.#lastId % 2 === 0 ? () => this.#frame(event) : () => this.#post(event);
      await this.#surely(send, kill && at === count - 1);
    }
  }

  async #frame(event: { readonly id: string }): Promise<void> {
    this.#agent ??= await AgentFrames.connect(this.backend.agents, 'host-a');
    await this.#agent.send(event);
  }

  async #post(event: object): Promise<void> {
    const response = await this.api.call('POST', inDefault('events'), event);
    await response.text();
    assert.ok(response.status < 500, `POST event: ${response.status}`);
  }

  #change(operation: Change, kill: boolean): Promise<void> {
    return this.#surely(async () => {
      const body = 'body' in operation ? operation.body : undefined;
      const response = await this.api.call(operation.type.toUpperCase(), encodeURI(operation.path), body);
      await response.text();
      assert.ok(response.status < 500, `${operation.type} ${operation.path}: ${response.status}`);
    }, kill);
  }

  /** With a kill amid it: done again by its sender unless it was answered. */
  async #surely(work: () => Promise<void>, kill: boolean): Promise<void> {
    if (!kill) return work();
    const answered = work().then(
      () => true,
      () => false,
    );
    await new Promise((resolve) => setTimeout(resolve, killAfterMs));
    await this.#restart();
    if (!(await answered)) await work();
  }

  async #restart(): Promise<void> {
    this.kills += 1;
    await this.backend.program.kill('SIGKILL');
    this.#agent?.close();
    this.#agent = undefined;
    this.backend = await startBackend(this.#dir, this.#args);
    this.api = await ApiClient.login(this.backend.api);
  }
}

/** A wait is longer by the pauses of the process it was armed in: those of a busy machine are no difference. */
const isHardlyLater = (line: string): boolean => {
  const [, what, killed, spared] = /> (atMs|phase): (\d+) with kills, (\d+) without$/.exec(line) ?? [];
  if (killed === undefined) return false;
  const apart = Math.abs(Number(killed) - Number(spared));
  return what === 'atMs' ? apart < hardlyMs : Math.min(apart, phaseMs - apart) < hardlyOutOfPhaseMs;
};

interface Event {
  readonly entity: { readonly metadata: { readonly name: string } };
  readonly check: { readonly metadata: { readonly name: string }; readonly [field: string]: unknown };
}

/** What both plays must end with, whenever each of them was played. */
const endOf = async ({ api }: Player) => ({
  events: (await api.get<readonly Event[]>(inDefault('events')))
    .filter(({ check }) => check.metadata.name !== 'keepalive')
    .map(({ entity, check }) => ({ entity: entity.metadata.name, ...check, processed_by: '' })),
  ...Object.fromEntries(
    await Promise.all(
      ['checks', 'handlers', 'filters', 'silenced', 'roles', 'rolebindings'].map(async (kind) => [
        kind,
        (await api.get<readonly { metadata: { name: string } }[]>(inDefault(kind))).map(
          ({ metadata }) => metadata.name,
        ),
      ]),
    ),
  ),
});

const play = async (newStore: () => readonly string[], steps: readonly Step[]): Promise<void> => {
  const second = Math.floor(Date.now() / 1000) - 7_200;
  const live = (kills: boolean) => async (dir: string) => {
    const player = await Player.open(dir, newStore(), kills, second);
    try {
      await player.play(steps);
      if (kills) await player.compareOverKill();
      await player.atRest();
      return { end: await endOf(player), told: await player.told(), kills: player.kills };
    } finally {
      await player.stop();
    }
  };
  const inTemp = async (kills: boolean) => {
    let lived: Awaited<ReturnType<ReturnType<typeof live>>> | undefined;
    await tempDir(async (dir) => {
      lived = await live(kills)(dir);
    });
    assert.ok(lived);
    return lived;
  };
  const killed = await inTemp(true);
  const spared = await inTemp(false);
  const found = [
    ...differences('end', killed.end, spared.end),
    ...[...spared.told]
      .filter((one) => !killed.told.has(one))
      .map((one) => `told only without kills: ${one}`),
    ...[...killed.told].filter((one) => !spared.told.has(one)).map((one) => `told only with kills: ${one}`),
  ];
  assert.equal(found.length, 0, found.slice(0, shown).join('\n'));
};

const small = scenario.map((steps) => steps.filter(isPlayed)).filter((steps) => steps.length >= 6);

for (const [store, args] of [
  ['LMDB', () => []],
  ['MongoDB', () => ['--store-url', `${server.url}/mon_${randomUUID().replaceAll('-', '')}`]],
] as const)
  for (const [at, steps] of fc.sample(small, { numRuns: runs, seed }).entries())
    test(`a backend that is killed cannot be told from one that was not: ${store}, scenario ${at} of seed ${seed}`, () =>
      play(args, steps));
