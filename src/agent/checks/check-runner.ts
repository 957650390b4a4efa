// Receives check requests, decides which ones to run, and forwards the results. Runs are concurrent; each key
// (check, or check and proxy entity) runs only once at a time.

import type { AssetStore } from '../../assets/asset-store.ts';
import { checkConfigSchema } from '../../model/check/check.ts';
import { validateCheckConfig } from '../../model/check/check-rules.ts';
import type { Entity } from '../../model/entity/entity.ts';
import type { CheckEvent } from '../../model/event/event.ts';
import { decode } from '../../model/schema/decode.ts';
import { errorText } from '../../program/log.ts';
import { type CheckRequest, checkRequestSchema, looseCheckRequestSchema } from '../../wire/messages.ts';
import type { Supervision } from '../supervision.ts';
import { type CheckExecution, startExecution } from './check-execution.ts';
import { failureEvent, type RunRequest } from './check-run.ts';
import { createRequestFilter } from './duplicate-rule.ts';
import type { RunTools } from './run-tools.ts';
import type { Stages } from './stages.ts';

export interface CheckRunnerOptions {
  readonly agentName: string;
  readonly namespace: string;
  readonly entity: () => Entity;
  readonly nextSequence: (check: string) => number;
  readonly newId: () => string;
  readonly report: (event: CheckEvent) => void;
  readonly tools: Omit<RunTools, 'started' | 'stages'>;
  readonly stages: Omit<Stages, 'assets'>;
  /** The asset store; null if assets are disabled on this agent. */
  readonly assets: AssetStore | null;
  readonly supervision: Supervision;
}

export interface CheckRunner {
  /** Processes a parsed `check_request` payload. Never throws. */
  request(payload: unknown): void;
  /** Current runs with the state of their statecharts. */
  running(): { readonly key: string; readonly state: string }[];
  /** Stops all runs without reporting results. */
  stop(): void;
}

const checkKeyOf = (request: CheckRequest): string => {
  const { proxy_entity_name: proxy, metadata } = request.config;
  return proxy === '' ? metadata.name : `${metadata.name}/${proxy}`;
};

type Parsed =
  | { readonly type: 'valid'; readonly request: CheckRequest }
  /** Valid enough to attribute the failure to a check. */
  | { readonly type: 'invalid'; readonly request: CheckRequest; readonly message: string }
  | { readonly type: 'unusable'; readonly message: string };

const parse = (payload: unknown): Parsed => {
  const whole = decode(checkRequestSchema, payload, 'check_request');
  if (whole.ok) {
    const problem = validateCheckConfig(whole.value.config);
    if (problem === null) return { type: 'valid', request: whole.value };
    return { type: 'invalid', request: whole.value, message: problem };
  }
  const loose = looseCheckRequestSchema.safeParse(payload);
  const named = { metadata: loose.data?.config.metadata };
  const config = checkConfigSchema.safeParse(named);
  if (!loose.success || !config.success) return { type: 'unusable', message: whole.message };
  return { type: 'invalid', request: { ...loose.data, config: config.data }, message: whole.message };
};

export const createCheckRunner = (options: CheckRunnerOptions): CheckRunner => {
  const { assets, stages, tools } = options;
  const { log, clock } = tools;
  const filter = createRequestFilter();
  const executions = new Map<string, CheckExecution>();
  let stopping = false;

  const runOf = (request: CheckRequest): RunRequest => ({
    request,
    entity: options.entity(),
    agentName: options.agentName,
    namespace: options.namespace,
    id: options.newId(),
    sequence: options.nextSequence(request.config.metadata.name),
  });

  const fail = (request: CheckRequest, message: string) => {
    log.error({ check: request.config.metadata.name, error: message }, 'check not executed');
    options.report(failureEvent(runOf(request), request.config, message, clock));
  };

  const run = async (request: CheckRequest) => {
    const key = checkKeyOf(request);
    filter.started(key, request.issued);
    log.info(`scheduling check execution: ${request.config.metadata.name}`);
    const described = runOf(request);
    // Assets used by the check and its hooks must not be purged during the run.
    const lease = assets?.lease() ?? null;
    const execution = startExecution(
      key,
      described,
      { ...tools, stages: { ...stages, assets: lease } },
      options.supervision,
    );
    executions.set(key, execution);
    try {
      const event = await execution.outcome;
      if (event !== null && !stopping) options.report(event);
    } catch (error) {
      // An internal error must still produce a result for the check.
      log.error({ check: request.config.metadata.name, error: errorText(error) }, 'check execution failed');
      if (!stopping)
        options.report(
          failureEvent(described, request.config, `internal agent error: ${errorText(error)}`, clock),
        );
    } finally {
      lease?.release();
      executions.delete(key);
      filter.ended(key);
    }
  };

  return {
    request: (payload) => {
      if (stopping) return;
      const parsed = parse(payload);
      if (parsed.type === 'unusable') {
        log.error({ error: parsed.message }, 'error handling message');
        return;
      }
      const { request } = parsed;
      const verdict = filter.judge(checkKeyOf(request), request.issued);
      if (!verdict.run) {
        const fields = { check: request.config.metadata.name, error: verdict.message };
        if (verdict.why === 'repeated') log.warn(fields, 'error handling message');
        else log.error(fields, 'error handling message');
        return;
      }
      if ((request.assets?.length ?? 0) > 0 && assets === null)
        fail(request, 'check requested assets, but they are disabled on this agent');
      else if (parsed.type === 'invalid') fail(request, `given check is invalid: ${parsed.message}`);
      else void run(request);
    },
    running: () => [...executions].map(([key, execution]) => ({ key, state: execution.state() })),
    stop: () => {
      stopping = true;
      for (const execution of executions.values()) execution.stop();
    },
  };
};
