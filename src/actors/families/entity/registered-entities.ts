// The entities that are registered: they are what proxy checks choose among. Those with a write under way already take a place
// under the limit, so that many new ones at once can't exceed it; people are shown only those that are committed.
import type { Entity } from '../../../model/entity.ts';
import { entityKey } from '../../../model/names.ts';
import { platformNamespace } from '../../platform/platform-events.ts';

export class RegisteredEntities {
  readonly #keys = new Set<string>();
  readonly #committed = new Set<string>();

  /** Places taken under the limit, writes under way included. */
  get taken(): number {
    return this.#keys.size;
  }

  /** As committed. */
  get size(): number {
    return this.#committed.size;
  }

  has(namespace: string, name: string): boolean {
    return this.#keys.has(entityKey(namespace, name));
  }

  /** The platform's own entities are not what anybody pays for. */
  add(namespace: string, name: string): void {
    if (namespace !== platformNamespace) this.#keys.add(entityKey(namespace, name));
  }

  delete(namespace: string, name: string): void {
    this.#keys.delete(entityKey(namespace, name));
  }

  /** The record of a new entity was refused: it gives its place back. One that is in the store keeps it. */
  takeBack(namespace: string, name: string): void {
    if (!this.#committed.has(entityKey(namespace, name))) this.delete(namespace, name);
  }

  /** Told of every record in the store, and of every commit. */
  noteCommitted(key: string, isStored: boolean): void {
    if (!isStored) this.#committed.delete(key);
    else if (!key.startsWith(entityKey(platformNamespace, ''))) this.#committed.add(key);
  }

  /** Those of one namespace, in order of their names, as every backend sees them. */
  list(namespace: string, find: (namespace: string, name: string) => Entity | undefined): readonly Entity[] {
    const prefix = entityKey(namespace, '');
    const names = [...this.#keys]
      .filter((key) => key.startsWith(prefix))
      .map((key) => key.slice(prefix.length));
    return names.sort().flatMap((name) => find(namespace, name) ?? []);
  }
}
