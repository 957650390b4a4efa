// Converts errors to HTTP error responses. Internal errors are hidden behind one sentence and logged; client errors
// say what was wrong.
import { errorCatalogue, MonError } from '../model/errors.ts';
import { StoreError } from '../store/snapshot-store.ts';
import { ThrottledError } from './auth/guess-throttle.ts';
import { hashingRetryAfterSeconds } from './limits.ts';

export interface Problem {
  readonly status: number;
  readonly body: { readonly message: string; readonly code: number };
  readonly retryAfterSeconds?: number;
  /** An internal error, logged with its cause. */
  readonly fault: boolean;
}

const problem = (error: MonError, fault = false): Problem => ({
  status: error.status,
  body: { message: error.message, code: error.code },
  fault,
  ...(error instanceof ThrottledError
    ? { retryAfterSeconds: error.retryAfterSeconds }
    : error.status === 503
      ? { retryAfterSeconds: hashingRetryAfterSeconds }
      : {}),
});

/** Errors of Fastify have a status below 500 and a code. */
const frameworkRefusal = (error: unknown): Problem | null => {
  const { code, statusCode, message } = error as { code?: string; statusCode?: number; message?: string };
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE')
    return problem(new MonError('tooLarge', 'http: request body too large'));
  // No resource has a name of that length.
  if (code === 'FST_ERR_MAX_PARAM_LENGTH') return problem(new MonError('notFound'));
  if (statusCode === undefined || statusCode >= 500 || message === undefined) return null;
  return { status: statusCode, body: { message, code: errorCatalogue.invalid.code }, fault: false };
};

export const toProblem = (error: unknown): Problem => {
  if (error instanceof MonError) return problem(error, error.kind === 'internal');
  if (error instanceof StoreError && error.code === 'full')
    return problem(new MonError('storeFull', `the store is full: ${error.message}`));
  if (error instanceof StoreError && error.code === 'unavailable')
    return problem(new MonError('unavailable', `the store is not responding: ${error.message}`));
  // A name that cannot be a key (control characters, too long): no such resource can exist.
  if (error instanceof StoreError && error.code === 'invalid')
    return problem(new MonError('invalid', error.message));
  return frameworkRefusal(error) ?? problem(new MonError('internal'), true);
};
