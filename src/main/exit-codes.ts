// Exit codes of mon-backend for fatal errors at run time.
import type { Logger } from '../program/log.ts';

/** A restart may help: the service manager restarts the program. */
export const collapseExitCode = 70;

/** Exits immediately, since any further write would compete with the new owner. */
export const endWithoutStore = (error: Error, log: Logger): void => {
  log.fatal({ err: error }, 'another backend took over the store; exiting');
  process.exit(collapseExitCode);
};
