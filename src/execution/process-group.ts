// Starts a command as the leader of its own process group, so that one signal reaches all its child processes.
import { type ChildProcess, spawn } from 'node:child_process';

const isWindows = process.platform === 'win32';

/** Node's `spawn`, or a replacement. */
export type Spawn = (file: string, args: readonly string[], options: object) => ChildProcess;

export interface GroupCommand {
  readonly command: string;
  /** If given, these words run without a shell, and `command` is only a display name. */
  readonly words?: readonly string[] | undefined;
  readonly environment: NodeJS.ProcessEnv;
  /** Without input, stdin is closed. */
  readonly hasInput: boolean;
}

/**
 * Starts `sh -c` (`cmd /c` on Windows), or the words directly. Throws the errors of `spawn`: a NUL byte in the
 * command, or no process available.
 */
export const startGroup = (group: GroupCommand, start: Spawn = spawn): ChildProcess => {
  const { command, words, environment: env } = group;
  const stdin = group.hasInput ? 'pipe' : 'ignore';
  if (isWindows && words !== undefined)
    return start(words[0] ?? '', words.slice(1), { env, stdio: [stdin, 'pipe', 'pipe'] });
  if (isWindows)
    return start('cmd', ['/c', command], {
      env,
      stdio: [stdin, 'pipe', 'pipe'],
      windowsVerbatimArguments: true,
    });
  // The outer shell only redirects stderr to stdout, so that one pipe preserves their order, and then execs the
  // command. It does not parse the words; they are its arguments.
  const args =
    words === undefined
      ? ['-c', 'exec sh -c "$1" 2>&1', 'sh', command]
      : ['-c', 'exec "$@" 2>&1', 'sh', ...words];
  return start('sh', args, {
    env,
    stdio: [stdin, 'pipe', 'ignore'],
    detached: true,
  });
};

/**
 * Sends a signal to the whole group. Returns the error if that failed; a group that no longer exists counts as
 * success.
 */
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
