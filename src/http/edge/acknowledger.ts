// Batches acknowledgements: all events of a session that were committed in the same event loop turn are
// acknowledged in one `ack` frame.
import { encodeAcks, type RefusedEvent } from '../../wire/messages.ts';

export interface AckSink {
  sendAck(frame: Buffer): void;
}

interface Pending {
  readonly sink: AckSink;
  ids: string[];
  refused: RefusedEvent[];
}

/** Shared by all sessions of a listener: one `setImmediate` per turn, however many sessions have acknowledgements. */
export class AckBatcher {
  #scheduled = false;
  readonly #dirty = new Set<Pending>();

  /** The acknowledgement interface of one session. */
  open(sink: AckSink): { accepted(id: string): void; refused(id: string, message: string): void } {
    const pending: Pending = { sink, ids: [], refused: [] };
    return {
      accepted: (id) => {
        pending.ids.push(id);
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
  }
}
