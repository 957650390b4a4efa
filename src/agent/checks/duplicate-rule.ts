// Detects duplicate check requests. An agent that shares two subscriptions with a check receives the same request
// twice, and a check that is still running is not started again.
import { LRUCache } from 'lru-cache';
import { maxRememberedChecks } from '../limits.ts';

type RequestVerdict =
  | { readonly run: true }
  | { readonly run: false; readonly why: 'older' | 'repeated' | 'inProgress'; readonly message: string };

export interface RequestFilter {
  judge(key: string, issued: number): RequestVerdict;
  started(key: string, issued: number): void;
  ended(key: string): void;
  running(): string[];
}

const messages = {
  older: 'check request is older than a previously received check request',
  repeated:
    'check request has already been received - agent and check may have multiple matching subscriptions',
};

/** Remembers the last issue time of each key for the lifetime of the process, up to a maximum number of keys. */
export const createRequestFilter = (maxKeys = maxRememberedChecks): RequestFilter => {
  // Counted by size, since the library reserves the memory for `max` entries at once.
  const lastIssued = new LRUCache<string, number>({ maxSize: maxKeys, sizeCalculation: () => 1 });
  const inProgress = new Set<string>();
  return {
    judge: (key, issued) => {
      const last = lastIssued.peek(key) ?? 0;
      if (issued < last) return { run: false, why: 'older', message: messages.older };
      if (issued === last) return { run: false, why: 'repeated', message: messages.repeated };
      if (inProgress.has(key))
        return { run: false, why: 'inProgress', message: `check execution still in progress: ${key}` };
      return { run: true };
    },
    started: (key, issued) => {
      inProgress.add(key);
      lastIssued.set(key, issued);
    },
    ended: (key) => {
      inProgress.delete(key);
    },
    running: () => [...inProgress],
  };
};
