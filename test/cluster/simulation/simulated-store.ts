// The store as the cluster sees it: members, leases, and one toy record for each shard, each changed by compare-and-set on one
// document at a time. It checks the promises at the moment a change is applied.
import type { ClusterMember, ShardLease } from '../../../src/cluster/lease-store.ts';
import type { MemberReply, MemberRequest } from '../../../src/cluster/member-requests.ts';

/** Ids of messages in the order in which they were applied. */
export interface ToyRecord {
  readonly shard: number;
  readonly epoch: number;
  readonly rev: number;
  readonly applied: readonly number[];
}

export type ToyOutcome =
  | { readonly type: 'written' }
  | { readonly type: 'stale'; readonly epoch: number; readonly rev: number };

export interface SimulatedStore {
  apply(request: MemberRequest, stopAfter: number): MemberReply;
  /** A read that was answered by a server that lags behind, for the leases and the members each by so much. */
  readOld(leasesAtMs: number, membersAtMs: number): MemberReply;
  get(shard: number): ToyRecord;
  put(record: ToyRecord): ToyOutcome;
  lease(shard: number): ShardLease;
  /** Notes that a client was told so. */
  acknowledged(shard: number, id: number): void;
}

export interface StoreOptions {
  readonly shards: number;
  /** Planted bugs. */
  readonly withoutEpochs: boolean;
  readonly deadByRead: boolean;
  readonly nowMs: () => number;
  readonly fail: (what: string) => void;
  readonly onClaimed: (lease: ShardLease, before: ShardLease) => void;
}

interface Past {
  readonly atMs: number;
  readonly leases: readonly ShardLease[];
  readonly members: readonly ClusterMember[];
}

/** No server answers reads without its majority for longer. */
export const maxLagMs = 3_000;

export const createSimulatedStore = (options: StoreOptions): SimulatedStore => {
  const { shards, withoutEpochs, deadByRead, fail, onClaimed } = options;
  const members = new Map<string, ClusterMember>();
  const leases = Array.from({ length: shards }, (_, shard): ShardLease => ({ shard, owner: '', epoch: 0 }));
  const records = leases.map(({ shard }): ToyRecord => ({ shard, epoch: 0, rev: 0, applied: [] }));
  const acknowledged = leases.map(() => new Set<number>());
  /** Who wrote under an epoch. */
  const owners = leases.map(() => new Map<number, string>());

  /** What reads of the last seconds would have found, the newest last. */
  let past: readonly Past[] = [];
  const remember = (): void => {
    const nowMs = options.nowMs();
    const kept = past.filter(({ atMs }) => atMs > nowMs - maxLagMs);
    past = [
      ...kept,
      { atMs: nowMs, leases: leases.filter(({ epoch }) => epoch > 0), members: [...members.values()] },
    ];
  };
  const asOf = (atMs: number): Past | undefined => past.findLast((one) => one.atMs <= atMs) ?? past[0];

  const claim = (incarnation: string, seen: ShardLease): void => {
    const lease = leases[seen.shard] as ShardLease;
    if (lease.owner !== seen.owner || lease.epoch !== seen.epoch) return;
    const taken = { ...lease, owner: incarnation, epoch: lease.epoch + 1 };
    const other = owners[seen.shard]?.get(taken.epoch);
    if (other !== undefined) fail(`shard ${seen.shard}: epoch ${taken.epoch} was taken twice`);
    owners[seen.shard]?.set(taken.epoch, incarnation);
    leases[seen.shard] = taken;
    onClaimed(taken, lease);
  };
  const release = ({ shard, owner, epoch }: ShardLease): void => {
    const lease = leases[shard] as ShardLease;
    if (lease.owner === owner && lease.epoch === epoch) leases[shard] = { ...lease, owner: '' };
  };
  const declareDead = ({ incarnation, beat }: ClusterMember): void => {
    const member = members.get(incarnation);
    if (member === undefined && beat === -1)
      members.set(incarnation, { incarnation, beat, name: '', state: 'dead' });
    if (member !== undefined && (member.beat === beat || deadByRead))
      members.set(incarnation, { ...member, state: 'dead' });
  };
  const perform = (request: MemberRequest, stopAfter: number): MemberReply => {
    switch (request.type) {
      case 'read':
        return {
          type: 'read',
          leases: leases.filter(({ epoch }) => epoch > 0),
          members: [...members.values()],
        };
      case 'join':
        if (!members.has(request.member.incarnation)) members.set(request.member.incarnation, request.member);
        return { type: 'done' };
      case 'beat': {
        const member = members.get(request.incarnation);
        if (member === undefined || member.state === 'dead') return { type: 'beat', isAlive: false };
        members.set(request.incarnation, { ...member, beat: member.beat + 1, state: request.state });
        return { type: 'beat', isAlive: true };
      }
      case 'leave': {
        const member = members.get(request.incarnation);
        if (member !== undefined) members.set(request.incarnation, { ...member, state: 'dead' });
        return { type: 'done' };
      }
      case 'declareDead':
        for (const member of request.members.slice(0, stopAfter)) declareDead(member);
        return { type: 'done' };
      case 'claim':
        for (const seen of request.seen.slice(0, stopAfter)) claim(request.incarnation, seen);
        return { type: 'done' };
      case 'release':
        for (const lease of request.leases.slice(0, stopAfter)) release(lease);
        return { type: 'done' };
      case 'forget':
        for (const incarnation of request.incarnations) members.delete(incarnation);
        return { type: 'done' };
    }
  };
  return {
    apply(request, stopAfter) {
      const reply = perform(request, stopAfter);
      if (request.type !== 'read') remember();
      return reply;
    },
    readOld: (leasesAtMs, membersAtMs) => ({
      type: 'read',
      leases: asOf(leasesAtMs)?.leases ?? [],
      members: asOf(membersAtMs)?.members ?? [],
    }),
    get: (shard) => records[shard] as ToyRecord,
    lease: (shard) => leases[shard] as ShardLease,
    put(record) {
      const stored = records[record.shard] as ToyRecord;
      const isNewer = withoutEpochs
        ? record.rev > stored.rev
        : record.epoch > stored.epoch || (record.epoch === stored.epoch && record.rev > stored.rev);
      if (!isNewer) return { type: 'stale', epoch: stored.epoch, rev: stored.rev };
      const applied = new Set(record.applied);
      if (applied.size !== record.applied.length) fail(`shard ${record.shard}: a message was applied twice`);
      for (const id of acknowledged[record.shard] ?? [])
        if (!applied.has(id)) fail(`shard ${record.shard}: message ${id} was acknowledged and is lost`);
      records[record.shard] = record;
      return { type: 'written' };
    },
    acknowledged(shard, id) {
      if (!records[shard]?.applied.includes(id))
        fail(`shard ${shard}: message ${id} was acknowledged before it was stored`);
      acknowledged[shard]?.add(id);
    },
  };
};
