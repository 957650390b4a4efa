// Limits unread data of large responses. Node buffers what a slow client does not read, so the total is limited:
// above it, a large response is rejected with 503, and a client that reads too slowly is disconnected.
import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { MonError } from '../model/errors.ts';
import type { Log } from './log.ts';
import type { MetricBook } from './metric-book.ts';
import { toProblem } from './problem.ts';
import { showUnreadAnswers } from './shown-metrics.ts';

export interface UnreadLimits {
  readonly largeAnswerBytes: number;
  readonly maxUnreadAnswerBytes: number;
  readonly wholeListBytes: number;
  readonly maxAnswerMs: number;
}

/** The accounted size of a response while it is read; 0 for small ones, which are not counted. */
const weightOf = (payload: unknown, limits: UnreadLimits): number => {
  if (payload instanceof Readable) return limits.wholeListBytes;
  const bytes = typeof payload === 'string' || Buffer.isBuffer(payload) ? payload.length : 0;
  return bytes >= limits.largeAnswerBytes ? bytes : 0;
};

const busy = new MonError(
  'unavailable',
  'too many large responses are still being read; try again in a moment, or request smaller pages (?limit=)',
);

const refuse = (reply: FastifyReply): string => {
  const { status, body, retryAfterSeconds } = toProblem(busy);
  reply.code(status).headers({
    'Content-Type': 'application/json',
    'Retry-After': String(retryAfterSeconds),
    'X-Content-Type-Options': 'nosniff',
  });
  for (const name of ['Content-Length', 'ETag', 'Mon-Continue', 'Sensu-Continue']) reply.removeHeader(name);
  return JSON.stringify(body);
};

export const boundUnreadAnswers = (
  app: FastifyInstance,
  limits: UnreadLimits,
  metrics: Pick<MetricBook, 'gauge'>,
  log: Log,
): void => {
  let unread = 0;
  showUnreadAnswers(metrics, () => unread);
  app.addHook('onSend', async (request, reply, payload: unknown) => {
    const weight = weightOf(payload, limits);
    // The client has already disconnected, so the size would never be released.
    if (weight === 0 || reply.raw.destroyed || reply.raw.closed) return payload;
    // A single response is always allowed, even above the limit.
    // Only reads are rejected; successful writes are always confirmed.
    if (request.method === 'GET' && unread > 0 && unread + weight > limits.maxUnreadAnswerBytes) {
      if (payload instanceof Readable) payload.destroy();
      return refuse(reply);
    }
    unread += weight;
    const cut = setTimeout(() => {
      log.warn(
        { path: request.routeOptions.url },
        'client disconnected: it did not read its response in time',
      );
      reply.raw.destroy();
    }, limits.maxAnswerMs);
    reply.raw.once('close', () => {
      clearTimeout(cut);
      unread -= weight;
    });
    return payload;
  });
};
