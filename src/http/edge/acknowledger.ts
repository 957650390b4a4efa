// Batches acknowledgements: all events of a session that were committed in the same event loop turn are
// acknowledged in one `ack` frame.
import type { Histogram } from '../../actors/runtime/load/histogram.ts';
import { encodeAcks, type RefusedEvent } from '../../wire/messages.ts';

export interface AckSink {
  sendAck(frame: Buffer): void;
}

interface Pending {
  readonly sink: AckSink;
  ids: string[];
  refused: RefusedEvent[];
}

/** The acknowledgement interface of one session. */
export interface Acknowledger {
  /** `arrivedMs`: of `performance.now()`. */
  accepted(id: string, arrivedMs: number): void;
  refused(id: string, message: string): void;
}

/** Shared by all sessions of a listener: one `setImmediate` per turn, however many sessions have acknowledgements. */
export class AckBatcher {
  #scheduled = false;
  readonly #dirty = new Set<Pending>();
  readonly #seconds: Pick<Histogram, 'observe'>;
  /** When the events of this turn arrived; kept apart from sessions, since all leave together. */
  readonly #arrivals: number[] = [];

  /** `seconds` is called with how long events waited for their acknowledgement. */
  constructor(seconds: Pick<Histogram, 'observe'>) {
    this.#seconds = seconds;
  }

  open(sink: AckSink): Acknowledger {
    const pending: Pending = { sink, ids: [], refused: [] };
    return {
      accepted: (id, arrivedMs) => {
        pending.ids.push(id);
        this.#arrivals.push(arrivedMs);
        this.#mark(pending);
      },
      refused: (id, message) => {
        pending.refused.push({ id, message });
        this.#mark(pending);
      },
    };
  }

  #mark(pending: Pending): void {
    this.#dirty.add(pending);
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => this.#flush());
  }

  #flush(): void {
    this.#scheduled = false;
    const batch = [...this.#dirty];
    this.#dirty.clear();
    for (const pending of batch) {
      const { ids, refused } = pending;
      pending.ids = [];
      pending.refused = [];
      for (const frame of encodeAcks(ids, refused)) pending.sink.sendAck(frame);
    }
    const nowMs = performance.now();
    for (const arrivedMs of this.#arrivals) this.#seconds.observe((nowMs - arrivedMs) / 1_000);
    this.#arrivals.length = 0;
  }
}
