// Runs the mutator of a workflow, which transforms the event for the handler. Every workflow starts from the same
// immutable text, so only its own handler sees the mutation.
import { clientOf, earlierEvent } from '../model/earlier/event-shape.ts';
import { type Event, hasCheck } from '../model/event/event.ts';
import type { Mutator } from '../model/pipeline/mutator.ts';
import { isBackendSetting } from '../model/process-environment.ts';
import { directRunner } from './commands/run-command.ts';
import { buildEnvironment, scriptsOf, splitVariable } from './environment.ts';
import { isRetryable, messageOf } from './failures.ts';
import { describeFailure } from './filter-rule.ts';
import { maxMutatorOutputBytes, mutatorLimits } from './limits.ts';
import type { PipelineDeps } from './ports.ts';
import type { MutationOutcome } from './sandbox/protocol.ts';
import { clipReason } from './trace.ts';

export type Mutation =
  | { readonly type: 'data'; readonly data: string | Buffer }
  | { readonly type: 'failed'; readonly why: string; readonly retry: boolean };

type MutatorDeps = Pick<
  PipelineDeps,
  'lookup' | 'mutators' | 'commands' | 'env' | 'loadAssets' | 'resolveSecrets' | 'signal' | 'span'
>;

const failed = (why: string, retry = false): Mutation => ({ type: 'failed', why: clipReason(why), retry });

export const mutateEvent = async (
  name: string,
  event: Event,
  eventJson: string,
  namespace: string,
  deps: MutatorDeps,
): Promise<Mutation> => {
  if (name === '' || name === 'json') return { type: 'data', data: eventJson };
  if (name === 'only_check_output')
    return event.check === undefined
      ? failed('the event has no check, so it has no check output')
      : { type: 'data', data: event.check.output };
  if (name === 'earlier_event')
    return hasCheck(event)
      ? { type: 'data', data: JSON.stringify(earlierEvent(event, clientOf(event.entity))) }
      : failed("the event has no check, which the earlier generation's format requires");
  const mutator = deps.lookup.mutator(namespace, name);
  if (mutator === undefined) return failed(`mutator "${name}" does not exist`);
  try {
    return mutator.type === 'javascript'
      ? await mutateByScript(mutator, eventJson, namespace, deps)
      : await mutateByCommand(mutator, eventJson, namespace, deps);
  } catch (error) {
    return failed(messageOf(error), isRetryable(error));
  }
};

const mutateByCommand = async (
  mutator: Mutator,
  eventJson: string,
  namespace: string,
  deps: MutatorDeps,
): Promise<Mutation> => {
  const environment = await buildEnvironment(mutator, namespace, deps);
  const result = await (deps.commands ?? directRunner).run({
    command: mutator.command ?? '',
    input: eventJson,
    env: environment.env,
    timeoutMs: mutator.timeout * 1000,
    maxOutputBytes: maxMutatorOutputBytes,
    signal: deps.signal,
  });
  const said = (output: Buffer): string => environment.scrub(output.toString('utf8'));
  switch (result.type) {
    case 'timedOut':
      return failed(`pipe mutator execution timed out after ${mutator.timeout} s`);
    case 'aborted':
      return failed('killed because the backend is stopping', true);
    case 'notStarted':
      return failed(environment.scrub(`could not be started: ${result.message}`), result.outage);
    case 'exited':
      if (result.status !== 0)
        return failed(
          `pipe mutator execution returned non-zero exit status ${result.status}: ${said(result.output)}`,
        );
      return result.truncated
        ? failed(`pipe mutator wrote more than ${maxMutatorOutputBytes} bytes`)
        : { type: 'data', data: result.output };
  }
};

const mutateByScript = async (
  mutator: Mutator,
  eventJson: string,
  namespace: string,
  deps: MutatorDeps,
): Promise<Mutation> => {
  const timeMs = mutator.timeout > 0 ? mutator.timeout * 1000 : mutatorLimits.timeMs;
  const outcome = await deps.mutators.mutate(eventJson, {
    body: mutator.eval ?? '',
    globals: scriptGlobals(mutator.env_vars ?? [], deps.env),
    scripts: await scriptsOf(mutator, namespace, deps),
    timeMs,
  });
  return readOutcome(outcome, timeMs);
};

const readOutcome = (outcome: MutationOutcome, timeMs: number): Mutation => {
  switch (outcome.type) {
    case 'text':
      return { type: 'data', data: outcome.text };
    case 'badResult':
      return failed(`bad mutator result: got "${outcome.class}", want string or undefined`);
    case 'failed':
      return outcome.kind === 'slow' || outcome.kind === 'hung'
        ? failed(`mutator timeout reached, execution halted after ${timeMs} ms`)
        : failed(`mutator ${describeFailure(outcome, { ...mutatorLimits, timeMs })}`);
  }
};

/**
 * `NAME=value` defines a global string. A bare `NAME` takes the value from the backend's environment, except for
 * backend settings.
 */
const scriptGlobals = (
  entries: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, string>> => {
  const globals: Record<string, string> = Object.create(null);
  for (const entry of entries) {
    const [name, given] = splitVariable(entry);
    globals[name] = given ?? (isBackendSetting(name) ? '' : (env[name] ?? ''));
  }
  return globals;
};
