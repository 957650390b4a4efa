// What a member does about the leases it has read: which ones to claim, which shards to hand over. A pure decision, the same
// for all who have read the same.

import type { ClusterMember, ShardLease } from './lease-store.ts';
import { shardMovesAtOnce, shardTakesAtOnce } from './limits.ts';
import { placement } from './shards.ts';

/** What this member does with a shard at the moment. */
export type Holding = 'foreign' | 'taking' | 'loading' | 'owned' | 'handingOver' | 'lost';

export interface LeaseView {
  readonly incarnation: string;
  readonly isDraining: boolean;
  readonly members: readonly ClusterMember[];
  /** Its heartbeat has not moved lately, though not for long enough to declare it dead. */
  readonly isQuiet: (incarnation: string) => boolean;
  /** One for each shard, in order. */
  readonly leases: readonly ShardLease[];
  readonly holdings: readonly Holding[];
}

export interface LeasePlan {
  readonly claims: readonly ShardLease[];
  readonly unwanted: readonly number[];
}

/** For each shard the incarnation that should own it; undefined if no member serves. */
type Heirs = readonly (string | undefined)[];

/** If two members have the same name, as after a restart, the share goes to one of them: the one that lives. */
const servingByName = ({
  members,
  incarnation,
  isDraining,
  isQuiet,
}: LeaseView): ReadonlyMap<string, string> => {
  const byName = new Map<string, string>();
  for (const member of members) {
    if (member.state !== 'serving' || (isDraining && member.incarnation === incarnation)) continue;
    const other = byName.get(member.name);
    if (other === undefined || isBetter(member.incarnation, other, isQuiet))
      byName.set(member.name, member.incarnation);
  }
  return byName;
};

const isBetter = (one: string, other: string, isQuiet: LeaseView['isQuiet']): boolean =>
  isQuiet(one) === isQuiet(other) ? one < other : isQuiet(other);

const heirsOf = (view: LeaseView): Heirs => {
  const serving = servingByName(view);
  const names = [...serving.keys()];
  return view.leases.map(({ shard }) => serving.get(placement(names, shard) ?? ''));
};

const count = (holdings: readonly Holding[], ...wanted: readonly Holding[]): number =>
  holdings.filter((holding) => wanted.includes(holding)).length;

export const planLeases = (view: LeaseView): LeasePlan => {
  const { incarnation, isDraining, members, isQuiet, leases, holdings } = view;
  const heirs = heirsOf(view);
  const dead = new Set(members.filter(({ state }) => state === 'dead').map((member) => member.incarnation));
  const isFree = ({ owner }: ShardLease): boolean => owner === '' || dead.has(owner);

  const claims = leases.filter(
    (lease) => holdings[lease.shard] === 'foreign' && heirs[lease.shard] === incarnation && isFree(lease),
  );
  const takes = Math.max(0, shardTakesAtOnce - count(holdings, 'taking', 'loading'));

  const misplaced = leases.filter(({ shard }) => {
    const holding = holdings[shard];
    if (holding !== 'owned' && holding !== 'loading') return false;
    const heir = heirs[shard];
    return isDraining || (heir !== undefined && heir !== incarnation && !isQuiet(heir));
  });
  const onTheirWay =
    count(holdings, 'handingOver') +
    leases.filter((lease) => lease.epoch > 0 && lease.owner === '' && heirs[lease.shard] !== incarnation)
      .length;
  const moves = isDraining ? misplaced.length : Math.max(0, shardMovesAtOnce - onTheirWay);
  return {
    claims: claims.slice(0, takes),
    unwanted: misplaced.slice(0, moves).map(({ shard }) => shard),
  };
};
