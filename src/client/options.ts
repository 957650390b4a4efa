// The command line options of the client.
import type { Level } from './log.ts';

export interface ClientOptions {
  /** Undefined: the default path, if the file exists. */
  readonly configFile?: string | undefined;
  readonly configDirs?: readonly string[] | undefined;
  readonly logFile?: string | undefined;
  readonly logLevel: Level;
  readonly pidFile?: string | undefined;
}

export const exitCodes = { fine: 0, badOption: 1, badConfiguration: 2 } as const;
