// Runs a cluster member in a backend: asks the lease store what it wants asked, and its host to load and stop shards.
import type { ClusterClock } from './clock.ts';
import { createMember, type Member, type MemberOptions } from './cluster-member.ts';
import type { LeaseStore } from './lease-store.ts';
import { memberTickMs } from './limits.ts';
import type { Instant, MemberEffect, MemberReply, MemberRequest } from './member-requests.ts';

/** Who runs the actors of a shard. */
export interface ShardHost {
  /** Reads the records of the shard and starts its actors. A rejection gives the lease back. */
  load(shard: number, epoch: number): Promise<void>;
  /** Stops the actors in order: resolves once everything that was accepted is settled. Ends a load that is under way. */
  stop(shard: number, epoch: number): Promise<void>;
  /** Stops the actors at once; what they write is refused. */
  drop(shard: number, epoch: number): Promise<void>;
}

export interface RunnerOptions extends MemberOptions {
  readonly leases: LeaseStore;
  readonly host: ShardHost;
  readonly clock: ClusterClock & { wallMs(): number };
  /** Tells the other members that leases have changed; may be lost. */
  readonly poke: () => void;
  /** The leases and the members were read. */
  readonly onRead?: () => void;
  readonly onFault: (error: unknown) => void;
  /** The others declared this backend dead: it has to end. */
  readonly onLost: () => void;
}

export interface MemberRunner {
  readonly member: Pick<
    Member,
    'accepts' | 'epochOf' | 'holding' | 'holds' | 'isFresh' | 'isQuiet' | 'members' | 'ownerOf' | 'status'
  >;
  now(): Instant;
  poked(): void;
  /** Resolves once the heartbeat is fresh; rejects if this member was declared dead or has left. */
  confirm(): Promise<void>;
  /** Hands over every shard and leaves; resolves then, or once this member is lost. */
  drain(): Promise<void>;
  /** Stops without telling anybody, as a process that is killed does. */
  halt(): void;
}

const perform = async (
  leases: LeaseStore,
  request: MemberRequest,
): Promise<Exclude<MemberReply, { readonly type: 'failed' }>> => {
  switch (request.type) {
    case 'read': {
      // In this order: an owner joined before it took its first lease.
      const read = await leases.leases();
      return { type: 'read', leases: read, members: await leases.members() };
    }
    case 'beat':
      return { type: 'beat', isAlive: await leases.beat(request.incarnation, request.state) };
    case 'join':
      await leases.join(request.member);
      break;
    case 'leave':
      await leases.leave(request.incarnation);
      break;
    case 'declareDead':
      await leases.declareDead(request.members);
      break;
    case 'claim':
      await leases.claim(request.incarnation, request.seen);
      break;
    case 'release':
      await leases.release(request.leases);
      break;
    case 'forget':
      await leases.forget(request.incarnations);
      break;
  }
  return { type: 'done' };
};

export const runMember = (options: RunnerOptions): MemberRunner => {
  const { leases, host, clock, poke, onFault, onLost, onRead = () => {} } = options;
  const member = createMember(options);
  let isHalted = false;
  let waiting: { readonly settle: () => void; readonly fail: (error: Error) => void }[] = [];
  let onEnded: () => void = () => {};
  const ended = new Promise<void>((resolve) => {
    onEnded = resolve;
  });
  let cancelTick = (): void => {};

  const now = (): Instant => ({ ms: clock.monotonicMs(), wallMs: clock.wallMs() });
  const halt = (): void => {
    isHalted = true;
    cancelTick();
    const given = waiting;
    waiting = [];
    for (const { fail } of given) fail(new Error('this backend is no member of its cluster any more'));
    onEnded();
  };
  const settleWaiting = (): void => {
    if (!member.isFresh(now())) return;
    const given = waiting;
    waiting = [];
    for (const { settle } of given) settle();
  };
  const act = (effects: readonly MemberEffect[]): void => {
    for (const effect of effects) if (!isHalted) actOn(effect);
    if (waiting.length > 0) settleWaiting();
  };
  const send = async (id: number, request: MemberRequest): Promise<void> => {
    const reply = await perform(leases, request).catch((error: unknown): MemberReply => {
      onFault(error);
      return { type: 'failed' };
    });
    act(member.replied(id, reply, now()));
    if (reply.type === 'read' && !isHalted) onRead();
  };
  const load = async (shard: number, epoch: number): Promise<void> => {
    const type = await host.load(shard, epoch).then(
      () => 'shard.loaded' as const,
      (error: unknown) => {
        onFault(error);
        return 'shard.loadFailed' as const;
      },
    );
    act(member.told(shard, { type, epoch }, now()));
  };
  const end = async (work: Promise<void>, shard: number, epoch: number): Promise<void> => {
    await work.catch(onFault);
    act(member.told(shard, { type: 'shard.stopped', epoch }, now()));
  };
  const actOn = (effect: MemberEffect): void => {
    switch (effect.type) {
      case 'send':
        void send(effect.id, effect.request);
        break;
      case 'shard.load':
        void load(effect.shard, effect.epoch);
        break;
      case 'shard.stop':
        void end(host.stop(effect.shard, effect.epoch), effect.shard, effect.epoch);
        break;
      case 'shard.drop':
        void end(host.drop(effect.shard, effect.epoch), effect.shard, effect.epoch);
        break;
      case 'poke':
        poke();
        break;
      case 'lost':
        halt();
        onLost();
        break;
      case 'left':
        halt();
        break;
    }
  };
  const tick = (): void => {
    if (isHalted) return;
    act(member.tick(now()));
    cancelTick = clock.setTimer(tick, memberTickMs);
  };
  tick();
  return {
    member,
    now,
    poked: () => act(member.poked(now())),
    confirm: () =>
      new Promise((settle, fail) => {
        if (isHalted) return fail(new Error('this backend is no member of its cluster any more'));
        if (member.isFresh(now())) return settle();
        waiting.push({ settle, fail });
        act(member.confirm(now()));
      }),
    drain: () => {
      act(member.drain(now()));
      return ended;
    },
    halt,
  };
};
