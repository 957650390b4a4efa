// Receipts: how a sender learns what became of its message. These are the ways of making one out of others.
import type { MonError } from '../../model/errors.ts';
import { mayOfferAgain, outcomeError, type Receipt } from './outcome.ts';

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

/** Settles a promise from a receipt; other outcomes become errors of the catalogue. */
export const awaitReceipt = (start: (receipt: Receipt) => void): Promise<void> =>
  new Promise((resolve, reject) => {
    start((outcome) => {
      if (outcome.type === 'done') resolve();
      else reject(outcomeError(outcome));
    });
  });

/**
 * As `awaitReceipt`, but offers the message again after a fault: its actor restarts meanwhile, and a second crash tells poison
 * from chance. So the caller gets a final answer, also when each of its own attempts would be a new message.
 */
export const offerMessage = (offer: (receipt: Receipt) => void): Promise<void> =>
  new Promise((resolve, reject) => {
    let offers = 0;
    const next = (): void => {
      offers += 1;
      offer((outcome) => {
        if (outcome.type === 'done') resolve();
        else if (outcome.type === 'fault' && mayOfferAgain('fault', offers)) next();
        else reject(outcomeError(outcome));
      });
    };
    next();
  });

/** For senders inside the backend that do not wait for the outcome: it is reported unless it is `done`. */
export const reportReceipt =
  (onFault: (error: MonError) => void): Receipt =>
  (outcome) => {
    if (outcome.type !== 'done') onFault(outcomeError(outcome));
  };
