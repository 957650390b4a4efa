// Receipts: how a sender learns what became of its message. These are the ways of making one out of others.
import { MonError } from '../../model/errors.ts';
import { StoreError } from '../../store/snapshot-store.ts';
import type { Outcome, Receipt } from './contract.ts';

/** Two receipts that make one: done when both are done; the first that is not decides. Told once. */
export const joinReceipts = (whole: Receipt): readonly [Receipt, Receipt] => {
  let open = 2;
  const part: Receipt = (outcome) => {
    if (open <= 0) return;
    open = outcome.type === 'done' ? open - 1 : 0;
    if (open === 0) whole(outcome);
  };
  return [part, part];
};

/** Settles a promise from a receipt; what is not done becomes an error of the catalogue. */
export const awaitReceipt = (start: (receipt: Receipt) => void): Promise<void> =>
  new Promise((resolve, reject) => {
    start((outcome) => {
      if (outcome.type === 'done') resolve();
      else reject(outcomeError(outcome));
    });
  });

/** Nobody waits for the outcome, but a failure must not pass unheard. */
export const reportReceipt =
  (onFault: (error: Error) => void): Receipt =>
  (outcome) => {
    if (outcome.type !== 'done') onFault(outcomeError(outcome));
  };

/** What a caller outside is told when a message was not carried through. */
export const outcomeError = (outcome: Exclude<Outcome, { type: 'done' }>): MonError => {
  if (outcome.type === 'refused') {
    return new MonError('unavailable', `${outcome.message}; try again`);
  }
  const { error } = outcome;
  if (error instanceof MonError) return error;
  if (!(error instanceof StoreError)) return new MonError('internal', error.message, { cause: error });
  if (error.code === 'full') {
    return new MonError('storeFull', `the store is full, nothing was changed: ${error.message}`, {
      cause: error,
    });
  }
  return new MonError('unavailable', `the store did not answer: ${error.message}`, { cause: error });
};
