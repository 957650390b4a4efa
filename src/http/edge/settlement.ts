// Settlement: what an outcome means for the agent that sent the event. A pure decision.
import type { Outcome } from '../../actors/runtime/contract.ts';
import { MonError } from '../../model/errors.ts';

export type Settlement =
  /** Durable: tell the agent to forget it. */
  | { readonly type: 'accept' }
  /** Never going to be accepted: tell the agent not to send it again. */
  | { readonly type: 'refuse'; readonly message: string }
  /** Not now: offer it again; the same id makes a repetition harmless. */
  | { readonly type: 'offerAgain'; readonly message: string };

const accepted: Settlement = { type: 'accept' };

/** `offers`: how often this event was offered so far. A poison event is not offered for ever; an outage is sat out. */
export const settle = (outcome: Outcome, offers: number, maxCrashOffers: number): Settlement => {
  if (outcome.type === 'done') return accepted;
  if (outcome.type === 'refused') {
    const message = `${outcome.why}: ${outcome.message}`;
    const poison = outcome.why === 'crashed' && offers >= maxCrashOffers;
    return { type: poison ? 'refuse' : 'offerAgain', message };
  }
  const { error } = outcome;
  if (error instanceof MonError && !error.retry && error.kind !== 'internal')
    return { type: 'refuse', message: error.message };
  return { type: 'offerAgain', message: error.message };
};
