// The steps from a check request to its result: permission, preparation, execution, event. The execution statechart
// decides their order.
import type { CheckConfig } from '../../model/check/check.ts';
import type { Entity } from '../../model/entity/entity.ts';
import type { CheckEvent } from '../../model/event/event.ts';
import { toWireEvent } from '../../model/event/wire-shape.ts';
import { redactEvent } from '../../model/resource/redaction.ts';
import { type Environment, mergeEnvironments, parseVariables } from '../../program/environment.ts';
import { no, type Stage, yes } from '../../program/stage.ts';
import type { CheckRequest } from '../../wire/messages.ts';
import { type Clock, nowSeconds } from '../clock.ts';
import { type CommandResult, type RunningCommand, unknownStatus } from './executor.ts';
import type { HookResult } from './hooks.ts';
import { measure } from './measure.ts';
import { type RunFacts, type RunOutcome, resultEvent } from './result-event.ts';
import type { RunTools } from './run-tools.ts';
import { deniedMessage, type Permission } from './stages.ts';

export interface RunRequest {
  readonly request: CheckRequest;
  readonly entity: Entity;
  readonly agentName: string;
  readonly namespace: string;
  readonly id: string;
  readonly sequence: number;
}

/** A check with substituted tokens and a permitted command. */
export interface Permitted {
  readonly config: CheckConfig;
  readonly permission: Permission;
}

/** A check that is ready to run. */
export interface Prepared {
  readonly config: CheckConfig;
  /** Undefined: run the command with a shell. */
  readonly words: readonly string[] | undefined;
  readonly environment: Environment;
}

const denyStatusAnnotation = 'allow_list_on_deny_status';

/** The environment; later sources win: the agent's, the assets', secrets, the check's own. */
const environmentOf = (
  request: CheckRequest,
  config: CheckConfig,
  assets: Environment,
  permission: Permission,
  tools: RunTools,
): Environment =>
  mergeEnvironments(
    tools.environment,
    assets,
    parseVariables(request.secrets ?? []),
    permission.passVariables ? parseVariables(config.env_vars ?? []) : {},
  );

const installAssets = async (
  request: CheckRequest,
  entity: Entity,
  tools: RunTools,
): Promise<Stage<Environment>> => {
  const assets = request.assets ?? [];
  if (assets.length === 0) return yes({});
  if (tools.stages.assets === null) return no('check requested assets, but they are disabled on this agent');
  const installed = await tools.stages.assets.install(assets, entity);
  return installed.ok
    ? yes(installed.value.variables)
    : no(`error getting assets for check: ${installed.message}`);
};

/** Substitutes the tokens. */
export const substitute = (run: RunRequest, tools: RunTools): Stage<CheckConfig> => {
  const filled = tools.stages.substitute(run.request.config, run.entity);
  return filled.ok ? filled : no(`error while substituting check tokens: ${filled.message}`);
};

/** Checks the substituted command against the allow list. */
export const permit = (config: CheckConfig, tools: RunTools): Stage<Permitted> => {
  const permitted = tools.stages.allowList.permit(config.command ?? '');
  return permitted.ok ? yes({ config, permission: permitted.value }) : permitted;
};

export const needsAssets = (run: RunRequest): boolean => (run.request.assets ?? []).length > 0;

/** Installs assets, builds the environment, and verifies the executable. */
export const prepare = async (
  { config, permission }: Permitted,
  run: RunRequest,
  tools: RunTools,
): Promise<Stage<Prepared>> => {
  const assets = await installAssets(run.request, run.entity, tools);
  if (!assets.ok) return assets;
  const environment = environmentOf(run.request, config, assets.value, permission, tools);
  const verified = await tools.stages.allowList.verify(permission, environment);
  return verified.ok ? yes({ config, words: verified.value.words, environment }) : verified;
};

const factsOf = (run: RunRequest, config: CheckConfig): RunFacts => ({
  config,
  definedCommand: run.request.config.command,
  issued: run.request.issued,
  scheduler: run.request.config.scheduler ?? '',
  agentName: run.agentName,
  namespace: run.namespace,
  entity: run.entity,
  id: run.id,
  sequence: run.sequence,
});

/** Status of a rejected check: 3, or the check's configured status if its command is not on the allow list. */
const failureStatus = (config: CheckConfig, message: string): number => {
  const asked = Number(config.metadata.annotations?.[denyStatusAnnotation]);
  return message === deniedMessage && Number.isInteger(asked) && asked >= 0 && asked <= 255
    ? asked
    : unknownStatus;
};

/** The event of a check that could not run. */
export const failureEvent = (
  run: RunRequest,
  config: CheckConfig,
  message: string,
  clock: Clock,
): CheckEvent => {
  const executed = nowSeconds(clock);
  const outcome: RunOutcome = { status: failureStatus(config, message), output: message, executed };
  return resultEvent(factsOf(run, config), outcome, executed);
};

/** The stdin of a command that requested it: the event before the run. */
const inputOf = (run: RunRequest, config: CheckConfig, executed: number): { input?: string } => {
  if (!config.stdin) return {};
  const event = resultEvent(factsOf(run, config), { status: 0, output: '', executed }, executed);
  return { input: JSON.stringify(toWireEvent(redactEvent(event))) };
};

/** Starts the command. `executed` is the start time in seconds. */
export const startCommand = (
  { config, words, environment }: Prepared,
  run: RunRequest,
  tools: RunTools,
  executed: number,
): RunningCommand => {
  const running = tools.execute({
    command: config.command ?? '',
    words,
    timeoutSeconds: config.timeout,
    environment,
    ...inputOf(run, config, executed),
  });
  tools.started(running);
  return running;
};

/** The event of a finished command: with metrics and final status, before the hooks. */
export const commandEvent = (
  run: RunRequest,
  config: CheckConfig,
  result: CommandResult,
  executed: number,
  { clock, log }: RunTools,
): CheckEvent => {
  const outcome: RunOutcome = { ...result, executed };
  return measure(resultEvent(factsOf(run, config), outcome, nowSeconds(clock)), clock, log);
};

/** The final event: with hook results, and without the output if it is to be discarded. */
export const finishedEvent = (
  event: CheckEvent,
  config: CheckConfig,
  hooks: readonly HookResult[],
): CheckEvent => {
  const output = config.discard_output === true ? '' : event.check.output;
  return { ...event, check: { ...event.check, output, ...(hooks.length > 0 ? { hooks: [...hooks] } : {}) } };
};
