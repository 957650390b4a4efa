// Reads errors thrown by dependencies: the message, and whether a retry makes sense.
import { MonError } from '../model/errors.ts';

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Only a MonError with the retry flag is an outage; any other error is treated as permanent. */
export const isRetryable = (error: unknown): boolean => error instanceof MonError && error.retry;
