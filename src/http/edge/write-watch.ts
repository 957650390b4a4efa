// Measures how long sent messages wait to be written. A connection that hangs without breaking accepts no data, and
// its buffer may stay small; the age of the oldest unwritten message reveals it.

/** One per connection. Times are milliseconds of `monotonicMs`. */
export class WriteWatch {
  readonly #timeoutMs: number;
  readonly #onOverdue: () => void;
  readonly #monotonicMs: () => number;
  /** Send times of unwritten messages, oldest first. */
  readonly #waiting: number[] = [];
  #timer: NodeJS.Timeout | undefined;
  /** Shared by all messages: they are written in order. */
  readonly #written = (): void => void this.#waiting.shift();

  constructor(timeoutMs: number, onOverdue: () => void, monotonicMs = () => performance.now()) {
    this.#timeoutMs = timeoutMs;
    this.#onOverdue = onOverdue;
    this.#monotonicMs = monotonicMs;
  }

  /** Call for each message; call the returned function when it is written. Messages are written in order. */
  sent(): () => void {
    this.#waiting.push(this.#monotonicMs());
    if (this.#timer === undefined) this.#look(this.#timeoutMs);
    return this.#written;
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#waiting.length = 0;
  }

  /** A single timer: fires when the oldest message would be overdue; stopped while none is waiting. */
  #look(inMs: number): void {
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      const oldest = this.#waiting[0];
      if (oldest === undefined) return;
      const leftMs = oldest + this.#timeoutMs - this.#monotonicMs();
      if (leftMs > 0) this.#look(leftMs);
      else this.#onOverdue();
    }, inMs);
    this.#timer.unref();
  }
}
