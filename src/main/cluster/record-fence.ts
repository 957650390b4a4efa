// The fence of a store that several backends write, made of the two that know: what is hosted here, and whether the leases still
// hold.
import type { HostedShards } from '../../actors/durable/hosted-shards.ts';
import type { MemberRunner } from '../../cluster/member-runner.ts';
import type { RecordFence } from '../../store/record-fence.ts';

export const fenceOf = (
  shards: Pick<HostedShards, 'leaseOf'>,
  runner: Pick<MemberRunner, 'member' | 'now' | 'confirm'>,
): RecordFence => ({
  leaseOf: (kind, key) => shards.leaseOf(kind, key),
  holds: ({ shard, epoch }) => runner.member.holds(shard, epoch),
  isFresh: () => runner.member.isFresh(runner.now()),
  confirm: () => runner.confirm(),
});
