// The backend's side of the helper process. Starting a command forks, and a fork blocks the event loop while the
// kernel copies the page tables: 17 ms measured in a process of 260 MB, 52 ms in one of 1.1 GB. The helper process
// is small and nothing waits for its event loop. It starts with the first command and restarts after it exits.
import { type ChildProcess, fork } from 'node:child_process';
import { forkModule } from '../../program/packaged.ts';
import type { CommandRequest, CommandResult, CommandRunner, HelperOrder, HelperReport } from './protocol.ts';

interface Running {
  readonly startedMs: number;
  readonly settle: (result: CommandResult) => void;
}

const helperPath = forkModule(new URL('./helper-process.js', import.meta.url));

export class CommandHelper implements CommandRunner {
  #child: ChildProcess | null = null;
  #lastId = 0;
  readonly #running = new Map<number, Running>();

  run(request: CommandRequest): Promise<CommandResult> {
    const { signal, ...order } = request;
    if (signal?.aborted === true) return Promise.resolve({ type: 'aborted', durationMs: 0 });
    this.#lastId += 1;
    const id = this.#lastId;
    return new Promise((resolve) => {
      const abort = (): void => this.#send({ type: 'abort', id });
      signal?.addEventListener('abort', abort, { once: true });
      this.#running.set(id, {
        startedMs: performance.now(),
        settle: (result) => {
          signal?.removeEventListener('abort', abort);
          resolve(result);
        },
      });
      try {
        this.#child ??= this.#start();
        this.#hold();
        this.#send({ type: 'run', id, request: order });
      } catch (error) {
        this.#giveUp(error instanceof Error ? error.message : String(error));
      }
    });
  }

  /** The pid of the helper process, if it is running. */
  get pid(): number | undefined {
    return this.#child?.pid;
  }

  /** Disconnects. Running commands finish on their own; their results are lost. */
  close(): void {
    const child = this.#child;
    this.#child = null;
    if (child?.connected === true) child.disconnect();
    this.#giveUp('the backend is stopping');
  }

  #start(): ChildProcess {
    const child = fork(helperPath, [], {
      serialization: 'advanced',
      env: {},
      execArgv: [],
      // Inherits no file descriptors except stderr, for crash messages.
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    const gone = (why: string): void => {
      if (this.#child !== child) return;
      this.#child = null;
      this.#giveUp(why);
    };
    child.on('message', (report: HelperReport) => this.#finish(report));
    child.on('error', (error) => gone(error.message));
    child.on('exit', (code, signal) => gone(`it ended with ${signal ?? `status ${code}`}`));
    return child;
  }

  #send(order: HelperOrder): void {
    // A failed send also emits `error` or `exit`, which fail all pending commands.
    this.#child?.send(order, () => {});
  }

  #finish({ id, result }: HelperReport): void {
    const running = this.#running.get(id);
    this.#running.delete(id);
    this.#hold();
    running?.settle('output' in result ? { ...result, output: Buffer.from(result.output) } : result);
  }

  #giveUp(why: string): void {
    for (const [id, { startedMs, settle }] of this.#running) {
      this.#running.delete(id);
      const message = `the process that runs commands exited: ${why}`;
      settle({ type: 'notStarted', message, outage: true, durationMs: performance.now() - startedMs });
    }
  }

  /** An idle helper does not keep the process alive. */
  #hold(): void {
    const child = this.#child;
    if (child === null) return;
    if (this.#running.size > 0) {
      child.ref();
      child.channel?.ref();
    } else {
      child.unref();
      child.channel?.unref();
    }
  }
}
