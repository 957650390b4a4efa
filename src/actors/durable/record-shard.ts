// To which shard a record belongs: all records of an entity to that of the entity, all records of a check definition to that of
// the definition. Configuration belongs to none: every backend holds it whole.
import { shardOfKey } from '../../cluster/shards.ts';
import type { RecordKind } from '../../store/snapshot-store.ts';

/**
 * What a cluster has once belongs to the backend that owns this shard: clients of the earlier generation with the brokers they
 * use, and what every start of a backend brings to the configuration.
 */
export const onceShard = 0;

/** Kinds with records that belong to shards. */
export const shardedKinds = [
  'entity',
  'check',
  'delivery',
  'schedule',
  'silence',
  'client',
  'system',
] as const satisfies readonly RecordKind[];

const jobPrefix = 'job/';
const asideForm = /^aside\/([a-z]+)\/(.+)$/;
/** An announcement names the shard that its writer gave it; those of a single backend name none. */
const announcementForm = /^announcement\/(?:(\d{1,3})-)?/;

/** The part of a key up to the second slash. */
const firstTwo = (key: string): string => {
  const end = key.indexOf('/', key.indexOf('/') + 1);
  return end < 0 ? key : key.slice(0, end);
};

/** 0 to 255; undefined when the record belongs to no shard. */
export const shardOfRecord = (kind: RecordKind, key: string): number | undefined => {
  switch (kind) {
    case 'entity':
    case 'schedule':
    case 'silence':
      return shardOfKey(key);
    case 'check':
    case 'delivery':
      return shardOfKey(firstTwo(key));
    case 'client':
      return onceShard;
    case 'system':
      return shardOfSystemRecord(key);
    default:
      return undefined;
  }
};

const shardOfSystemRecord = (key: string): number | undefined => {
  if (key.startsWith(jobPrefix)) return shardOfKey(key.slice(jobPrefix.length));
  const announcement = announcementForm.exec(key);
  if (announcement !== null) return announcement[1] === undefined ? shardOfKey(key) : Number(announcement[1]);
  const [, kind, aside] = asideForm.exec(key) ?? [];
  return kind === undefined || aside === undefined ? undefined : shardOfRecord(kind as RecordKind, aside);
};
