// One member, told what the store answers, step by step: what the simulation meets now and then is shown here each time.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createMember, type Member } from '../../src/cluster/cluster-member.ts';
import type { ClusterMember, ShardLease } from '../../src/cluster/lease-store.ts';
import { memberFreshMs, memberPatienceMs } from '../../src/cluster/limits.ts';
import type { MemberEffect, MemberReply } from '../../src/cluster/member-requests.ts';
import { placement } from '../../src/cluster/shards.ts';

const shard = 0;

/** A member with one shard, and a store that answers what it is told to. */
const oneShard = () => {
  const member: Member = createMember({ incarnation: 'me.1', name: 'me', shards: 1 });
  let ms = 0;
  let wallMs = 1_000_000;
  let lease: ShardLease = { shard, owner: '', epoch: 0 };
  let others: readonly ClusterMember[] = [];
  let state: ClusterMember['state'] = 'serving';
  let beat = 0;
  let isAnswering = true;
  const asked: string[] = [];
  const done: string[] = [];
  const now = () => ({ ms, wallMs });
  const self = (): ClusterMember => ({ incarnation: 'me.1', name: 'me', beat, state });
  const answer = (effect: Extract<MemberEffect, { type: 'send' }>): MemberReply => {
    const { request } = effect;
    asked.push(request.type);
    if (request.type === 'read') return { type: 'read', leases: [lease], members: [self(), ...others] };
    if (request.type !== 'beat') return { type: 'done' };
    beat += 1;
    state = state === 'dead' ? state : request.state;
    return { type: 'beat', isAlive: state !== 'dead' };
  };
  const perform = (effects: readonly MemberEffect[]): void => {
    for (const effect of effects) {
      if (effect.type !== 'send') done.push(effect.type);
      else if (isAnswering) perform(member.replied(effect.id, answer(effect), now()));
    }
  };
  return {
    member,
    now,
    perform,
    asked,
    done,
    set lease(next: Omit<ShardLease, 'shard'>) {
      lease = { shard, ...next };
    },
    set others(next: readonly ClusterMember[]) {
      others = next;
    },
    set state(next: ClusterMember['state']) {
      state = next;
    },
    set isAnswering(next: boolean) {
      isAnswering = next;
    },
    jump: (byMs: number) => {
      wallMs += byMs;
    },
    run(forMs: number) {
      for (let pastMs = 0; pastMs < forMs; pastMs += 250) {
        ms += 250;
        wallMs += 250;
        perform(member.tick(now()));
      }
    },
    /** Takes the shard under an epoch and serves it. */
    own(epoch: number) {
      this.lease = { owner: 'me.1', epoch };
      this.run(1_000);
      perform(member.told(shard, { type: 'shard.loaded', epoch }, now()));
    },
  };
};

test('accepts under the epoch of its lease once the shard is loaded', () => {
  const one = oneShard();
  one.run(1_000);
  assert.ok(one.asked.includes('claim'));
  one.lease = { owner: 'me.1', epoch: 1 };
  one.run(1_000);
  assert.deepEqual(one.done, ['shard.load']);
  assert.equal(one.member.accepts(shard, one.now()), undefined);
  one.perform(one.member.told(shard, { type: 'shard.loaded', epoch: 1 }, one.now()));
  assert.equal(one.member.accepts(shard, one.now()), 1);
  assert.equal(one.member.mayAcknowledge(shard, 1, one.now()), true);
});

test('accepts nothing without a confirmed heartbeat, and goes on with the next one', () => {
  const one = oneShard();
  one.own(1);
  one.isAnswering = false;
  one.run(memberFreshMs - 1_000);
  assert.equal(one.member.accepts(shard, one.now()), 1);
  one.run(1_000);
  assert.equal(one.member.accepts(shard, one.now()), undefined);
  assert.equal(one.member.mayAcknowledge(shard, 1, one.now()), false);
  assert.equal(one.member.holds(shard, 1), true);
  one.isAnswering = true;
  one.run(3_000);
  assert.equal(one.member.accepts(shard, one.now()), 1);
});

