// The log of a program: one JSON object per line on stdout with component, level, msg and time.
import pino from 'pino';

export type Logger = pino.Logger;

export const logLevels = ['panic', 'fatal', 'error', 'warn', 'info', 'debug', 'trace'] as const;
export type LogLevel = (typeof logLevels)[number];

/** The order in which SIGUSR1 cycles through the levels. */
const verbositySteps = ['error', 'warn', 'info', 'debug', 'trace'] as const;

/** The next more verbose level; after the most verbose comes the least. */
export const nextLevel = (level: string): (typeof verbositySteps)[number] => {
  const at = (verbositySteps as readonly string[]).indexOf(level);
  return verbositySteps[(at + 1) % verbositySteps.length] ?? 'error';
};

/** The printed name of a level. */
export const levelWord = (level: string): string => (level === 'warn' ? 'warning' : level);

/** Lines are written synchronously, so that none are lost on exit. */
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
      // A second safeguard; credentials should not be logged in the first place.
      redact: { paths: ['password', '*.password', 'Authorization', '*.Authorization'], censor: 'REDACTED' },
    },
    destination,
  );

/** The child loggers of each logger: pino gives every child its own level. */
const families = new WeakMap<Logger, Logger[]>();

/** The logger of one component. */
export const component = (log: Logger, name: string): Logger => {
  const child = log.child({ component: name });
  families.set(log, [...(families.get(log) ?? []), child]);
  return child;
};

/** Sets the level of a logger and all its components. */
export const setLevel = (log: Logger, level: LogLevel): void => {
  for (const each of [log, ...(families.get(log) ?? [])]) each.level = level;
};

export const errorText = (error: unknown): string => (error instanceof Error ? error.message : String(error));
