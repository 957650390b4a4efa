// Prometheus metrics of the HTTP layer: requests by route and status, and the figures of the agent listener.
import type { Server } from 'node:net';
import { promisify } from 'node:util';
import { Histogram } from 'prom-client';
import { durationBounds } from '../actors/runtime/load/histogram.ts';
import type { EdgeCounts } from './edge/counts.ts';
import { createMetricBook, type MetricBook } from './metric-book.ts';

export interface HttpMetrics extends MetricBook {
  observe(method: string, route: string | undefined, status: number, elapsedMs: number): void;
  /** Exports the number of connections of a server. */
  watchConnections(server: Pick<Server, 'getConnections'>): void;
  /** Exports the figures of an agent listener. */
  watchEdge(edge: { readonly counts: EdgeCounts; readonly sessions: number }): void;
}

const outcomes = ['received', 'accepted', 'refused', 'offeredAgain', 'poisonous'] as const;
const endings = ['cut', 'silent', 'replaced'] as const;

export const createHttpMetrics = (monotonicMs: () => number): HttpMetrics => {
  const book = createMetricBook(monotonicMs);
  const seconds = new Histogram({
    name: 'mon_http_request_duration_seconds',
    help: 'Duration of API requests, by route and status. Requests without a valid login, or with a method that the route does not have, are the route `unauthenticated`.',
    labelNames: ['method', 'route', 'status'],
    buckets: [...durationBounds],
    registers: [book.registry],
  });
  return {
    ...book,
    observe: (method, route, status, elapsedMs) =>
      seconds.observe({ method, route: route ?? 'unknown', status }, elapsedMs / 1_000),
    watchConnections(server) {
      book.gauge({ name: 'mon_http_connections', help: 'Open connections to the API.' }, () =>
        promisify(server.getConnections.bind(server))(),
      );
    },
    watchEdge(edge) {
      const { counts } = edge;
      book.gauge({ name: 'mon_agent_sessions', help: 'Connected agents.' }, () => edge.sessions);
      book.counter(
        {
          name: 'mon_agent_messages_total',
          help: 'Messages from agents by outcome. `poisonous` messages (the backend crashed on them) are included in `refused`.',
          labels: ['outcome'],
        },
        () => outcomes.map((outcome) => [{ outcome }, counts[outcome]] as const),
      );
      book.counter(
        {
          name: 'mon_agent_sessions_ended_total',
          help: 'Sessions closed by the backend: cut (did not read), silent (no pong), replaced (connected again).',
          labels: ['why'],
        },
        () => endings.map((why) => [{ why }, counts[why]] as const),
      );
      book.counter(
        { name: 'mon_agent_handshakes_total', help: 'Agent handshakes, by HTTP status.', labels: ['status'] },
        () => [...counts.handshakes].map(([status, count]) => [{ status }, count] as const),
      );
      book.histogram(
        {
          name: 'mon_agent_handshake_duration_seconds',
          help: 'From the upgrade request of an agent to the decision about it, by HTTP status.',
          labels: ['status'],
        },
        () => [...counts.handshakeSeconds].map(([status, times]) => [{ status }, times.read()] as const),
      );
      book.histogram(
        {
          name: 'mon_agent_ack_duration_seconds',
          help: 'From the arrival of an event to its acknowledgement, for agents that ask for acknowledgements.',
        },
        () => [[{}, counts.ackSeconds.read()]],
      );
    },
  };
};
