// What was acknowledged survives `kill -9` at any moment: checked from the history the client kept, not from the store's word.
import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { openStore } from '../../src/store/open-store.ts';
import { eventually } from '../eventually.ts';
import { seed, seeded } from '../property.ts';
import { removeDir, temporaryDir } from './lmdb-home.ts';
import { startFastMongodb } from './mongodb-server.ts';
import { onOwnershipLost } from './records.ts';

const rounds = Number(process.env.MON_TEST_CRASH_ROUNDS ?? 5);
/** Each kill comes after so many bytes of new acknowledgements (some 30 bytes each), so that slow machines see load, too. */
const minNewBytes = 1_000;
const server = await startFastMongodb();
after(() => server.stop());

it(`loses no acknowledged write over ${rounds} kills: LMDB`, async (test) => {
  const { acked } = await killAndCompare('', 500);
  test.diagnostic(`${acked} acknowledged writes, 0 lost, seed ${seed}`);
});

it(`loses no acknowledged write over ${rounds} kills: MongoDB`, async (test) => {
  const { acked } = await killAndCompare(`${server.url}/mon_crash_${process.pid}`, 200);
  test.diagnostic(`${acked} acknowledged writes, 0 lost, seed ${seed}`);
});

/** Kills the writer at random moments, and after each kill compares the store with every acknowledgement so far. */
async function killAndCompare(url: string, keys: number): Promise<{ acked: number }> {
  const dir = temporaryDir();
  const history = join(dir, 'history');
  writeFileSync(history, '');
  const random = seeded(seed);
  const script = new URL('./crash-writer.js', import.meta.url);
  let acked = 0;
  try {
    for (let round = 0; round < rounds; round += 1) {
      const child = fork(script, [url, dir, history, String(keys)]);
      const exit = once(child, 'exit');
      await Promise.race([once(child, 'message'), exit]);
      const before = statSync(history).size;
      const isLoaded = () => child.exitCode !== null || statSync(history).size > before + minNewBytes;
      await eventually('acknowledged writes', isLoaded);
      await sleep(random() * 300);
      child.kill('SIGKILL');
      const [code, signal] = await exit;
      assert.deepEqual([code, signal], [null, 'SIGKILL'], 'the writer ended by itself');
      acked = await compare(url, dir, history);
    }
  } finally {
    removeDir(dir);
  }
  return { acked };
}

async function compare(url: string, stateDir: string, history: string): Promise<number> {
  const newest = new Map<string, number>();
  const lines = readFileSync(history, 'utf8').split('\n').slice(0, -1);
  for (const line of lines) {
    const [key = '', n] = line.split(' ');
    newest.set(key, Math.max(newest.get(key) ?? 0, Number(n)));
  }
  const store = await openStore({ url, stateDir, onOwnershipLost });
  try {
    const lost: string[] = [];
    for (const [key, n] of newest) {
      const state = (await store.get('check', key))?.state as { n: number; key: string } | undefined;
      if (!state || state.n < n || state.key !== key)
        lost.push(`${key}: acknowledged ${n}, found ${state?.n}`);
    }
    assert.deepEqual(lost, []);
    assert.deepEqual(store.quarantined(), []);
  } finally {
    await store.close();
  }
  return lines.length;
}
