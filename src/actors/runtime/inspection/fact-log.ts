// What the log says of the life of actors: nothing of ordinary starts and stops, everything of what went wrong.
import type { LifecycleFact } from '../contract.ts';
import type { RuntimeLog } from './facts.ts';

export const logFact = (log: RuntimeLog, fact: LifecycleFact): void => {
  const { actor } = fact;
  switch (fact.type) {
    case 'restarting':
      return log.warn(
        { actor, err: fact.error, attempt: fact.attempt, inMs: fact.inMs },
        'actor failed, restarting it',
      );
    case 'quarantined':
      return log.error(
        { actor, err: fact.error, failures: fact.failures },
        'actor fails too often and is parked',
      );
    case 'intensityExceeded':
      return log.error({ actor, restarts: fact.restarts, periodMs: fact.periodMs }, 'supervisor gives up');
    case 'poisonParked':
      return log.error(
        { actor, message: fact.message, err: fact.error },
        'message parked: its actor crashed on it repeatedly; its sender is told not to send it again',
      );
    case 'mailboxFull':
      return log.warn({ actor, rule: fact.rule }, 'mailbox full');
    case 'unknownMessage':
      return log.warn({ actor, message: fact.message }, 'actor has no handler for this message');
    case 'stopped':
      if (fact.reason.type === 'killed') log.warn({ actor, afterMs: fact.reason.afterMs }, 'actor abandoned');
      return;
    default:
      return;
  }
};
