// Clients of a simulated cluster: each sends one message after the other, each until it is acknowledged.
import type { SimulatedCluster } from './simulated-cluster.ts';
import type { World } from './world.ts';

export interface Clients {
  readonly acknowledged: number;
  /** The owner of its shard says that it was applied. */
  onAcknowledged(from: string, id: number): void;
  begin(cluster: SimulatedCluster): void;
}

const patienceMs = 3_000;

export const createClients = (world: World, clients: number, shards: number): Clients => {
  const waiting = new Map<number, () => void>();
  let last = 0;
  let acknowledged = 0;
  let cluster: SimulatedCluster;

  /** The backend a client is connected to forwards to the owner it knows of; the message may be on its way for long. */
  const offer = (shard: number, id: number): void => {
    const edge = cluster.nodes().find((node) => node.isRunning && world.chance(0.5));
    if (edge === undefined) return;
    const owner = edge.member.ownerOf(shard);
    const target = cluster.nodes().find(({ incarnation }) => incarnation === owner) ?? edge;
    const arrive = (): void =>
      target.deliver(() => {
        cluster.check(shard);
        target.offer(shard, id);
      });
    cluster.network.send(edge.name, arrive);
  };
  const sendNext = (): void => {
    last += 1;
    const id = last;
    const shard = Math.floor(world.between(0, shards));
    waiting.set(id, () => {
      if (waiting.delete(id)) world.after(world.between(10, 200), sendNext);
    });
    const attempt = (): void => {
      if (!waiting.has(id)) return;
      world.after(patienceMs, attempt);
      offer(shard, id);
    };
    attempt();
  };
  return {
    get acknowledged() {
      return acknowledged;
    },
    onAcknowledged(from, id) {
      acknowledged += 1;
      const reply = waiting.get(id);
      if (reply !== undefined) cluster.network.send(from, reply);
    },
    begin(around) {
      cluster = around;
      for (let client = 0; client < clients; client += 1) world.after(world.between(0, 1_000), sendNext);
    },
  };
};
