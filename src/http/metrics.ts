// Prometheus metrics of the HTTP layer: requests by route and status, and the counters of the agent listener.
import type { Server } from 'node:net';
import { promisify } from 'node:util';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { EdgeCounts } from './edge/counts.ts';
import { scrapeLifetimeMs } from './limits.ts';

/** A gauge whose value is read on scrape. */
export type ShowGauge = (name: string, help: string, read: () => number) => void;

export interface HttpMetrics {
  readonly registry: Registry;
  /** The response of `/metrics`, computed at most once per second. */
  text(): Promise<string>;
  observe(method: string, route: string | undefined, status: number, elapsedMs: number): void;
  /** Exports the number of connections of a server. */
  watchConnections(server: Pick<Server, 'getConnections'>): void;
  /** Exports one gauge. */
  show: ShowGauge;
  /** Exports the counters of an agent listener, read on scrape. */
  watchEdge(edge: { readonly counts: EdgeCounts; readonly sessions: number }): void;
}

export const createHttpMetrics = (
  monotonicMs: () => number,
  registry: Registry = new Registry(),
): HttpMetrics => {
  const seconds = new Histogram({
    name: 'mon_http_request_seconds',
    help: 'Duration of HTTP requests, by route and status.',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5],
    registers: [registry],
  });
  let scraped: { readonly atMs: number; readonly text: Promise<string> } | undefined;
  return {
    registry,
    text() {
      const nowMs = monotonicMs();
      if (scraped !== undefined && nowMs - scraped.atMs < scrapeLifetimeMs) return scraped.text;
      const text = registry.metrics();
      scraped = { atMs: nowMs, text };
      text.catch(() => {
        // The next request retries; this one gets the rejected promise.
        scraped = undefined;
      });
      return text;
    },
    observe: (method, route, status, elapsedMs) =>
      seconds.observe({ method, route: route ?? 'unknown', status }, elapsedMs / 1_000),
    watchConnections(server) {
      new Gauge({
        name: 'mon_http_connections',
        help: 'Open connections to the API.',
        registers: [registry],
        async collect() {
          this.set(await promisify(server.getConnections.bind(server))());
        },
      });
    },
    show(name, help, read) {
      new Gauge({
        name,
        help,
        registers: [registry],
        collect() {
          this.set(read());
        },
      });
    },
    watchEdge(edge) {
      new Gauge({
        name: 'mon_agent_sessions',
        help: 'Connected agents.',
        registers: [registry],
        collect() {
          this.set(edge.sessions);
        },
      });
      const events = ['received', 'accepted', 'refused', 'offeredAgain', 'poisonous'] as const;
      new Counter({
        name: 'mon_agent_messages_total',
        help: 'Messages from agents by outcome. `poisonous` messages (the backend crashed on them) are included in `refused`.',
        labelNames: ['outcome'],
        registers: [registry],
        collect() {
          this.reset();
          for (const outcome of events) this.inc({ outcome }, edge.counts[outcome]);
        },
      });
      const endings = ['cut', 'silent', 'replaced'] as const;
      new Counter({
        name: 'mon_agent_sessions_ended_total',
        help: 'Sessions closed by the backend: cut (did not read), silent (no pong), replaced (connected again).',
        labelNames: ['why'],
        registers: [registry],
        collect() {
          this.reset();
          for (const why of endings) this.inc({ why }, edge.counts[why]);
        },
      });
      new Counter({
        name: 'mon_agent_handshakes_total',
        help: 'Agent handshakes, by HTTP status.',
        labelNames: ['status'],
        registers: [registry],
        collect() {
          this.reset();
          for (const [status, count] of edge.counts.handshakes) this.inc({ status }, count);
        },
      });
    },
  };
};
