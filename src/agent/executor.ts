// Executor: what an ended command means to a check of an agent: its status, and the text people read.
import { type CommandRequest, type Ending, runCommand } from '../execution/run-command.ts';
import type { Environment } from '../program/environment.ts';
import { maxOutputBytes } from './limits.ts';

export interface Command {
  readonly command: string;
  /** Given: the command runs as these words, without a shell. */
  readonly words?: readonly string[] | undefined;
  /** 0: as long as it takes. */
  readonly timeoutSeconds: number;
  readonly environment: Environment;
  /** Written to standard input, which is then closed; without it the command reads from nothing. */
  readonly input?: string;
}

export interface CommandResult {
  /** `stopped`: the agent itself ended it, so its status says nothing about what was being checked. */
  readonly ending: Ending['type'];
  /** Exit status; 128 + n after signal n; 2 after a timeout; 3 when it could not be started. */
  readonly status: number;
  /** Standard output and standard error in order of arrival, with a last line that says so if something is missing. */
  readonly output: string;
  readonly durationSeconds: number;
}

export interface RunningCommand {
  readonly result: Promise<CommandResult>;
  /** Ends the whole group at once. */
  stop(): void;
}

export type Execute = (command: Command) => RunningCommand;

export const timeoutStatus = 2;
export const unknownStatus = 3;

const statusOf = (ending: Ending): number => {
  if (ending.type === 'exited') return ending.status;
  if (ending.type === 'signalled') return 128 + ending.signal;
  return ending.type === 'timedOut' ? timeoutStatus : unknownStatus;
};

/** What is said before the command's own words. */
const noteOf = (ending: Ending): string => {
  if (ending.type === 'notStarted') return ending.error.message;
  if (ending.type !== 'timedOut') return '';
  const failure =
    ending.unkillable === undefined ? '' : `[Unable to TERM/KILL the process: #${ending.pid}]\n`;
  return `Execution timed out\n${failure}`;
};

const truncationNote = (droppedBytes: number): string =>
  droppedBytes === 0 ? '' : `\n[output truncated: ${droppedBytes} more bytes were not kept]\n`;

/** Starts a command. Never throws and never rejects: what goes wrong is in the result. */
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
