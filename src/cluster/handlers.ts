// Handlers of a bus that are at work: their faults are reported, and `drain` waits for them.
import type { BusHandler, BusMessage, BusReport } from './bus.ts';
import type { ClusterClock } from './clock.ts';

export class Handlers {
  readonly #report: BusReport;
  #working = 0;
  #whenIdle: (() => void) | undefined;

  constructor(report: BusReport) {
    this.#report = report;
  }

  run(handler: BusHandler, message: BusMessage): void {
    try {
      const working = handler(message);
      if (working === undefined) return;
      this.#working += 1;
      working.catch((error: unknown) => this.#failed(message, error)).finally(() => this.#ended());
    } catch (error) {
      this.#failed(message, error);
    }
  }

  /** Resolves when no handler is at work, at the latest after `withinMs`. */
  idle(clock: ClusterClock, withinMs: number): Promise<void> {
    if (this.#working === 0) return Promise.resolve();
    return new Promise((resolve) => {
      const stopTimer = clock.setTimer(resolve, withinMs);
      this.#whenIdle = () => {
        stopTimer();
        resolve();
      };
    });
  }

  #ended(): void {
    this.#working -= 1;
    if (this.#working === 0) this.#whenIdle?.();
  }

  #failed({ subject }: BusMessage, error: unknown): void {
    const why = error instanceof Error ? (error.stack ?? error.message) : String(error);
    this.#report('warn', `a message on ${subject} could not be handled: ${why}`);
  }
}
