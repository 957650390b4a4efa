// The log of the client: one JSON object per line with timestamp, level, message and data. The format matches the
// reference product, since existing tools parse it.
import { appendFileSync, writeSync } from 'node:fs';

const levels = ['debug', 'info', 'warn', 'error', 'fatal'] as const;
export type Level = (typeof levels)[number];

export interface ClientLog {
  level: Level;
  debug(message: string, data?: object): void;
  info(message: string, data?: object): void;
  warn(message: string, data?: object): void;
  error(message: string, data?: object): void;
  fatal(message: string, data?: object): void;
}

export const isLevel = (word: string): word is Level => (levels as readonly string[]).includes(word);

const two = (part: number): string => String(part).padStart(2, '0');

/** `2026-11-21T01:22:18.231818+0000`: local time, microseconds, offset without a colon. */
export const stamp = (date: Date): string => {
  const minutes = -date.getTimezoneOffset();
  const sign = minutes < 0 ? '-' : '+';
  const offset = `${sign}${two(Math.floor(Math.abs(minutes) / 60))}${two(Math.abs(minutes) % 60)}`;
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  const time = `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
  return `${day}T${time}.${String(date.getMilliseconds()).padStart(3, '0')}000${offset}`;
};

/** Appends to the log file if configured. The file is opened for every line, so that it can be rotated. */
const writerOf = (file: string | undefined) => (line: string) => {
  if (file === undefined) writeSync(1, line);
  else appendFileSync(file, line);
};

export const createClientLog = (
  level: Level,
  file?: string,
  write: (line: string) => void = writerOf(file),
): ClientLog => {
  const tell = (at: Level) => (message: string, data?: object) => {
    if (levels.indexOf(at) < levels.indexOf(log.level)) return;
    write(`${JSON.stringify({ timestamp: stamp(new Date()), level: at, message, ...data })}\n`);
  };
  const log: ClientLog = {
    level,
    debug: tell('debug'),
    info: tell('info'),
    warn: tell('warn'),
    error: tell('error'),
    fatal: tell('fatal'),
  };
  return log;
};
