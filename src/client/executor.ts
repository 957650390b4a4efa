// Runs one command for a check or a hook and tells what came of it (sheet 1.8): a shell in a process group of its own, both
// outputs in order of arrival, TERM and then KILL after its time.
import { type ChildProcess, spawn } from 'node:child_process';
import { constants } from 'node:os';
import { drainAfterExitMs, killGraceMs, maxOutputBytes } from './limits.ts';

export interface Command {
  readonly command: string;
  /** Undefined: as long as it takes. */
  readonly timeoutSeconds: number | undefined;
  readonly input: string | undefined;
}

export interface CommandResult {
  readonly status: number;
  readonly output: string;
}

export interface RunningCommand {
  readonly result: Promise<CommandResult>;
  /** Ends the whole group at once. */
  kill(): void;
}

const timedOut = 'Execution timed out';
const timeoutStatus = 2;
const unknownStatus = 3;
const isWindows = process.platform === 'win32';

const start = ({ command, input }: Command): ChildProcess => {
  const stdin = input === undefined ? 'ignore' : 'pipe';
  if (isWindows)
    return spawn('cmd', ['/c', command], { stdio: [stdin, 'pipe', 'pipe'], windowsVerbatimArguments: true });
  // The outer shell only joins the two outputs in one pipe, which keeps their order, and steps aside.
  return spawn('sh', ['-c', 'exec sh -c "$1" 2>&1', 'sh', command], {
    stdio: [stdin, 'pipe', 'ignore'],
    detached: true,
  });
};

/** Why a whole group could not be told a signal; undefined when it was, or is gone. */
const signalGroup = (child: ChildProcess, signal: NodeJS.Signals): string | undefined => {
  if (child.pid === undefined) return undefined;
  try {
    if (isWindows) spawn('taskkill', ['/T', '/F', '/PID', String(child.pid)]);
    else process.kill(-child.pid, signal);
    return undefined;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return code === 'ESRCH' ? undefined : message;
  }
};

const statusOf = (code: number | null, signal: NodeJS.Signals | null): number =>
  code ?? (signal === null ? unknownStatus : constants.signals[signal]);

/** Never rejects: what goes wrong is the result. */
export const execute = (command: Command): RunningCommand => {
  let child: ChildProcess | undefined;
  const result = new Promise<CommandResult>((resolve) => {
    const chunks: Buffer[] = [];
    let size = 0;
    let settled = false;
    const timers: NodeJS.Timeout[] = [];
    const settle = (status: number, output: string) => {
      if (settled) return;
      settled = true;
      for (const timer of timers) clearTimeout(timer);
      resolve({ status, output });
    };
    const unexpected = (error: Error) => settle(unknownStatus, `Unexpected error: ${error.message}`);
    const gather = (chunk: Buffer) => {
      const part = chunk.subarray(0, Math.max(0, maxOutputBytes - size));
      size += part.length;
      if (part.length > 0) chunks.push(part);
    };
    try {
      child = start(command);
    } catch (error) {
      return unexpected(error as Error);
    }
    const running = child;
    const expire = () => {
      let failure = signalGroup(running, 'SIGTERM');
      const after = () =>
        settle(timeoutStatus, failure === undefined ? timedOut : `${timedOut}${failed(running, failure)}`);
      if (failure !== undefined) return after();
      running.once('exit', after);
      timers.push(
        setTimeout(() => {
          failure = signalGroup(running, 'SIGKILL');
          after();
        }, killGraceMs),
      );
    };
    running.stdout?.on('data', gather);
    running.stderr?.on('data', gather);
    running.once('error', unexpected);
    running.once('exit', (code, signal) => {
      const finish = () => {
        running.stdout?.destroy();
        settle(statusOf(code, signal), Buffer.concat(chunks).toString('utf8'));
      };
      running.once('close', finish);
      // A child it left behind may hold the pipe open for ever.
      timers.push(setTimeout(finish, drainAfterExitMs));
    });
    if (command.timeoutSeconds !== undefined && command.timeoutSeconds > 0)
      timers.push(setTimeout(expire, command.timeoutSeconds * 1000));
    if (command.input !== undefined) {
      // A command need not read its input: a broken pipe is no fault.
      running.stdin?.on('error', () => {});
      running.stdin?.end(command.input);
    }
  });
  return { result, kill: () => void (child !== undefined && signalGroup(child, 'SIGKILL')) };
};

const failed = (child: ChildProcess, error: string): string =>
  ` - Unable to TERM/KILL the process: #${child.pid}, ${error}`;
