// The sandbox in the backend: a queue for one worker thread, a watchdog for it, and the list of suspended
// expressions. User code never runs in the main thread. There, QuickJS would block the event loop for up to 50 ms
// per expression, or forever in native code that cannot be interrupted (measured: a search through a sparse array,
// allocation of large strings); a thread can be terminated. The cost is one message each way, about 20 us per
// event.
import { Worker } from 'node:worker_threads';
import { MonError } from '../../model/errors.ts';
import { workerModule } from '../../program/packaged.ts';
import {
  hangGraceMs,
  maxLosses,
  maxQueuedEvaluations,
  maxTasksInFlight,
  type SandboxLimits,
  workerStackMb,
} from '../limits.ts';
import { type Bench, noteOutcome, restingOutcome } from './bench-rule.ts';
import {
  type Barred,
  type ExpressionRunner,
  type FilterProgram,
  type FilterRun,
  type MutationOutcome,
  type MutatorProgram,
  type MutatorRunner,
  progress,
  type SandboxAnswer,
  type SandboxJob,
  type WorkerReport,
  type WorkerSetup,
} from './protocol.ts';

interface Waiting {
  readonly id: number;
  readonly job: SandboxJob;
  readonly resolve: (answer: SandboxAnswer) => void;
  readonly reject: (error: MonError) => void;
}

interface Crew {
  readonly worker: Worker;
  readonly cells: Int32Array;
  ready: boolean;
}

const lookEveryMs = hangGraceMs / 9;

const unavailable = (why: string): MonError =>
  new MonError('unavailable', `the sandbox for filters and mutators ${why}`);

export class Sandbox implements ExpressionRunner, MutatorRunner {
  readonly limits: SandboxLimits;
  readonly #bench: Bench = new Map();
  #crew: Crew | null = null;
  #lastId = 0;
  readonly #queue: Waiting[] = [];
  readonly #inFlight = new Map<number, Waiting>();
  #watch: NodeJS.Timeout | null = null;
  #seen = { steps: 0, standingMs: 0 };
  /** Threads lost since the last result. */
  #losses = 0;
  #closed = false;

  constructor(limits: SandboxLimits) {
    this.limits = limits;
  }

  async evaluate(
    eventJson: string,
    nowMs: number,
    filters: readonly FilterProgram[],
  ): Promise<readonly FilterRun[]> {
    const barred = this.#barred(filters);
    const answer = await this.#submit({ type: 'filters', eventJson, nowMs, filters, barred });
    if (answer.type !== 'filters') throw unavailable('unexpected response from the worker');
    this.#learn(filters, answer.runs);
    return answer.runs;
  }

