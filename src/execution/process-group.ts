// Process group: a shell command as the first of a group of its own, so that one signal reaches the shell, its children,
// and theirs.
import { type ChildProcess, spawn } from 'node:child_process';

const isWindows = process.platform === 'win32';

/** `spawn` of Node, or a stand-in for it. */
export type Spawn = (file: string, args: readonly string[], options: object) => ChildProcess;

export interface ShellCommand {
  readonly command: string;
  readonly environment: NodeJS.ProcessEnv;
  /** Without input the command reads from nothing. */
  readonly hasInput: boolean;
}

/** Starts `sh -c` (`cmd /c` on Windows). Throws what `spawn` throws: a NUL byte in the command, no process to be had. */
export const startGroup = (shell: ShellCommand, start: Spawn = spawn): ChildProcess => {
  const { command, environment: env } = shell;
  const stdin = shell.hasInput ? 'pipe' : 'ignore';
  if (isWindows)
    return start('cmd', ['/c', command], {
      env,
      stdio: [stdin, 'pipe', 'pipe'],
      windowsVerbatimArguments: true,
    });
  // The outer shell only joins standard error to standard output, so that one pipe keeps their order, and steps aside.
  return start('sh', ['-c', 'exec sh -c "$1" 2>&1', 'sh', command], {
    env,
    stdio: [stdin, 'pipe', 'ignore'],
    detached: true,
  });
};

/** Tells every process of the group. The answer is why that was not possible; a group that is gone counts as told. */
export const signalGroup = (child: ChildProcess, signal: 'SIGTERM' | 'SIGKILL'): string | undefined => {
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
