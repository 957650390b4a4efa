// Siblings that go down and come back together (one_for_all, rest_for_one): halted in reverse order of start, awaited, and
// due again after one back-off. A sibling that fails while they are down joins them, and all wait for the same restart.
import type { Deadline, Deadlines } from '../time/deadlines.ts';
import { haltInOrder } from './halting.ts';
import { comesBack } from './restart-rule.ts';
import type { Slot } from './slot.ts';
import type { Slots } from './slots.ts';

export interface SiblingRestartHome {
  readonly slots: Slots;
  readonly deadlines: Deadlines;
  /** `round` tells the current restart from an earlier one that has grown since. */
  readonly tell: (event: { readonly type: 'group.halted' | 'group.due'; readonly round: number }) => void;
}

export class SiblingRestart {
  readonly #home: SiblingRestartHome;
  #members = new Set<Slot>();
  #delayMs = 0;
  #round = 0;
  #timer: Deadline | undefined;

  constructor(home: SiblingRestartHome) {
    this.#home = home;
  }

  /** Whether it is down with its siblings and comes back with them. */
  awaits(slot: Slot): boolean {
    return this.#members.has(slot);
  }

  takeDown(slots: readonly Slot[], delayMs: number): void {
    this.#cancelTimer();
    this.#members = new Set([...this.#members, ...slots]);
    this.#delayMs = Math.max(this.#delayMs, delayMs);
    this.#round += 1;
    const round = this.#round;
    const { deadlines, tell } = this.#home;
    const up = this.#inOrder().filter((slot) => slot.child.phase !== 'down');
    haltInOrder(
      up.map((slot) => slot.child),
      { keepMail: true, parallel: false, deadlines },
      () => tell({ type: 'group.halted', round }),
    );
  }

  /** All are down: temporary ones leave, the others wait for their restart. */
  halted(round: number): void {
    if (round !== this.#round) return;
    const { slots, deadlines, tell } = this.#home;
    for (const slot of this.#members) if (!comesBack(slot.child.restart)) slots.remove(slot);
    this.#timer = deadlines.after(this.#delayMs, () => tell({ type: 'group.due', round }));
  }

  /** Those to start again, in order; undefined when this round was overtaken. */
  due(round: number): readonly Slot[] | undefined {
    if (round !== this.#round) return undefined;
    const slots = this.#inOrder();
    this.cancel();
    return slots;
  }

  cancel(): void {
    this.#cancelTimer();
    this.#members = new Set();
    this.#delayMs = 0;
    this.#round += 1;
  }

  #cancelTimer(): void {
    if (this.#timer !== undefined) this.#home.deadlines.disarm(this.#timer);
    this.#timer = undefined;
  }

  #inOrder(): readonly Slot[] {
    return this.#home.slots.all().filter((slot) => this.#members.has(slot) && !slot.leaving);
  }
}
