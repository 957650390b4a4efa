// The worker thread that runs user code, one task at a time. It records which program it starts. Native code cannot
// be interrupted (e.g. a search through 2^53 array elements), so such a program blocks this thread, not the
// backend: the main thread watches the progress cells and terminates the thread when they stop changing.
import { parentPort, workerData } from 'node:worker_threads';
import { maxStretch, newEngineMs } from '../limits.ts';
import { Engine } from './engine.ts';
import {
  type ExpressionOutcome,
  type FilterProgram,
  type FilterRun,
  progress,
  type SandboxAnswer,
  type SandboxJob,
  type SandboxTask,
  type WorkerReport,
  type WorkerSetup,
} from './protocol.ts';

if (parentPort === null) throw new Error('sandbox-worker must run in a worker thread');
const port = parentPort;
const setup = workerData as WorkerSetup;
const cells = setup.progress;

type FiltersJob = SandboxJob & { readonly type: 'filters' };

let engine = await Engine.create(setup.memoryBytes);
const begin = (filter: number, expression: number, limitMs: number): void => {
  Atomics.store(cells, progress.filter, filter);
  Atomics.store(cells, progress.expression, expression);
  Atomics.store(cells, progress.limitMs, limitMs * maxStretch);
  Atomics.add(cells, progress.steps, 1);
};

const usableEngine = async (filter: number, expression: number): Promise<Engine> => {
  if (engine.spent) {
    // Loading may take long on a busy machine; that is not the program's fault.
    begin(filter, expression, newEngineMs);
    engine = await Engine.create(setup.memoryBytes);
  }
  return engine;
};

/**
 * The first expression that does not match decides an `allow` filter, the first that matches decides a `deny`
 * filter. A failed expression decides nothing.
 */
const decides = (program: FilterProgram, outcome: ExpressionOutcome): boolean =>
  outcome.type === 'value' && outcome.truthy === (program.action === 'deny');

const runFilter = async (job: FiltersJob, index: number, program: FilterProgram): Promise<FilterRun> => {
  const startedMs = performance.now();
  const outcomes: ExpressionOutcome[] = [];
  for (const [expression, text] of program.expressions.entries()) {
    const barred = job.barred.find((entry) => entry.filter === index && entry.expression === expression);
    let outcome: ExpressionOutcome;
    if (barred !== undefined) outcome = barred.outcome;
    else {
      const usable = engine.spent ? await usableEngine(index, expression) : engine;
      begin(index, expression, setup.timeMs * (1 + program.scripts.length));
      outcome = usable.evaluate(text, program.scripts, job.eventJson, job.nowMs, setup.timeMs);
    }
    outcomes.push(outcome);
    if (decides(program, outcome)) break;
  }
  return { outcomes, durationMs: performance.now() - startedMs };
};

const runFilters = async (job: FiltersJob): Promise<SandboxAnswer> => {
  const runs: FilterRun[] = [];
  for (const [index, program] of job.filters.entries()) runs.push(await runFilter(job, index, program));
  return { type: 'filters', runs };
};

const perform = async (job: SandboxJob): Promise<SandboxAnswer> => {
  if (job.type === 'filters') return runFilters(job);
  const usable = await usableEngine(0, 0);
  if (job.type === 'validate') {
    begin(0, 0, setup.timeMs);
    return { type: 'validate', problem: usable.syntaxProblem(job.text) };
  }
  begin(0, 0, job.program.timeMs * (1 + job.program.scripts.length));
  return { type: 'mutate', outcome: usable.mutate(job.eventJson, job.program) };
};

const report = (message: WorkerReport): void => port.postMessage(message);

const tasks: SandboxTask[] = [];
let working = false;
/** Runs tasks in sequence, even if a task waits for a new engine. */
const work = async (): Promise<void> => {
  if (working) return;
  working = true;
  for (let task = tasks.shift(); task !== undefined; task = tasks.shift()) {
    Atomics.store(cells, progress.task, task.id);
    report({ type: 'answer', id: task.id, answer: await perform(task.job) });
    Atomics.store(cells, progress.task, 0);
  }
  working = false;
};

port.on('message', (task: SandboxTask) => {
  tasks.push(task);
  work().catch((error: unknown) => report({ type: 'broken', message: String(error) }));
});
report({ type: 'ready' });
