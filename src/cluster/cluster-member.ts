// One member of a cluster: its heartbeat, its watch over the others, and its shards. Without input or output of its own: it is
// told the time, replies and facts, and returns what is to be done. member-runner.ts does it in a backend, and
// test/cluster/simulation on simulated time.
//
// Why no two members accept messages for a shard at once: a lease changes hands only after its owner released it, or after
// the owner was declared dead. An owner that released a lease never resumes under it. A declaration of death names the beat
// it was based on, which did not move for `memberPatienceMs`, and no beat succeeds after it; so a member whose last confirmed
// beat was sent less than `memberFreshMs` ago is not dead, and has not been replaced.
import type { ShardEffect, ShardFact } from '../machines/shard/shard-facts.ts';
import { createHeldShards } from './held-shards.ts';
import { type Holding, planLeases } from './lease-plan.ts';
import type { ClusterMember, ShardLease } from './lease-store.ts';
import {
  memberBeatMs,
  memberForgetMs,
  memberFreshMs,
  memberPatienceMs,
  memberQuietMs,
  memberReadMs,
  memberRequestMs,
  memberRequestsPerTick,
  memberTickMs,
  shardCount,
} from './limits.ts';
import type { Instant, MemberEffect, MemberReply, MemberRequest } from './member-requests.ts';
import { createMemberWatch } from './member-watch.ts';

export interface MemberOptions {
  readonly incarnation: string;
  readonly name: string;
  /** Default `shardCount`; for tests. */
  readonly shards?: number;
  /** True if the process of a member is known to be gone: it is declared dead without waiting. */
  readonly hasEnded?: (member: ClusterMember) => boolean;
}

type MemberStatus = 'joining' | 'joined' | 'leaving' | 'left' | 'lost';

type Told = Extract<ShardFact, { readonly type: 'shard.loaded' | 'shard.loadFailed' | 'shard.stopped' }>;

interface UnderWay {
  readonly id: number;
  readonly at: Instant;
  readonly request: MemberRequest;
}

type Line = 'beats' | 'leases';

export interface Member {
  readonly status: MemberStatus;
  /** To be called every `memberTickMs`, and once to begin. */
  tick(now: Instant): readonly MemberEffect[];
  replied(id: number, reply: MemberReply, now: Instant): readonly MemberEffect[];
  told(shard: number, fact: Told, now: Instant): readonly MemberEffect[];
  /** Another member says that the leases have changed. */
  poked(now: Instant): readonly MemberEffect[];
  /** Sends a heartbeat now, since `isFresh` is false or soon will be. */
  confirm(now: Instant): readonly MemberEffect[];
  /** Hands over every shard and leaves. */
  drain(now: Instant): readonly MemberEffect[];
  isFresh(now: Instant): boolean;
  /** The epoch under which messages for the shard are accepted; undefined if they are not. */
  accepts(shard: number, now: Instant): number | undefined;
  /**
   * True if what was written under the epoch before `now` may be acknowledged. False can be temporary: while the member is
   * not fresh but `holds` is true, ask again after the next heartbeat.
   */
  mayAcknowledge(shard: number, epoch: number, now: Instant): boolean;
  /** The actors of the shard run under this epoch, though the lease may have been taken away. */
  holds(shard: number, epoch: number): boolean;
  /** The incarnation that owns the shard, as last read; empty for none. */
  ownerOf(shard: number): string;
  /** Of the last lease of the shard, as last read; 0 before the first. */
  epochOf(shard: number): number;
  /** What this member does with the shard. */
  holding(shard: number): Holding;
  members(): readonly ClusterMember[];
  /** The heartbeat of the member has not moved lately. */
  isQuiet(incarnation: string): boolean;
}

const untaken = (shards: number): ShardLease[] =>
  Array.from({ length: shards }, (_, shard) => ({ shard, owner: '', epoch: 0 }));

