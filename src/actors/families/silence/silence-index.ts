// The silences of now, by namespace: asked once for every event on its way in, so an empty namespace costs one lookup.
import type { Event } from '../../../model/event/event.ts';
import type { Silenced } from '../../../model/silence/silenced.ts';
import { silencedBy } from '../../../model/silence/silencing.ts';

const none: readonly string[] = [];

export class SilenceIndex {
  readonly #byNamespace = new Map<string, Map<string, Silenced>>();

  put(namespace: string, entry: Silenced): void {
    const entries = this.#byNamespace.get(namespace) ?? new Map<string, Silenced>();
    entries.set(entry.metadata.name, entry);
    this.#byNamespace.set(namespace, entries);
  }

  remove(namespace: string, name: string): void {
    const entries = this.#byNamespace.get(namespace);
    entries?.delete(name);
    if (entries?.size === 0) this.#byNamespace.delete(namespace);
  }

  has(namespace: string, name: string): boolean {
    return this.#byNamespace.get(namespace)?.has(name) === true;
  }

  /** Names of the silences that match an event at `nowSeconds`, sorted. */
  matching(event: Event, nowSeconds: number): readonly string[] {
    const namespace = event.entity.metadata.namespace;
    const entries = namespace === undefined ? undefined : this.#byNamespace.get(namespace);
    if (entries === undefined) return none;
    return silencedBy(event, [...entries.values()], nowSeconds);
  }

  /** Which of the named silences end when an incident resolves. */
  endingOnResolve(namespace: string, names: readonly string[]): readonly string[] {
    const entries = this.#byNamespace.get(namespace);
    return names.filter((name) => entries?.get(name)?.expire_on_resolve === true);
  }
}
