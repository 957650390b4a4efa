// Turns a depth into one bit with a memory: high from the high-water mark on, low again only at the low-water mark.
// Edges listen to it and stop reading while it is high.
import { Listeners } from '../listeners.ts';

export class PressureGauge {
  readonly #highWater: number;
  readonly #lowWater: number;
  readonly #listeners: Listeners<[high: boolean]>;
  #high = false;

  constructor(highWater: number, lowWater: number, onFault: (error: unknown) => void) {
    this.#highWater = highWater;
    this.#lowWater = lowWater;
    this.#listeners = new Listeners(onFault);
  }

  get high(): boolean {
    return this.#high;
  }

  listen(listener: (high: boolean) => void): () => void {
    return this.#listeners.add(listener);
  }

  note(depth: number): void {
    if (this.#high ? depth > this.#lowWater : depth < this.#highWater) return;
    this.#high = !this.#high;
    this.#listeners.tell(this.#high);
  }
}
