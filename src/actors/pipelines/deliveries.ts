// The workers of the pipelines: takes events that are to be told to people, runs at most so many at a time, and says when
// one is done. A delivery that met an outage is tried again a few times; what the user got wrong is not.
import type { Event } from '../../model/event/event.ts';
import type { Trace } from '../../pipeline/trace.ts';

/** Waits between tries of a delivery that met an outage, milliseconds. */
const retryDelaysMs: readonly number[] = [
  1_000, 5_000, 15_000, 30_000, 60_000, 120_000, 300_000, 300_000, 300_000,
];

/** What `submit` returns, to cancel it. */
export interface DeliveryJob {
  isCanceled: boolean;
}

interface Job extends DeliveryJob {
  readonly event: Event;
  readonly done: (trace: Trace | undefined) => void;
  readonly delayed: (trace: Trace) => void;
  tries: number;
  previous: Trace | undefined;
}

export interface DeliveriesOptions {
  readonly after: (delayMs: number, fire: () => void) => void;
  readonly workers: number;
  /** Runs every workflow of an event; `previous` makes it repeat only those that met an outage. */
  readonly run: (event: Event, previous: Trace | undefined) => Promise<Trace>;
  readonly onTrace: (event: Event, trace: Trace) => void;
  /** A bug of ours inside a pipeline: the delivery is given up, loudly. */
  readonly onFault: (error: unknown, event: Event) => void;
}

export class Deliveries {
  readonly #options: DeliveriesOptions;
  readonly #waiting: Job[] = [];
  #running = 0;
  #retrying = 0;
  #delivered = 0;
  #dropped = 0;
  #idle: (() => void)[] = [];

  constructor(options: DeliveriesOptions) {
    this.#options = options;
  }

  /**
   * `done` is called once, when the pipelines are through; without a trace when a bug of ours cut it short. `delayed` is
   * called before that each time an outage makes it wait for another try.
   */
  submit(
    event: Event,
    done: (trace: Trace | undefined) => void = () => {},
    delayed: (trace: Trace) => void = () => {},
  ): DeliveryJob {
    const job: Job = { event, done, delayed, tries: 0, previous: undefined, isCanceled: false };
    this.#waiting.push(job);
    this.#next();
    return job;
  }

  /** It does not begin any more, and is not tried again. A run that has begun goes on, and calls back. */
  cancel(job: DeliveryJob): void {
    job.isCanceled = true;
  }

  stats(): {
    readonly running: number;
    readonly waiting: number;
    readonly retrying: number;
    readonly delivered: number;
    /** Given up by checks because too many or too large ones waited. */
    readonly dropped: number;
  } {
    return {
      running: this.#running,
      waiting: this.#waiting.length,
      retrying: this.#retrying,
      delivered: this.#delivered,
      dropped: this.#dropped,
    };
  }

  /** A check gave up a delivery before it got here. */
  noteDropped(): void {
    this.#dropped += 1;
  }

  /** Resolves when nothing runs and nothing waits; what waits for another try is left to the next start. */
  drained(): Promise<void> {
    if (this.#running === 0 && this.#waiting.length === 0) return Promise.resolve();
    return new Promise((resolve) => this.#idle.push(resolve));
  }

  #next(): void {
    while (this.#running < this.#options.workers) {
      const job = this.#waiting.shift();
      if (job === undefined) break;
      if (job.isCanceled) continue;
      this.#running += 1;
      this.#options
        .run(job.event, job.previous)
        .then(
          (trace) => this.#finished(job, trace),
          (error: unknown) => {
            this.#options.onFault(error, job.event);
            job.done(undefined);
          },
        )
        .finally(() => {
          this.#running -= 1;
          this.#next();
        });
    }
    if (this.#running === 0 && this.#waiting.length === 0) {
      for (const resolve of this.#idle.splice(0)) resolve();
    }
  }

  #finished(job: Job, trace: Trace): void {
    const delayMs = trace.retry && !job.isCanceled ? retryDelaysMs[job.tries] : undefined;
    if (delayMs !== undefined) {
      job.tries += 1;
      job.previous = trace;
      this.#retrying += 1;
      job.delayed(trace);
      this.#options.after(delayMs, () => {
        this.#retrying -= 1;
        this.#waiting.push(job);
        this.#next();
      });
      return;
    }
    this.#delivered += 1;
    this.#options.onTrace(job.event, trace);
    job.done(trace);
  }
}
