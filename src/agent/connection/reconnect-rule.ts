// Reconnecting: selects the next backend, and the extra delay after a rejection. Pure; the backoff itself is in the
// machines' back-off rule.
import type { BackOff } from '../../machines/agent-connection/back-off-rule.ts';

/** From 0 (inclusive) to 1 (exclusive). */
export type Random = () => number;

/** Statuses of a backend that is overloaded and asks for a longer delay. */
const wantsPatience = (status: number | null): boolean => status === 402 || status === 429 || status === 503;

/**
 * The delay after a rejection, in milliseconds: for 402, 429 and 503 the current delay times the factor, or
 * Retry-After if that is longer, up to ten times the maximum delay; otherwise 0.
 */
export const askedWaitMs = (
  waitMs: number,
  { maxMs }: BackOff,
  status: number | null,
  retryAfterMs: number | null,
  factor: number,
): number => (wantsPatience(status) ? Math.max(waitMs * factor, Math.min(retryAfterMs ?? 0, maxMs * 10)) : 0);

/** `Retry-After` in milliseconds, from seconds or a date. */
export const retryAfterMs = (header: string | undefined, nowMs: number): number | null => {
  if (header === undefined) return null;
  if (/^\d+$/.test(header.trim())) return Number(header) * 1000;
  const at = Date.parse(header);
  return Number.isNaN(at) ? null : Math.max(at - nowMs, 0);
};

/** A random permutation, so that agents connect to the backends in different orders. */
export const shuffled = <T>(items: readonly T[], random: Random): T[] => {
  const order = [...items];
  for (let at = order.length - 1; at > 0; at -= 1) {
    const other = Math.floor(random() * (at + 1));
    const [a, b] = [order[at], order[other]];
    if (a !== undefined && b !== undefined) [order[at], order[other]] = [b, a];
  }
  return order;
};
