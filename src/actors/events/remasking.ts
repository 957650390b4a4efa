// Marks what depends on events that changed, a few at a time: a router may have ten thousand dependents. What changes meanwhile
// is seen to in another pass, so that in the end every event carries the masks of the last change.
import type { EventEntry } from './event-entry.ts';
import { searchBatch, searchTurnMs } from './limits.ts';

export interface RemaskingPorts {
  readonly dependents: (key: string) => ReadonlySet<string>;
  /** Marks one event; those whose number of masked events changed are added to `touched`. */
  readonly mark: (key: string, touched: Set<EventEntry>) => void;
  readonly touch: (entry: EventEntry) => void;
  readonly onFault: (error: unknown) => void;
}

interface Pass {
  /** Events whose dependents are still to be marked. */
  readonly changed: Set<string>;
  done: Promise<void>;
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

export class Remasking {
  readonly #ports: RemaskingPorts;
  readonly #passes = new Map<string, Pass>();

  constructor(ports: RemaskingPorts) {
    this.#ports = ports;
  }

  /** An event went down, came up, appeared, is gone, or depends on others than before. */
  begin(namespace: string, key: string): void {
    if (this.#ports.dependents(key).size === 0) return;
    const known = this.#passes.get(namespace);
    if (known !== undefined) {
      known.changed.add(key);
      return;
    }
    const pass: Pass = { changed: new Set([key]), done: Promise.resolve() };
    this.#passes.set(namespace, pass);
    pass.done = this.#run(namespace, pass).catch(this.#ports.onFault);
  }

  /** Resolves when everything is marked that changed until now, in these namespaces. */
  async settled(concerns: (namespace: string) => boolean): Promise<void> {
    for (const [namespace, { done }] of [...this.#passes]) if (concerns(namespace)) await done;
  }

  async #run(namespace: string, { changed }: Pass): Promise<void> {
    try {
      while (changed.size > 0) {
        // Events often change together: all of a turn are seen to at once.
        await turn();
        const queue = [...changed];
        changed.clear();
        await this.#markBelow(queue);
      }
    } finally {
      // Not later: what changes from now on needs a pass of its own.
      this.#passes.delete(namespace);
    }
  }

  /** Breadth first, each event once. */
  async #markBelow(queue: string[]): Promise<void> {
    const { dependents, mark, touch } = this.#ports;
    const seen = new Set(queue);
    const touched = new Set<EventEntry>();
    const tell = (): void => {
      for (const entry of touched) touch(entry);
      touched.clear();
    };
    let untilMs = performance.now() + searchTurnMs;
    let count = 0;
    for (const key of queue) {
      for (const dependent of dependents(key)) {
        if (seen.has(dependent)) continue;
        seen.add(dependent);
        queue.push(dependent);
      }
      mark(key, touched);
      count += 1;
      if (count % searchBatch > 0 || performance.now() < untilMs) continue;
      tell();
      await turn();
      untilMs = performance.now() + searchTurnMs;
    }
    tell();
  }
}
