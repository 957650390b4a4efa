// Executor: runs one command and tells what came of it (agent sheet 4.3).
// A command runs in a process group of its own, so that a timeout ends all of it: a shell, its children, and theirs.
import { type ChildProcess, spawn } from 'node:child_process';
import { constants } from 'node:os';
import type { Clock } from './clock.ts';
import { drainAfterExitMs, killGraceMs, maxOutputBytes } from './limits.ts';
import { createOutput, type Output } from './output-buffer.ts';

export interface Command {
  readonly command: string;
  /** 0: as long as it takes. */
  readonly timeoutSeconds: number;
  readonly environment: Readonly<Record<string, string>>;
  /** Written to standard input, which is then closed; without it the command reads from nothing. */
  readonly input?: string;
}

/** `stopped`: the agent itself ended it, so its status says nothing about what was being checked. */
export type Ending = 'exited' | 'signalled' | 'timedOut' | 'notStarted' | 'stopped';

export interface CommandResult {
  readonly ending: Ending;
  /** Exit status; 128 + n after signal n; 2 after a timeout; 3 when it could not be started. */
  readonly status: number;
  /** Standard output and standard error in order of arrival. */
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

const isWindows = process.platform === 'win32';

const start = (command: Command): ChildProcess => {
  const stdin = command.input === undefined ? 'ignore' : 'pipe';
  if (isWindows)
    return spawn('cmd', ['/c', command.command], {
      env: command.environment,
      stdio: [stdin, 'pipe', 'pipe'],
      windowsVerbatimArguments: true,
    });
  // The outer shell only joins standard error to standard output, so that one pipe keeps their order, and steps aside.
  return spawn('sh', ['-c', 'exec sh -c "$1" 2>&1', 'sh', command.command], {
    env: command.environment,
    stdio: [stdin, 'pipe', 'ignore'],
    detached: true,
  });
};

/** Ends every process of the group. False when that was not allowed. */
const killGroup = (child: ChildProcess): boolean => {
  if (child.pid === undefined) return true;
  try {
    if (isWindows) spawn('taskkill', ['/T', '/F', '/PID', String(child.pid)]);
    else process.kill(-child.pid, 'SIGKILL');
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
};

const statusOf = (code: number | null, signal: NodeJS.Signals | null): number => {
  if (code !== null) return code;
  return signal === null ? unknownStatus : 128 + constants.signals[signal];
};

const feed = (child: ChildProcess, input: string): void => {
  // A command need not read its input: a broken pipe is no fault.
  child.stdin?.on('error', () => {});
  child.stdin?.end(input);
};

/** Calls back once everything written before the exit was read, or nothing more comes for a while. */
const afterDrain = (child: ChildProcess, output: Output, clock: Clock, done: () => void): void => {
  const finish = once(() => {
    child.stdout?.destroy();
    child.stderr?.destroy();
    done();
  });
  child.once('close', finish);
  const wait = (rounds: number) => {
    const before = output.receivedBytes();
    clock.after(drainAfterExitMs, () => {
      if (rounds > 1 && output.receivedBytes() > before) wait(rounds - 1);
      else finish();
    });
  };
  wait(5);
};

const once = (run: () => void): (() => void) => {
  let ran = false;
  return () => {
    if (ran) return;
    ran = true;
    run();
  };
};

/** Starts a command. Never throws and never rejects: what goes wrong is in the result. */
export const execute = (
  command: Command,
  clock: Clock,
  outputLimitBytes = maxOutputBytes,
): RunningCommand => {
  const startedMs = clock.monotonicMs();
  const output = createOutput(outputLimitBytes);
  let ending: Ending = 'exited';
  let note = '';
  let child: ChildProcess | undefined;
  let settle: (status: number) => void = () => {};

  const result = new Promise<CommandResult>((resolve) => {
    let settled = false;
    settle = (status) => {
      if (settled) return;
      settled = true;
      cancelTimeout();
      resolve({
        ending,
        status: ending === 'timedOut' ? timeoutStatus : status,
        output: note + output.text(),
        durationSeconds: (clock.monotonicMs() - startedMs) / 1000,
      });
    };
    let cancelTimeout = () => {};
    const refuse = (error: Error) => {
      ending = 'notStarted';
      note = error.message;
      settle(unknownStatus);
    };
    try {
      child = start(command);
    } catch (error) {
      // For instance a NUL byte in the command.
      refuse(error as Error);
      return;
    }
    const running = child;
    running.stdout?.on('data', output.add);
    running.stderr?.on('data', output.add);
    running.once('error', refuse);
    running.once('exit', (code, signal) => {
      if (ending === 'exited' && signal !== null) ending = 'signalled';
      cancelTimeout();
      afterDrain(running, output, clock, () => settle(statusOf(code, signal)));
    });
    if (command.input !== undefined) feed(running, command.input);
    if (command.timeoutSeconds > 0)
      cancelTimeout = clock.after(command.timeoutSeconds * 1000, () => end('timedOut'));
  });

  const end = (why: 'timedOut' | 'stopped') => {
    if (child === undefined || ending === 'timedOut' || ending === 'stopped') return;
    ending = why;
    const killed = killGroup(child);
    if (why === 'timedOut') {
      const failure = `[Unable to TERM/KILL the process: #${child.pid}]\n`;
      note = `Execution timed out\n${killed ? '' : failure}`;
    }
    // What can't be killed must not hold the check for ever.
    if (killed) clock.after(killGraceMs, () => settle(unknownStatus));
    else settle(unknownStatus);
  };

  return { result, stop: () => end('stopped') };
};
