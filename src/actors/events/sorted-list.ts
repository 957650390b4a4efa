// A list that stays in order while items come and go: chunks of a few hundred, found by halving. Adding and removing move
// one chunk only, so that fifty thousand items cost no more to keep in order than a few hundred.

const splitAt = 512;

export type Compare<TPosition> = (a: TPosition, b: TPosition) => number;

/** `TPosition` is what the order looks at; no two items may stand at the same position. */
export class SortedList<TItem extends TPosition, TPosition = TItem> {
  readonly #compare: Compare<TPosition>;
  #chunks: TItem[][] = [];
  #size = 0;

  constructor(compare: Compare<TPosition>) {
    this.#compare = compare;
  }

  get size(): number {
    return this.#size;
  }

  add(item: TItem): void {
    this.#size += 1;
    const at = Math.min(this.#chunkOf(item), this.#chunks.length - 1);
    const chunk = this.#chunks[at];
    if (chunk === undefined) {
      this.#chunks.push([item]);
      return;
    }
    chunk.splice(this.#placeIn(chunk, item), 0, item);
    if (chunk.length > splitAt) this.#chunks.splice(at + 1, 0, chunk.splice(splitAt / 2));
  }

  /** False when nothing stands at the item's position. An item must be removed before its position changes. */
  remove(item: TItem): boolean {
    const at = this.#chunkOf(item);
    const chunk = this.#chunks[at];
    if (chunk === undefined) return false;
    const place = this.#placeIn(chunk, item);
    const found = chunk[place];
    if (found === undefined || this.#compare(found, item) !== 0) return false;
    chunk.splice(place, 1);
    if (chunk.length === 0) this.#chunks.splice(at, 1);
    this.#size -= 1;
    return true;
  }

  /** From the first item at or past a position, in order. The list must not change before the walk is over. */
  *from(position: TPosition | undefined): Iterable<TItem> {
    const first = position === undefined ? 0 : this.#chunkOf(position);
    for (let at = first; at < this.#chunks.length; at += 1) {
      const chunk = this.#chunks[at] as TItem[];
      const start = at === first && position !== undefined ? this.#placeIn(chunk, position) : 0;
      for (let place = start; place < chunk.length; place += 1) yield chunk[place] as TItem;
    }
  }

  /** The first chunk whose last item is at or past the position; one past the end when there is none. */
  #chunkOf(position: TPosition): number {
    let [low, high] = [0, this.#chunks.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#compare(this.#chunks[middle]?.at(-1) as TItem, position) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** The place of the first item at or past the position. */
  #placeIn(chunk: readonly TItem[], position: TPosition): number {
    let [low, high] = [0, chunk.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#compare(chunk[middle] as TItem, position) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** Several ordered lists as one. Takes one item of each list ahead. */
export function* mergeSorted<TItem>(
  lists: readonly Iterable<TItem>[],
  compare: Compare<TItem>,
): Generator<TItem, undefined> {
  const heads = lists.flatMap((list) => {
    const rest = list[Symbol.iterator]();
    const first = rest.next();
    return first.done === true ? [] : [{ rest, item: first.value }];
  });
  while (heads.length > 0) {
    const least = heads.reduce((best, head) => (compare(head.item, best.item) < 0 ? head : best));
    yield least.item;
    const next = least.rest.next();
    if (next.done === true) heads.splice(heads.indexOf(least), 1);
    else least.item = next.value;
  }
  return undefined;
}
