// Builds the event of a check run.
import type { Check, CheckConfig } from '../../model/check/check.ts';
import type { Entity } from '../../model/entity/entity.ts';
import type { CheckEvent, Metrics } from '../../model/event/event.ts';

export interface RunOutcome {
  readonly status: number;
  readonly output: string;
  /** Unix seconds just before the run. */
  readonly executed: number;
  /** Absent if no command ran. */
  readonly durationSeconds?: number;
}

/** The data shared by all events of one request. */
export interface RunFacts {
  /** As executed, with substituted tokens. */
  readonly config: CheckConfig;
  /** As defined: values substituted into the command never leave this machine. */
  readonly definedCommand: string | undefined;
  readonly issued: number;
  /** The scheduler name from the backend; empty if not sent. */
  readonly scheduler: string;
  readonly agentName: string;
  readonly namespace: string;
  readonly entity: Entity;
  readonly id: string;
  readonly sequence: number;
}

/** The check scope. The backend computes history, state and occurrences. */
const checkOf = (facts: RunFacts, outcome: RunOutcome): Check => {
  const { subdues: _subdues, command: _command, ...config } = facts.config;
  const { created_by: _creator, ...metadata } = config.metadata;
  return {
    ...config,
    ...(facts.definedCommand === undefined ? {} : { command: facts.definedCommand }),
    metadata,
    secrets: null,
    issued: facts.issued,
    executed: outcome.executed,
    ...(outcome.durationSeconds === undefined ? {} : { duration: outcome.durationSeconds }),
    output: outcome.output,
    status: outcome.status,
    processed_by: facts.agentName,
    scheduler: facts.scheduler,
    history: null,
    total_state_change: 0,
    last_ok: 0,
    occurrences: 0,
    occurrences_watermark: 0,
    is_silenced: false,
  };
};

export const resultEvent = (
  facts: RunFacts,
  outcome: RunOutcome,
  timestamp: number,
  metrics?: Metrics,
): CheckEvent => ({
  timestamp,
  entity: facts.entity,
  check: checkOf(facts, outcome),
  ...(metrics === undefined ? {} : { metrics }),
  metadata: { namespace: facts.namespace },
  id: facts.id,
  sequence: facts.sequence,
  pipelines: facts.config.pipelines,
});
