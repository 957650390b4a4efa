// Large answers that clients have not read yet. Node keeps what a slow reader leaves in memory, so all of it together is
// bounded: beyond that a large answer is refused with 503, and a reader that takes for ever is cut.
import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Registry } from 'prom-client';
import { Gauge } from 'prom-client';
import { MonError } from '../model/errors.ts';
import type { Log } from './log.ts';
import { toProblem } from './problem.ts';

export interface UnreadLimits {
  readonly largeAnswerBytes: number;
  readonly maxUnreadAnswerBytes: number;
  readonly wholeListBytes: number;
  readonly maxAnswerMs: number;
}

/** How much of the memory an answer may take while it is read; 0 for small ones, which are not counted. */
const weightOf = (payload: unknown, limits: UnreadLimits): number => {
  if (payload instanceof Readable) return limits.wholeListBytes;
  const bytes = typeof payload === 'string' || Buffer.isBuffer(payload) ? payload.length : 0;
  return bytes >= limits.largeAnswerBytes ? bytes : 0;
};

const busy = new MonError(
  'unavailable',
  'too many large answers are still being read; try again in a moment, or ask for smaller pages (?limit=)',
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
  registry: Registry,
  log: Log,
): void => {
  let unread = 0;
  new Gauge({
    name: 'mon_http_unread_answer_bytes',
    help: 'Large answers that clients have not read yet, bytes.',
    registers: [registry],
    collect() {
      this.set(unread);
    },
  });
  app.addHook('onSend', async (request, reply, payload: unknown) => {
    const weight = weightOf(payload, limits);
    // One whose reader is gone already takes nothing, and would never be given back.
    if (weight === 0 || reply.raw.destroyed || reply.raw.closed) return payload;
    // A single answer always goes out, or what is larger than the bound could never be read.
    // A change that took effect is told as one; only reads are refused.
    if (request.method === 'GET' && unread > 0 && unread + weight > limits.maxUnreadAnswerBytes) {
      if (payload instanceof Readable) payload.destroy();
      return refuse(reply);
    }
    unread += weight;
    const cut = setTimeout(() => {
      log.warn(
        { path: request.routeOptions.url },
        'a client was cut off: it did not read its answer in time',
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
