// The worker thread for asset filters. Processes one asset at a time, in order, and answers each.
import { parentPort } from 'node:worker_threads';
import { evaluateFilters, type FilterLists, type FilterVerdict } from './filter-programs.ts';

export interface FilterTask {
  readonly id: number;
  readonly lists: FilterLists;
  readonly entityJson: string;
}

/** The task with this number starts now; its time limit counts from here. */
export type FilterReport =
  | { readonly type: 'begun'; readonly id: number }
  | { readonly type: 'done'; readonly id: number; readonly verdict: FilterVerdict };

const report = (message: FilterReport): void => parentPort?.postMessage(message);

let last: Promise<void> = Promise.resolve();
parentPort?.on('message', ({ id, lists, entityJson }: FilterTask) => {
  last = last.then(async () => {
    report({ type: 'begun', id });
    report({ type: 'done', id, verdict: await evaluateFilters(lists, entityJson) });
  });
});
