// Guessing passwords is slow, however it is done, and costs the rest of the house next to nothing (promise 23).
import assert from 'node:assert/strict';
import test from 'node:test';
import { createCredentials } from '../../src/http/auth/credentials.ts';
import { createGuessThrottle, ThrottledError } from '../../src/http/auth/guess-throttle.ts';
import type { HashingQueue } from '../../src/http/auth/hashing-queue.ts';
import { MonError } from '../../src/model/errors.ts';
import { FakeBackend } from './fake-backend.ts';
import { addUser, TestClock } from './harness.ts';

const open = async () => {
  const { resources: table } = await FakeBackend.create();
  await addUser(table, 'admin', 'the right password');
  const clock = new TestClock();
  let hashes = 0;
  let asked = 0;
  const hashing: HashingQueue = {
    verify: async (password) => {
      hashes += 1;
      return password === 'the right password';
    },
    hash: async () => '',
    waiting: 0,
  };
  const credentials = createCredentials({
    table,
    hashing,
    throttle: createGuessThrottle(() => clock.monotonicMs()),
    directories: {
      login: async () => {
        asked += 1;
        return null;
      },
    },
  });
  const outcomes = { wrong: 0, throttled: 0 };
  /** 200 guesses a second for a minute, by this recipe. */
  const flood = async (recipe: (at: number) => readonly [name: string, address: string]): Promise<void> => {
    for (let at = 0; at < 12_000; at += 1) {
      const [name, address] = recipe(at);
      try {
        await credentials.login(name, `guess ${at}`, address);
        assert.fail('a guess was let in');
      } catch (error) {
        if (error instanceof ThrottledError) {
          assert.ok(error.retryAfterSeconds >= 1 && error.retryAfterSeconds <= 60);
          outcomes.throttled += 1;
        } else if (error instanceof MonError && error.kind === 'unauthenticated') outcomes.wrong += 1;
        else throw error;
      }
      if (at % 200 === 199) clock.nowMs += 999;
    }
  };
  return { credentials, flood, outcomes, cost: () => ({ hashes, asked }), clock };
};

test('200 guesses a second on one name, from ten thousand addresses: ten a minute are tried', async () => {
  const { flood, outcomes, cost } = await open();
  await flood((at) => ['admin', `10.0.${at % 100}.${at % 97}`]);
  assert.deepEqual(outcomes, { wrong: 10, throttled: 11_990 });
  assert.deepEqual(cost(), { hashes: 10, asked: 10 });
});

test('200 guesses a second over fifty thousand names from one address: thirty a minute are tried', async () => {
  const { flood, outcomes, cost } = await open();
  await flood((at) => [`user-${(at * 7_919) % 50_000}`, '10.0.0.1']);
  assert.deepEqual(outcomes, { wrong: 30, throttled: 11_970 });
  assert.equal(cost().hashes, 30);
});

test('whoever is known already is let in at once while the name is under attack, and everybody again a minute later', async () => {
  const { credentials, flood, clock, cost } = await open();
  await credentials.login('admin', 'the right password', '192.0.2.1');
  await flood((at) => ['admin', `10.0.${at % 100}.${at % 97}`]);
  const before = cost().hashes;
  const { principal } = await credentials.login('admin', 'the right password', '192.0.2.1');
  assert.equal(principal.username, 'admin');
  assert.equal(cost().hashes, before, 'a remembered password costs no hash');
  clock.nowMs += 60_000;
  await assert.rejects(credentials.login('admin', 'one more guess', '192.0.2.9'), /bad credentials/);
});

test('a login the directory knows is no guess, a name nobody knows costs as much as one we know', async () => {
  const { credentials, cost } = await open();
  await assert.rejects(credentials.login('admin', 'wrong', '10.0.0.1'));
  const known = cost().hashes;
  await assert.rejects(credentials.login('nobody-here', 'wrong', '10.0.0.2'));
  assert.equal(cost().hashes - known, known);
  await assert.rejects(credentials.verify('nobody-here', 'wrong', '10.0.0.3'));
  assert.equal(cost().asked, 2, 'agents are never looked for in directories');
});
