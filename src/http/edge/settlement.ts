// Maps the outcome of an event to the response to its agent, by the table of outcomes. Pure.
import { mayOfferAgain, outcomeText } from '../../actors/outcomes/outcome-rules.ts';
import type { Outcome } from '../../actors/runtime/outcome.ts';

export type Settlement =
  /** Committed: the agent may discard it. */
  | { readonly type: 'accept' }
  /** Rejected permanently: the agent must not send it again. */
  | { readonly type: 'refuse'; readonly message: string }
  /** Not now: retried here with the same id, so a duplicate is harmless. */
  | { readonly type: 'offerAgain'; readonly message: string };

const accepted: Settlement = { type: 'accept' };

/** `offers`: number of attempts so far. */
export const settle = (outcome: Outcome, offers: number): Settlement => {
  if (outcome.type === 'done') return accepted;
  const message = outcomeText(outcome);
  return { type: mayOfferAgain(outcome.type, offers) ? 'offerAgain' : 'refuse', message };
};
