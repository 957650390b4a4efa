// Simulated backends around one store. Promises are checked at every step; the first one that is broken throws.
import type { MemberReply, MemberRequest } from '../../../src/cluster/member-requests.ts';
import { createNetwork, type Network } from './simulated-network.ts';
import { type NodeBug, type NodePorts, type SimulatedNode, startNode } from './simulated-node.ts';
import { createSimulatedStore, maxLagMs, type SimulatedStore } from './simulated-store.ts';
import type { World } from './world.ts';

export type Bug = NodeBug | 'withoutEpochs' | 'deadByRead';

export class Broken extends Error {}

export interface ClusterOptions {
  readonly shards: number;
  readonly bug?: Bug | undefined;
  /** A backend that ended is started again after so long; undefined: never. */
  readonly restartMs: (why: 'lost' | 'left') => number | undefined;
  readonly onAcknowledged: (node: SimulatedNode, id: number) => void;
}

export interface SimulatedCluster {
  readonly store: SimulatedStore;
  readonly network: Network;
  /** Those whose process has not ended. */
  nodes(): readonly SimulatedNode[];
  start(name: string): void;
  kill(node: SimulatedNode): void;
  /** Nobody but the owner of its lease accepts messages for a shard. */
  check(shard: number): void;
  serves(shard: number): SimulatedNode | undefined;
  note(text: string): void;
  fail(what: string): never;
  /** What happened last. */
  readonly trace: readonly string[];
  readonly takings: number;
}

const maxTrace = 80;
/** A read or write of a record that took longer has an unknown outcome. */
const recordPatienceMs = 2_500;

export const createCluster = (world: World, options: ClusterOptions): SimulatedCluster => {
  const { shards, bug } = options;
  const network = createNetwork(world);
  const nodes = new Map<string, SimulatedNode>();
  const wallAtBeat = new Map<string, number>();
  const trace: string[] = [];
  let incarnations = 0;
  let takings = 0;

  const note = (text: string): void => {
    trace.push(`${(world.nowMs / 1_000).toFixed(3)} ${text}`);
    if (trace.length > maxTrace) trace.shift();
  };
  const fail = (what: string): never => {
    note(`BROKEN: ${what}`);
    throw new Broken(what);
  };
  const check = (shard: number): void => {
    const accepting = [...nodes.values()].filter(
      (node) => node.isRunning && node.accepts(shard) !== undefined,
    );
    if (accepting.length > 1)
      fail(`shard ${shard}: ${accepting.map((node) => node.incarnation).join(' and ')} accept at once`);
    const [node] = accepting;
    if (node === undefined) return;
    const { owner, epoch } = store.lease(shard);
    if (owner !== node.incarnation || epoch !== node.accepts(shard))
      fail(`shard ${shard}: ${node.incarnation} accepts, but ${owner || 'nobody'} has the lease (${epoch})`);
  };
  const store = createSimulatedStore({
    shards,
    withoutEpochs: bug === 'withoutEpochs',
    deadByRead: bug === 'deadByRead',
    nowMs: () => world.nowMs,
    fail,
    onClaimed: (lease, before) => {
      takings += 1;
      note(`shard ${lease.shard}: ${before.owner || 'nobody'} -> ${lease.owner} (${lease.epoch})`);
      check(lease.shard);
    },
  });

  const noteRequest = ({ incarnation }: SimulatedNode, request: MemberRequest): void => {
    if (request.type === 'declareDead')
      note(`${incarnation} declares dead: ${request.members.map((member) => member.incarnation).join(', ')}`);
    if (request.type === 'release')
      note(`${incarnation} releases ${request.leases.map(({ shard }) => shard).join(', ')}`);
  };
  const apply = (node: SimulatedNode, request: MemberRequest): MemberReply => {
    noteRequest(node, request);
    const link = network.link(node.name);
    if (request.type === 'read' && world.chance(link.late)) {
      const lag = (): number => world.nowMs - world.between(0, Math.min(link.delayMs, maxLagMs));
      return store.readOld(lag(), lag());
    }
    // A bulk may end in the middle.
    if (!('seen' in request || 'leases' in request) || !world.chance(link.loss))
      return store.apply(request, Number.POSITIVE_INFINITY);
    store.apply(request, Math.floor(world.between(0, 3)));
    return { type: 'failed' };
  };
  const withPatience = <T>(
    node: SimulatedNode,
    work: () => T,
    onReply: (reply: T | undefined) => void,
  ): void => {
    let isSettled = false;
    const settle = (reply: T | undefined): void =>
      node.deliver(() => {
        if (isSettled) return;
        isSettled = true;
        onReply(reply);
      });
    network.send(node.name, work, settle);
    world.after(recordPatienceMs, () => settle(undefined));
  };
  const ports: NodePorts = {
    world,
    request(node, request, onReply) {
      if (request.type === 'beat' || request.type === 'join')
        wallAtBeat.set(node.incarnation, node.now().wallMs);
      network.send(node.name, () => apply(node, request), onReply);
    },
    get: (node, shard, onReply) => withPatience(node, () => store.get(shard), onReply),
    put: (node, record, onReply) => withPatience(node, () => store.put(record), onReply),
    acknowledge(node, shard, id) {
      store.acknowledged(shard, id);
      options.onAcknowledged(node, id);
    },
    accepting: () => {
      for (let shard = 0; shard < shards; shard += 1) check(shard);
    },
    poke(from) {
      for (const node of nodes.values())
        if (node !== from) network.send(from.name, () => node.deliver(node.poke));
    },
    ended(node, why) {
      note(`${node.incarnation} ${why === 'lost' ? 'was declared dead' : 'left'}`);
      nodes.delete(node.name);
      const afterMs = options.restartMs(why);
      if (afterMs !== undefined) world.after(afterMs, () => start(node.name));
    },
  };
  const start = (name: string): void => {
    if (nodes.has(name)) return;
    incarnations += 1;
    const incarnation = `${name}.${incarnations}`;
    note(`${incarnation} starts`);
    const clock = { rate: world.between(0.9, 1.1), wallOffsetMs: world.between(-600_000, 600_000) };
    const beatWallMs = (other: string): number => wallAtBeat.get(other) ?? Number.POSITIVE_INFINITY;
    const nodeBug = bug === 'withoutEpochs' || bug === 'deadByRead' ? undefined : bug;
    nodes.set(name, startNode({ incarnation, name, shards, ...clock, bug: nodeBug, beatWallMs }, ports));
  };
  return {
    store,
    network,
    nodes: () => [...nodes.values()],
    start,
    kill(node) {
      node.kill();
      nodes.delete(node.name);
    },
    check,
    serves: (shard) =>
      [...nodes.values()].find((node) => node.isRunning && node.accepts(shard) !== undefined),
    note,
    fail,
    trace,
    get takings() {
      return takings;
    },
  };
};
