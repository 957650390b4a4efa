// What the HTTP room tells Prometheus: requests by route and status, and the counts of the agent edge.
import type { Server } from 'node:net';
import { promisify } from 'node:util';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { EdgeCounts } from './edge/counts.ts';
import { scrapeLifetimeMs } from './limits.ts';

/** A figure that is read when somebody scrapes. */
export type ShowGauge = (name: string, help: string, read: () => number) => void;

export interface HttpMetrics {
  readonly registry: Registry;
  /** The answer of `/metrics`, made at most once a second however many ask. */
  text(): Promise<string>;
  observe(method: string, route: string | undefined, status: number, elapsedMs: number): void;
  /** Shows how many connections a server has. */
  watchConnections(server: Pick<Server, 'getConnections'>): void;
  /** Shows one figure of this moment. */
  show: ShowGauge;
  /** Shows an edge's counts. They are read when somebody scrapes. */
  watchEdge(edge: { readonly counts: EdgeCounts; readonly sessions: number }): void;
}

export const createHttpMetrics = (
  monotonicMs: () => number,
  registry: Registry = new Registry(),
): HttpMetrics => {
  const seconds = new Histogram({
    name: 'mon_http_request_seconds',
    help: 'Time to answer an HTTP request, by route and status.',
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
        // The next request tries anew; this one is told by the promise it holds.
        scraped = undefined;
      });
      return text;
    },
    observe: (method, route, status, elapsedMs) =>
      seconds.observe({ method, route: route ?? 'unknown', status }, elapsedMs / 1_000),
    watchConnections(server) {
      new Gauge({
        name: 'mon_http_connections',
        help: 'Connections to the API that are open now.',
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
        help: 'Agents connected now.',
        registers: [registry],
        collect() {
          this.set(edge.sessions);
        },
      });
      const events = ['received', 'accepted', 'refused', 'offeredAgain', 'poisonous'] as const;
      new Counter({
        name: 'mon_agent_messages_total',
        help: 'Messages from agents, by what became of them. Those in `poisonous` (the backend crashed on them) are in `refused`, too.',
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
        help: 'Sessions the backend ended: cut (did not read), silent (no pong), replaced (connected again).',
        labelNames: ['why'],
        registers: [registry],
        collect() {
          this.reset();
          for (const why of endings) this.inc({ why }, edge.counts[why]);
        },
      });
      new Counter({
        name: 'mon_agent_handshakes_total',
        help: 'Handshakes of agents, by HTTP status.',
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
