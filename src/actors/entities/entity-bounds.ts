// Whether an entity may hold one more event: so many checks, and so many bytes. What exists goes on being updated.
import { MonError } from '../../model/errors.ts';
import type { CheckEvent } from '../../model/event.ts';
import { eventSize } from '../../model/event-size.ts';
import type { EntityTree } from './entity-tree.ts';
import type { HeldEvents } from './held-events.ts';
import { type EntityBounds, largeEventBytes } from './limits.ts';

export interface BoundsWorld {
  readonly bounds: EntityBounds;
  readonly tree: Pick<EntityTree, 'hasCheck' | 'checkCount'>;
  readonly held: Pick<HeldEvents, 'bytesWith'>;
}

export class EntityGate {
  readonly #world: BoundsWorld;
  #refused = 0;

  constructor(world: BoundsWorld) {
    this.#world = world;
  }

  /** Events refused since the start because their entity holds all it may. */
  get refused(): number {
    return this.#refused;
  }

  /** Why an event that speaks of this entity can't be taken, or null. */
  refusal(namespace: string, entity: string, event: CheckEvent): MonError | null {
    const check = event.check.metadata.name;
    const why =
      this.#overChecks(namespace, entity, check) ??
      this.#overBytes(namespace, entity, check, eventSize(event));
    if (why === null) return null;
    this.#refused += 1;
    return new MonError('invalid', why);
  }

  #overChecks(namespace: string, entity: string, check: string): string | null {
    const { bounds, tree } = this.#world;
    const { maxChecks } = bounds;
    if (maxChecks === 0 || tree.hasCheck(namespace, entity, check)) return null;
    if (tree.checkCount(namespace, entity) < maxChecks) return null;
    return `entity ${entity} has ${maxChecks} checks, the most it may have, so ${check} is not added: delete events it no longer needs, report under another entity, or raise --max-checks-per-entity`;
  }

  #overBytes(namespace: string, entity: string, check: string, size: number): string | null {
    const { bounds, held } = this.#world;
    if (bounds.maxBytes === 0 || size < largeEventBytes) return null;
    const bytes = held.bytesWith(namespace, entity, check, size);
    if (bytes <= bounds.maxBytes) return null;
    return `the last events of entity ${entity} would take ${bytes} bytes with this one, at most ${bounds.maxBytes} are kept: limit the output of its checks (max_output_size), or raise --max-entity-bytes`;
  }
}
