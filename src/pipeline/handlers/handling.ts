// What every handler type is given, and what it returns.
import type { Handler } from '../../model/pipeline/handler.ts';
import type { CommandRunner } from '../commands/protocol.ts';
import type { Environment } from '../environment.ts';
import type { HandlerStep } from '../trace.ts';

/** What a handler is given. */
export interface HandOver {
  readonly handler: Handler;
  /** The event as the mutator left it. */
  readonly data: string | Buffer;
  /** Aborted when the backend stops. */
  readonly signal: AbortSignal | undefined;
  readonly commands: CommandRunner;
  /** Variables, assets and secrets of the definition. Rejects when one is not available. */
  readonly environment: () => Promise<Environment>;
}

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
