// Asset filters: expressions that decide whether an asset is for this machine: `entity.system.os == 'linux'`. They
// come from users, so they run in a sandbox in a separate thread. All filters of one asset share one time limit. A
// program stuck in native code cannot be interrupted; its thread is terminated instead. An idle thread ends after a
// while.
import { Worker } from 'node:worker_threads';
import type { Entity } from '../model/entity/entity.ts';
import { tokenData } from '../model/template/token-substitution.ts';
import { workerModule } from '../program/packaged.ts';
import { no, type Stage, yes } from '../program/stage.ts';
import type { FilterLists } from './filter-programs.ts';
import type { FilterReport, FilterTask } from './filter-worker.ts';
import { filterHungMs, filterThreadIdleMs, filterTimeMs } from './limits.ts';

interface Waiting {
  readonly task: FilterTask;
  readonly settle: (answer: Stage<number | null>) => void;
}

const tooLong = no(`asset filters failed: not done after ${filterTimeMs} ms`);

/** One thread, started on demand. */
class FilterThread {
  #worker: Worker | null = null;
  #lastId = 0;
  readonly #waiting = new Map<number, Waiting>();
  #timer: NodeJS.Timeout | undefined;

  evaluate(lists: FilterLists, entityJson: string): Promise<Stage<number | null>> {
    this.#lastId += 1;
    const task: FilterTask = { id: this.#lastId, lists, entityJson };
    return new Promise((settle) => {
      this.#waiting.set(task.id, { task, settle });
      if (this.#waiting.size === 1) clearTimeout(this.#timer);
      this.#thread().ref();
      this.#thread().postMessage(task);
    });
  }

  #thread(): Worker {
    if (this.#worker !== null) return this.#worker;
    const worker = new Worker(workerModule(new URL('./filter-worker.js', import.meta.url)), { env: {} });
    this.#worker = worker;
    worker.on('message', (report: FilterReport) => {
      if (report.type === 'begun') this.#watch(worker, report.id);
      else
        this.#finish(report.id, report.verdict.ok ? yes(report.verdict.build) : no(report.verdict.message));
    });
    worker.on('error', (error) => this.#crashed(worker, error.message));
    worker.on('exit', () => this.#crashed(worker, 'their thread exited'));
    return worker;
  }

  /** The sandbox stops a program at its limit; one that it cannot stop is stuck in native code. */
  #watch(worker: Worker, id: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#finish(id, tooLong);
      this.#replace(worker);
      void worker.terminate();
    }, filterHungMs);
  }

  #finish(id: number, answer: Stage<number | null>): void {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    clearTimeout(this.#timer);
    if (this.#waiting.size === 0) this.#rest();
    waiting?.settle(answer);
  }

  #rest(): void {
    const worker = this.#worker;
    if (worker === null) return;
    worker.unref();
    this.#timer = setTimeout(() => {
      this.#worker = null;
      void worker.terminate();
    }, filterThreadIdleMs).unref();
  }

  /** The thread crashed; the current task is reported as failed. */
  #crashed(worker: Worker, why: string): void {
    if (this.#worker !== worker) return;
    const [current] = this.#waiting.keys();
    if (current !== undefined) this.#finish(current, no(`asset filters failed: ${why}`));
    this.#replace(worker);
  }

  /** The thread has exited; queued tasks move to the next one. */
  #replace(worker: Worker): void {
    if (this.#worker !== worker) return;
    this.#worker = null;
    clearTimeout(this.#timer);
    if (this.#waiting.size === 0) return;
    const next = this.#thread();
    next.ref();
    for (const { task } of this.#waiting.values()) next.postMessage(task);
  }
}

const thread = new FilterThread();

/**
 * The index of the first list whose filters are all true for the entity, or null. An empty list matches. A filter
 * that throws fails the asset with its error.
 */
export const firstThatHolds = async (lists: FilterLists, entity: Entity): Promise<Stage<number | null>> => {
  const first = lists[0];
  if (first === undefined || first.length === 0) return yes(first === undefined ? null : 0);
  return thread.evaluate(lists, JSON.stringify(tokenData(entity)));
};