export const createMember = ({
  incarnation,
  name,
  shards = shardCount,
  hasEnded = () => false,
}: MemberOptions): Member => {
  const watch = createMemberWatch({ patienceMs: memberPatienceMs, maxStepMs: 2 * memberReadMs });
  const held = createHeldShards(shards);
  let status: MemberStatus = 'joining';
  let isDraining = false;
  let confirmed: Instant | undefined;
  let lastId = 0;
  const underWay: Record<Line, UnderWay | undefined> = { beats: undefined, leases: undefined };
  let beatSentMs = Number.NEGATIVE_INFINITY;
  let isInserted = false;
  let readSentMs = Number.NEGATIVE_INFINITY;
  let isReadDue = true;
  /** Left until the next tick: a store whose reads lag behind its answers would be asked the same all the time. */
  let requestsLeft = memberRequestsPerTick;
  /** What follows from the last read, to be sent one after the other. */
  let todo: readonly MemberRequest[] = [];
  let leases: readonly ShardLease[] = untaken(shards);
  let members: readonly ClusterMember[] = [];
  let out: MemberEffect[] = [];

  const send = (line: Line, request: MemberRequest, at: Instant): void => {
    lastId += 1;
    underWay[line] = { id: lastId, at, request };
    out.push({ type: 'send', id: lastId, request });
  };
  const tell = (shard: number, fact: ShardFact): void => {
    for (const effect of held.tell(shard, fact)) out.push({ ...(effect as ShardEffect), shard });
  };
  const everyShard = (act: (shard: number) => void): void => {
    for (let shard = 0; shard < shards; shard += 1) act(shard);
  };

  // --- The heartbeat

  const isFresh = ({ ms, wallMs }: Instant): boolean =>
    status === 'joined' &&
    confirmed !== undefined &&
    ms - confirmed.ms < memberFreshMs &&
    // A monotonic clock may stand still while the machine is suspended; the wall clock then jumps.
    wallMs - confirmed.wallMs < memberFreshMs;

  const lose = (): void => {
    status = 'lost';
    todo = [];
    everyShard((shard) => {
      if (held.holding(shard) !== 'foreign') tell(shard, { type: 'member.lost' });
    });
    out.push({ type: 'lost' });
  };
  const sendBeat = (now: Instant): void => {
    beatSentMs = now.ms;
    send('beats', { type: 'beat', incarnation, state: isDraining ? 'draining' : 'serving' }, now);
  };
  const keepBeating = (
    now: Instant,
    isWanted = now.ms - beatSentMs >= memberBeatMs - memberTickMs / 2,
  ): void => {
    if (underWay.beats !== undefined) return;
    if (status === 'joining' && !isInserted)
      send('beats', { type: 'join', member: { incarnation, name, beat: 0, state: 'serving' } }, now);
    else if (status === 'leaving') send('beats', { type: 'leave', incarnation }, now);
    else if (status === 'joining' || (status === 'joined' && isWanted)) sendBeat(now);
  };
  const onBeatReply = ({ at, request }: UnderWay, reply: MemberReply, now: Instant): void => {
    if (reply.type === 'failed') return;
    if (request.type === 'join') {
      isInserted = true;
      return keepBeating(now);
    }
    if (request.type === 'leave') {
      status = 'left';
      out.push({ type: 'left' }, { type: 'poke' });
      return;
    }
    if (reply.type !== 'beat') return;
    if (!reply.isAlive) return lose();
    confirmed = at;
    if (status === 'joining') {
      status = 'joined';
      keepLeases(now);
    }
    if (isDraining && request.type === 'beat' && request.state === 'serving') sendBeat(now);
  };

  // --- The leases

  const releases = (): readonly ShardLease[] =>
    leases
      .filter(({ shard }) => held.isGivingBack(shard))
      .map(({ shard }) => ({ shard, owner: incarnation, epoch: held.epoch(shard) }));

  const sendNext = (request: MemberRequest, now: Instant): void => {
    isReadDue = true;
    if (request.type === 'claim')
      for (const { shard } of request.seen) tell(shard, { type: 'lease.claimed' });
    send('leases', request, now);
  };
  const keepLeases = (now: Instant): void => {
    if (status !== 'joined' || underWay.leases !== undefined || requestsLeft <= 0) return;
    const [next, ...rest] = todo;
    requestsLeft -= 1;
    if (next !== undefined) {
      todo = rest;
      return sendNext(next, now);
    }
    if (!isReadDue && now.ms - readSentMs < memberReadMs - memberTickMs / 2) return;
    isReadDue = false;
    readSentMs = now.ms;
    send('leases', { type: 'read' }, now);
  };

  const reconcile = (): void => {
    for (const { shard, owner, epoch } of leases) {
      const isMine = owner === incarnation;
      const holding = held.holding(shard);
      const isNews = holding !== 'foreign' ? !isMine || epoch !== held.epoch(shard) : isMine;
      if (isNews || holding === 'taking') tell(shard, { type: 'lease.seen', isMine, epoch });
    }
  };
  /** Owners without a record: nothing but a declaration makes sure that they never come back. */
  const unknownOwners = (): readonly ClusterMember[] => {
    const ids = new Set(members.map((member) => member.incarnation));
    const owners = new Set(
      leases.map(({ owner }) => owner).filter((owner) => owner !== '' && !ids.has(owner)),
    );
    return [...owners].map((owner) => ({ incarnation: owner, name: '', beat: -1, state: 'serving' }));
  };
  const forgettable = (): readonly string[] => {
    const owners = new Set(leases.map(({ owner }) => owner));
    return members
      .filter((member) => member.state === 'dead' && !owners.has(member.incarnation))
      .filter((member) => watch.unchangedMs(member.incarnation) >= memberForgetMs)
      .map((member) => member.incarnation);
  };
  const plan = (): readonly MemberRequest[] => {
    const requests: MemberRequest[] = [];
    const { claims, unwanted } = planLeases({
      incarnation,
      isDraining,
      members,
      isQuiet: (id) => watch.unchangedMs(id) >= memberQuietMs,
      leases,
      holdings: held.holdings(),
    });
    for (const shard of unwanted) tell(shard, { type: 'shard.unwanted' });
    const back = releases();
    if (back.length > 0) requests.push({ type: 'release', leases: back });
    const ended = members.filter((member) => member.state !== 'dead' && hasEnded(member));
    const silent = [...watch.silent(), ...ended].filter((member) => member.incarnation !== incarnation);
    if (silent.length > 0) requests.push({ type: 'declareDead', members: silent });
    if (claims.length > 0) requests.push({ type: 'claim', incarnation, seen: claims });
    const forgotten = forgettable();
    if (forgotten.length > 0) requests.push({ type: 'forget', incarnations: forgotten });
    return requests;
  };
  const holds = (shard: number, epoch: number): boolean => {
    const holding = held.holding(shard);
    const isRunning =
      holding === 'loading' ||
      holding === 'owned' ||
      (holding === 'handingOver' && !held.isGivingBack(shard));
    return isRunning && held.epoch(shard) === epoch;
  };
  const isEmpty = (): boolean =>
    held.holdings().every((holding) => holding === 'foreign') &&
    leases.every(({ owner }) => owner !== incarnation);

  const onRead = (read: Extract<MemberReply, { readonly type: 'read' }>, now: Instant): void => {
    const all = untaken(shards);
    for (const lease of read.leases) if (lease.shard < shards) all[lease.shard] = lease;
    leases = all;
    members = read.members;
    watch.observe([...members, ...unknownOwners()], now.ms);
    const self = members.find((member) => member.incarnation === incarnation);
    if (self?.state === 'dead') return lose();
    reconcile();
    // A read that is older than this member.
    if (self === undefined) return;
    todo = plan();
    if (isDraining && self.state === 'draining' && isEmpty()) {
      status = 'leaving';
      todo = [];
      keepBeating(now);
    }
  };
  const onLeaseReply = ({ request }: UnderWay, reply: MemberReply, now: Instant): void => {
    if (reply.type === 'failed') {
      // The next read tells what became of it; not before the next tick, or a store that refuses would be asked all the time.
      isReadDue = true;
      todo = [];
      return;
    }
    if (reply.type === 'read') onRead(reply, now);
    if (request.type === 'release') out.push({ type: 'poke' });
    keepLeases(now);
  };

  const settle = (line: Line, reply: MemberReply, now: Instant): void => {
    const request = underWay[line];
    if (request === undefined) return;
    underWay[line] = undefined;
    if (status === 'lost' || status === 'left') return;
    if (line === 'beats') onBeatReply(request, reply, now);
    else onLeaseReply(request, reply, now);
  };
  const expire = (line: Line, now: Instant): void => {
    const request = underWay[line];
    if (request !== undefined && now.ms - request.at.ms >= memberRequestMs)
      settle(line, { type: 'failed' }, now);
  };
  /** Effects of one input. */
  const collect = (work: () => void): readonly MemberEffect[] => {
    work();
    const effects = out;
    out = [];
    return effects;
  };

  return {
    get status() {
      return status;
    },
    tick: (now) =>
      collect(() => {
        requestsLeft = memberRequestsPerTick;
        expire('beats', now);
        expire('leases', now);
        keepBeating(now);
        keepLeases(now);
      }),
    replied: (id, reply, now) =>
      collect(() => {
        // A late reply to a request that counts as failed says nothing that the next read would not say.
        if (underWay.beats?.id === id) settle('beats', reply, now);
        else if (underWay.leases?.id === id) settle('leases', reply, now);
      }),
    told: (shard, fact, now) =>
      collect(() => {
        if (status === 'left') return;
        tell(shard, fact);
        if (!held.isGivingBack(shard) || status !== 'joined') return;
        const others = todo.filter(({ type }) => type !== 'release');
        todo = [{ type: 'release', leases: releases() }, ...others];
        keepLeases(now);
      }),
    poked: (now) =>
      collect(() => {
        isReadDue = true;
        keepLeases(now);
      }),
    confirm: (now) => collect(() => keepBeating(now, true)),
    drain: (now) =>
      collect(() => {
        if (isDraining) return;
        isDraining = true;
        keepBeating(now, true);
        everyShard((shard) => {
          if (held.holding(shard) !== 'foreign') tell(shard, { type: 'shard.unwanted' });
        });
        isReadDue = true;
        keepLeases(now);
      }),
    isFresh,
    accepts: (shard, now) =>
      held.holding(shard) === 'owned' && isFresh(now) ? held.epoch(shard) : undefined,
    mayAcknowledge: (shard, epoch, now) => isFresh(now) && holds(shard, epoch),
    holds,
    ownerOf: (shard) => leases[shard]?.owner ?? '',
    epochOf: (shard) => leases[shard]?.epoch ?? 0,
    holding: (shard) => held.holding(shard),
    members: () => members,
    isQuiet: (id) => watch.unchangedMs(id) >= memberQuietMs,
  };
};
