// Runs the hooks of a check for its exit status: in sequence, each at most once. A missing or invalid hook is
// reported as a failed hook.
import type { Check } from '../../model/check/check.ts';
import type { CheckEvent } from '../../model/event/event.ts';
import { toWireEvent } from '../../model/event/wire-shape.ts';
import { redactEvent } from '../../model/resource/redaction.ts';
import { type Environment, mergeEnvironments } from '../../program/environment.ts';
import { no, type Stage, yes } from '../../program/stage.ts';
import type { CheckRequest, RequestedHook } from '../../wire/messages.ts';
import { nowSeconds } from '../clock.ts';
import { type CommandResult, unknownStatus } from './executor.ts';
import type { RunTools } from './run-tools.ts';

export type HookResult = NonNullable<NonNullable<Check['hooks']>[number]>;

const brokenHookStatus = 2;
const deniedHookMessage = 'check hook command denied by the agent allow list';

/** Whether hooks of this type run for a status. */
const hookTypeMatches = (type: string, status: number): boolean => {
  switch (type) {
    case 'ok':
      return status === 0;
    case 'warning':
      return status === 1;
    case 'critical':
      return status === 2;
    case 'unknown':
      return status > 2;
    case 'non-zero':
      return status !== 0;
    default:
      return /^\d{1,3}$/.test(type) && Number(type) === status;
  }
};

/** The hooks for a status, in the order of the check, without duplicates. */
export const hooksFor = (check: Pick<Check, 'check_hooks' | 'status'>): string[] => {
  const named = (check.check_hooks ?? []).flatMap((list) =>
    Object.entries(list).flatMap(([type, names]) =>
      hookTypeMatches(type, check.status) ? (names ?? []) : [],
    ),
  );
  return [...new Set(named)];
};

const resultOf = (
  name: string,
  hook: RequestedHook | undefined,
  outcome: { status: number; output: string; executed: number; durationSeconds: number },
): HookResult => ({
  ...(hook ?? { command: '', timeout: 0, stdin: false, runtime_assets: null }),
  metadata: hook?.metadata ?? { name },
  command: hook?.command ?? '',
  duration: outcome.durationSeconds,
  executed: outcome.executed,
  issued: 0,
  output: outcome.output,
  status: outcome.status,
});

const hookProblem = (hook: RequestedHook): string | null => {
  if (hook.timeout <= 0) return 'hook timeout must be greater than 0';
  if (hook.command === '') return 'command cannot be empty';
  return hook.metadata.namespace === undefined || hook.metadata.namespace === ''
    ? 'namespace must be set'
    : null;
};

interface Refusal {
  readonly status: number;
  readonly output: string;
}
type Ready = {
  readonly hook: RequestedHook;
  readonly words: readonly string[] | undefined;
  readonly environment: Environment;
};

const refusal = (status: number, output: string): Refusal => ({ status, output });

const installHookAssets = async (
  name: string,
  event: CheckEvent,
  request: CheckRequest,
  tools: RunTools,
): Promise<Stage<Environment>> => {
  const assets = request.hook_assets?.[name]?.assets ?? [];
  if (assets.length === 0) return yes({});
  if (tools.stages.assets === null) return no('assets are disabled on this agent');
  const installed = await tools.stages.assets.install(assets, event.entity);
  return installed.ok ? yes(installed.value.variables) : installed;
};

const prepare = async (
  name: string,
  hook: RequestedHook | undefined,
  event: CheckEvent,
  request: CheckRequest,
  tools: RunTools,
): Promise<Ready | Refusal> => {
  if (hook === undefined) return refusal(brokenHookStatus, `hook ${name}: missing hook config\n`);
  const problem = hookProblem(hook);
  if (problem !== null) return refusal(brokenHookStatus, `hook "${name}" is invalid: ${problem}\n`);
  const filled = tools.stages.substitute(hook, event.entity);
  if (!filled.ok)
    return refusal(brokenHookStatus, `hook "${name}": error doing token substitution: ${filled.message}\n`);
  const permitted = tools.stages.allowList.permit(filled.value.command);
  if (!permitted.ok) return refusal(unknownStatus, deniedHookMessage);
  const assets = await installHookAssets(name, event, request, tools);
  if (!assets.ok) return refusal(unknownStatus, `error getting assets for hook: ${assets.message}`);
  const environment = mergeEnvironments(tools.environment, assets.value);
  const verified = await tools.stages.allowList.verify(permitted.value, environment);
  return verified.ok
    ? { hook: filled.value, words: verified.value.words, environment }
    : refusal(unknownStatus, deniedHookMessage);
};

const runOne = async (
  name: string,
  event: CheckEvent,
  request: CheckRequest,
  tools: RunTools,
): Promise<HookResult | null> => {
  const defined = (request.hooks ?? []).find((hook) => hook.metadata.name === name);
  const executed = nowSeconds(tools.clock);
  const ready = await prepare(name, defined, event, request, tools);
  if (!('hook' in ready)) {
    tools.log.error({ hook: name, check: event.check.metadata.name, error: ready.output }, 'hook not run');
    return resultOf(name, defined, { ...ready, executed, durationSeconds: 0 });
  }
  const running = tools.execute({
    command: ready.hook.command,
    words: ready.words,
    timeoutSeconds: ready.hook.timeout,
    environment: ready.environment,
    ...(ready.hook.stdin ? { input: JSON.stringify(toWireEvent(redactEvent(event))) } : {}),
  });
  tools.started(running);
  const result: CommandResult = await running.result;
  return result.ending === 'stopped' ? null : resultOf(name, defined, { ...result, executed });
};

/** The results of all hooks for this event. Null if the agent was stopped meanwhile. */
export const runHooks = async (
  event: CheckEvent,
  request: CheckRequest,
  tools: RunTools,
): Promise<HookResult[] | null> => {
  const results: HookResult[] = [];
  for (const name of hooksFor(event.check)) {
    const result = await runOne(name, event, request, tools);
    if (result === null) return null;
    results.push(result);
  }
  return results;
};
