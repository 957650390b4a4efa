// Maps the outcome of a command to the status and output of a check.
import { type CommandRequest, type Ending, runCommand } from '../../execution/run-command.ts';
import type { Environment } from '../../program/environment.ts';
import { maxOutputBytes } from '../limits.ts';

export interface Command {
  readonly command: string;
  /** If given, the command runs as these words, without a shell. */
  readonly words?: readonly string[] | undefined;
  /** 0 means no limit. */
  readonly timeoutSeconds: number;
  readonly environment: Environment;
  /** Written to stdin, which is then closed. If absent, stdin is closed immediately. */
  readonly input?: string;
}

export interface CommandResult {
  /** `stopped`: stopped by the agent, so the status says nothing about the check. */
  readonly ending: Ending['type'];
  /** Exit status; 128 + n after signal n; 2 after a timeout; 3 if it could not be started. */
  readonly status: number;
  /** Stdout and stderr in order of arrival, with a note at the end if the output was truncated. */
  readonly output: string;
  readonly durationSeconds: number;
}

export interface RunningCommand {
  readonly result: Promise<CommandResult>;
  /** Kills the whole process group immediately. */
  stop(): void;
}

export type Execute = (command: Command) => RunningCommand;

const timeoutStatus = 2;
export const unknownStatus = 3;

const statusOf = (ending: Ending): number => {
  if (ending.type === 'exited') return ending.status;
  if (ending.type === 'signalled') return 128 + ending.signal;
  return ending.type === 'timedOut' ? timeoutStatus : unknownStatus;
};

/** A prefix for the command's output. */
const noteOf = (ending: Ending): string => {
  if (ending.type === 'notStarted') return ending.error.message;
  if (ending.type !== 'timedOut') return '';
  const failure =
    ending.unkillable === undefined ? '' : `[Unable to TERM/KILL the process: #${ending.pid}]\n`;
  return `Execution timed out\n${failure}`;
};

const truncationNote = (droppedBytes: number): string =>
  droppedBytes === 0 ? '' : `\n[output truncated: ${droppedBytes} bytes were discarded]\n`;

/** Starts a command. Never throws or rejects; failures are results. */
export const execute = (command: Command, outputLimitBytes = maxOutputBytes): RunningCommand => {
  const { timeoutSeconds, ...rest } = command;
  const request: CommandRequest = {
    ...rest,
    timeoutMs: timeoutSeconds * 1000,
    maxOutputBytes: outputLimitBytes,
  };
  const running = runCommand(request);
  const result = running.result.then(({ ending, output, droppedBytes, durationMs }) => ({
    ending: ending.type,
    status: statusOf(ending),
    output: noteOf(ending) + output.toString('utf8') + truncationNote(droppedBytes),
    durationSeconds: durationMs / 1000,
  }));
  return { result, stop: running.stop };
};
