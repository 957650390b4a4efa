// Every metric of `/metrics`, described without a backend: for docs/metrics.md and for tests.
import { showEarlierGauges } from '../http/earlier-api/gauges.ts';
import { newEdgeCounts } from '../http/edge/counts.ts';
import type { MetricBook } from '../http/metric-book.ts';
import { createHttpMetrics } from '../http/metrics.ts';
import type { ShownQueue } from '../http/queue-peaks.ts';
import { showApiMetrics, showUnreadAnswers } from '../http/shown-metrics.ts';
import { version } from '../program/version.ts';
import { showBackendMetrics, showProcessMetrics } from './backend-metrics.ts';
import { showClusterMetrics } from './cluster/cluster-port.ts';

export interface DescribedMetrics {
  readonly metrics: ReturnType<MetricBook['described']>;
  readonly queues: readonly string[];
}

const unread = (): never => {
  throw new Error('descriptions read no values');
};

export const describeMetrics = (): DescribedMetrics => {
  const book = createHttpMetrics(() => 0);
  const queues: string[] = [];
  const noting = {
    ...book,
    queue: (queue: ShownQueue) => {
      queues.push(queue.queue);
    },
  };
  book.close();
  showApiMetrics(noting, {
    edge: { counts: newEdgeCounts(), sessions: 0 },
    streams: { count: 0 },
    hashing: { waiting: 0 },
    directories: { underWay: 0 },
  });
  book.watchConnections({ getConnections: unread });
  showUnreadAnswers(book, () => 0);
  showEarlierGauges(book, { unreadAnswerBytes: 0, subscriptions: 0 });
  showBackendMetrics(noting, { gauges: unread, histograms: unread });
  showClusterMetrics(book, { status: unread });
  showProcessMetrics(book, version);
  const metrics = [...book.described()].sort((a, b) => (a.name < b.name ? -1 : 1));
  return { metrics, queues };
};
