// The log of a program: one JSON object a line on standard output with component, level, msg and time.
import pino from 'pino';

export type Logger = pino.Logger;

export const logLevels = ['panic', 'fatal', 'error', 'warn', 'info', 'debug', 'trace'] as const;
export type LogLevel = (typeof logLevels)[number];

/** The order in which SIGUSR1 steps through the levels. */
const verbositySteps = ['error', 'warn', 'info', 'debug', 'trace'] as const;

/** One step more talkative; after the most talkative comes the least. */
export const nextLevel = (level: string): (typeof verbositySteps)[number] => {
  const at = (verbositySteps as readonly string[]).indexOf(level);
  return verbositySteps[(at + 1) % verbositySteps.length] ?? 'error';
};

/** The name of a level as it is printed. */
export const levelWord = (level: string): string => (level === 'warn' ? 'warning' : level);

/** Lines are written synchronously: what was said before an exit is read after it. */
export const createLog = (
  level: LogLevel,
  destination: pino.DestinationStream = pino.destination({ dest: 1, sync: true }),
): Logger =>
  pino(
    {
      base: null,
      level: level === 'panic' ? 'fatal' : level,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: levelWord(label) }) },
      // A second line of defence: the first is that nobody logs these.
      redact: { paths: ['password', '*.password', 'Authorization', '*.Authorization'], censor: 'REDACTED' },
    },
    destination,
  );

/** The components of each log: pino gives every child a level of its own. */
const families = new WeakMap<Logger, Logger[]>();

/** The log of one part of a program. */
export const component = (log: Logger, name: string): Logger => {
  const child = log.child({ component: name });
  families.set(log, [...(families.get(log) ?? []), child]);
  return child;
};

/** Changes how much a log and all its components say. */
export const setLevel = (log: Logger, level: LogLevel): void => {
  for (const each of [log, ...(families.get(log) ?? [])]) each.level = level;
};

export const errorText = (error: unknown): string => (error instanceof Error ? error.message : String(error));
