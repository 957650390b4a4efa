// Runs one handler or mutator command: the event on stdin, stdout and stderr combined in the order written.
// Failures are named results; nothing throws.
import type { Spawn } from '../../execution/process-group.ts';
import { type Ending, runCommand as run } from '../../execution/run-command.ts';
import type { CommandRequest, CommandResult, CommandRunner } from './protocol.ts';

/** Out of processes, files or memory: may succeed on retry, unlike a wrong command. */
const scarcity = new Set(['EAGAIN', 'EMFILE', 'ENFILE', 'ENOMEM', 'ENOBUFS']);

const isScarcity = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' && scarcity.has(error.code);

export const runCommand = async (request: CommandRequest, start?: Spawn): Promise<CommandResult> => {
  const { env, signal, ...command } = request;
  if (signal?.aborted === true) return { type: 'aborted', durationMs: 0 };
  const running = run({ ...command, environment: env }, start);
  signal?.addEventListener('abort', running.stop, { once: true });
  const { ending, output, droppedBytes, durationMs } = await running.result;
  signal?.removeEventListener('abort', running.stop);
  switch (ending.type) {
    case 'exited':
    case 'signalled':
      return { type: 'exited', status: statusOf(ending), output, truncated: droppedBytes > 0, durationMs };
    case 'timedOut':
      return { type: 'timedOut', output, durationMs };
    case 'stopped':
      return { type: 'aborted', durationMs };
    case 'notStarted': {
      const { message } = ending.error;
      return { type: 'notStarted', message, outage: isScarcity(ending.error), durationMs };
    }
  }
};

const statusOf = (ending: Extract<Ending, { type: 'exited' | 'signalled' }>): number =>
  ending.type === 'exited' ? ending.status : 128 + ending.signal;

/** Runs commands from the current process. */
export const directRunner: CommandRunner = { run: (request) => runCommand(request) };
