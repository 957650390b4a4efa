// How long what was sent waits to be written. An agent whose connection hangs without breaking takes nothing in any more
// while little piles up: its oldest unwritten message tells.

/** One for each connection. Times are in milliseconds of `monotonicMs`. */
export class WriteWatch {
  readonly #timeoutMs: number;
  readonly #onOverdue: () => void;
  readonly #monotonicMs: () => number;
  /** When each message that is not written yet was sent, oldest first. */
  readonly #waiting: number[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(timeoutMs: number, onOverdue: () => void, monotonicMs = () => performance.now()) {
    this.#timeoutMs = timeoutMs;
    this.#onOverdue = onOverdue;
    this.#monotonicMs = monotonicMs;
  }

  /** To be called with each message; what it returns, when that message is written. Messages are written in order. */
  sent(): () => void {
    this.#waiting.push(this.#monotonicMs());
    if (this.#timer === undefined) this.#look(this.#timeoutMs);
    return () => void this.#waiting.shift();
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#waiting.length = 0;
  }

  /** One timer for many messages: it looks when the oldest of them would be overdue, and rests when none waits. */
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
