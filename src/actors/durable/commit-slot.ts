// What the group-commit writer knows of one key: its revision, what should be written, what is on its way, who waits.
import type { RecordKind, StoredRecord, StoreWrite, WriteOrder } from '../../store/snapshot-store.ts';
import type { Receipt } from '../runtime/contract.ts';
import type { RecordBody } from './records.ts';

/** Called when the write is about to happen, so that a key put often is encoded seldom. */
export type Encode = () => RecordBody;

/** Stands in the place of an `Encode` where the record is to be deleted. */
export const removal = Symbol('removal');
export type Due = Encode | typeof removal;

/**
 * A record that is written along with another one, its main record: in the same batch, tried again together, and refused
 * together.
 */
export type Companion =
  /** Durable no later than the main record, which may count on it. */
  | { readonly type: 'put'; readonly kind: RecordKind; readonly key: string; readonly encode: Encode }
  /** `last`: not before the main record is durable, since the stored one still counts on it. */
  | { readonly type: 'delete'; readonly kind: RecordKind; readonly key: string; readonly last: boolean };

/** This process no longer owns the key: another writer stored a newer revision. */
export class StaleOwner extends Error {
  override readonly name = 'StaleOwner';
  readonly kind: RecordKind;
  readonly key: string;
  readonly storedRev: number;
  constructor(kind: RecordKind, key: string, storedRev: number) {
    super(`no longer the owner of ${kind} ${key}: another writer stored revision ${storedRev}`);
    this.kind = kind;
    this.key = key;
    this.storedRev = storedRev;
  }
}

/** Another backend of the cluster owns the shard of the key, or nobody does. */
export class ShardElsewhere extends Error {
  override readonly name = 'ShardElsewhere';
  constructor(kind: RecordKind, key: string) {
    super(`${kind} ${key} belongs to a shard that is not on this backend`);
  }
}

export interface CommitSlot {
  readonly kind: RecordKind;
  readonly key: string;
  /** The newest revision given to a write of this key, or found in the store. */
  rev: number;
  due: Due | undefined;
  receipts: readonly Receipt[];
  writing: StoreWrite | undefined;
  writingReceipts: readonly Receipt[];
  queued: boolean;
  /** Why nothing is written under this key any more. */
  lost: StaleOwner | ShardElsewhere | undefined;
  /** Written along with this one, while they are unsettled. */
  companions: CommitSlot[] | undefined;
  /** The slot this one is written along with; it is not in the queue by itself then. */
  main: CommitSlot | undefined;
  order: WriteOrder | undefined;
}

/** Shared by all slots nobody waits for, so that an idle key costs no list. */
export const noReceipts: readonly Receipt[] = [];

const newSlot = (kind: RecordKind, key: string): CommitSlot => ({
  kind,
  key,
  rev: 0,
  due: undefined,
  receipts: noReceipts,
  writing: undefined,
  writingReceipts: noReceipts,
  queued: false,
  lost: undefined,
  companions: undefined,
  main: undefined,
  order: undefined,
});

export function addReceipt(receipts: readonly Receipt[], receipt: Receipt): readonly Receipt[] {
  if (receipts === noReceipts) return [receipt];
  (receipts as Receipt[]).push(receipt);
  return receipts;
}

function recordOf(encode: Encode, rev: number, savedAtMs: number): StoredRecord {
  const { machine, version, deadlines, state } = encode();
  return { machine, version, rev, savedAtMs, deadlines, state };
}

export const writeOf = ({ kind, key, rev, order }: CommitSlot, due: Due, savedAtMs: number): StoreWrite => {
  const write: StoreWrite =
    due === removal
      ? { type: 'delete', kind, key, rev }
      : { type: 'put', kind, key, record: recordOf(due, rev, savedAtMs) };
  return order === undefined ? write : { ...write, order };
};

/** What to write if the write on its way has to be done again and nothing newer is due. */
export function dueAgain(write: StoreWrite): Due {
  if (write.type === 'delete') return removal;
  const { record } = write;
  return () => record;
}

