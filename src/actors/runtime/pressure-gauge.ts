// Turns a depth into one bit with a memory: high from the high-water mark on, low again only at the low-water mark.
// Edges listen to it and stop reading while it is high.

export class PressureGauge {
  readonly #highWater: number;
  readonly #lowWater: number;
  readonly #onFault: (error: unknown) => void;
  readonly #listeners = new Set<(high: boolean) => void>();
  #high = false;

  constructor(highWater: number, lowWater: number, onFault: (error: unknown) => void) {
    this.#highWater = highWater;
    this.#lowWater = lowWater;
    this.#onFault = onFault;
  }

  get high(): boolean {
    return this.#high;
  }

  listen(listener: (high: boolean) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  note(depth: number): void {
    if (this.#high ? depth > this.#lowWater : depth < this.#highWater) return;
    this.#high = !this.#high;
    for (const listener of this.#listeners) {
      try {
        listener(this.#high);
      } catch (error) {
        this.#onFault(error);
      }
    }
  }
}
