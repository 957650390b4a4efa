// How times, sizes and statuses are written for people.

export type Severity = 'ok' | 'warning' | 'critical' | 'unknown';

export const severityOf = (status: number): Severity =>
  status === 0 ? 'ok' : status === 1 ? 'warning' : status === 2 ? 'critical' : 'unknown';

/** Worst first: critical, warning, unknown, ok. */
export const severityRank = (status: number): number => [0, 2, 3][status] ?? 1;

const units: readonly (readonly [string, number])[] = [
  ['d', 86_400],
  ['h', 3_600],
  ['m', 60],
  ['s', 1],
];

/** `3h 5m`, `12s`: the two largest units that say something. */
export const duration = (seconds: number): string => {
  let rest = Math.max(0, Math.floor(seconds));
  const parts: string[] = [];
  for (const [unit, size] of units) {
    const count = Math.floor(rest / size);
    rest -= count * size;
    if (count > 0 || (unit === 's' && parts.length === 0)) parts.push(`${count}${unit}`);
    if (parts.length === 2) break;
  }
  return parts.join(' ');
};

/** A countdown: tenths below ten seconds. */
export const countdown = (ms: number): string => {
  if (ms <= 0) return 'now';
  return ms < 10_000 ? `${(ms / 1000).toFixed(1)}s` : duration(ms / 1000);
};

export const ago = (atSeconds: number, nowMs: number): string =>
  atSeconds <= 0
    ? 'never'
    : nowMs / 1000 - atSeconds < 1
      ? 'just now'
      : `${duration(nowMs / 1000 - atSeconds)} ago`;

export const clockTime = (ms: number): string => new Date(ms).toLocaleTimeString([], { hour12: false });
export const clockTimeMs = (ms: number): string =>
  `${clockTime(ms)}.${String(Math.floor(ms) % 1000).padStart(3, '0')}`;
export const dateTime = (ms: number): string =>
  new Date(ms).toLocaleString([], { dateStyle: 'medium', timeStyle: 'medium', hour12: false });

export const bytes = (count: number): string => {
  if (count < 1024) return `${count} B`;
  if (count < 1024 ** 2) return `${(count / 1024).toFixed(1)} KiB`;
  return `${(count / 1024 ** 2).toFixed(1)} MiB`;
};

export const micros = (us: number): string =>
  us < 1000 ? `${us.toFixed(0)} µs` : `${(us / 1000).toFixed(1)} ms`;
export const millis = (ms: number): string =>
  ms === 0 ? '0 ms' : ms < 1 ? `${(ms * 1000).toFixed(0)} µs` : `${ms.toFixed(ms < 10 ? 1 : 0)} ms`;

export const firstLine = (text: string): string => text.trimStart().split('\n', 1)[0] ?? '';

/** `"a"`, `12`, `{…3}`: one value on one line. */
export const brief = (value: unknown, characters = 60): string => {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? 'nothing');
  return text.length <= characters ? text : `${text.slice(0, characters - 1)}…`;
};

export const plural = (count: number, one: string, many = `${one}s`): string =>
  `${count.toLocaleString('en')} ${count === 1 ? one : many}`;
