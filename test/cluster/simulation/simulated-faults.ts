// What goes wrong in a simulated cluster, drawn from the seed.
import { memberFreshMs, memberPatienceMs } from '../../../src/cluster/limits.ts';
import type { SimulatedCluster } from './simulated-cluster.ts';
import { calm } from './simulated-network.ts';
import type { SimulatedNode } from './simulated-node.ts';
import type { World } from './world.ts';

/** Often close to a time that matters: when a member is no longer fresh, and when it counts as dead. */
const faultTime = (world: World): number =>
  world.pick([
    () => world.between(200, 3_000),
    () => memberFreshMs * world.between(0.8, 1.3),
    () => memberPatienceMs * world.between(0.9, 1.4),
    () => world.between(6_000, 14_000),
  ])();

type Fault = (node: SimulatedNode, cluster: SimulatedCluster, world: World) => void;

const faults: Readonly<Record<string, Fault>> = {
  'is killed': (node, cluster, world) => {
    cluster.kill(node);
    world.after(world.between(100, 12_000), () => cluster.start(node.name));
  },
  'is paused': (node, _, world) => node.pause(faultTime(world), false),
  'is suspended': (node, _, world) => node.pause(faultTime(world), true),
  'is cut off': ({ name }, { network }, world) =>
    network.disturb(name, { ...calm, isCut: true }, faultTime(world)),
  'has a bad network': ({ name }, { network }, world) => {
    const link = {
      isCut: false,
      loss: world.pick([0, 0.05, 0.3]),
      doubling: world.pick([0, 0.3]),
      late: world.pick([0.05, 0.3, 0.7]),
      delayMs: world.pick([100, 2_000, 6_000, 12_000]),
    };
    network.disturb(name, link, world.between(2_000, 15_000));
  },
  // What it sent before arrives after others took over.
  'has late messages and is cut off': ({ name }, { network }, world) => {
    const forMs = world.between(1_000, 4_000);
    network.disturb(name, { ...calm, late: 0.6, delayMs: 15_000 }, forMs);
    world.after(forMs, () => network.disturb(name, { ...calm, isCut: true }, faultTime(world)));
  },
  // What others decided about it arrives after it is back.
  'is paused while the others have late messages': (node, { network, nodes }, world) => {
    const forMs = memberPatienceMs * world.between(1.05, 1.5);
    node.pause(forMs, false);
    for (const { name } of nodes())
      if (name !== node.name) network.disturb(name, { ...calm, late: 0.4, delayMs: 2_000 }, forMs + 500);
  },
  'and all others have no store': (_, { network, nodes }, world) => {
    const forMs = faultTime(world);
    for (const { name } of nodes()) network.disturb(name, { ...calm, isCut: true }, forMs);
  },
  drains: (node) => node.drain(),
};

export const causeFault = (cluster: SimulatedCluster, world: World): void => {
  const nodes = cluster.nodes();
  if (nodes.length === 0) return;
  const node = world.pick(nodes);
  const [what, fault] = world.pick(Object.entries(faults));
  cluster.note(`${node.incarnation} ${what}`);
  fault(node, cluster, world);
};
