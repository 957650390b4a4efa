// A whole cluster on simulated time, drawn from one seed: backends that come and go, clocks that drift, pauses, a store and a
// network that lose, delay, double and reorder, clients that send until they are acknowledged. Faults end after a while; then
// every shard has to be served again in time.
import { createClients } from './simulated-clients.ts';
import { Broken, type Bug, createCluster } from './simulated-cluster.ts';
import { causeFault } from './simulated-faults.ts';
import { createWorld } from './world.ts';

export interface SimulationOptions {
  readonly seed: number;
  readonly bug?: Bug;
}

export interface SimulationResult {
  /** The first promise that was broken. */
  readonly failure: string | undefined;
  /** The last events, the newest last. */
  readonly trace: readonly string[];
  readonly acknowledged: number;
  readonly takings: number;
  /** From the end of the faults until every shard was served, in simulated milliseconds. */
  readonly recoveredMs: number;
}

const shards = 6;
const clientCount = 6;
const names = ['b1', 'b2', 'b3'];
const faultsMs = 30_000;
const recoveryMs = 10_000;
const quietMs = 14_000;
const lookMs = 250;

export const simulate = ({ seed, bug }: SimulationOptions): SimulationResult => {
  const world = createWorld(seed);
  const clients = createClients(world, clientCount, shards);
  const cluster = createCluster(world, {
    shards,
    bug,
    restartMs: (why) => {
      const mostMs = why === 'lost' ? 2_000 : 8_000;
      return world.between(200, world.nowMs < faultsMs ? mostMs : 500);
    },
    onAcknowledged: ({ name }, id) => clients.onAcknowledged(name, id),
  });
  const disturb = (): void => {
    if (world.nowMs >= faultsMs) return;
    causeFault(cluster, world);
    world.after(world.between(200, 4_000), disturb);
  };
  const calmDown = (): void => {
    cluster.note('no more faults');
    cluster.network.calmDown();
    for (const node of cluster.nodes()) node.resume();
    for (const name of names) cluster.start(name);
  };
  /** Runs until each shard was served at some time; resolves to how long it took. */
  const recover = (): number => {
    const missing = new Set(Array.from({ length: shards }, (_, shard) => shard));
    for (let pastMs = 0; ; pastMs += lookMs) {
      world.run(faultsMs + pastMs);
      for (const shard of missing) if (cluster.serves(shard) !== undefined) missing.delete(shard);
      if (missing.size === 0) return pastMs;
      if (pastMs >= recoveryMs) cluster.fail(`nobody serves shards ${[...missing].join(', ')}`);
    }
  };
  const run = (): number => {
    for (const name of names) world.after(world.between(0, 2_000), () => cluster.start(name));
    clients.begin(cluster);
    world.after(world.between(3_000, 6_000), disturb);
    world.run(faultsMs);
    calmDown();
    const recoveredMs = recover();
    world.run(faultsMs + quietMs);
    for (let shard = 0; shard < shards; shard += 1)
      if (cluster.serves(shard) === undefined) cluster.fail(`shard ${shard} is not served in the end`);
    return recoveredMs;
  };
  const resultOf = (failure: string | undefined, recoveredMs: number): SimulationResult => ({
    failure,
    trace: cluster.trace,
    acknowledged: clients.acknowledged,
    takings: cluster.takings,
    recoveredMs,
  });
  try {
    return resultOf(undefined, run());
  } catch (error) {
    if (!(error instanceof Broken)) throw error;
    return resultOf(error.message, 0);
  }
};
