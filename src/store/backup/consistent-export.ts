// Consistent export of a store during writes: the result is the content at one point in time. It works on every kind of store,
// since it only requires that all writes pass through this module.
//
// First every record is read once, in order of kind and key. Keys that are written in the meantime are recorded when their
// commit ends, and read again in rounds, which get shorter as long as reading is faster than writing. The last round holds
// commits for a few milliseconds while it reads the remaining keys: that is the point in time of the export. For a key that
// occurs several times, the last occurrence is valid.
import type { Examined, ExaminedStore } from '../maintained-store.ts';
import {
  type RecordKind,
  recordKinds,
  type SnapshotStore,
  type StoredRecord,
  StoreError,
} from '../snapshot-store.ts';
import { maxExportRounds, maxHeldBytes, maxHeldKeys, maxNotedKeys } from './limits.ts';

export type ExportItem =
  | {
      readonly type: 'record';
      readonly kind: RecordKind;
      readonly key: string;
      readonly record: StoredRecord;
    }
  | {
      readonly type: 'unreadable';
      readonly kind: RecordKind;
      readonly key: string;
      readonly fault: string;
    }
  /** After this item, earlier keys may occur again. */
  | { readonly type: 'changes' }
  | { readonly type: 'gone'; readonly kind: RecordKind; readonly key: string };

export interface ExportLimits {
  readonly maxHeldKeys: number;
  readonly maxHeldBytes: number;
  readonly maxRounds: number;
  readonly maxNotedKeys: number;
}

const defaults: ExportLimits = { maxHeldKeys, maxHeldBytes, maxRounds: maxExportRounds, maxNotedKeys };

export interface Exportable {
  /** Use this instead of the given store. */
  readonly store: SnapshotStore;
  /** One export at a time. Throws StoreError('unavailable') if another one is running, or if writes are too fast for it. */
  export(): AsyncGenerator<ExportItem, void, void>;
}

/** Keys written since the export began, by kind. */
class Changes {
  readonly #keys = new Map<RecordKind, Set<string>>();
  readonly #max: number;
  size = 0;
  /** More keys than the limit were written, and not all are noted. */
  isIncomplete = false;

  constructor(max: number) {
    this.#max = max;
  }

  add(kind: RecordKind, key: string): void {
    if (this.size >= this.#max) {
      this.isIncomplete = true;
      this.#keys.clear();
      return;
    }
    const keys = this.#keys.get(kind) ?? new Set();
    this.#keys.set(kind, keys);
    if (!keys.has(key)) this.size += 1;
    keys.add(key);
  }

  *[Symbol.iterator](): Iterator<readonly [RecordKind, string]> {
    for (const [kind, keys] of this.#keys) for (const key of keys) yield [kind, key];
  }
}

const itemOf = (kind: RecordKind, key: string, found: Examined | undefined): ExportItem => {
  if (found === undefined) return { type: 'gone', kind, key };
  return 'record' in found
    ? { type: 'record', kind, key, record: found.record }
    : { type: 'unreadable', kind, key, fault: found.fault };
};

export const exportable = (inner: ExaminedStore, limits: ExportLimits = defaults): Exportable => {
  let changes: Changes | undefined;
  let held: Promise<void> | undefined;
  let underWay = 0;
  let onQuiet: (() => void) | undefined;

  const commit: SnapshotStore['commit'] = async (writes) => {
    while (held !== undefined) await held;
    underWay += 1;
    try {
      return await inner.commit(writes);
    } finally {
      // Also after a failure: the writes may have taken effect.
      for (const { kind, key } of writes) changes?.add(kind, key);
      underWay -= 1;
      if (underWay === 0) onQuiet?.();
    }
  };

  /** Runs while no commit is in progress and none can start. */
  const holding = async <T>(work: () => Promise<T>): Promise<T> => {
    let release: () => void = () => {};
    held = new Promise((resolve) => {
      release = () => {
        held = undefined;
        resolve();
      };
    });
    try {
      if (underWay > 0)
        await new Promise<void>((resolve) => {
          onQuiet = resolve;
        });
      return await work();
    } finally {
      onQuiet = undefined;
      release();
    }
  };

  const refuseIncomplete = (): void => {
    if (changes?.isIncomplete)
      throw new StoreError(
        'unavailable',
        `more than ${limits.maxNotedKeys} records were written during the backup; try again when there is less load, or write the file to a faster disk`,
      );
  };

  const takeChanges = (): Changes => {
    refuseIncomplete();
    const taken = changes ?? new Changes(limits.maxNotedKeys);
    changes = new Changes(limits.maxNotedKeys);
    return taken;
  };

  /** Buffered while commits are held, so that a slow reader does not block them; undefined if it exceeds the limit. */
  const readLast = async (last: Changes): Promise<readonly ExportItem[] | undefined> => {
    const items: ExportItem[] = [];
    let bytes = 0;
    for (const [kind, key] of last) {
      const item = itemOf(kind, key, await inner.examineOne(kind, key));
      items.push(item);
      if (item.type === 'record') bytes += JSON.stringify(item.record.state).length;
      if (bytes > limits.maxHeldBytes) return undefined;
    }
    return items;
  };

  /** Resolves to the last items, or undefined if another round is needed. */
  const finish = (): Promise<readonly ExportItem[] | undefined> =>
    holding(async () => {
      const last = takeChanges();
      const items = last.size > 2 * limits.maxHeldKeys ? undefined : await readLast(last);
      if (items === undefined) for (const [kind, key] of last) changes?.add(kind, key);
      return items;
    });

  async function* read(): AsyncGenerator<ExportItem, void, void> {
    for (const kind of recordKinds)
      for await (const found of inner.examine(kind)) {
        refuseIncomplete();
        yield itemOf(kind, found.key, found);
      }
    yield { type: 'changes' };
    for (let round = 0; round < limits.maxRounds; round += 1) {
      const last = (changes?.size ?? 0) <= limits.maxHeldKeys ? await finish() : undefined;
      if (last !== undefined) return yield* last;
      for (const [kind, key] of takeChanges()) yield itemOf(kind, key, await inner.examineOne(kind, key));
    }
    throw new StoreError(
      'unavailable',
      'the store is written to more quickly than it can be read; try again when there is less load',
    );
  }

  return {
    store: {
      name: inner.name,
      maxConcurrentCommits: inner.maxConcurrentCommits,
      commit,
      get: (kind, key) => inner.get(kind, key),
      scan: (kind, query) => inner.scan(kind, query),
      count: (kind, prefix) => inner.count(kind, prefix),
      quarantined: () => inner.quarantined(),
      close: () => inner.close(),
    },
    async *export() {
      if (changes !== undefined)
        throw new StoreError('unavailable', 'another backup of this store is under way; wait for its end');
      changes = new Changes(limits.maxNotedKeys);
      try {
        yield* read();
      } finally {
        changes = undefined;
      }
    },
  };
};
