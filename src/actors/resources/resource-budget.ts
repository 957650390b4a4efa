// What all resources take: how many of a kind, and how many bytes. What exists can always be read and deleted, and be changed
// into something that is no larger. A write takes its place before its commit, so that many at once can't exceed the limits.
import { MonError } from '../../model/errors.ts';
import { maxResourceBytes, maxResourcesPerKind } from './limits.ts';

export interface ResourceBounds {
  readonly maxPerKind: number;
  readonly maxBytes: number;
}

export const resourceBounds: ResourceBounds = {
  maxPerKind: maxResourcesPerKind,
  maxBytes: maxResourceBytes,
};

export class ResourceBudget {
  readonly #bounds: ResourceBounds;
  readonly #sizes = new Map<string, number>();
  /** New resources whose commit is under way, by kind. */
  readonly #arriving = new Map<string, number>();
  #bytes = 0;

  constructor(bounds: ResourceBounds) {
    this.#bounds = bounds;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get count(): number {
    return this.#sizes.size;
  }

  /**
   * Takes the place of a resource that is about to be committed. Throws `invalid` when there is no room. `kept`: how many of
   * the kind there are. Call what it returns when the commit has ended; a write that failed gives its place back.
   */
  take(segment: string, key: string, size: number, kept: number): (isKept: boolean) => void {
    const { maxPerKind, maxBytes } = this.#bounds;
    const before = this.#sizes.get(key);
    const arriving = this.#arriving.get(segment) ?? 0;
    if (before === undefined && kept + arriving >= maxPerKind)
      throw new MonError(
        'invalid',
        `there are ${maxPerKind} ${segment} already, the most there may be: delete some that are no longer needed`,
      );
    if (size > (before ?? 0) && this.#bytes - (before ?? 0) + size > maxBytes)
      throw new MonError(
        'invalid',
        `all resources together would take more than ${maxBytes} bytes: delete some that are no longer needed`,
      );
    this.set(key, size);
    if (before === undefined) this.#arriving.set(segment, arriving + 1);
    return (isKept) => {
      if (before === undefined) this.#arriving.set(segment, (this.#arriving.get(segment) ?? 1) - 1);
      if (isKept) return;
      if (before === undefined) this.delete(key);
      else this.set(key, before);
    };
  }

  set(key: string, size: number): void {
    this.#bytes += size - (this.#sizes.get(key) ?? 0);
    this.#sizes.set(key, size);
  }

  delete(key: string): void {
    this.#bytes -= this.#sizes.get(key) ?? 0;
    this.#sizes.delete(key);
  }
}
