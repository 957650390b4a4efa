// Detects duplicate check requests. An agent that shares two subscriptions with a check receives the same request
// twice, and a check that is still running is not started again.
import { maxRememberedChecks } from './limits.ts';

export type RequestVerdict =
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
  const lastIssued = new Map<string, number>();
  const inProgress = new Set<string>();
  return {
    judge: (key, issued) => {
      const last = lastIssued.get(key) ?? 0;
      if (issued < last) return { run: false, why: 'older', message: messages.older };
      if (issued === last) return { run: false, why: 'repeated', message: messages.repeated };
      if (inProgress.has(key))
        return { run: false, why: 'inProgress', message: `check execution still in progress: ${key}` };
      return { run: true };
    },
    started: (key, issued) => {
      inProgress.add(key);
      lastIssued.delete(key);
      lastIssued.set(key, issued);
      const oldest = lastIssued.keys().next().value;
      if (lastIssued.size > maxKeys && oldest !== undefined) lastIssued.delete(oldest);
    },
    ended: (key) => {
      inProgress.delete(key);
    },
    running: () => [...inProgress],
  };
};
