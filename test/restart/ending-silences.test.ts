// A silence that ends with its incident ends, whatever happens between the two: a kill after the resolution is durable and
// before the silence is removed, on both stores; and a store that does not take the removal.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { Resource } from '../../src/actors/resources/resource-table.ts';
import { MemoryStore } from '../../src/store/memory-store.ts';
import { StoreError, type StoreWrite } from '../../src/store/snapshot-store.ts';
import { World } from '../actors/engine/world.ts';
import { removeDir, temporaryDir } from '../store/lmdb-home.ts';
import { startFastMongodb } from '../store/mongodb-server.ts';

const server = await startFastMongodb();
after(() => server.stop());

const run = async (url: string, dir: string, task: 'incident' | 'look') => {
  const script = fileURLToPath(new URL('./silence-killer.js', import.meta.url));
  const child = spawn(process.execPath, [script, url, dir, task], { stdio: ['ignore', 'pipe', 'inherit'] });
  const exit = once(child, 'exit');
  const said = await text(child.stdout);
  const [code, signal] = await exit;
  return { code, signal, said };
};

for (const [store, url] of [
  ['LMDB', ''],
  ['MongoDB', `${server.url}/mon_silence_${process.pid}`],
] as const)
  test(`a kill between the resolution and the end of its silence ends the silence at the next start: ${store}`, async (t) => {
    const dir = temporaryDir();
    t.after(() => removeDir(dir));
    const killed = await run(url, dir, 'incident');
    assert.equal(killed.signal, 'SIGKILL', 'the removal of the silence was under way');
    const { said } = await run(url, dir, 'look');
    assert.deepEqual(JSON.parse(said), { status: 0, silences: 0 });
  });

const isRemoval = ({ type, key }: { readonly type: string; readonly key: string }): boolean =>
  type === 'delete' && key.includes('silenced/');

const stored = (world: World): readonly string[] =>
  world.backend.resources.list('silenced').items.map((item) => (item['metadata'] as { name: string }).name);

/** A world whose store refuses to remove silences for as long as it is told to. */
const open = async () => {
  const refusing = { now: true };
  const world = await World.open({
    store: (disk) =>
      new MemoryStore({
        disk,
        beforeCommit: async (writes) => {
          if (refusing.now && writes.some(isRemoval)) throw new StoreError('unavailable', 'gone');
        },
      }),
  });
  return { world, refusing };
};

test('a silence whose removal the store did not take is removed once it does, and covers nothing meanwhile', async () => {
  const { world, refusing } = await open();
  await world.silence({ check: 'cpu', expire_on_resolve: true });
  for (const status of [1, 0, 2]) await world.post({ status });
  assert.deepEqual(
    world.toldOf('web-01', 'cpu').map(({ event }) => event.check?.is_silenced),
    [true, false, false],
  );
  assert.deepEqual(stored(world), ['*:cpu']);
  refusing.now = false;
  await world.advance(60_000);
  assert.deepEqual(stored(world), []);
  await world.stop();
});

test('a silence whose time is over and that the store did not remove is removed once it does', async () => {
  const { world, refusing } = await open();
  await world.silence({ check: 'cpu', expire_at: Math.floor(world.nowMs / 1000) + 10 });
  await world.advance(20_000);
  assert.deepEqual(stored(world), ['*:cpu']);
  refusing.now = false;
  await world.advance(60_000);
  assert.deepEqual(stored(world), []);
  await world.stop();
});

test('a silence made anew while the end of the one before waits for the store stays', async () => {
  const { world, refusing } = await open();
  await world.silence({ check: 'cpu', expire_on_resolve: true });
  for (const status of [1, 0]) await world.post({ status });
  await world.silence({ check: 'cpu', expire_on_resolve: true, reason: 'the next incident' });
  refusing.now = false;
  await world.advance(60_000);
  assert.deepEqual(stored(world), ['*:cpu']);
  await world.post({ status: 1 });
  assert.equal(world.toldOf('web-01', 'cpu').at(-1)?.event.check?.is_silenced, true);
  await world.stop();
});

test('a silence whose replacement is just being written when its end is tried again stays', async () => {
  const refusing = { now: true };
  let release: (() => void) | undefined;
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  let isWriting = false;
  const isReplacement = (write: StoreWrite): boolean =>
    write.type === 'put' &&
    write.key.includes('silenced/') &&
    JSON.stringify(write).includes('next incident');
  const world = await World.open({
    store: (disk) =>
      new MemoryStore({
        disk,
        beforeCommit: async (writes) => {
          if (refusing.now && writes.some(isRemoval)) throw new StoreError('unavailable', 'gone');
          if (!writes.some(isReplacement)) return;
          isWriting = true;
          await held;
        },
      }),
  });
  const first = await world.silence({ check: 'cpu', expire_on_resolve: true });
  for (const status of [1, 0]) await world.post({ status });
  refusing.now = false;
  const { resources } = world.backend;
  const id = { segment: 'silenced', namespace: 'default', name: '*:cpu' };
  const replaced = resources.put(id, { ...first, reason: 'the next incident' } as unknown as Resource);
  const turns = async (count: number, stepMs: number, isDone = () => false): Promise<void> => {
    for (let turn = 0; turn < count && !isDone(); turn += 1) {
      world.clock.advance(stepMs);
      world.clock.runTurns();
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  await turns(500, 10, () => isWriting);
  assert.ok(isWriting, 'the replacement is on its way to the store');
  // The end is tried again, behind the replacement.
  await turns(20, 3_000);
  release?.();
  await world.drive(replaced);
  await world.advance(60_000);
  assert.deepEqual(stored(world), ['*:cpu']);
  assert.equal(resources.get('silenced', 'default', '*:cpu')?.['reason'], 'the next incident');
  await world.stop();
});

test('once the removal is durable the check remembers nothing of it: a later start ends no other silence', async () => {
  const { world, refusing } = await open();
  refusing.now = false;
  await world.silence({ check: 'cpu', expire_on_resolve: true });
  for (const status of [1, 0]) await world.post({ status });
  await world.silence({ check: 'cpu', expire_on_resolve: true });
  await world.crash();
  await world.start();
  await world.advance(60_000);
  assert.deepEqual(stored(world), ['*:cpu']);
  await world.stop();
});
