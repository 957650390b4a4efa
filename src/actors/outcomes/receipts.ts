// Receipts as promises and reports, with errors of the catalogue.
import type { MonError } from '../../model/errors.ts';
import type { Receipt } from '../runtime/outcome.ts';
import { mayOfferAgain, outcomeError } from './outcome-rules.ts';

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
