// Busy outcomes in words: which actor did not handle a message, and why.
import type { ActorId } from './contract.ts';
import type { BusyReason, Outcome } from './outcome.ts';

const texts: Record<BusyReason, string> = {
  noActor: 'does not exist',
  mailboxFull: 'has a full mailbox',
  restarting: 'has crashed and is not back yet',
  stopped: 'was stopped',
};

export const busy = (why: BusyReason, actor: ActorId): Outcome => ({
  type: 'busy',
  why,
  message: `${actor} ${texts[why]}`,
});

export const poisonous = (actor: ActorId): Outcome => ({
  type: 'poison',
  message: `${actor} crashed on this message repeatedly; it is parked and not handled again`,
});
