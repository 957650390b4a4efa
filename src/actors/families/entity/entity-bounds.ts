// Whether an entity may hold one more event: so many checks, and so many bytes. What exists goes on being updated.
import { MonError } from '../../../model/errors.ts';
import type { CheckEvent } from '../../../model/event/event.ts';
import { eventSize } from '../../../model/event/event-size.ts';
import { keepaliveCheckName } from '../../../model/resource/names.ts';
import type { EntityTree } from './entity-tree.ts';
import type { HeldEvents } from './held-events.ts';
import { type EntityBounds, largeEventBytes } from './limits.ts';

export interface BoundsPorts {
  readonly bounds: EntityBounds;
  readonly tree: Pick<EntityTree, 'checkCount'>;
  readonly held: Pick<HeldEvents, 'bytesWith'>;
}

export class EntityGate {
  readonly #ports: BoundsPorts;
  #refused = 0;

  constructor(ports: BoundsPorts) {
    this.#ports = ports;
  }

  /** Events refused since the start because their entity holds all it may. */
  get refused(): number {
    return this.#refused;
  }

  /** Why a check that has no actor yet can't get one, or null. */
  newCheckRefusal(namespace: string, entity: string, check: string): MonError | null {
    const { bounds, tree } = this.#ports;
    const { maxChecks } = bounds;
    if (maxChecks === 0 || check === keepaliveCheckName || tree.checkCount(namespace, entity) < maxChecks)
      return null;
    return this.#refuse(
      `entity ${entity} has ${maxChecks} checks, the most it may have, so ${check} is not added: delete events it no longer needs, report under another entity, or raise --max-checks-per-entity`,
    );
  }

  /** Why an event that speaks of this entity is too much for it, or null. */
  sizeRefusal(namespace: string, entity: string, event: CheckEvent): MonError | null {
    const { bounds, held } = this.#ports;
    const size = eventSize(event);
    if (size < largeEventBytes || bounds.maxBytes === 0) return null;
    const bytes = held.bytesWith(namespace, entity, event.check.metadata.name, size);
    if (bytes <= bounds.maxBytes) return null;
    return this.#refuse(
      `the last events of entity ${entity} would take ${bytes} bytes with this one, at most ${bounds.maxBytes} are kept: limit the output of its checks (max_output_size), or raise --max-entity-bytes`,
    );
  }

  #refuse(why: string): MonError {
    this.#refused += 1;
    return new MonError('invalid', why);
  }
}
