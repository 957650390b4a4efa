// The ways in which mon-backend ends by itself while it runs.
import type { Logger } from '../program/log.ts';

/** Something a fresh start may mend: the service manager starts the program again. */
export const collapseExitCode = 70;

/** Ends the process at once: whatever it wrote from now on would be written beside the new owner. */
export const endWithoutStore = (error: Error, log: Logger): void => {
  log.fatal({ err: error }, 'another backend has the store now; ending');
  process.exit(collapseExitCode);
};