  async mutate(eventJson: string, program: MutatorProgram): Promise<MutationOutcome> {
    const resting = restingOutcome(this.#bench, program.body, performance.now());
    if (resting !== null) return resting;
    const answer = await this.#submit({ type: 'mutate', eventJson, program });
    if (answer.type !== 'mutate') throw unavailable('unexpected response from the worker');
    const outcome = answer.outcome;
    noteOutcome(
      this.#bench,
      program.body,
      outcome.type === 'failed' ? outcome : { type: 'value', truthy: true },
      performance.now(),
    );
    return outcome;
  }

  async validateExpression(text: string): Promise<string | null> {
    const answer = await this.#submit({ type: 'validate', text });
    return answer.type === 'validate' ? answer.problem : null;
  }

  /** Number of unfinished evaluations. */
  get waiting(): number {
    return this.#queue.length + this.#inFlight.size;
  }

  /** Rejects queued evaluations and terminates the thread. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#refuseAll(unavailable('is closed'));
    const crew = this.#crew;
    this.#dismiss();
    await crew?.worker.terminate();
  }

  #barred(filters: readonly FilterProgram[]): readonly Barred[] {
    if (this.#bench.size === 0) return [];
    return filters.flatMap((program, filter) =>
      program.expressions.flatMap((text, expression) => {
        const outcome = restingOutcome(this.#bench, text, performance.now());
        return outcome === null ? [] : [{ filter, expression, outcome }];
      }),
    );
  }

  #learn(filters: readonly FilterProgram[], runs: readonly FilterRun[]): void {
    for (const [filter, run] of runs.entries())
      for (const [expression, outcome] of run.outcomes.entries()) {
        const text = filters[filter]?.expressions[expression] ?? '';
        if (outcome.type === 'failed' || this.#bench.size > 0)
          noteOutcome(this.#bench, text, outcome, performance.now());
      }
  }

  #submit(job: SandboxJob): Promise<SandboxAnswer> {
    if (this.#closed) return Promise.reject(unavailable('is closed'));
    if (this.#queue.length >= maxQueuedEvaluations)
      return Promise.reject(unavailable(`has ${maxQueuedEvaluations} evaluations waiting; try again`));
    return new Promise((resolve, reject) => {
      this.#lastId += 1;
      this.#queue.push({ id: this.#lastId, job, resolve, reject });
      this.#feed();
    });
  }

  #feed(): void {
    if (this.#queue.length === 0 && this.#inFlight.size === 0) {
      this.#rest();
      return;
    }
    this.#crew ??= this.#hire();
    this.#crew.worker.ref();
    if (!this.#crew.ready) return;
    while (this.#queue.length > 0 && this.#inFlight.size < maxTasksInFlight) {
      const task = this.#queue.shift();
      if (task === undefined) break;
      this.#inFlight.set(task.id, task);
      this.#crew.worker.postMessage({ id: task.id, job: task.job });
    }
    this.#watch ??= setInterval(() => this.#look(), lookEveryMs);
  }

  #hire(): Crew {
    const cells = new Int32Array(new SharedArrayBuffer(progress.length * Int32Array.BYTES_PER_ELEMENT));
    const setup: WorkerSetup = { ...this.limits, progress: cells };
    const worker = new Worker(workerModule(new URL('./sandbox-worker.js', import.meta.url)), {
      workerData: setup,
      env: {},
      execArgv: [],
      resourceLimits: { stackSizeMb: workerStackMb },
    });
    const crew: Crew = { worker, cells, ready: false };
    worker.on('message', (report: WorkerReport) => {
      if (crew === this.#crew) this.#hear(report);
    });
    worker.on('error', (error) => {
      if (crew === this.#crew) this.#lose(String(error));
    });
    worker.on('exit', (code) => {
      if (crew === this.#crew) this.#lose(`its thread ended with code ${code}`);
    });
    return crew;
  }

  #hear(report: WorkerReport): void {
    if (report.type === 'broken') {
      this.#lose(report.message);
      return;
    }
    if (report.type === 'ready') {
      if (this.#crew !== null) this.#crew.ready = true;
    } else {
      this.#losses = 0;
      this.#inFlight.get(report.id)?.resolve(report.answer);
      this.#inFlight.delete(report.id);
    }
    this.#feed();
  }

  /** Lets the process exit while the sandbox is idle. */
  #rest(): void {
    if (this.#watch !== null) clearInterval(this.#watch);
    this.#watch = null;
    this.#crew?.worker.unref();
  }

  /**
   * A program that makes no progress past its limit is stuck in native code. Time is counted in watchdog ticks, not
   * by a clock: a pause of the whole process counts as one tick, and the worker was paused as well.
   */
  #look(): void {
    const cells = this.#crew?.cells;
    if (cells === undefined || Atomics.load(cells, progress.task) === 0) return;
    const steps = Atomics.load(cells, progress.steps);
    if (steps !== this.#seen.steps) this.#seen = { steps, standingMs: 0 };
    else this.#seen.standingMs += lookEveryMs;
    const limitMs = Atomics.load(cells, progress.limitMs);
    if (this.#seen.standingMs >= limitMs + hangGraceMs) this.#lose(`it did not stop after ${limitMs} ms`);
  }

  /** Terminates the thread. Its current task is answered, or retried without the program that broke it. */
  #lose(why: string): void {
    const crew = this.#crew;
    if (crew === null) return;
    this.#dismiss();
    crew.worker.terminate().catch(() => {
      // The thread has already exited.
    });
    this.#losses += 1;
    if (!crew.ready || this.#losses > maxLosses) {
      this.#refuseAll(
        unavailable(crew.ready ? `broke ${maxLosses} times in a row: ${why}` : `could not start: ${why}`),
      );
      return;
    }
    const at = (cell: number): number => Atomics.load(crew.cells, cell);
    const culprit = at(progress.task);
    const again: Waiting[] = [];
    for (const task of this.#inFlight.values())
      if (task.id !== culprit) again.push(task);
      else again.push(...this.#withoutCulprit(task, at(progress.filter), at(progress.expression), why));
    this.#inFlight.clear();
    this.#queue.unshift(...again);
    this.#feed();
  }

  #withoutCulprit(task: Waiting, filter: number, expression: number, why: string): readonly Waiting[] {
    const outcome = { type: 'failed', kind: 'hung', message: why } as const;
    const { job } = task;
    if (job.type === 'filters') {
      const text = job.filters[filter]?.expressions[expression];
      if (text !== undefined) noteOutcome(this.#bench, text, outcome, performance.now());
      return [{ ...task, job: { ...job, barred: [...job.barred, { filter, expression, outcome }] } }];
    }
    task.resolve(job.type === 'mutate' ? { type: 'mutate', outcome } : { type: 'validate', problem: why });
    return [];
  }

  #dismiss(): void {
    if (this.#watch !== null) clearInterval(this.#watch);
    this.#watch = null;
    this.#crew = null;
    this.#seen = { steps: 0, standingMs: 0 };
  }

  #refuseAll(error: MonError): void {
    for (const task of [...this.#inFlight.values(), ...this.#queue]) task.reject(error);
    this.#inFlight.clear();
    this.#queue.length = 0;
  }
}
