// Two backends on one MongoDB database under load, and faults in an order drawn from the seed: processes that are killed or
// suspended, connections to the database that break or stall. The books are those of the senders: nothing acknowledged is
// lost, nothing is applied twice, every check goes on, and an agent that lives is never reported missing.
// `MON_TEST_FAULTS` sets the number of faults.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { type TestContext, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { seed, seeded } from '../property.ts';
import { startFastMongodb } from '../store/mongodb-server.ts';
import { type Relay, startRelay } from '../store/relay.ts';
import { ApiClient, eventually, inDefault, type Program, startAgent, tempDir } from './programs.ts';
import { ended, type Member, memberOf, shareKey, startFirst, startSecond } from './standby-members.ts';

interface Stored {
  readonly entity: { readonly metadata: { readonly name: string } };
  readonly check: {
    readonly metadata: { readonly name: string };
    readonly occurrences: number;
    readonly history: readonly { readonly status: number }[];
  };
}

/** Sends one event of a check after the other, each until one of the backends has acknowledged it. */
class Sender {
  readonly check: string;
  acked = 0;
  readonly #apis: readonly ApiClient[];
  #at = 0;

  constructor(check: string, apis: readonly ApiClient[]) {
    this.check = check;
    this.#apis = apis;
  }

  /** Resolves when the last event that was begun is acknowledged; rejects if one is refused for good. */
  async run(isOver: () => boolean): Promise<void> {
    while (!isOver()) {
      const event = {
        id: randomUUID(),
        timestamp: Math.floor(Date.now() / 1000),
        entity: { entity_class: 'proxy', metadata: { name: 'router', namespace: 'default' } },
        check: { metadata: { name: this.check, namespace: 'default' }, interval: 60, status: 1 },
      };
      const endMs = performance.now() + 120_000;
      while (!(await this.#send(event))) {
        assert.ok(performance.now() < endMs, 'no backend accepted an event for two minutes');
        this.#at += 1;
        await pause(50);
      }
      this.acked += 1;
      await pause(20);
    }
  }

  async #send(event: unknown): Promise<boolean> {
    const api = this.#apis[this.#at % this.#apis.length] ?? assert.fail('no backend');
    const answer = await api.call('POST', inDefault('events'), event).then(
      async (response) => ({ status: response.status, text: await response.text() }),
      () => undefined,
    );
    if (answer === undefined || answer.status === 503) return false;
    assert.equal(answer.status, 201, answer.text);
    return true;
  }
}

/** A backend that is started again whenever it ends, as a service manager does. */
class Service {
  readonly member: Member;
  readonly relay: Relay;
  readonly endings: string[] = [];
  program: Program;
  readonly #t: TestContext;
  #isOver = false;

  constructor(t: TestContext, member: Member, relay: Relay, program: Program) {
    this.member = member;
    this.relay = relay;
    this.program = program;
    this.#t = t;
    this.#watch();
    t.after(() => {
      this.#isOver = true;
    });
  }

