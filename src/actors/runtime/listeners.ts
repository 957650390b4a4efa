// Listeners. One that throws is reported, and the others are still called.

export class Listeners<TArguments extends readonly unknown[]> {
  readonly #all = new Set<{ readonly call: (...given: TArguments) => void }>();
  readonly #onFault: (error: unknown) => void;

  constructor(onFault: (error: unknown) => void) {
    this.#onFault = onFault;
  }

  get size(): number {
    return this.#all.size;
  }

  /** A function that is added twice is called twice. Returns the way to remove it. */
  add(call: (...given: TArguments) => void): () => void {
    const entry = { call };
    this.#all.add(entry);
    return () => void this.#all.delete(entry);
  }

  tell(...given: TArguments): void {
    for (const { call } of this.#all) {
      try {
        call(...given);
      } catch (error) {
        this.#onFault(error);
      }
    }
  }
}
