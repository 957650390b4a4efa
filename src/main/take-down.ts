// Take-down: the parts of a program are ended one after the other. A part that fails to end is told in the log and does not
// keep those behind it from ending: the store comes last, and is closed whatever happened before.
import type { Logger } from '../program/log.ts';

/** The process ends after this long whatever hangs; what hung is named. */
const stopTimeoutMs = 28_000;

export type Step = readonly [what: string, end: () => Promise<unknown>];

/** Resolves with whether every part ended as it should. */
export const takeDown = async (
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
      log.error({ what, err: error }, `could not be stopped as it should: ${what}`);
    } finally {
      clearTimeout(timer);
    }
  }
  return isClean;
};
