// What a member knows of its cluster, for /ready, /health, metrics and operators.
import type { HostedShards } from '../../actors/durable/hosted-shards.ts';
import type { BusStatus } from '../../cluster/bus.ts';
import { shardCount } from '../../cluster/limits.ts';
import type { Instant } from '../../cluster/member-requests.ts';
import type { MemberRunner } from '../../cluster/member-runner.ts';
import { placement } from '../../cluster/shards.ts';

/** A member as this one sees it. */
interface SeenMember {
  readonly name: string;
  readonly state: 'serving' | 'draining';
  /** Its heartbeat has not moved lately. */
  readonly isQuiet: boolean;
  /** Shards whose lease it has. */
  readonly leases: number;
}

export interface ClusterStatus {
  readonly name: string;
  readonly state: 'joining' | 'serving' | 'draining' | 'left' | 'lost';
  readonly shards: number;
  readonly moving: number;
  readonly staleWrites: number;
  readonly bus: BusStatus;
  /** Why this member should get no requests; absent when it serves its share. */
  readonly why?: string;
  readonly members: readonly SeenMember[];
  /** Shards whose lease nobody has. */
  readonly unowned: number;
}

interface StatusSources {
  readonly name: string;
  readonly incarnation: string;
  readonly member: MemberRunner['member'];
  readonly now: Instant;
  readonly shards: HostedShards;
  readonly bus: BusStatus;
  readonly isDraining: boolean;
  /** It has served its share before: shards that it takes over from others do not count. */
  readonly wasReady: boolean;
  readonly staleWrites: number;
}

const allShards = Array.from({ length: shardCount }, (_, shard) => shard);

/** Shards of its share that nobody else serves, and that it does not serve yet. */
const awaited = ({ name, incarnation, member, shards }: StatusSources): number => {
  const names = [
    ...new Set(
      member
        .members()
        .filter(({ state }) => state === 'serving')
        .map((each) => each.name),
    ),
  ];
  return allShards.filter((shard) => {
    const owner = member.ownerOf(shard);
    const isFree = owner === '' || owner === incarnation;
    return isFree && placement(names, shard) === name && !shards.isMine(shard);
  }).length;
};

const whyNot = (sources: StatusSources): string | undefined => {
  const { member, now, bus, isDraining, wasReady } = sources;
  if (isDraining) return 'this backend hands its shards over to the others, and stops';
  if (member.status !== 'joined') return 'this backend is joining its cluster';
  if (!member.isFresh(now))
    return 'this backend could not write its heartbeat to the store lately, so others may take over its shards: it accepts nothing until it can';
  if (bus.state !== 'connected') return `there is no connection to the NATS server ${bus.server}`;
  if (wasReady) return undefined;
  const left = awaited(sources);
  return left === 0 ? undefined : `${left} of its shards are not loaded yet`;
};

const stateOf = ({ member, isDraining }: StatusSources): ClusterStatus['state'] => {
  if (member.status === 'joined') return isDraining ? 'draining' : 'serving';
  return member.status === 'leaving' ? 'draining' : member.status;
};

export const clusterStatus = (sources: StatusSources): ClusterStatus => {
  const { name, member, shards, bus, staleWrites } = sources;
  const owners = allShards.map((shard) => member.ownerOf(shard));
  const holdings = allShards.map((shard) => member.holding(shard));
  const why = whyNot(sources);
  return {
    name,
    state: stateOf(sources),
    shards: shards.open().length,
    moving: holdings.filter((holding) => holding !== 'owned' && holding !== 'foreign').length,
    staleWrites,
    bus,
    ...(why === undefined ? {} : { why }),
    members: member.members().flatMap(({ incarnation, name: each, state }) =>
      state === 'dead'
        ? []
        : {
            name: each,
            state,
            isQuiet: member.isQuiet(incarnation),
            leases: owners.filter((owner) => owner === incarnation).length,
          },
    ),
    unowned: owners.filter((owner) => owner === '').length,
  };
};
