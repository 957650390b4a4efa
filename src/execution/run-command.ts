// Runs one command and tells what came of it: for checks, hooks, handlers and mutators alike. What status or text an
// ending is worth is for the caller to say; nothing here throws or rejects.
import type { ChildProcess } from 'node:child_process';
import { constants } from 'node:os';
import { drainAfterExitMs, killedWaitMs, longestTimerMs, maxDrainRounds } from './limits.ts';
import { createOutput, type Output } from './output.ts';
import { type Spawn, signalGroup, startGroup } from './process-group.ts';

export interface CommandRequest {
  readonly command: string;
  /** Given: the command runs as these words, without a shell. */
  readonly words?: readonly string[] | undefined;
  /** Absent: the variables of this process. */
  readonly environment?: NodeJS.ProcessEnv;
  /** Written to standard input, which is then closed; without it the command reads from nothing. */
  readonly input?: string | Buffer | undefined;
  /** 0: as long as it takes. */
  readonly timeoutMs: number;
  /** After its time the group gets SIGTERM, and SIGKILL this much later. Absent: SIGKILL at once. */
  readonly terminationGraceMs?: number;
  /** Output past this is read and dropped, so that the command never blocks on it. */
  readonly maxOutputBytes: number;
}

export type Ending =
  | { readonly type: 'exited'; readonly status: number }
  | { readonly type: 'signalled'; readonly signal: number }
  /** `unkillable`: why the group could not be ended; it may run on. */
  | { readonly type: 'timedOut'; readonly pid: number; readonly unkillable?: string }
  /** Its caller ended it, so it says nothing about what was being checked. */
  | { readonly type: 'stopped' }
  | { readonly type: 'notStarted'; readonly error: NodeJS.ErrnoException };

export interface CommandResult {
  readonly ending: Ending;
  /** Standard output and standard error in order of arrival. */
  readonly output: Buffer;
  readonly droppedBytes: number;
  readonly durationMs: number;
}

export interface RunningCommand {
  readonly result: Promise<CommandResult>;
  /** Ends the whole group at once. */
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

/** A command that doesn't read its input closes it, now or in the middle of our writing: that is its right. */
const feed = (child: ChildProcess, input: string | Buffer): void => {
  child.stdin?.on('error', () => {
    // EPIPE, ECONNRESET: the exit status tells whether the command is content.
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
  /** Why we ended it; undefined while it may end by itself. */
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
    // What can't be ended must not hold its caller for ever.
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
    // A group that was asked to end is waited for until nobody holds the output, or until it is killed.
    if (ended !== undefined) return;
    ended = endingOf(code, signal);
    for (const timer of timers) clearTimeout(timer);
    drain(output, after, settle, ended);
  });
  child.once('close', (code, signal) => {
    const ending = ended ?? endingOf(code, signal);
    // Children that gave up the output but not their life.
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

/** A child left behind may hold the output open: wait while it writes, then go on without it. */
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
