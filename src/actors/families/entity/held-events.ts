// How much the last events of each entity take, so that one sender can't fill the memory and the store. Only large events are
// counted one by one: a check's limit in number bounds the small ones.
import type { CheckEvent } from '../../../model/event/event.ts';
import { eventSize } from '../../../model/event/event-size.ts';
import { entityKey } from '../../../model/resource/names.ts';
import { largeEventBytes } from './limits.ts';

interface Held {
  bytes: number;
  readonly byCheck: Map<string, number>;
}

export class HeldEvents {
  readonly #byEntity = new Map<string, Held>();
  #bytes = 0;

  /** All large events, bytes. */
  get bytes(): number {
    return this.#bytes;
  }

  /** What an entity would hold with an event of this size in place of the last one of the check. */
  bytesWith(namespace: string, entity: string, check: string, size: number): number {
    const held = this.#byEntity.get(entityKey(namespace, entity));
    return held === undefined ? size : held.bytes - (held.byCheck.get(check) ?? 0) + size;
  }

  /** The event that is committed under this key, `namespace/entity/check`; null: there is none any more. */
  learn(key: string, event: CheckEvent | null): void {
    const size = event === null ? 0 : eventSize(event);
    // Most events are small, and most entities hold none that is not.
    if (size < largeEventBytes && this.#byEntity.size === 0) return;
    const at = key.lastIndexOf('/');
    const [entity, check] = [key.slice(0, at), key.slice(at + 1)];
    const held = this.#byEntity.get(entity);
    const before = held?.byCheck.get(check) ?? 0;
    if (size < largeEventBytes) {
      if (held === undefined || before === 0) return;
      held.byCheck.delete(check);
      held.bytes -= before;
      this.#bytes -= before;
      if (held.byCheck.size === 0) this.#byEntity.delete(entity);
      return;
    }
    const kept = held ?? { bytes: 0, byCheck: new Map() };
    kept.byCheck.set(check, size);
    kept.bytes += size - before;
    this.#bytes += size - before;
    if (held === undefined) this.#byEntity.set(entity, kept);
  }
}
