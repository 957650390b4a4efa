// What an actor does when its record can never be stored (too large, say): its sender is told so for good, and the actor goes
// back to what is stored. Otherwise it would carry what it can't keep into every later record.
import type { LiveActor, Receipt } from '../runtime/contract.ts';

export const orBeginAgain =
  (actor: LiveActor, settle: Receipt): Receipt =>
  (outcome) => {
    settle(outcome);
    if (outcome.type === 'invalid') actor.beginAgain(outcome.error);
  };
