// Which shard an entity belongs to, and which member should own a shard.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shardCount } from '../../src/cluster/limits.ts';
import { placement, shardOf, stableHash } from '../../src/cluster/shards.ts';
import { fc } from '../property.ts';

const shards = Array.from({ length: shardCount }, (_, shard) => shard);
const memberNames = fc.uniqueArray(fc.stringMatching(/^[a-z][a-z0-9.-]{0,20}$/), {
  minLength: 1,
  maxLength: 12,
});

test('the hash is part of the format of a database: these values never change', () => {
  const vectors = {
    '': 2_872_998_923,
    a: 444_641_715,
    'ops/日本': 2_458_869_392,
    'default/😀': 2_348_626_252,
  };
  for (const [text, hash] of Object.entries(vectors)) assert.equal(stableHash(text), hash, text);
  assert.deepEqual(
    [
      shardOf('default', 'web-01'),
      shardOf('default', 'web-02'),
      shardOf('prod', 'db.example.com'),
      shardOf('default', 'ünïcode'),
    ],
    [18, 240, 186, 123],
  );
  assert.deepEqual(
    [0, 1, 2, 3, 4, 255].map((shard) => placement(['b1', 'b2', 'b3'], shard)),
    ['b2', 'b2', 'b3', 'b2', 'b3', 'b2'],
  );
});

test('entities with numbered names spread evenly over the shards', () => {
  const counts = new Array<number>(shardCount).fill(0);
  for (let at = 0; at < 100_000; at += 1) {
    const shard = shardOf('default', `web-${at}`);
    counts[shard] = (counts[shard] ?? 0) + 1;
  }
  const mean = 100_000 / shardCount;
  for (const count of counts) assert.ok(Math.abs(count - mean) < 5 * Math.sqrt(mean), `${count}`);
});

test('placement depends on the set of members, not on their order', () => {
  fc.assert(
    fc.property(memberNames, fc.nat(shardCount - 1), (members, shard) => {
      assert.equal(placement(members, shard), placement([...members].reverse(), shard));
      assert.equal(placement(members, shard), placement([...members].sort(), shard));
    }),
  );
  assert.equal(placement([], 7), undefined);
});

test('a member that joins takes shards, and no shard moves between the others', () => {
  fc.assert(
    fc.property(memberNames, (members) => {
      const [joining = '', ...others] = members;
      for (const shard of shards) {
        const after = placement(members, shard);
        if (after !== joining) assert.equal(after, placement(others, shard));
      }
    }),
    { numRuns: 20 },
  );
});

test('members share the shards evenly', () => {
  fc.assert(
    fc.property(memberNames, (members) => {
      const mean = shardCount / members.length;
      for (const member of members) {
        const share = shards.filter((shard) => placement(members, shard) === member).length;
        assert.ok(Math.abs(share - mean) < 6 * Math.sqrt(mean), `${member} owns ${share} of ${mean}`);
      }
    }),
    { numRuns: 20 },
  );
});
