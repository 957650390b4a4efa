// Whether handlers know of an incident that was masked: those that were not told that it began are not told that it ended, and
// the first event that is not masked any more says that it is the first. Pure.
import type { Check } from '../../model/check/check.ts';
import type { Masking } from '../../model/check/mask.ts';

/** What a result of this status says of it, after the event before. */
export const maskingOf = (
  before: Partial<Pick<Check, 'history' | 'masking'>> | undefined,
  status: number,
  isMasked: boolean,
): Masking | undefined => {
  const last = before?.history?.at(-1)?.status ?? 0;
  const isUntold = last !== 0 && before?.masking === 'untold';
  if (status === 0) return isUntold ? 'untold' : undefined;
  if (isMasked) return last === 0 || isUntold ? 'untold' : undefined;
  return isUntold ? 'lifted' : undefined;
};
