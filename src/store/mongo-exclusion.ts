// A database is served by one backend alone (mongo-owner.ts) or by the members of a cluster, never by both. Who begins first
// writes that it is there, and then looks for the other kind: of two that begin at once, at least one finds the other.
import { setTimeout as sleep } from 'node:timers/promises';
import type { ClusterMember, LeaseStore } from '../cluster/lease-store.ts';
import { createMemberWatch } from '../cluster/member-watch.ts';
import type { OwnerTimes } from './mongo-owner.ts';
import { StoreError } from './snapshot-store.ts';

const living = async (leases: Pick<LeaseStore, 'members'>): Promise<readonly ClusterMember[]> =>
  (await leases.members()).filter(({ state }) => state !== 'dead');

const servedByCluster = (where: string, members: readonly ClusterMember[]): StoreError =>
  new StoreError(
    'invalid',
    `${where} is served by a cluster (${members.map(({ name }) => name).join(', ')}): stop every member first, ` +
      'or start with the --bus-url of the cluster to join it',
  );

/** Rejects with StoreError('invalid') if members of a cluster use the database. */
export const refuseMembers = async (where: string, leases: Pick<LeaseStore, 'members'>): Promise<void> => {
  const members = await living(leases);
  if (members.length > 0) throw servedByCluster(where, members);
};

/**
 * Resolves once no member of a cluster uses the database; those that were killed are declared dead once their heartbeats have
 * not moved for the patience period. Rejects with StoreError('invalid') as soon as one of them lives.
 */
export const awaitNoMembers = async (
  where: string,
  leases: Pick<LeaseStore, 'members' | 'declareDead'>,
  { beatMs, patienceMs }: OwnerTimes,
): Promise<void> => {
  const watch = createMemberWatch({ patienceMs, maxStepMs: beatMs });
  const first = new Map<string, number>();
  for (;;) {
    const members = await living(leases);
    if (members.length === 0) return;
    watch.observe(members, performance.now());
    const moved = members.filter(({ incarnation, beat }) => (first.get(incarnation) ?? beat) !== beat);
    if (moved.length > 0) throw servedByCluster(where, moved);
    for (const { incarnation, beat } of members) first.set(incarnation, beat);
    if (watch.silent().length > 0) await leases.declareDead(watch.silent());
    else await sleep(beatMs / 4);
  }
};
