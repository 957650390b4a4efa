// Refusals in words: what was not handled, by whom, and why.
import type { ActorId, Outcome, Refusal } from './contract.ts';

const texts: Record<Refusal, string> = {
  deadLetter: 'does not exist',
  busy: 'has a full mailbox',
  crashed: 'has crashed and is not back yet',
  stopped: 'was stopped',
  expired: 'did not get to it in time',
};

export const refused = (why: Refusal, actor: ActorId, detail = texts[why]): Outcome => ({
  type: 'refused',
  why,
  message:
    why === 'deadLetter' && detail !== texts.deadLetter
      ? `the message to ${actor} ${detail}`
      : `${actor} ${detail}`,
});
