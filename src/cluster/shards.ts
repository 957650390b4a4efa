// What a cluster divides between its backends, and who should own which part. A shard holds everything about the entities
// (and the check definitions) whose key hashes to its number. Who should own a shard follows from the names of the members
// alone, by rendezvous hashing, so backends that see the same members agree without talking, and a member that joins or
// leaves moves its own share only.
import { shardCount } from './limits.ts';

/**
 * 32 bits: FNV-1a over the UTF-8 bytes, then the finalizer of MurmurHash3, since the low bits of FNV-1a alone are poor for
 * short keys. Part of the format of a database, as `shardCount` is: test/cluster/shards.test.ts holds its vectors.
 */
export const stableHash = (text: string): number => {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit > 0x7f) return finalized(hashedBytes(Buffer.from(text)));
    hash = Math.imul(hash ^ unit, 0x01000193);
  }
  return finalized(hash);
};

const hashedBytes = (bytes: Uint8Array): number => {
  let hash = 0x811c9dc5;
  for (const byte of bytes) hash = Math.imul(hash ^ byte, 0x01000193);
  return hash;
};

const finalized = (hash: number): number => {
  let mixed = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
};

/** The shard of an entity or of a check definition by its key, `namespace/name`: 0 to 255. */
export const shardOfKey = (key: string): number => stableHash(key) % shardCount;

/** The shard of an entity or of a check definition: 0 to 255. */
export const shardOf = (namespace: string, name: string): number => shardOfKey(`${namespace}/${name}`);

/** The member that should own a shard, whatever the order of the names; undefined without members. */
export const placement = (members: readonly string[], shard: number): string | undefined => {
  let best: string | undefined;
  let bestWeight = -1;
  for (const member of members) {
    const weight = stableHash(`${member}#${shard}`);
    if (weight < bestWeight || (weight === bestWeight && best !== undefined && member > best)) continue;
    best = member;
    bestWeight = weight;
  }
  return best;
};
