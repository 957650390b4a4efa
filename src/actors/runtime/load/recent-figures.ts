// The last few hundred values of one figure (how long a commit took, how long a turn), for percentiles in metrics.

const kept = 512;

export class RecentFigures {
  readonly #figures = new Float64Array(kept);
  #count = 0;

  add(figure: number): void {
    this.#figures[this.#count % kept] = figure;
    this.#count += 1;
  }

  /** 0 before the first. */
  get last(): number {
    return this.#count === 0 ? 0 : (this.#figures[(this.#count - 1) % kept] ?? 0);
  }

  /** The value that the given share of the last ones did not exceed; 0 before the first. */
  percentile(share: number): number {
    const sorted = this.#figures.slice(0, Math.min(this.#count, kept)).sort();
    return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  }
}
