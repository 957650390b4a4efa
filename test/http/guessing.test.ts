// Password guessing is throttled without locking out legitimate users: failed logins are counted by name and
// address.
import assert from 'node:assert/strict';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import test from 'node:test';
import { createCredentials } from '../../src/http/auth/credentials.ts';
import { createGuessThrottle, ThrottledError } from '../../src/http/auth/guess-throttle.ts';
import { createHashingQueue, type HashingQueue } from '../../src/http/auth/hashing-queue.ts';
import { createDirectories } from '../../src/http/auth/providers/directories.ts';
import { maxDirectoryLogins } from '../../src/http/auth/providers/limits.ts';
import {
  guessesPerMinutePerName,
  hashingWorkers,
  maxHashingQueue,
  maxThrottledKeys,
} from '../../src/http/limits.ts';
import { silentLog } from '../../src/http/log.ts';
import { MonError } from '../../src/model/errors.ts';
import { addUser, openTable } from './harness.ts';

/** Time that passes when the test says so; pauses end with it. */
class SteppedTime {
  nowMs = 0;
  #sleepers: { readonly atMs: number; readonly wake: () => void }[] = [];

  pause = (ms: number): Promise<void> =>
    new Promise((wake) => void this.#sleepers.push({ atMs: this.nowMs + ms, wake }));

  async step(ms: number): Promise<void> {
    this.nowMs += ms;
    const due = this.#sleepers.filter(({ atMs }) => atMs <= this.nowMs);
    this.#sleepers = this.#sleepers.filter(({ atMs }) => atMs > this.nowMs);
    for (const { wake } of due) wake();
    await new Promise((done) => setImmediate(done));
  }
}

const right = 'the right password';

const open = async () => {
  const table = await openTable();
  const users = ['admin', ...Array.from({ length: 30 }, (_, at) => `agent-${at}`)];
  for (const name of users) await addUser(table, name, right);
  const time = new SteppedTime();
  const cost = { hashes: 0, asked: 0 };
  const hashing: HashingQueue = {
    verify: async (password) => {
      cost.hashes += 1;
      return password === right;
    },
    hash: async () => '',
    waiting: 0,
  };
  const restart = () =>
    createCredentials({
      table,
      hashing,
      throttle: createGuessThrottle(() => time.nowMs, time.pause),
      directories: {
        login: async () => {
          cost.asked += 1;
          return null;
        },
      },
    });
  const credentials = restart();
  const outcomes = { right: 0, wrong: 0, throttled: 0 };
  const underWay: Promise<void>[] = [];
  const attempt = (name: string, password: string, address: string): Promise<void> => {
    const one = credentials.login(name, password, address).then(
      () => {
        outcomes.right += 1;
      },
      (error) => {
        if (error instanceof ThrottledError) {
          assert.ok(error.retryAfterSeconds >= 1 && error.retryAfterSeconds <= 60);
          outcomes.throttled += 1;
        } else if (error instanceof MonError && error.kind === 'unauthenticated') outcomes.wrong += 1;
        else throw error;
      },
    );
    underWay.push(one);
    return one;
  };
  /** 200 guesses a second for a minute, by this recipe. */
  const flood = async (recipe: (at: number) => readonly [name: string, address: string]): Promise<void> => {
    for (let at = 0; at < 12_000; at += 1) {
      const [name, address] = recipe(at);
      attempt(name, `guess ${at}`, address);
      await time.step(5);
    }
  };
  const settle = async (): Promise<void> => {
    for (let at = 0; at < 200; at += 1) await time.step(100);
    await Promise.all(underWay);
  };
  return { credentials, restart, attempt, flood, settle, outcomes, cost, time };
};

test('200 guesses a second on one name from one address: ten are tried, then one every two seconds', async () => {
  const { flood, settle, outcomes, cost } = await open();
  await flood(() => ['admin', '10.0.0.1']);
  assert.ok(cost.hashes >= 10 && cost.hashes <= 42, `${cost.hashes} were tried`);
  assert.equal(cost.asked, cost.hashes);
  await settle();
  assert.equal(outcomes.wrong, 10, 'past the limit a wrong one is told to wait');
  assert.equal(outcomes.right, 0);
});

test('200 guesses a second over fifty thousand names from one address: thirty are tried, then ten a second', async () => {
  const { flood, cost } = await open();
  await flood((at) => [`user-${(at * 7_919) % 50_000}`, '10.0.0.1']);
  assert.ok(cost.hashes >= 30 && cost.hashes <= 640, `${cost.hashes} were tried`);
});

test('a name under attack from another address: the correct password works immediately, also after a restart', async () => {
  const { flood, attempt, outcomes, cost, restart } = await open();
  await flood((at) => ['admin', `10.0.0.${at % 5}`]);
  await attempt('admin', right, '192.0.2.1');
  assert.equal(outcomes.right, 1);
  const before = cost.hashes;
  await attempt('admin', right, '10.0.0.1');
  assert.equal(outcomes.right, 2, 'one that was right before is known, wherever it comes from');
  assert.equal(cost.hashes, before, 'a remembered password costs no hash');
  const { principal } = await restart().login('admin', right, '192.0.2.1');
  assert.equal(principal.username, 'admin');
});

test('a right password gets in after ten wrong ones for the same name from the same address', async () => {
  const { attempt, outcomes, settle } = await open();
  for (let at = 0; at < 12; at += 1) attempt('admin', `guess ${at}`, '10.0.0.1');
  attempt('admin', right, '10.0.0.1');
  await settle();
  assert.equal(outcomes.right, 1);
});

test('thirty wrong passwords from one address refuse none of the right logins that come from it', async () => {
  const { attempt, outcomes, settle } = await open();
  for (let at = 0; at < 40; at += 1) attempt(`stranger-${at % 5}`, `guess ${at}`, '10.0.0.1');
  await settle();
  for (let at = 0; at < 30; at += 1) attempt(`agent-${at}`, right, '10.0.0.1');
  await settle();
  assert.equal(outcomes.right, 30);
});

test('a minute after the last wrong one everything is as before', async () => {
  const { attempt, outcomes, settle, time } = await open();
  for (let at = 0; at < 12; at += 1) attempt('admin', `guess ${at}`, '10.0.0.1');
  await settle();
  await time.step(60_000);
  const { wrong } = outcomes;
  await attempt('admin', 'one more guess', '10.0.0.1');
  assert.equal(outcomes.wrong, wrong + 1);
});

test('agents that come back at once from many addresses with one password cost one hash', async () => {
  const { attempt, outcomes, cost } = await open();
  await Promise.all(
    Array.from({ length: 1_000 }, (_, at) => attempt('admin', right, `10.0.${at % 100}.${at % 97}`)),
  );
  assert.equal(outcomes.right, 1_000);
  assert.equal(cost.hashes, 1);
});

test('a directory login is not a guess; an unknown name takes as long as a known one', async () => {
  const { credentials, cost } = await open();
  await assert.rejects(credentials.login('admin', 'wrong', '10.0.0.1'));
  const known = cost.hashes;
  await assert.rejects(credentials.login('nobody-here', 'wrong', '10.0.0.2'));
  assert.equal(cost.hashes - known, known);
  await assert.rejects(credentials.verify('nobody-here', 'wrong', '10.0.0.3'));
  assert.equal(cost.asked, 2, 'agents are never looked for in directories');
});

test('the number of throttled names is limited; one more evicts the least recently used', async () => {
  const throttle = createGuessThrottle(
    () => 0,
    async () => {},
  );
  const guess = async (name: string): Promise<number> => {
    // Each from an address of its own, so that only the name counts.
    const attempt = await throttle.enter(name, name);
    attempt.end('wrong');
    return attempt.retryAfterSeconds;
  };
  for (let at = 0; at < guessesPerMinutePerName; at += 1) await guess('victim');
  for (let at = 1; at < maxThrottledKeys; at += 1) await guess(`other-${at}`);
  assert.ok((await guess('victim')) > 0, 'remembered beside as many others as there is room for');
  for (let at = 0; at < maxThrottledKeys; at += 1) await guess(`more-${at}`);
  assert.equal(await guess('victim'), 0);
});

test('the number of queued password checks is limited; one more gets Retry-After', async () => {
  const hashing = createHashingQueue();
  const underWay = Array.from({ length: hashingWorkers + maxHashingQueue }, () => hashing.hash(right));
  assert.equal(hashing.waiting, maxHashingQueue);
  await assert.rejects(hashing.hash(right), /too many logins at once/);
  await Promise.all(underWay);
  assert.equal(hashing.waiting, 0);
});

test('the number of pending directory requests is limited; one more gets Retry-After', async (t) => {
  const silent = createServer();
  const sockets: Socket[] = [];
  silent.on('connection', (socket) => sockets.push(socket));
  await new Promise<void>((done) => silent.listen(0, '127.0.0.1', done));
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    silent.close();
  });
  const { port } = silent.address() as AddressInfo;
  const table = await openTable();
  const server = { host: '127.0.0.1', port, security: 'insecure' };
  const search = { base_dn: 'dc=example' };
  await table.put({ segment: 'authproviders', namespace: '', name: 'silent' }, {
    type: 'ldap',
    metadata: { name: 'silent' },
    spec: { servers: [{ ...server, group_search: search, user_search: search }] },
  } as never);
  const directories = createDirectories(table, silentLog);
  const asked = Array.from({ length: maxDirectoryLogins }, () => directories.login('somebody', right));
  for (const one of asked) one.catch(() => {});
  assert.equal(directories.underWay, maxDirectoryLogins);
  await assert.rejects(directories.login('somebody', right), /too many logins at once/);
  for (const socket of sockets) socket.destroy();
  silent.close();
});
