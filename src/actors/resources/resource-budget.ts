// What all resources take: how many of a kind, and how many bytes. What exists can always be read and deleted, and be changed
// into something that is no larger.
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

  /** Throws `invalid` when there is no room. `kept`: how many of the kind there are. */
  check(segment: string, key: string, size: number, kept: number): void {
    const { maxPerKind, maxBytes } = this.#bounds;
    const before = this.#sizes.get(key);
    if (before === undefined && kept >= maxPerKind)
      throw new MonError(
        'invalid',
        `there are ${maxPerKind} ${segment} already, the most there may be: delete some that are no longer needed`,
      );
    if (size > (before ?? 0) && this.#bytes - (before ?? 0) + size > maxBytes)
      throw new MonError(
        'invalid',
        `all resources together would take more than ${maxBytes} bytes: delete some that are no longer needed`,
      );
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
