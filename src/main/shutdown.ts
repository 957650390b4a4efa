// Shuts down the parts of a program in sequence. A part that fails to stop is logged and does not prevent the
// others from stopping: the store is closed last in any case.
import type { Logger } from '../program/log.ts';

/** The process exits after this time even if something hangs; the log names it. */
const stopTimeoutMs = 28_000;

export type Step = readonly [what: string, end: () => Promise<unknown>];

/** Resolves to whether every part stopped cleanly. */
export const shutDown = async (
  steps: readonly Step[],
  log: Logger,
  giveUp: () => void = () => process.exit(1),
  timeoutMs = stopTimeoutMs,
): Promise<boolean> => {
  let isClean = true;
  for (const [what, end] of steps) {
    const timer = setTimeout(() => {
      log.fatal({ what }, `still stopping after ${timeoutMs} ms: ${what}`);
      giveUp();
    }, timeoutMs);
    try {
      await end();
      log.info({ what }, 'stopped');
    } catch (error) {
      isClean = false;
      log.error({ what, err: error }, `${what} did not stop cleanly`);
    } finally {
      clearTimeout(timer);
    }
  }
  return isClean;
};
