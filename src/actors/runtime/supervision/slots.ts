// The children of one supervisor, in order of start. An actor's id is in the registry exactly as long as a slot answers
// for it: entering and leaving both happen here.

import type { ActorId } from '../contract.ts';
import type { Addressee } from '../registry.ts';
import type { RuntimeServices } from '../runtime-services.ts';
import type { Child } from './child.ts';
import { comesBack } from './restart-rule.ts';
import { type ChildState, emptySlot, forgive, type Slot, stateOf } from './slot.ts';

export type ChildCounts = Readonly<Record<ChildState | 'total', number>>;

export class Slots {
  readonly #parts: Pick<RuntimeServices, 'registry' | 'deadlines'>;
  readonly #slots = new Map<ActorId, Slot>();

  constructor(parts: Pick<RuntimeServices, 'registry' | 'deadlines'>) {
    this.#parts = parts;
  }

  get size(): number {
    return this.#slots.size;
  }
  get(id: ActorId): Slot | undefined {
    return this.#slots.get(id);
  }
  /** As of now: safe to walk while slots come and go. */
  all(): readonly Slot[] {
    return [...this.#slots.values()];
  }
  children(): readonly Child[] {
    return this.all().map((slot) => slot.child);
  }
  /** The slot of this very child; undefined when it was removed, or another has its id now. */
  of(child: Child): Slot | undefined {
    const slot = this.#slots.get(child.id);
    return slot?.child === child ? slot : undefined;
  }

  addActor(actor: Child & Addressee): Slot {
    this.#parts.registry.add(actor);
    return this.addSupervisor(actor);
  }
  addSupervisor(child: Child): Slot {
    const slot = emptySlot(child);
    this.#slots.set(child.id, slot);
    return slot;
  }

  /** Its id is refused dead letters from now on; the child itself may still be on its way out. */
  unregister(slot: Slot): void {
    if (slot.child.kind === 'actor') this.#parts.registry.remove(slot.child.id);
  }
  unregisterAll(): void {
    for (const slot of this.#slots.values()) this.unregister(slot);
  }

  /** It is gone already. */
  forget(slot: Slot): void {
    this.#slots.delete(slot.child.id);
  }

  /** It is down and will not come back. */
  remove(slot: Slot): void {
    this.cancelRetry(slot);
    this.unregister(slot);
    this.forget(slot);
    slot.child.retire();
  }
  removeAll(): void {
    for (const slot of this.all()) this.remove(slot);
  }
  /** Of those that went down with their supervisor, temporary ones and those asked to stop do not come back. */
  removeTemporary(): void {
    for (const slot of this.all()) {
      if (slot.leaving || slot.child.phase === 'gone') this.forget(slot);
      else if (!comesBack(slot.child.restart)) this.remove(slot);
    }
  }

  forgiveAll(): void {
    for (const slot of this.#slots.values()) forgive(slot);
  }

  retryIn(slot: Slot, delayMs: number, due: () => void): void {
    this.cancelRetry(slot);
    slot.retry = this.#parts.deadlines.after(delayMs, due);
  }
  cancelRetry(slot: Slot): void {
    if (slot.retry !== undefined) this.#parts.deadlines.disarm(slot.retry);
    slot.retry = undefined;
  }
  cancelRetries(): void {
    for (const slot of this.#slots.values()) this.cancelRetry(slot);
  }

  counts(): ChildCounts {
    const counts = { total: 0, starting: 0, up: 0, halting: 0, gone: 0, backingOff: 0, quarantined: 0 };
    for (const slot of this.#slots.values()) {
      counts.total += 1;
      counts[stateOf(slot)] += 1;
    }
    return counts;
  }
}
