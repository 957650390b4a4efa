// What became of one message, told exactly once: when its effects are done and every hold on its receipt is let go.
import type { Outcome, Receipt } from '../contract.ts';

export const done: Outcome = { type: 'done' };

/** Calls a receipt; one that throws is the sender's fault and must not hurt the actor that answers. */
export const tellReceipt = (
  receipt: Receipt | undefined,
  outcome: Outcome,
  onFault: (error: unknown) => void,
): void => {
  if (receipt === undefined) return;
  try {
    receipt(outcome);
  } catch (error) {
    onFault(error);
  }
};

/** Open from the first hold until the last one is let go. The processing of the message itself counts as a hold. */
export class Settlement {
  readonly #receipt: Receipt | undefined;
  readonly #onSettled: (settlement: Settlement) => void;
  readonly #onFault: (error: unknown) => void;
  #holds = 1;
  #outcome: Outcome = done;
  #settled = false;

  constructor(
    receipt: Receipt | undefined,
    onSettled: (settlement: Settlement) => void,
    onFault: (error: unknown) => void,
  ) {
    this.#receipt = receipt;
    this.#onSettled = onSettled;
    this.#onFault = onFault;
  }

  hold(): Receipt {
    this.#holds += 1;
    let released = false;
    return (outcome) => {
      if (released) return;
      released = true;
      this.release(outcome);
    };
  }

  /** The first outcome other than `done` is the one that is told, when the last hold is let go. */
  release(outcome: Outcome): void {
    if (this.#settled) return;
    if (outcome.type !== 'done' && this.#outcome.type === 'done') this.#outcome = outcome;
    this.#holds -= 1;
    if (this.#holds === 0) this.settle(this.#outcome);
  }

  /** Tells now, whatever is still held. Later releases change nothing. */
  settle(outcome: Outcome): void {
    if (this.#settled) return;
    this.#settled = true;
    tellReceipt(this.#receipt, outcome, this.#onFault);
    this.#onSettled(this);
  }
}
