// Reading what was thrown by what we lean on: its words, and whether another try makes sense.
import { MonError } from '../model/errors.ts';

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Only an error that says so is an outage; anything else is taken for a mistake that will not go away. */
export const isRetryable = (error: unknown): boolean => error instanceof MonError && error.retry;
