// Check requests on their way to many agents. Writing to one socket takes some 20 us: a check that 4,000 agents run would
// hold up every other message for 80 ms. Requests leave in batches, and the event loop turns in between.
import { maxQueuedRequests, requestBatch } from './limits.ts';

interface Job<Session> {
  readonly sessions: Iterator<Session>;
  readonly send: (session: Session) => void;
}

/** First in, first out, so each agent gets its requests in the order they were issued. */
export class RequestQueue<Session> {
  readonly #jobs: Job<Session>[] = [];
  readonly #nextTurn: (task: () => void) => void;

  constructor(nextTurn: (task: () => void) => void = (task) => void setImmediate(task)) {
    this.#nextTurn = nextTurn;
  }

  get size(): number {
    return this.#jobs.length;
  }

  /** Calls `send` for each session: for the first batch now, unless others wait, and for the rest in later turns. */
  add(sessions: Iterable<Session>, send: (session: Session) => void): void {
    // An overloaded backend keeps no more requests than this: it writes the oldest ones at once.
    if (this.#jobs.length >= maxQueuedRequests) this.#sendAll();
    const isIdle = this.#jobs.length === 0;
    this.#jobs.push({ sessions: sessions[Symbol.iterator](), send });
    if (isIdle) this.#sendBatch();
  }

  #sendBatch(): void {
    for (let left = requestBatch; left > 0; left -= 1) {
      if (!this.#sendOne()) return;
    }
    if (this.#jobs.length > 0) this.#nextTurn(() => this.#sendBatch());
  }

  #sendAll(): void {
    while (this.#sendOne());
  }

  /** False when nothing is left to send. */
  #sendOne(): boolean {
    for (let job = this.#jobs[0]; job !== undefined; job = this.#jobs[0]) {
      const next = job.sessions.next();
      if (next.done === true) {
        this.#jobs.shift();
        continue;
      }
      job.send(next.value);
      return true;
    }
    return false;
  }
}
