// All resources of one kind in memory, found by namespace and name, listed in order, a page at a time.
import type { ListQuery, Resource, ResourcePage } from './resource.ts';

const keyOf = (namespace: string, name: string): string => `${namespace}/${name}`;

/** Index of the first key that is not before `prefix` and comes after `after`. */
const firstAfter = (sorted: readonly string[], prefix: string, after: string | undefined): number => {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const key = sorted[middle] ?? '';
    if (key < prefix || (after !== undefined && key <= after)) low = middle + 1;
    else high = middle;
  }
  return low;
};

export class ResourceStore {
  readonly #byKey = new Map<string, Resource>();
  /** Keys in order; null after a key came or went. */
  #sorted: string[] | null = null;

  get size(): number {
    return this.#byKey.size;
  }

  get(namespace: string, name: string): Resource | undefined {
    return this.#byKey.get(keyOf(namespace, name));
  }

  set(namespace: string, name: string, resource: Resource): void {
    const key = keyOf(namespace, name);
    if (!this.#byKey.has(key)) this.#sorted = null;
    this.#byKey.set(key, resource);
  }

  delete(namespace: string, name: string): void {
    if (this.#byKey.delete(keyOf(namespace, name))) this.#sorted = null;
  }

  /** Names in a namespace, in no order. */
  *namesIn(namespace: string): Iterable<string> {
    const prefix = keyOf(namespace, '');
    for (const key of this.#byKey.keys()) if (key.startsWith(prefix)) yield key.slice(prefix.length);
  }

  /** Reads on until `limit` matching resources are found and one more is seen. */
  list(query: ListQuery): ResourcePage {
    this.#sorted ??= [...this.#byKey.keys()].sort();
    const sorted = this.#sorted;
    const prefix = query.namespace === undefined ? '' : keyOf(query.namespace, '');
    const items: Resource[] = [];
    let last = '';
    for (let i = firstAfter(sorted, prefix, query.after); i < sorted.length; i += 1) {
      const key = sorted[i] ?? '';
      if (!key.startsWith(prefix)) break;
      const resource = this.#byKey.get(key);
      if (resource === undefined || query.filter?.(resource) === false) continue;
      if (items.length === query.limit) return { items, next: last };
      items.push(resource);
      last = key;
    }
    return { items };
  }
}
