// The metrics of the parts of the HTTP layer, in one place so that docs/metrics.md can be made from them.
import { maxDirectoryLogins } from './auth/providers/limits.ts';
import type { EdgeCounts } from './edge/counts.ts';
import { maxHashingQueue } from './limits.ts';
import type { HttpMetrics } from './metrics.ts';

export interface ApiParts {
  readonly edge: { readonly counts: EdgeCounts; readonly sessions: number };
  readonly streams: { readonly count: number };
  readonly hashing: { readonly waiting: number };
  readonly directories: { readonly underWay: number };
}

export const showApiMetrics = (
  metrics: HttpMetrics,
  { edge, streams, hashing, directories }: ApiParts,
): void => {
  metrics.watchEdge(edge);
  metrics.gauge({ name: 'mon_http_live_streams', help: 'Open live streams.' }, () => streams.count);
  metrics.queue({ queue: 'logins', read: () => hashing.waiting, limit: maxHashingQueue });
  metrics.queue({ queue: 'directory_logins', read: () => directories.underWay, limit: maxDirectoryLogins });
};

/** Shown by the part that counts them. */
export const showUnreadAnswers = (metrics: Pick<HttpMetrics, 'gauge'>, bytes: () => number): void =>
  metrics.gauge({ name: 'mon_http_unread_answer_bytes', help: 'Unread bytes of large responses.' }, bytes);
