// Ten thousand events are handed to an agent whose backend is down. The agent is killed while it takes them, and again
// while it hands them on; the backend is killed while it takes them. All arrive, each is applied once, in order.
//
// How that is seen: every check's events carry their number as output and as time of execution, all with the same status.
// The backend counts occurrences by itself: number and count agree only when nothing was lost, doubled or overtaken.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { Agent as HttpAgent, request } from 'node:http';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '../free-port.ts';
import {
  ApiClient,
  type Backend,
  eventually,
  inDefault,
  type Program,
  startAgent,
  startBackend,
  tempDir,
} from './programs.ts';

const checkCount = 80;
const eventsPerCheck = 125;
const firstExecuted = 1_700_000_000;

interface SeenCheck {
  readonly metadata: { readonly name: string };
  readonly output: string;
  readonly occurrences: number;
  readonly history: readonly { readonly executed: number }[];
}

const answers = async (url: string): Promise<true | undefined> => {
  try {
    await (await fetch(`${url}/version`)).arrayBuffer();
    return true;
  } catch {
    // Not listening yet: the caller looks again.
    return undefined;
  }
};

/** The agent process of the moment, always at the same address. */
const agentKeeper = async (dir: string, backendUrl: string) => {
  const apiPort = await freePort();
  const url = `http://127.0.0.1:${apiPort}`;
  const launch = async (): Promise<Program> => {
    const program = startAgent({ agents: backendUrl }, dir, [
      ...['--name', 'web-01', '--disable-api=false', '--api-port', String(apiPort), '--log-level', 'warn'],
      ...['--events-rate-limit', '0', '--retry-min', '100ms', '--retry-max', '300ms'],
    ]);
    await eventually('the agent API', () => answers(url));
    return program;
  };
  let current = await launch();
  return {
    url,
    current: () => current,
    replace: async () => {
      await current.kill('SIGKILL');
      current = await launch();
    },
  };
};

const connections = new HttpAgent({ keepAlive: true });

/** The status of the answer. Rejects when there is none. (Ten thousand times `fetch` would cost more than all the rest.) */
const send = (url: string, body: string): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    request(url, { method: 'POST', agent: connections }, (answer) => {
      answer.resume().once('end', () => resolve(answer.statusCode));
      answer.once('error', reject);
    })
      .once('error', reject)
      .end(body);
  });

/** An agent that is restarted accepts connections again long before this. */
const postWithinMs = 120_000;

/** Posts until it hears 202. The id is ours: whoever can't know whether an event was taken posts it again. */
const post = async (url: string, check: string, number: number): Promise<void> => {
  const body = JSON.stringify({
    id: randomUUID(),
    check: { metadata: { name: check }, output: String(number), executed: firstExecuted + number, status: 1 },
  });
  const endMs = performance.now() + postWithinMs;
  for (;;) {
    try {
      assert.equal(await send(`${url}/events`, body), 202);
      return;
    } catch (error) {
      if (error instanceof assert.AssertionError || performance.now() > endMs) throw error;
      await pause(20);
    }
  }
};

/** Number, count and the last results agree: nothing lost, nothing twice, nothing out of order so far. */
const assertInOrder = (check: SeenCheck): number => {
  const { name } = check.metadata;
  const number = Number(check.output);
  assert.equal(check.occurrences, number, `${name}: event ${number} is occurrence ${check.occurrences}`);
  const numbers = check.history.map(({ executed }) => executed - firstExecuted);
  const from = Math.max(number - numbers.length, 0) + 1;
  assert.deepEqual(
    numbers,
    numbers.map((_, at) => from + at),
    `${name}: the last results`,
  );
  return number;
};

/** The sum of what all checks have seen, each looked at closely. */
const progress = async (api: ApiClient): Promise<number> => {
  const response = await api.call('GET', inDefault('events/web-01?limit=100'));
  if (!response.ok) return 0;
  const events = (await response.json()) as { check: SeenCheck }[];
  return events
    .map(({ check }) => check)
    .filter(({ metadata }) => metadata.name.startsWith('check-'))
    .reduce((sum, check) => sum + assertInOrder(check), 0);
};

const reached = (api: ApiClient, count: number) =>
  eventually(
    `${count} events`,
    async () => {
      const sum = await progress(api);
      if (sum >= count) return sum;
      // Looking at all of them costs the backend more than taking a few hundred.
      await pause(250);
      return undefined;
    },
    240_000,
  );

test('ten thousand events survive a backend that is down and agents that are killed: each once, in order', () =>
  tempDir(async (dir) => {
    const port = await freePort();
    const keeper = await agentKeeper(dir, `ws://127.0.0.1:${port}`);
    const backends: Backend[] = [];
    const openBackend = async (): Promise<ApiClient> => {
      const backend = await startBackend(dir, ['--agent-port', String(port)]);
      backends.push(backend);
      return ApiClient.login(backend.api);
    };
    try {
      const total = checkCount * eventsPerCheck;
      let posted = 0;
      const killed: Promise<unknown>[] = [];
      const posters = Array.from({ length: checkCount }, async (_, at) => {
        for (let number = 1; number <= eventsPerCheck; number += 1) {
          await post(keeper.url, `check-${at}`, number);
          posted += 1;
          if (posted === total / 2) killed.push(keeper.replace());
        }
      });
      await Promise.all(posters);
      assert.equal(killed.length, 1);
      await killed[0];

      const first = await openBackend();
      await reached(first, total / 5);
      await keeper.replace();
      await reached(first, total / 2);
      await backends[0]?.program.kill('SIGKILL');

      const second = await openBackend();
      assert.equal(await reached(second, total), total);
      assert.equal(await (await fetch(`${keeper.url}/healthz`)).text(), 'ok');
      assert.deepEqual(
        keeper.current().lines.filter(({ msg }) => String(msg).includes('rejected an event')),
        [],
      );
    } finally {
      connections.destroy();
      await keeper.current().kill('SIGKILL');
      for (const { program } of backends) await program.kill('SIGKILL');
    }
  }));
