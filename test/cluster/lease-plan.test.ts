// What a member does about the leases it has read.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Holding, type LeaseView, planLeases } from '../../src/cluster/lease-plan.ts';
import type { ClusterMember } from '../../src/cluster/lease-store.ts';
import { shardCount, shardMovesAtOnce, shardTakesAtOnce } from '../../src/cluster/limits.ts';
import { placement } from '../../src/cluster/shards.ts';

const member = (incarnation: string, state: ClusterMember['state'] = 'serving'): ClusterMember => ({
  incarnation,
  name: incarnation.replace(/\.\d+$/, ''),
  beat: 1,
  state,
});

const viewOf = (
  members: readonly ClusterMember[],
  owner: string,
  holding: Holding,
  rest: Partial<LeaseView> = {},
): LeaseView => ({
  incarnation: 'b1.1',
  isDraining: false,
  members,
  isQuiet: () => false,
  leases: Array.from({ length: shardCount }, (_, shard) => ({ shard, owner, epoch: owner === '' ? 0 : 1 })),
  holdings: new Array<Holding>(shardCount).fill(holding),
  ...rest,
});

const all = [member('b1.1'), member('b2.1')];
const share = (name: string) =>
  Array.from({ length: shardCount }, (_, shard) => shard).filter(
    (shard) => placement(['b1', 'b2'], shard) === name,
  );

test('claims its share of what nobody owns, so many at once', () => {
  const { claims } = planLeases(viewOf(all, '', 'foreign'));
  assert.deepEqual(
    claims.map(({ shard }) => shard),
    share('b1').slice(0, shardTakesAtOnce),
  );
  const busy = viewOf(all, '', 'foreign').holdings.with(share('b1')[0] ?? 0, 'loading');
  assert.equal(
    planLeases(viewOf(all, '', 'foreign', { holdings: busy })).claims.length,
    shardTakesAtOnce - 1,
  );
});

test('claims nothing from a member that is not declared dead', () => {
  const others = [member('b1.1'), member('b2.1'), member('b3.1', 'draining')];
  assert.deepEqual(planLeases(viewOf(others, 'b3.1', 'foreign')).claims, []);
  assert.deepEqual(planLeases(viewOf(all, 'unknown.1', 'foreign')).claims, []);
  const dead = [member('b1.1'), member('b2.1'), member('b3.1', 'dead')];
  assert.equal(planLeases(viewOf(dead, 'b3.1', 'foreign')).claims.length, shardTakesAtOnce);
});

test('hands over what another should own, so many at once, and everything when it drains', () => {
  assert.deepEqual(planLeases(viewOf(all, 'b1.1', 'owned')).unwanted, share('b2').slice(0, shardMovesAtOnce));
  assert.equal(planLeases(viewOf(all, 'b1.1', 'owned', { isDraining: true })).unwanted.length, shardCount);
  assert.deepEqual(planLeases(viewOf([member('b1.1')], 'b1.1', 'owned')).unwanted, []);
});

test('hands nothing to a member whose beat does not move', () => {
  const view = viewOf(all, 'b1.1', 'owned', { isQuiet: (incarnation) => incarnation === 'b2.1' });
  assert.deepEqual(planLeases(view).unwanted, []);
});

test('of two incarnations with one name the share goes to the one that lives', () => {
  const twins = [member('b1.1'), member('b1.0'), member('b2.1')];
  assert.deepEqual(planLeases(viewOf(twins, '', 'foreign')).claims, []);
  const view = viewOf(twins, '', 'foreign', { isQuiet: (incarnation) => incarnation === 'b1.0' });
  assert.equal(planLeases(view).claims.length, shardTakesAtOnce);
});
