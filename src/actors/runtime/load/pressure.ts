// Pressure: whether more comes in than can be written or delivered. Edges stop reading while it is high.

export class Pressure {
  readonly #sources: readonly (() => boolean)[];
  readonly #listeners = new Set<(high: boolean) => void>();
  #told = false;

  constructor(sources: readonly (() => boolean)[]) {
    this.#sources = sources;
  }

  get high(): boolean {
    return this.#sources.some((isHigh) => isHigh());
  }

  onChange(listener: (high: boolean) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** To be called when a source may have changed. */
  look(): void {
    const { high } = this;
    if (high === this.#told) return;
    this.#told = high;
    for (const listener of this.#listeners) listener(high);
  }
}