/** Makes a slot go with a main one from now on. */
export const attach = (companion: CommitSlot, main: CommitSlot): void => {
  if (companion.main === main) return;
  companion.main = main;
  main.companions ??= [];
  main.companions.push(companion);
};

export const detach = (companion: CommitSlot): void => {
  const { main } = companion;
  if (main === undefined) return;
  companion.main = undefined;
  companion.order = undefined;
  const left = main.companions?.filter((other) => other !== companion);
  main.companions = left?.length === 0 ? undefined : left;
};

/** The slots of a batch with those that are written along with them. */
export const wholeBatch = (batch: readonly CommitSlot[]): readonly CommitSlot[] =>
  batch.some(({ companions }) => companions !== undefined)
    ? batch.flatMap((slot) => [slot, ...(slot.companions?.filter(({ writing }) => writing) ?? [])])
    : batch;

export const isUnsettled = (slot: CommitSlot): boolean =>
  slot.due !== undefined || slot.writing !== undefined;

/** The newest form of an unsettled record; undefined when it is to be deleted. */
export function unsettledRecord({ due, writing, rev }: CommitSlot, wallMs: number): StoredRecord | undefined {
  if (due === removal) return undefined;
  if (due) return recordOf(due, rev + 1, wallMs);
  return writing?.type === 'put' ? writing.record : undefined;
}

/** The shard of a record; undefined when it belongs to none. */
export type ShardOf = (kind: RecordKind, key: string) => number | undefined;

/** The slots of all keys that were ever written, read or seeded. */
export class SlotTable {
  readonly #kinds = new Map<RecordKind, Map<string, CommitSlot>>();
  readonly #shardOf: ShardOf | undefined;
  readonly #byShard = new Map<number, Set<CommitSlot>>();

  /** With `shardOf` the slots of a shard can be found. */
  constructor(shardOf?: ShardOf) {
    this.#shardOf = shardOf;
  }

  find(kind: RecordKind, key: string): CommitSlot | undefined {
    return this.#kinds.get(kind)?.get(key);
  }

  get size(): number {
    let size = 0;
    for (const slots of this.#kinds.values()) size += slots.size;
    return size;
  }

  /** The slot of a key, made if there is none. */
  of(kind: RecordKind, key: string): CommitSlot {
    let slots = this.#kinds.get(kind);
    if (!slots) {
      slots = new Map();
      this.#kinds.set(kind, slots);
    }
    let slot = slots.get(key);
    if (!slot) {
      slot = newSlot(kind, key);
      slots.set(key, slot);
      if (this.#shardOf !== undefined) this.#addToShard(slot);
    }
    return slot;
  }

  /** Takes over a revision seen in the store, unless the key was lost: that takes an explicit seed. */
  learn(kind: RecordKind, key: string, rev: number): void {
    const slot = this.of(kind, key);
    if (!slot.lost && rev > slot.rev) slot.rev = rev;
  }

  forget(slot: CommitSlot): void {
    const slots = this.#kinds.get(slot.kind);
    // There may be another one of its key, since its shard came back.
    if (slots?.get(slot.key) !== slot) return;
    slots.delete(slot.key);
    const shard = this.#shardOf?.(slot.kind, slot.key);
    if (shard === undefined) return;
    const ofShard = this.#byShard.get(shard);
    ofShard?.delete(slot);
    if (ofShard?.size === 0) this.#byShard.delete(shard);
  }

  ofShard(shard: number): readonly CommitSlot[] {
    return [...(this.#byShard.get(shard) ?? [])];
  }

  unsettled(): CommitSlot[] {
    return [...this.#kinds.values()].flatMap((slots) => [...slots.values()]).filter(isUnsettled);
  }

  #addToShard(slot: CommitSlot): void {
    const shard = this.#shardOf?.(slot.kind, slot.key);
    if (shard === undefined) return;
    const ofShard = this.#byShard.get(shard);
    if (ofShard === undefined) this.#byShard.set(shard, new Set([slot]));
    else ofShard.add(slot);
  }
}
