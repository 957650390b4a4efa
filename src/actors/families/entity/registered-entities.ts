// The entities that are registered: they are what proxy checks choose among. Those with a write under way already take a place
// under the limit, so that many new ones at once can't exceed it; people are shown only those that are committed.
import type { Entity } from '../../../model/entity/entity.ts';
import { entityKey } from '../../../model/resource/names.ts';
import { platformNamespace } from '../../platform/platform-events.ts';

export class RegisteredEntities {
  readonly #keys = new Set<string>();
  readonly #committed = new Set<string>();
  /** Places held for entities whose actors have not heard of them yet, by how many messages hold them. */
  readonly #held = new Map<string, number>();
  /** Of those the ones that have no place otherwise. */
  #onlyHeld = 0;

  /** Places taken under the limit, writes under way included. */
  get taken(): number {
    return this.#keys.size + this.#onlyHeld;
  }

  /** As committed. */
  get size(): number {
    return this.#committed.size;
  }

  has(namespace: string, name: string): boolean {
    const key = entityKey(namespace, name);
    return this.#keys.has(key) || this.#held.has(key);
  }

  /** Holds a place until its message was answered: call what this returns then, once. */
  hold(namespace: string, name: string): () => void {
    const key = entityKey(namespace, name);
    const before = this.#held.get(key) ?? 0;
    if (before === 0 && !this.#keys.has(key)) this.#onlyHeld += 1;
    this.#held.set(key, before + 1);
    return () => {
      const left = (this.#held.get(key) ?? 1) - 1;
      if (left > 0) return void this.#held.set(key, left);
      this.#held.delete(key);
      if (!this.#keys.has(key)) this.#onlyHeld -= 1;
    };
  }

  /** The platform's own entities are not what anybody pays for. */
  add(namespace: string, name: string): void {
    const key = entityKey(namespace, name);
    if (namespace === platformNamespace || this.#keys.has(key)) return;
    this.#keys.add(key);
    if (this.#held.has(key)) this.#onlyHeld -= 1;
  }

  delete(namespace: string, name: string): void {
    this.#give(entityKey(namespace, name));
  }

  /** The entity lives on another backend from now on, by its key. */
  unload(key: string): void {
    this.#give(key);
    this.#committed.delete(key);
  }

  #give(key: string): void {
    if (this.#keys.delete(key) && this.#held.has(key)) this.#onlyHeld += 1;
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
