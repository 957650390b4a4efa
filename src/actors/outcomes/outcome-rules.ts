// Outcomes: what became of a message, and what each edge tells its sender. This file is the failure contract: every refusal
// and failure carries one of these tags, and the table below says for each tag and each way in whether the sender may try
// again. Edges map the tag; they never look at a message text or at the class of an error.
import { type ErrorKind, MonError } from '../../model/errors.ts';
import { ActorError } from '../runtime/errors.ts';
import type { Outcome, OutcomeType } from '../runtime/outcome.ts';

/**
 * Whether the same message may be sent again. `fewTimes`: the edge itself offers it again, `maxFaultOffers` times in all; what
 * the table says for a fault is told after that.
 */
type Retry = 'never' | 'untilTaken' | 'fewTimes';

export interface OutcomeRule {
  readonly retry: Retry;
  /** HTTP APIs: the kind of error they answer with, or that of the error itself. Null: success. */
  readonly http: ErrorKind | 'asInError' | null;
  /**
   * Agent WebSocket, both dialects. Refused: named in the `ack` frame if the agent reads them, logged and counted in any
   * case. Offered again: by the backend, for as long as the connection lasts.
   */
  readonly agent: 'acknowledged' | 'refused' | 'offeredAgain';
  /** Earlier WebSocket: the answer to `publish`. `closed`: with 1013, so that the client keeps the message and comes back. */
  readonly earlierSocket: 'done' | 'refused' | 'closed';
  /** Brokers. A keepalive is dropped where a result is offered again: the next one is on its way. */
  readonly broker: 'acknowledged' | 'dropped' | 'offeredAgain';
  /** Schedules, watchdog, pipelines, timers: senders inside the backend. */
  readonly internal: 'ignored' | 'reported';
}

export const outcomeRules: Readonly<Record<OutcomeType, OutcomeRule>> = {
  done: {
    retry: 'never',
    http: null,
    agent: 'acknowledged',
    earlierSocket: 'done',
    broker: 'acknowledged',
    internal: 'ignored',
  },
  busy: {
    retry: 'untilTaken',
    http: 'unavailable',
    agent: 'offeredAgain',
    earlierSocket: 'closed',
    broker: 'offeredAgain',
    internal: 'reported',
  },
  invalid: {
    retry: 'never',
    http: 'asInError',
    agent: 'refused',
    earlierSocket: 'refused',
    broker: 'dropped',
    internal: 'reported',
  },
  poison: {
    retry: 'never',
    http: 'poison',
    agent: 'refused',
    earlierSocket: 'refused',
    broker: 'dropped',
    internal: 'reported',
  },
  outage: {
    retry: 'untilTaken',
    http: 'asInError',
    agent: 'offeredAgain',
    earlierSocket: 'closed',
    broker: 'offeredAgain',
    internal: 'reported',
  },
  fault: {
    retry: 'fewTimes',
    http: 'internal',
    agent: 'refused',
    earlierSocket: 'refused',
    broker: 'dropped',
    internal: 'reported',
  },
};

/** How often one message is offered to an actor that crashes on it before an edge gives up by itself. */
export const maxFaultOffers = 3;

/** Whether a message with this outcome is offered again after so many offers. */
export const mayOfferAgain = (type: OutcomeType, offers: number): boolean => {
  const { retry } = outcomeRules[type];
  return retry === 'untilTaken' || (retry === 'fewTimes' && offers < maxFaultOffers);
};

/** An error of the catalogue as an outcome; every other error is a fault of ours. */
export const outcomeOfError = (error: Error): Exclude<Outcome, { type: 'done' | 'busy' }> => {
  if (!(error instanceof MonError) || error.kind === 'internal') return { type: 'fault', error };
  if (error.kind === 'poison') return { type: 'poison', message: error.message };
  return error.retry ? { type: 'outage', error } : { type: 'invalid', error };
};

/** The reason in one line, for logs and acknowledgements. */
export const outcomeText = (outcome: Exclude<Outcome, { type: 'done' }>): string => {
  const text = 'error' in outcome ? outcome.error.message : outcome.message;
  return outcome.type === 'invalid' ? text : `${outcome.type}: ${text}`;
};

/** The error a waiting promise rejects with. */
export const outcomeError = (outcome: Exclude<Outcome, { type: 'done' }>): MonError => {
  switch (outcome.type) {
    case 'busy':
      return new MonError('unavailable', `${outcome.message}; try again`);
    case 'poison':
      return new MonError('poison', outcome.message);
    case 'fault': {
      const { error } = outcome;
      const isInternal = error instanceof MonError && error.kind === 'internal';
      return isInternal ? error : new MonError('internal', error.message, { cause: error });
    }
    default:
      return catalogueError(outcome.error);
  }
};

/** An error of the actor runtime as one of the catalogue; any other is a fault of ours. */
export const catalogueError = (error: Error): MonError => {
  if (error instanceof MonError) return error;
  const kind = error instanceof ActorError ? error.kind : 'internal';
  return new MonError(kind, error.message, { cause: error });
};
