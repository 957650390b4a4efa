// One simulated backend: the cluster member of the product, with a clock that drifts, pauses, and a network to the store.
import { createMember, type Member } from '../../../src/cluster/cluster-member.ts';
import type { ClusterMember } from '../../../src/cluster/lease-store.ts';
import { memberTickMs } from '../../../src/cluster/limits.ts';
import type {
  Instant,
  MemberEffect,
  MemberReply,
  MemberRequest,
} from '../../../src/cluster/member-requests.ts';
import { startToyShard, type ToyPorts, type ToyShard } from './toy-shard.ts';
import type { World } from './world.ts';

export interface NodePorts {
  readonly world: World;
  /** To the store; `onReply` is called at most once, or never. */
  request(node: SimulatedNode, request: MemberRequest, onReply: (reply: MemberReply) => void): void;
  readonly get: (node: SimulatedNode, ...rest: Parameters<ToyPorts['get']>) => void;
  readonly put: (node: SimulatedNode, ...rest: Parameters<ToyPorts['put']>) => void;
  acknowledge(node: SimulatedNode, shard: number, id: number): void;
  /** A shard begins to accept, or the process runs on after a pause. */
  accepting(node: SimulatedNode): void;
  poke(node: SimulatedNode): void;
  ended(node: SimulatedNode, why: 'lost' | 'left'): void;
}

/** Bugs of a node, planted to see the checkers find them. */
export type NodeBug = 'unfenced' | 'monotonicOnly' | 'comparesWallClocks';

export interface SimulatedNode {
  readonly incarnation: string;
  readonly name: string;
  readonly member: Member;
  readonly isRunning: boolean;
  now(): Instant;
  /** The epoch under which a message for the shard is accepted now. */
  accepts(shard: number): number | undefined;
  offer(shard: number, id: number): boolean;
  /** Work that this process does when it is told something: later if it is paused, never if it has ended. */
  deliver(work: () => void): void;
  poke(): void;
  drain(): void;
  kill(): void;
  /** SIGSTOP; `isSuspended` for a machine whose monotonic clock stands still as well. */
  pause(forMs: number, isSuspended: boolean): void;
  /** Ends a pause. */
  resume(): void;
}

export interface NodeOptions {
  readonly incarnation: string;
  readonly name: string;
  readonly shards: number;
  /** Milliseconds of its monotonic clock in a millisecond. */
  readonly rate: number;
  readonly wallOffsetMs: number;
  readonly bug: NodeBug | undefined;
  /** The wall clock of a member when it last wrote a beat, for the bug that compares them. */
  readonly beatWallMs: (incarnation: string) => number;
}

export const startNode = (options: NodeOptions, ports: NodePorts): SimulatedNode => {
  const { incarnation, name, shards, rate, wallOffsetMs, bug } = options;
  const { world } = ports;
  const startMs = world.nowMs;
  let suspendedMs = 0;
  let state: 'running' | 'paused' | 'ended' = 'running';
  let backlog: (() => void)[] = [];
  let resume = (): void => {};
  const toys = new Map<number, ToyShard>();

  const now = (): Instant => ({
    ms: (world.nowMs - startMs - suspendedMs) * rate,
    wallMs: bug === 'monotonicOnly' ? 0 : world.nowMs + wallOffsetMs,
  });
  const hasEnded = (member: ClusterMember): boolean =>
    bug === 'comparesWallClocks' && now().wallMs - options.beatWallMs(member.incarnation) > 6_000;
  const member = createMember({ incarnation, name, shards, hasEnded });

  const deliver = (work: () => void): void => {
    if (state === 'running') work();
    else if (state === 'paused') backlog.push(work);
  };
  const after = (delayMs: number, work: () => void): void => world.after(delayMs / rate, () => deliver(work));

  const accepts = (shard: number): number | undefined => {
    const toy = toys.get(shard);
    if (bug === 'unfenced' && toy !== undefined && member.holds(shard, toy.epoch)) return toy.epoch;
    return member.accepts(shard, now());
  };
  const toyPorts: ToyPorts = {
    get: (shard, onReply) => ports.get(node, shard, onReply),
    put: (record, onReply) => ports.put(node, record, onReply),
    mayAcknowledge: (shard, epoch) =>
      bug === 'unfenced' ? member.holds(shard, epoch) : member.mayAcknowledge(shard, epoch, now()),
    holds: (shard, epoch) => member.holds(shard, epoch),
    confirm: () => perform(member.confirm(now())),
    acknowledge: (shard, id) => ports.acknowledge(node, shard, id),
    loaded: (shard, epoch) => {
      perform(member.told(shard, { type: 'shard.loaded', epoch }, now()));
      ports.accepting(node);
    },
    stopped: (shard, epoch) => {
      toys.delete(shard);
      // Not within the effect that asked for it.
      after(0, () => perform(member.told(shard, { type: 'shard.stopped', epoch }, now())));
    },
    after,
  };
  const perform = (effects: readonly MemberEffect[]): void => {
    for (const effect of effects) {
      if (effect.type === 'send') {
        const { id, request } = effect;
        ports.request(node, request, (reply) => deliver(() => perform(member.replied(id, reply, now()))));
      } else if (effect.type === 'shard.load')
        toys.set(effect.shard, startToyShard(effect.shard, effect.epoch, toyPorts));
      else if (effect.type === 'shard.stop') toys.get(effect.shard)?.stop();
      else if (effect.type === 'shard.drop') toys.get(effect.shard)?.drop();
      else if (effect.type === 'poke') ports.poke(node);
      else {
        state = 'ended';
        ports.ended(node, effect.type);
      }
    }
  };
  const tick = (): void => {
    perform(member.tick(now()));
    after(memberTickMs, tick);
  };
  const node: SimulatedNode = {
    incarnation,
    name,
    member,
    get isRunning() {
      return state === 'running';
    },
    now,
    accepts,
    offer(shard, id) {
      const epoch = accepts(shard);
      const toy = toys.get(shard);
      if (epoch === undefined || toy?.epoch !== epoch) return false;
      toy.accept(id);
      return true;
    },
    deliver,
    poke: () => perform(member.poked(now())),
    drain: () => deliver(() => perform(member.drain(now()))),
    kill: () => {
      state = 'ended';
    },
    pause(forMs, isSuspended) {
      if (state !== 'running') return;
      state = 'paused';
      const sinceMs = world.nowMs;
      let isOver = false;
      resume = () => {
        if (state !== 'paused' || isOver) return;
        isOver = true;
        if (isSuspended) suspendedMs += world.nowMs - sinceMs;
        state = 'running';
        resume = () => {};
        // Timers and sockets are ready at once; which of them comes first is not known.
        const works = backlog.map((work) => ({ work, rank: world.random() })).sort((a, b) => a.rank - b.rank);
        backlog = [];
        ports.accepting(node);
        for (const { work } of works) deliver(work);
      };
      world.after(forMs, resume);
    },
    resume: () => resume(),
  };
  after(0, tick);
  return node;
};
