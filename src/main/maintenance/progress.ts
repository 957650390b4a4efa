// Progress display: one line on standard error that is overwritten in place. No output if it is not a terminal.
import { progressMs } from './limits.ts';

export interface Progress {
  /** Shown at most four times a second. */
  show(text: string): void;
  /** Clears the line. */
  end(): void;
}

const eraseLine = '\r\u001b[2K';

export const createProgress = (stream: NodeJS.WriteStream = process.stderr): Progress => {
  if (!stream.isTTY) return { show: () => {}, end: () => {} };
  let shownMs = Number.NEGATIVE_INFINITY;
  return {
    show(text) {
      const nowMs = performance.now();
      if (nowMs - shownMs < progressMs) return;
      shownMs = nowMs;
      stream.write(`${eraseLine}${text.slice(0, (stream.columns || 80) - 1)}`);
    },
    end: () => {
      stream.write(eraseLine);
    },
  };
};

export const shownCount = (n: number): string => n.toLocaleString('en-US');

export const shownBytes = (bytes: number): string => {
  const units = ['bytes', 'kB', 'MB', 'GB', 'TB'];
  let value = bytes;
  let unit = 0;
  for (; value >= 1_000 && unit < units.length - 1; unit += 1) value /= 1_000;
  return `${unit === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${units[unit]}`;
};
