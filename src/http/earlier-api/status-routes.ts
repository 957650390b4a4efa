// /info, /health and /settings of the earlier generation (earlier-client sheet 4). Queues are ours and always drained, so
// messages never wait; there is one taker of each as long as this backend serves.
import { type Answer, type Ask, type EarlierRoute, found, noContent } from './route.ts';

const waiting = 0;

const info = ({ backend, version }: Ask): Answer => {
  const consumers = backend.isReady() ? 1 : 0;
  const queue = { messages: waiting, consumers };
  return found({
    sensu: { version },
    transport: { name: 'websocket', keepalives: queue, results: queue, connected: true },
    redis: { connected: true },
    servers: [],
  });
};

const asked = (query: URLSearchParams, key: string): number | undefined => {
  const value = query.get(key);
  return value !== null && /^\d+$/.test(value) ? Number(value) : undefined;
};

const health = ({ backend, query }: Ask): Answer => {
  const consumers = backend.isReady() ? 1 : 0;
  const [minConsumers, maxMessages] = [asked(query, 'consumers'), asked(query, 'messages')];
  const problems = ['keepalive', 'result'].flatMap((queue) => [
    ...(minConsumers !== undefined && consumers < minConsumers
      ? [`${queue} consumers (${consumers}) less than min_consumers (${minConsumers})`]
      : []),
    ...(maxMessages !== undefined && waiting > maxMessages
      ? [`${queue} messages (${waiting}) greater than max_messages (${maxMessages})`]
      : []),
  ]);
  return problems.length === 0 ? noContent : { code: 412, body: problems };
};

export const statusRoutes: readonly EarlierRoute[] = [
  { method: 'GET', path: '/info', access: null, handle: info },
  { method: 'GET', path: '/health', access: null, handle: health },
  {
    method: 'GET',
    path: '/settings',
    access: { verb: 'list', resource: 'checks' },
    handle: () => found({ sensu: { keepalives: { thresholds: { warning: 120, critical: 180 } } } }),
  },
];
