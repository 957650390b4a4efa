// Runs one command of a handler or mutator: `sh -c` in a process group of its own, the event on its standard input,
// both of its outputs as one stream, in the order they were written (backend sheet 6.3). Whatever goes wrong is a
// result with a name; nothing here throws.
import { type ChildProcess, spawn } from 'node:child_process';
import { constants } from 'node:os';
import { outputGraceMs } from '../limits.ts';
import type { CommandRequest, CommandResult, CommandRunner } from './protocol.ts';

/** Out of processes, files or memory: worth another try, unlike a wrong command. */
const scarcity = new Set(['EAGAIN', 'EMFILE', 'ENFILE', 'ENOMEM', 'ENOBUFS']);

export const isScarcity = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' && scarcity.has(error.code);

type Spawn = (file: string, args: readonly string[], options: object) => ChildProcess;

export const runCommand = (request: CommandRequest, start: Spawn = spawn): Promise<CommandResult> => {
  const startedMs = performance.now();
  const durationMs = (): number => performance.now() - startedMs;
  const notStarted = (error: unknown): CommandResult => {
    const message = error instanceof Error ? error.message : String(error);
    return { type: 'notStarted', message, outage: isScarcity(error), durationMs: durationMs() };
  };
  if (request.signal?.aborted === true) return Promise.resolve({ type: 'aborted', durationMs: 0 });
  let child: ChildProcess;
  try {
    // One stream for both outputs keeps their order; `detached` gives the command a process group of its own.
    child = start('sh', ['-c', `exec 2>&1\n${request.command}`], {
      env: request.env,
      detached: true,
      stdio: ['pipe', 'pipe', 'ignore'],
    });
  } catch (error) {
    return Promise.resolve(notStarted(error));
  }
  return new Promise((resolve) => {
    const output = collect(child, request.maxOutputBytes);
    let ended: 'timedOut' | 'aborted' | null = null;
    const end = (why: 'timedOut' | 'aborted'): void => {
      ended ??= why;
      killGroup(child);
    };
    const abort = (): void => end('aborted');
    const timer = request.timeoutMs > 0 ? setTimeout(() => end('timedOut'), request.timeoutMs) : null;
    request.signal?.addEventListener('abort', abort, { once: true });
    const settle = (result: CommandResult): void => {
      if (timer !== null) clearTimeout(timer);
      request.signal?.removeEventListener('abort', abort);
      child.stdout?.destroy();
      child.stdin?.destroy();
      resolve(result);
    };
    child.on('error', (error) => settle(notStarted(error)));
    // A process the command left behind may hold the output open: wait a moment for `close`, then go on without it.
    let grace: NodeJS.Timeout | null = null;
    child.on('exit', (code, signal) => {
      grace = setTimeout(() => finish(code, signal), outputGraceMs);
    });
    child.on('close', (code, signal) => finish(code, signal));
    const finish = (code: number | null, signal: NodeJS.Signals | null): void => {
      if (grace !== null) clearTimeout(grace);
      if (ended === 'aborted') settle({ type: 'aborted', durationMs: durationMs() });
      else if (ended === 'timedOut')
        settle({ type: 'timedOut', output: output.bytes(), durationMs: durationMs() });
      else
        settle({
          type: 'exited',
          status: code ?? 128 + (signal === null ? 0 : constants.signals[signal]),
          output: output.bytes(),
          truncated: output.truncated(),
          durationMs: durationMs(),
        });
    };
    feed(child, request.input);
  });
};

/** A command that doesn't read its input closes it, now or in the middle of our writing: that is its right. */
const feed = (child: ChildProcess, input: string | Buffer): void => {
  child.stdin?.on('error', () => {
    // EPIPE, ECONNRESET: the exit status tells whether the command is content.
  });
  child.stdin?.end(input);
};

const killGroup = (child: ChildProcess): void => {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch (error) {
    // ESRCH: the whole group has ended by itself in the meantime.
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
};

interface Collected {
  bytes(): Buffer;
  truncated(): boolean;
}

const collect = (child: ChildProcess, maxBytes: number): Collected => {
  const chunks: Buffer[] = [];
  let kept = 0;
  let dropped = 0;
  child.stdout?.on('data', (chunk: Buffer) => {
    const part = chunk.subarray(0, maxBytes - kept);
    if (part.length > 0) chunks.push(part);
    kept += part.length;
    dropped += chunk.length - part.length;
  });
  child.stdout?.on('error', () => {
    // Reading ends with the process; what was read until then counts.
  });
  return {
    bytes: () => Buffer.concat(chunks),
    truncated: () => dropped > 0,
  };
};

/** Runs commands from this very process. */
export const directRunner: CommandRunner = { run: (request) => runCommand(request) };
