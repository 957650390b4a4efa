// Maps the outcome of a command to the status and output of an earlier check.
import { type Ending, runCommand } from '../execution/run-command.ts';
import { killGraceMs, maxOutputBytes } from './limits.ts';

export interface Command {
  readonly command: string;
  /** Undefined means no limit. */
  readonly timeoutSeconds: number | undefined;
  readonly input: string | undefined;
}

export interface CommandResult {
  /** Exit status; n after signal n; 2 after a timeout; 3 if it could not be started. */
  readonly status: number;
  readonly output: string;
}

export interface RunningCommand {
  readonly result: Promise<CommandResult>;
  /** Kills the whole process group immediately. */
  kill(): void;
}

const unknownStatus = 3;

const resultOf = (ending: Ending, output: Buffer): CommandResult => {
  switch (ending.type) {
    case 'exited':
      return { status: ending.status, output: output.toString('utf8') };
    case 'signalled':
      return { status: ending.signal, output: output.toString('utf8') };
    case 'stopped':
      return { status: unknownStatus, output: output.toString('utf8') };
    case 'timedOut':
      return { status: 2, output: `Execution timed out${failure(ending.pid, ending.unkillable)}` };
    case 'notStarted':
      return { status: unknownStatus, output: `Unexpected error: ${ending.error.message}` };
  }
};

const failure = (pid: number, error: string | undefined): string =>
  error === undefined ? '' : ` - Unable to TERM/KILL the process: #${pid}, ${error}`;

/** Never rejects; failures are results. */
export const execute = ({ command, input, timeoutSeconds = 0 }: Command): RunningCommand => {
  const running = runCommand({
    command,
    input,
    timeoutMs: timeoutSeconds * 1000,
    terminationGraceMs: killGraceMs,
    maxOutputBytes,
  });
  return {
    result: running.result.then(({ ending, output }) => resultOf(ending, output)),
    kill: running.stop,
  };
};
