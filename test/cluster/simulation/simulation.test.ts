// The promises of a cluster on simulated time. `MON_TEST_SEEDS=5000 node scripts/test.js simulation` tries more seeds than the
// gate does, `MON_TEST_SIMULATION=<seed>` one alone, with all that happened in it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Bug, createCluster } from './simulated-cluster.ts';
import { type SimulationResult, simulate } from './simulation.ts';
import { createWorld } from './world.ts';

const seedsInGate = 120;
const firstSeed = 1;

const chosen = process.env['MON_TEST_SIMULATION'];
const seedCount = Number(process.env['MON_TEST_SEEDS'] ?? seedsInGate);

const story = (seed: number, { failure, trace }: SimulationResult): string =>
  `seed ${seed}: ${failure}\n${trace.join('\n')}\nrepeat it with MON_TEST_SIMULATION=${seed} node scripts/test.js simulation`;

test('no fault breaks a promise', (t) => {
  let acknowledged = 0;
  let takings = 0;
  const seeds =
    chosen === undefined
      ? Array.from({ length: seedCount }, (_, index) => firstSeed + index)
      : [Number(chosen)];
  for (const seed of seeds) {
    const result = simulate({ seed });
    assert.equal(result.failure, undefined, story(seed, result));
    acknowledged += result.acknowledged;
    takings += result.takings;
    if (chosen !== undefined) for (const line of result.trace) t.diagnostic(line);
  }
  t.diagnostic(`${seeds.length} seeds, ${acknowledged} messages acknowledged, ${takings} leases taken`);
  assert.ok(
    acknowledged > 20 * seeds.length && takings > 5 * seeds.length,
    'the simulated cluster did little',
  );
});

/** Where the search begins: a seed that shows the bug, until the simulation draws otherwise. */
const planted: Readonly<Record<Bug, { readonly from: number; readonly shows: RegExp }>> = {
  unfenced: { from: 1, shows: /accept/ },
  monotonicOnly: { from: 29, shows: /accept/ },
  comparesWallClocks: { from: 1, shows: /accept/ },
  withoutEpochs: { from: 292, shows: /is lost/ },
  deadByRead: { from: 216, shows: /accept/ },
};

for (const [bug, { from, shows }] of Object.entries(planted)) {
  test(`a planted bug is found: ${bug}`, () => {
    for (let seed = from; seed < from + 600; seed += 1) {
      const { failure } = simulate({ seed, bug: bug as Bug });
      if (failure === undefined) continue;
      assert.match(failure, shows);
      return;
    }
    assert.fail(`no seed from ${from} on finds it`);
  });
}

const shards = 64;

const quietCluster = (seed: number) => {
  const world = createWorld(seed);
  const cluster = createCluster(world, { shards, restartMs: () => undefined, onAcknowledged: () => {} });
  const owners = () => Array.from({ length: shards }, (_, shard) => cluster.serves(shard)?.name);
  return { world, cluster, owners };
};

test('a backend that stops hands every shard over within a second, and leaves', () => {
  for (let seed = 1; seed <= 10; seed += 1) {
    const { world, cluster, owners } = quietCluster(seed);
    for (const name of ['b1', 'b2', 'b3']) cluster.start(name);
    world.run(20_000);
    assert.deepEqual([...new Set(owners())].sort(), ['b1', 'b2', 'b3']);
    cluster.nodes()[seed % 3]?.drain();
    world.run(21_000);
    assert.equal(cluster.nodes().length, 2, cluster.trace.join('\n'));
    assert.equal(owners().filter((owner) => owner === undefined).length, 0, cluster.trace.join('\n'));
  }
});

test('a backend that joins takes its share a few shards at a time, and no other shard moves', () => {
  for (let seed = 1; seed <= 5; seed += 1) {
    const { world, cluster, owners } = quietCluster(seed);
    cluster.start('b1');
    cluster.start('b2');
    world.run(20_000);
    const before = owners();
    const takings = cluster.takings;
    cluster.start('b3');
    let most = 0;
    for (let atMs = 20_000; atMs < 40_000; atMs += 20) {
      world.run(atMs);
      most = Math.max(most, owners().filter((owner) => owner === undefined).length);
    }
    const after = owners();
    const moved = after.filter((owner, shard) => owner !== before[shard]);
    assert.ok(moved.length > 0 && moved.every((owner) => owner === 'b3'));
    assert.equal(cluster.takings - takings, moved.length);
    // Each of the two others has 8 on their way at most.
    assert.ok(most > 0 && most <= 16, `${most} shards without an owner at once`);
  }
});

test('a backend that is killed and started again gets its share back', () => {
  const { world, cluster, owners } = quietCluster(1);
  for (const name of ['b1', 'b2', 'b3']) cluster.start(name);
  world.run(20_000);
  const before = owners();
  const [node] = cluster.nodes();
  assert.ok(node);
  cluster.kill(node);
  world.run(20_500);
  cluster.start(node.name);
  world.run(30_000);
  assert.equal(owners().filter((owner) => owner === undefined).length, 0, cluster.trace.join('\n'));
  world.run(40_000);
  assert.deepEqual(owners(), before);
});
