// Promise: an acknowledged event is never lost, and a repeated one is applied once. The backend is killed with SIGKILL at
// random moments under load and started again; the books are those of the senders, never the backend's own.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { seed, seeded } from '../property.ts';
import { startFastMongodb } from '../store/mongodb-server.ts';
import { AckedSender } from './acked-sender.ts';
import { ApiClient, type Backend, eventually, inDefault, startBackend, tempDir } from './programs.ts';

const kills = Number(process.env.MON_TEST_KILLS ?? 20);
const checks = ['alpha', 'beta', 'gamma', 'delta'];
const inFlightPerAgent = 16;
/** Each kill comes after so many new acknowledgements, so that a slow machine kills under load, too. */
const minAckedPerRound = 8;

interface Stored {
  check: { occurrences: number; executed: number; metadata: { name: string } };
  entity: { metadata: { name: string } };
}

const readOccurrences = async (backend: Backend): Promise<Map<string, number>> => {
  const api = await ApiClient.login(backend.api);
  const events = await api.get<Stored[]>(inDefault('events'));
  return new Map(
    events.map(({ entity, check }) => [`${entity.metadata.name}/${check.metadata.name}`, check.occurrences]),
  );
};

const assertNothingAckedIsLost = async (backend: Backend, senders: readonly AckedSender[]): Promise<void> => {
  const stored = await readOccurrences(backend);
  for (const { agent, books } of senders) {
    for (const [check, acked] of books.acked) {
      const applied = stored.get(`${agent}/${check}`) ?? 0;
      const sent = books.sent.get(check) ?? 0;
      assert.ok(applied >= acked, `${agent}/${check}: ${acked} were acknowledged, ${applied} are there`);
      assert.ok(applied <= sent, `${agent}/${check}: ${sent} were sent, ${applied} were applied`);
    }
  }
};

const ackedOf = (senders: readonly AckedSender[]): number =>
  senders.flatMap(({ books }) => [...books.acked.values()]).reduce((sum, n) => sum + n, 0);

const killUnderLoad = async (dir: string, storeArgs: readonly string[]): Promise<{ acked: number }> => {
  const senders = ['one', 'two', 'three'].map((name) => new AckedSender(name, checks, inFlightPerAgent));
  const args = [...storeArgs, '--log-level', 'warn'];
  const random = seeded(seed);
  let backend = await startBackend(dir, args);
  try {
    for (let round = 0; round < kills; round += 1) {
      await Promise.all(senders.map((sender) => sender.connect(backend.agents, true)));
      const before = ackedOf(senders);
      await eventually('acknowledged events', () => ackedOf(senders) >= before + minAckedPerRound);
      await pause(random() * 500);
      await backend.program.kill('SIGKILL');
      for (const sender of senders) {
        sender.stopSending();
        sender.disconnect();
      }
      backend = await startBackend(dir, args);
      await assertNothingAckedIsLost(backend, senders);
    }
    await Promise.all(senders.map((sender) => sender.connect(backend.agents, false)));
    await eventually('every event is acknowledged', async () =>
      senders.every(({ unacked }) => unacked === 0),
    );
    const stored = await readOccurrences(backend);
    for (const { agent, books, refusals } of senders) {
      assert.deepEqual(refusals, []);
      for (const [check, sent] of books.sent)
        assert.equal(stored.get(`${agent}/${check}`), sent, `${agent}/${check}`);
    }
    return { acked: ackedOf(senders) };
  } finally {
    for (const sender of senders) sender.disconnect();
    await backend.program.kill('SIGKILL');
  }
};

test(`${kills} kill -9 under load lose no acknowledged event: LMDB`, { timeout: 900_000 }, async (t) => {
  await tempDir(async (dir) => {
    const { acked } = await killUnderLoad(dir, []);
    t.diagnostic(`${acked} events were acknowledged, seed ${seed}`);
  });
});

test(`${kills} kill -9 under load lose no acknowledged event: MongoDB wire`, {
  timeout: 900_000,
}, async (t) => {
  const server = await startFastMongodb();
  try {
    await tempDir(async (dir) => {
      const { acked } = await killUnderLoad(dir, ['--store-url', `${server.url}/mon`]);
      t.diagnostic(`${acked} events were acknowledged, seed ${seed}`);
    });
  } finally {
    await server.stop();
  }
});
