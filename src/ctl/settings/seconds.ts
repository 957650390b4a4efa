// Durations of the command line, in seconds.
import { parseDuration } from '../../model/time/durations.ts';
import { CtlError } from '../failure.ts';

/** The seconds of `30m` or of `1800`; `what` names it when it is wrong. */
export const secondsOf = (what: string, text: string): number => {
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : parseDuration(text);
  if (ms === null || ms < 0 || ms % 1000 !== 0)
    throw new CtlError(`${what} must be whole seconds, such as 30m, 4h or 1800 (got ${text})`);
  return ms / 1000;
};
