// How much waits to be delivered, in all: the events that wait behind another delivery of their check. One that is delivered
// at once is not counted, as it is not measured.
import type { DeliveryChanges, PendingDelivery } from '../../machines/check/check-facts.ts';

export class WaitingBytes {
  /** By key of the check, then by number of the delivery. */
  readonly #byCheck = new Map<string, Map<number, number>>();
  #total = 0;

  get total(): number {
    return this.#total;
  }

  /** A life of the check begins with these. */
  begin(check: string, pending: readonly PendingDelivery[]): void {
    this.forget(check);
    for (const { seq, bytes } of pending) this.#add(check, seq, bytes);
  }

  change(check: string, { added, finished, dropped }: DeliveryChanges): void {
    for (const { seq, bytes } of added) this.#add(check, seq, bytes);
    for (const seq of finished) this.#remove(check, seq);
    for (const seq of dropped) this.#remove(check, seq);
  }

  forget(check: string): void {
    for (const bytes of this.#byCheck.get(check)?.values() ?? []) this.#total -= bytes;
    this.#byCheck.delete(check);
  }

  #add(check: string, seq: number, bytes: number): void {
    if (bytes === 0) return;
    this.#remove(check, seq);
    const waiting = this.#byCheck.get(check) ?? new Map<number, number>();
    if (waiting.size === 0) this.#byCheck.set(check, waiting);
    waiting.set(seq, bytes);
    this.#total += bytes;
  }

  #remove(check: string, seq: number): void {
    const waiting = this.#byCheck.get(check);
    const bytes = waiting?.get(seq);
    if (waiting === undefined || bytes === undefined) return;
    this.#total -= bytes;
    waiting.delete(seq);
    if (waiting.size === 0) this.#byCheck.delete(check);
  }
}
