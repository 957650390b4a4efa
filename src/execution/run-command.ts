// Runs one command and returns its outcome, for checks, hooks, handlers and mutators. The caller maps outcomes to
// status and text. Never throws or rejects.
import type { ChildProcess } from 'node:child_process';
import { constants } from 'node:os';
import { drainAfterExitMs, killedWaitMs, longestTimerMs, maxDrainRounds } from './limits.ts';
import { createOutput, type Output } from './output.ts';
import { type Spawn, signalGroup, startGroup } from './process-group.ts';

export interface CommandRequest {
  readonly command: string;
  /** If given, the command runs as these words, without a shell. */
  readonly words?: readonly string[] | undefined;
  /** Default: the environment of this process. */
  readonly environment?: NodeJS.ProcessEnv;
  /** Written to stdin, which is then closed. If absent, stdin is closed immediately. */
  readonly input?: string | Buffer | undefined;
  /** 0 means no limit. */
  readonly timeoutMs: number;
  /** On timeout the group gets SIGTERM, and SIGKILL after this grace period. Absent: SIGKILL immediately. */
  readonly terminationGraceMs?: number;
  /** Output beyond this is read and discarded, so that the command never blocks on it. */
  readonly maxOutputBytes: number;
}

export type Ending =
  | { readonly type: 'exited'; readonly status: number }
  | { readonly type: 'signalled'; readonly signal: number }
  /** `unkillable`: why the group could not be killed; it may still be running. */
  | { readonly type: 'timedOut'; readonly pid: number; readonly unkillable?: string }
  /** Stopped by the caller, so the result says nothing about the check. */
  | { readonly type: 'stopped' }
  | { readonly type: 'notStarted'; readonly error: NodeJS.ErrnoException };

interface CommandResult {
  readonly ending: Ending;
  /** Stdout and stderr in order of arrival. */
  readonly output: Buffer;
  readonly droppedBytes: number;
  readonly durationMs: number;
}

export interface RunningCommand {
  readonly result: Promise<CommandResult>;
  /** Kills the whole group immediately. */
  stop(): void;
}

export const runCommand = (request: CommandRequest, start?: Spawn): RunningCommand => {
  const startedMs = performance.now();
  const output = createOutput(request.maxOutputBytes);
  const resultOf = (ending: Ending): CommandResult => ({
    ending,
    output: output.bytes(),
    droppedBytes: output.droppedBytes(),
    durationMs: performance.now() - startedMs,
  });
  try {
    const { command, words, environment = process.env, input } = request;
    const child = startGroup({ command, words, environment, hasInput: input !== undefined }, start);
    child.stdout?.on('data', output.add);
    child.stderr?.on('data', output.add);
    if (input !== undefined) feed(child, input);
    return watch(child, request, output, resultOf);
  } catch (error) {
    const ending: Ending = { type: 'notStarted', error: error as Error };
    return { result: Promise.resolve(resultOf(ending)), stop: () => {} };
  }
};

/** A command may close its stdin at any time without reading it all. */
const feed = (child: ChildProcess, input: string | Buffer): void => {
  child.stdin?.on('error', () => {
    // EPIPE, ECONNRESET: the exit status tells whether the command succeeded.
  });
  child.stdin?.end(input);
};

const watch = (
  child: ChildProcess,
  request: CommandRequest,
  output: Output,
  resultOf: (ending: Ending) => CommandResult,
): RunningCommand => {
  const timers = new Set<NodeJS.Timeout>();
  const after = (delayMs: number, run: () => void) =>
    timers.add(setTimeout(run, Math.min(delayMs, longestTimerMs)));
  /** Why we ended it; undefined while it may still exit on its own. */
  let ended: Ending | undefined;
  let settle: (ending: Ending) => void = () => {};
  const result = new Promise<CommandResult>((resolve) => {
    settle = (ending) => {
      for (const timer of timers) clearTimeout(timer);
      child.stdin?.destroy();
      child.stdout?.destroy();
      child.stderr?.destroy();
      resolve(resultOf(ending));
    };
  });

  const kill = (why: Ending) => {
    ended = why;
    const failure = signalGroup(child, 'SIGKILL');
    // A process that cannot be killed must not block the caller forever.
    if (failure === undefined) after(killedWaitMs, () => settle(why));
    else settle(why.type === 'timedOut' ? { ...why, unkillable: failure } : why);
  };
  const expire = () => {
    const why: Ending = { type: 'timedOut', pid: child.pid ?? 0 };
    if (request.terminationGraceMs === undefined) return kill(why);
    ended = why;
    const failure = signalGroup(child, 'SIGTERM');
    if (failure !== undefined) return settle({ ...why, unkillable: failure });
    after(request.terminationGraceMs, () => kill(why));
  };

  child.once('error', (error) => {
    ended = { type: 'notStarted', error };
    settle(ended);
  });
  child.once('exit', (code, signal) => {
    // After SIGTERM, wait until no process holds the output, or until the group is killed.
    if (ended !== undefined) return;
    ended = endingOf(code, signal);
    for (const timer of timers) clearTimeout(timer);
    drain(output, after, settle, ended);
  });
  child.once('close', (code, signal) => {
    const ending = ended ?? endingOf(code, signal);
    // Kills child processes that closed the output but still run.
    if (ending.type === 'timedOut') signalGroup(child, 'SIGKILL');
    settle(ending);
  });
  if (request.timeoutMs > 0) after(request.timeoutMs, expire);
  return {
    result,
    stop: () => {
      if (ended === undefined) kill({ type: 'stopped' });
      else if (ended.type === 'timedOut') kill(ended);
    },
  };
};

const endingOf = (code: number | null, signal: NodeJS.Signals | null): Ending =>
  code === null
    ? { type: 'signalled', signal: signal === null ? 0 : constants.signals[signal] }
    : { type: 'exited', status: code };

/** A leftover child may keep the output open: wait while it writes, then continue without it. */
const drain = (
  output: Output,
  after: (delayMs: number, run: () => void) => void,
  settle: (ending: Ending) => void,
  ending: Ending,
): void => {
  const wait = (rounds: number) => {
    const before = output.receivedBytes();
    after(drainAfterExitMs, () => {
      if (rounds > 1 && output.receivedBytes() > before) wait(rounds - 1);
      else settle(ending);
    });
  };
  wait(maxDrainRounds);
};
