// The `pipe` handler: runs a local command with the mutated event on stdin.
import type { Environment } from '../environment.ts';
import { isRetryable, messageOf } from '../failures.ts';
import { maxHandlerReadBytes } from '../limits.ts';
import { againIf, clipOutput, clipReason } from '../trace.ts';
import type { Handling, HandOver } from './handling.ts';

/** The status reported for a timeout, as in the reference product. */
const timedOutStatus = 2;

export const pipeHandler = async (given: HandOver): Promise<Handling> => {
  let environment: Environment;
  try {
    environment = await given.environment();
  } catch (error) {
    return {
      outcome: 'failed',
      why: `could not be started: ${messageOf(error)}`,
      ...againIf(isRetryable(error)),
    };
  }
  return runCommand(given, environment);
};

const runCommand = async (
  { handler, data, signal, commands }: HandOver,
  environment: Environment,
): Promise<Handling> => {
  const timeoutSeconds = handler.timeout;
  const result = await commands.run({
    command: handler.command ?? '',
    input: data,
    env: environment.env,
    timeoutMs: timeoutSeconds * 1000,
    maxOutputBytes: maxHandlerReadBytes,
    signal,
  });
  const shown = (output: Buffer): string => clipOutput(environment.scrub(output.toString('utf8')));
  switch (result.type) {
    case 'exited':
      return {
        outcome: result.status === 0 ? 'handled' : 'failed',
        why: `exit status ${result.status}`,
        status: result.status,
        output: shown(result.output),
      };
    case 'timedOut':
      return {
        outcome: 'timedOut',
        why: `killed with all its processes after ${timeoutSeconds} s`,
        status: timedOutStatus,
        output: clipOutput(`Execution timed out\n${shown(result.output)}`),
      };
    case 'aborted':
      return { outcome: 'failed', why: 'killed because the backend is stopping', retry: true };
    case 'notStarted': {
      const why = clipReason(environment.scrub(`could not be started: ${result.message}`));
      return { outcome: 'failed', why, ...(result.outage ? { retry: true } : {}) };
    }
  }
};
