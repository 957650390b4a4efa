// The result type shared by all handler types.
import type { HandlerStep } from '../trace.ts';

/** The result of passing an event to a handler. The caller adds name, type and duration. */
export type Handling = Omit<HandlerStep, 'name' | 'type' | 'durationMs'>;

/** The network or the remote host is temporarily unavailable; a retry may succeed. */
const networkOutages = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'EHOSTDOWN',
  'ENETUNREACH',
  'ENETDOWN',
  'EADDRNOTAVAIL',
  'EAI_AGAIN',
  'EAGAIN',
  'EMFILE',
  'ENFILE',
  'ENOBUFS',
  'ENOMEM',
]);

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';

export const socketFailure = (error: unknown, address: string): Handling => {
  const why = `${address}: ${error instanceof Error ? error.message || codeOf(error) : String(error)}`;
  return { outcome: 'failed', why, ...(networkOutages.has(codeOf(error)) ? { retry: true } : {}) };
};

export const socketTimeout = (address: string, seconds: number): Handling => ({
  outcome: 'timedOut',
  why: `${address}: not written within ${seconds} s`,
  retry: true,
});

export const socketAborted = (address: string): Handling => ({
  outcome: 'failed',
  why: `${address}: canceled because the backend is stopping`,
  retry: true,
});
