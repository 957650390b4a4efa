// Reconnecting: which backend is next, and how long one that refuses wants to be left alone. Pure; the waits
// themselves are those of the machines' back-off rule.
import type { BackOff } from '../machines/agent-connection/back-off-rule.ts';

/** Zero to one, one excluded. */
export type Random = () => number;

/** Answers of a backend that is there but wants to be left alone for longer. */
export const wantsPatience = (status: number | null): boolean =>
  status === 402 || status === 429 || status === 503;

/**
 * How long a refusing backend wants to be left alone, in milliseconds: for 402, 429 and 503 the present wait times the
 * factor, or what it asked for if that is longer, though never more than ten times the longest wait; else 0.
 */
export const askedWaitMs = (
  waitMs: number,
  { maxMs }: BackOff,
  status: number | null,
  retryAfterMs: number | null,
  factor: number,
): number => (wantsPatience(status) ? Math.max(waitMs * factor, Math.min(retryAfterMs ?? 0, maxMs * 10)) : 0);

/** `Retry-After` in milliseconds: seconds, or a date. */
export const retryAfterMs = (header: string | undefined, nowMs: number): number | null => {
  if (header === undefined) return null;
  if (/^\d+$/.test(header.trim())) return Number(header) * 1000;
  const at = Date.parse(header);
  return Number.isNaN(at) ? null : Math.max(at - nowMs, 0);
};

/** A random permutation, made once: each agent walks the backends in an order of its own. */
export const shuffled = <T>(items: readonly T[], random: Random): T[] => {
  const order = [...items];
  for (let at = order.length - 1; at > 0; at -= 1) {
    const other = Math.floor(random() * (at + 1));
    const [a, b] = [order[at], order[other]];
    if (a !== undefined && b !== undefined) [order[at], order[other]] = [b, a];
  }
  return order;
};
