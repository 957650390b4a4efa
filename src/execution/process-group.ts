// Process group: a command as the first of a group of its own, so that one signal reaches it, its children, and theirs.
import { type ChildProcess, spawn } from 'node:child_process';

const isWindows = process.platform === 'win32';

/** `spawn` of Node, or a stand-in for it. */
export type Spawn = (file: string, args: readonly string[], options: object) => ChildProcess;

export interface GroupCommand {
  readonly command: string;
  /** Given: the command runs as these words, without a shell, and `command` is only its name. */
  readonly words?: readonly string[] | undefined;
  readonly environment: NodeJS.ProcessEnv;
  /** Without input the command reads from nothing. */
  readonly hasInput: boolean;
}

/**
 * Starts `sh -c` (`cmd /c` on Windows), or the words as they are. Throws what `spawn` throws: a NUL byte in the command, no
 * process to be had.
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
  // The outer shell only joins standard error to standard output, so that one pipe keeps their order, and is replaced by the
  // command. It never reads the words as syntax: they are its arguments.
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