test('a jump of the wall clock counts as time in which the machine stood still', () => {
  const one = oneShard();
  one.own(1);
  one.jump(memberFreshMs);
  assert.equal(one.member.accepts(shard, one.now()), undefined);
  one.run(1_250);
  assert.equal(one.member.accepts(shard, one.now()), 1);
  one.jump(-3_600_000);
  assert.equal(one.member.accepts(shard, one.now()), 1);
});

test('a member that was declared dead drops its shards and never comes back', () => {
  const one = oneShard();
  one.own(1);
  one.state = 'dead';
  one.run(1_250);
  assert.deepEqual(one.done, ['shard.load', 'shard.drop', 'lost']);
  assert.equal(one.member.status, 'lost');
  assert.equal(one.member.accepts(shard, one.now()), undefined);
  const asked = one.asked.length;
  one.run(2_000);
  assert.equal(one.asked.length, asked);
});

test('a lease that was released is not resumed, though an old read shows it', () => {
  const one = oneShard();
  one.own(1);
  const heir = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].find(
    (name) => placement(['me', name], shard) === name,
  );
  assert.ok(heir);
  one.others = [{ incarnation: `${heir}.1`, name: heir, beat: 0, state: 'serving' }];
  one.run(500);
  assert.equal(one.done.at(-1), 'shard.stop');
  assert.equal(one.member.accepts(shard, one.now()), undefined);
  one.perform(one.member.told(shard, { type: 'shard.stopped', epoch: 1 }, one.now()));
  assert.ok(one.asked.includes('release'));
  one.lease = { owner: '', epoch: 1 };
  one.run(500);
  one.lease = { owner: 'me.1', epoch: 1 };
  one.run(1_000);
  assert.equal(one.done.at(-1), 'poke');
  one.lease = { owner: 'me.1', epoch: 2 };
  one.run(500);
  assert.equal(one.done.filter((effect) => effect === 'shard.load').length, 2);
});

test('a release without an answer is repeated until the lease is seen to be gone', () => {
  const one = oneShard();
  one.others = [{ incarnation: 'other.1', name: 'other', beat: 0, state: 'serving' }];
  one.own(1);
  one.perform(one.member.drain(one.now()));
  one.isAnswering = false;
  one.perform(one.member.told(shard, { type: 'shard.stopped', epoch: 1 }, one.now()));
  one.run(3_000);
  one.isAnswering = true;
  one.run(3_000);
  assert.ok(one.asked.filter((type) => type === 'release').length >= 1);
  assert.equal(one.member.status, 'joined');
  one.lease = { owner: 'other.1', epoch: 2 };
  one.run(2_000);
  assert.equal(one.member.status, 'left');
});

test('an old read takes no shard away, a newer epoch does', () => {
  const one = oneShard();
  one.own(5);
  one.lease = { owner: 'other.1', epoch: 4 };
  one.run(500);
  assert.equal(one.member.accepts(shard, one.now()), 5);
  one.lease = { owner: 'other.1', epoch: 6 };
  one.run(500);
  assert.equal(one.member.accepts(shard, one.now()), undefined);
  assert.equal(one.done.at(-1), 'shard.drop');
});

test('an owner without a record of a member is declared dead before its shard is taken', () => {
  const one = oneShard();
  one.lease = { owner: 'nobody.1', epoch: 3 };
  one.run(memberPatienceMs - 500);
  assert.ok(!one.asked.includes('declareDead') && !one.asked.includes('claim'));
  one.run(2_000);
  assert.ok(one.asked.includes('declareDead') && !one.asked.includes('claim'));
  one.others = [{ incarnation: 'nobody.1', name: '', beat: -1, state: 'dead' }];
  one.run(500);
  assert.ok(one.asked.includes('claim'));
});

test('while the store does not answer nobody is declared dead', () => {
  const one = oneShard();
  one.others = [{ incarnation: 'other.1', name: 'other', beat: 7, state: 'serving' }];
  one.run(2_000);
  one.isAnswering = false;
  one.run(60_000);
  one.isAnswering = true;
  one.run(1_000);
  assert.ok(!one.asked.includes('declareDead'));
});
