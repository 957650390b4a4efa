// Who waits for the writes of the group-commit writer, and how they are told. A receipt that throws hurts nobody else.
import type { Outcome, Receipt } from '../runtime/contract.ts';
import { asError } from '../runtime/inspection/facts.ts';
import { storeOutcome } from './store-outcome.ts';

export class CommitReceipts {
  readonly #onFault: (error: Error) => void;
  /** Receipts taken and not yet told. */
  waiting = 0;

  constructor(onFault: (error: Error) => void) {
    this.#onFault = onFault;
  }

  /** Without an error they are done. */
  tellAll(receipts: readonly Receipt[], error: Error | undefined): void {
    this.waiting -= receipts.length;
    const outcome: Outcome = error ? storeOutcome(error) : { type: 'done' };
    for (const receipt of receipts) this.#tell(receipt, outcome);
  }

  /** Never before the caller has returned: a put is not answered from inside itself. */
  refuse(receipt: Receipt | undefined, error: Error): void {
    if (receipt) queueMicrotask(() => this.#tell(receipt, storeOutcome(error)));
  }

  /** A fault channel that fails itself has nobody left to tell but the process. */
  report(fault: unknown): void {
    try {
      this.#onFault(asError(fault));
    } catch (error) {
      queueMicrotask(() => {
        throw error;
      });
    }
  }

  #tell(receipt: Receipt, outcome: Outcome): void {
    try {
      receipt(outcome);
    } catch (error) {
      this.report(error);
    }
  }
}