  /** What `/ready` says; empty while nobody listens. */
  async #ready(): Promise<string> {
    return fetch(`${this.member.api}/ready`, { signal: AbortSignal.timeout(5_000) }).then(
      (response) => response.text(),
      () => '',
    );
  }

  serves = async (): Promise<boolean> => (await this.#ready()).startsWith('ready');
  standsBy = async (): Promise<boolean> => (await this.#ready()).startsWith('standby: the backend');

  #watch(): void {
    void this.program.exited.then(({ code, signal }) => {
      this.endings.push(String(code ?? signal));
      if (this.#isOver) return;
      this.program = startSecond(this.#t, this.member);
      this.#watch();
    });
  }
}

type Fault = (serving: Service, other: Service, drawn: number) => Promise<void>;

/** Until the other one has taken over; the one that is held up finds out as soon as it goes on. */
const untilReplaced =
  (hold: (service: Service) => void, release: (service: Service) => void): Fault =>
  async (serving, other) => {
    const { exited } = serving.program;
    hold(serving);
    await eventually('a takeover', other.serves, 180_000);
    release(serving);
    assert.equal((await exited).code, 70);
  };

const forMs =
  (
    hold: (serving: Service, other: Service) => void,
    release: (serving: Service, other: Service) => void,
  ): Fault =>
  async (serving, other, drawn) => {
    hold(serving, other);
    await pause(200 + 2_000 * drawn);
    release(serving, other);
  };

const faults: Readonly<Record<string, Fault>> = {
  killed: async ({ program }) => void (await program.kill('SIGKILL')),
  suspended: untilReplaced(
    ({ program }) => program.process.kill('SIGSTOP'),
    ({ program }) => program.process.kill('SIGCONT'),
  ),
  'cut off without a word': untilReplaced(
    ({ relay }) => relay.stall(),
    ({ relay }) => relay.mend(),
  ),
  disconnected: forMs(
    ({ relay }) => relay.cut(),
    ({ relay }) => relay.mend(),
  ),
  'both slow': forMs(
    (serving, other) => [serving, other].map(({ relay }) => relay.stall()),
    (serving, other) => [serving, other].map(({ relay }) => relay.mend()),
  ),
  'standby suspended': forMs(
    (_serving, { program }) => program.process.kill('SIGSTOP'),
    (_serving, { program }) => program.process.kill('SIGCONT'),
  ),
};

const drawFaults = (random: () => number): readonly string[] => {
  const names = Object.keys(faults);
  const count = Number(process.env.MON_TEST_FAULTS ?? names.length);
  const order = names.map((name) => ({ name, at: random() })).sort((a, b) => a.at - b.at);
  return Array.from(
    { length: count },
    (_, at) => (at < order.length ? order[at] : order[Math.floor(random() * order.length)])?.name ?? '',
  );
};

const readEvents = async (api: ApiClient): Promise<Map<string, Stored['check']>> =>
  new Map(
    (await api.get<Stored[]>(inDefault('events'))).map(({ entity, check }) => [
      `${entity.metadata.name}/${check.metadata.name}`,
      check,
    ]),
  );

test('faults of two backends under load lose nothing and raise no alarm', {
  timeout: 1_800_000,
}, async (t) => {
  const server = await startFastMongodb();
  t.after(() => server.stop());
  await tempDir(async (dir) => {
    const through = async (name: string): Promise<{ member: Member; relay: Relay }> => {
      const relay = await startRelay(Number(new URL(server.url).port));
      t.after(() => relay.close());
      const url = `mongodb://127.0.0.1:${relay.port}/mon_faults_${process.pid}?directConnection=true`;
      return { member: await memberOf(dir, name, url), relay };
    };
    const [first, second] = [await through('first'), await through('second')];
    const one = new Service(t, first.member, first.relay, await startFirst(t, first.member));
    await shareKey(first.member, second.member);
    const two = new Service(t, second.member, second.relay, startSecond(t, second.member));

    const login = await ApiClient.login(first.member.api);
    const answer = await login.call('POST', '/api/core/v2/apikeys', { username: 'admin' });
    const key = answer.headers.get('location')?.split('/').at(-1) ?? '';
    const apis = [first, second].map(({ member }) => ApiClient.withKey(member.api, key));
    const apiOf = (service: Service): ApiClient => apis[service === one ? 0 : 1] ?? assert.fail();
    const quick = ['--retry-max', '2s', '--keepalive-interval', '2', '--keepalive-warning-timeout', '30'];
    ended(
      t,
      startAgent(first.member, dir, ['--backend-url', second.member.agents, '--name', 'a1', ...quick]),
    );

    let isOver = false;
    const senders = ['uplink', 'fan', 'power'].map((check) => new Sender(check, apis));
    const sending = Promise.all(senders.map((sender) => sender.run(() => isOver)));
    const sent = (): number => senders.reduce((sum, { acked }) => sum + acked, 0);
    const everyCheckGoesOn = async (): Promise<void> => {
      const before = senders.map(({ acked }) => acked);
      const all = eventually('events of every check', () =>
        senders.every(({ acked }, at) => acked >= (before[at] ?? 0) + 2),
      );
      await Promise.race([all, sending]);
    };
    const pair = (): Promise<readonly [Service, Service]> =>
      eventually(
        'one that serves and one that stands by',
        async () => {
          if ((await one.serves()) && (await two.standsBy())) return [one, two] as const;
          return (await two.serves()) && (await one.standsBy()) ? ([two, one] as const) : undefined;
        },
        180_000,
      );

    const random = seeded(seed);
    const drawn = drawFaults(random);
    for (const name of drawn) {
      const [serving, other] = await pair();
      await everyCheckGoesOn();
      await faults[name]?.(serving, other, random());
    }
    const [serving, other] = await pair();
    await everyCheckGoesOn();
    isOver = true;
    await sending;

    const assertBooks = async (api: ApiClient): Promise<void> => {
      const stored = await readEvents(api);
      for (const { check, acked } of senders)
        assert.equal(stored.get(`router/${check}`)?.occurrences, acked, `${check}, seed ${seed}`);
      const keepalives = stored.get('a1/keepalive')?.history ?? [];
      assert.deepEqual(
        keepalives.filter(({ status }) => status !== 0),
        [],
        `seed ${seed}`,
      );
    };
    await assertBooks(apiOf(serving));
    await serving.program.kill('SIGKILL');
    await eventually('a takeover', other.serves, 180_000);
    await assertBooks(apiOf(other));
    t.diagnostic(`${drawn.join(', ')}; ${sent()} events, seed ${seed}`);
  });
});
