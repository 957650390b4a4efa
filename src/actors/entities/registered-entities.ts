// The entities that are registered: they count towards the limit, and they are what proxy checks choose among.
import type { Entity } from '../../model/entity.ts';
import { entityKey } from '../../model/names.ts';
import { platformNamespace } from '../platform-events.ts';

export class RegisteredEntities {
  readonly #keys = new Set<string>();

  get size(): number {
    return this.#keys.size;
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

  /** Those of one namespace, in order of their names, as every backend sees them. */
  list(namespace: string, find: (namespace: string, name: string) => Entity | undefined): readonly Entity[] {
    const prefix = entityKey(namespace, '');
    const names = [...this.#keys]
      .filter((key) => key.startsWith(prefix))
      .map((key) => key.slice(prefix.length));
    return names.sort().flatMap((name) => find(namespace, name) ?? []);
  }
}
