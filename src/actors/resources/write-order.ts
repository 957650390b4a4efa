// The order of writes: one after the other for each key, none into a namespace that is going, and no namespace goes
// while something is being written into it.
import { MonError } from '../../model/errors.ts';

export const noNamespace = (namespace: string): MonError =>
  new MonError('notFound', `the namespace ${namespace} does not exist`);

/** Work on the same key runs one after the other, whatever became of the work before. */
export class SerialQueues {
  /** The last work of every key that is in use. */
  readonly #last = new Map<string, Promise<unknown>>();

  run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(key) ?? Promise.resolve();
    const mine = before.then(work, work);
    this.#last.set(key, mine);
    const leave = (): void => {
      if (this.#last.get(key) === mine) this.#last.delete(key);
    };
    mine.then(leave, leave);
    return mine;
  }
}

export class NamespaceGate {
  readonly #writers = new Map<string, number>();
  readonly #closing = new Set<string>();
  readonly #exists: (namespace: string) => boolean;

  constructor(exists: (namespace: string) => boolean) {
    this.#exists = exists;
  }

  hasWriters(namespace: string): boolean {
    return this.#writers.has(namespace);
  }

  /** Does work inside a namespace. Rejects with `notFound` where there is none or it is going. */
  async inside<T>(namespace: string, work: () => Promise<T>): Promise<T> {
    if (namespace === '') return work();
    if (!this.#exists(namespace) || this.#closing.has(namespace)) throw noNamespace(namespace);
    this.#count(namespace, 1);
    try {
      return await work();
    } finally {
      this.#count(namespace, -1);
    }
  }

  /** Keeps writers out while work decides about the namespace and perhaps deletes it. */
  async closed<T>(namespace: string, work: () => Promise<T>): Promise<T> {
    this.#closing.add(namespace);
    try {
      return await work();
    } finally {
      this.#closing.delete(namespace);
    }
  }

  #count(namespace: string, by: 1 | -1): void {
    const now = (this.#writers.get(namespace) ?? 0) + by;
    if (now === 0) this.#writers.delete(namespace);
    else this.#writers.set(namespace, now);
  }
}
