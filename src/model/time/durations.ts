// Durations in Go's notation: `1h30m`, `20s`, `250ms`.

const unitMs: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  μs: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
};

const wholePattern = /^[+-]?(?:(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+$/;
const partPattern = /(\d+\.?\d*|\.\d+)(ns|us|µs|μs|ms|s|m|h)/g;

/** Maximum length of a duration string, in characters. */
const maxDurationCharacters = 64;

/** Parses a duration to milliseconds; null if invalid. A bare `0` is valid, any other bare number is not. */
export const parseDuration = (text: string): number | null => {
  if (text === '0' || text === '+0' || text === '-0') return 0;
  if (text.length > maxDurationCharacters || !wholePattern.test(text)) return null;
  let totalMs = 0;
  for (const [, amount, unit] of text.matchAll(partPattern)) {
    totalMs += Number(amount) * (unitMs[unit ?? ''] ?? 0);
  }
  return text.startsWith('-') ? -totalMs : totalMs;
};

const trimmed = (amount: number, digits: number): string => String(Number(amount.toFixed(digits)));

const formatShort = (ms: number): string => {
  if (ms < 1e-3) return `${trimmed(ms * 1e6, 0)}ns`;
  if (ms < 1) return `${trimmed(ms * 1e3, 3)}µs`;
  return `${trimmed(ms, 6)}ms`;
};

/** Formats a duration in the shortest form: 90,000 ms is `1m30s`, 0 is `0s`, 1.5 ms is `1.5ms`. */
export const formatDuration = (ms: number): string => {
  if (!Number.isFinite(ms)) throw new RangeError(`invalid duration: ${ms} ms`);
  if (ms < 0) return `-${formatDuration(-ms)}`;
  if (ms === 0) return '0s';
  if (ms < 1000) return formatShort(ms);
  const totalSeconds = Math.floor(ms / 1000);
  const hours = Math.floor(totalSeconds / 3600);
  const minutes = Math.floor(totalSeconds / 60) % 60;
  const seconds = trimmed((totalSeconds % 60) + (ms % 1000) / 1000, 9);
  if (hours > 0) return `${hours}h${minutes}m${seconds}s`;
  return minutes > 0 ? `${minutes}m${seconds}s` : `${seconds}s`;
};
