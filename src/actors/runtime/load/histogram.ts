// A histogram for metrics that the hot path may fill: a scan over a few bounds and two additions, no allocation.

/** For durations, in seconds: 100 us to 10 s. */
export const durationBounds: readonly number[] = [
  0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
];

/** For lengths of queues. */
export const lengthBounds: readonly number[] = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1_024];

/** What readers see of a histogram. */
export interface HistogramFigures {
  /** Upper bounds of the buckets, ascending; one more bucket is above the last. */
  readonly bounds: readonly number[];
  /** Observations in each bucket alone, one more than there are bounds. */
  readonly counts: readonly number[];
  readonly sum: number;
}

export class Histogram {
  readonly #bounds: readonly number[];
  /** The buckets, and in the last place the sum of all values. */
  readonly #figures: Float64Array;

  constructor(bounds: readonly number[] = durationBounds) {
    this.#bounds = bounds;
    this.#figures = new Float64Array(bounds.length + 2);
  }

  observe(value: number): void {
    const bounds = this.#bounds;
    const figures = this.#figures;
    let bucket = 0;
    while (bucket < bounds.length && value > (bounds[bucket] as number)) bucket += 1;
    figures[bucket] = (figures[bucket] as number) + 1;
    const sum = bounds.length + 1;
    figures[sum] = (figures[sum] as number) + value;
  }

  read(): HistogramFigures {
    const figures = [...this.#figures];
    const sum = figures.pop() ?? 0;
    return { bounds: this.#bounds, counts: figures, sum };
  }
}
