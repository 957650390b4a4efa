// Receipts: how a sender learns what became of its message.
import type { Receipt } from './outcome.ts';

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
