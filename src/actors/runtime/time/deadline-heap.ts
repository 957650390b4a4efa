// An indexed binary min-heap of what is due when: add, move and remove in O(log n), the earliest in O(1).

export interface HeapEntry {
  dueMs: number;
  /** Breaks ties, so that equal times fire in the order they were armed. */
  seq: number;
  /** Place in the heap; -1 when not in it. Written by the heap only. */
  place: number;
}

export interface DeadlineHeap<T extends HeapEntry> {
  readonly size: number;
  first(): T | undefined;
  add(entry: T): void;
  /** After `dueMs` or `seq` of an entry in the heap was changed. */
  moved(entry: T): void;
  /** Does nothing when the entry is not in the heap. */
  remove(entry: T): void;
}

const isEarlier = (a: HeapEntry, b: HeapEntry): boolean =>
  a.dueMs < b.dueMs || (a.dueMs === b.dueMs && a.seq < b.seq);

export function createDeadlineHeap<T extends HeapEntry>(): DeadlineHeap<T> {
  const entries: T[] = [];

  const put = (entry: T, place: number): void => {
    entries[place] = entry;
    entry.place = place;
  };

  const rise = (entry: T): void => {
    let place = entry.place;
    while (place > 0) {
      const parent = entries[(place - 1) >> 1] as T;
      if (!isEarlier(entry, parent)) break;
      const above = parent.place;
      put(parent, place);
      place = above;
    }
    put(entry, place);
  };

  const sink = (entry: T): void => {
    let place = entry.place;
    for (;;) {
      const left = entries[2 * place + 1];
      if (left === undefined) break;
      const right = entries[2 * place + 2];
      const child = right !== undefined && isEarlier(right, left) ? right : left;
      if (!isEarlier(child, entry)) break;
      const below = child.place;
      put(child, place);
      place = below;
    }
    put(entry, place);
  };

  const settle = (entry: T): void => {
    rise(entry);
    sink(entry);
  };

  return {
    get size() {
      return entries.length;
    },
    first: () => entries[0],
    add(entry) {
      put(entry, entries.length);
      rise(entry);
    },
    moved: settle,
    remove(entry) {
      if (entry.place < 0) return;
      const last = entries.pop() as T;
      if (last !== entry) {
        put(last, entry.place);
        settle(last);
      }
      entry.place = -1;
    },
  };
}
