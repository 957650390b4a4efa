// Compares the clock of this machine with that of another one.
import { type Finding, fail, ok, warn } from './finding.ts';
import { clockFailMs, clockWarnMs } from './limits.ts';

/** How far the clock that `readMs` asks for is ahead of this one, in ms. Half of the time the answer takes counts as its way. */
export const clockAheadMs = async (readMs: () => Promise<number>): Promise<number> => {
  const sentMs = Date.now();
  const theirsMs = await readMs();
  return theirsMs - (sentMs + Date.now()) / 2;
};

/** `whose` names the other clock. */
export const clockFinding = (whose: string, aheadMs: number): Finding => {
  const differenceMs = Math.abs(aheadMs);
  const text = `the clock of ${whose} and that of this machine differ by ${Math.round(differenceMs / 1_000)} s`;
  const advice = 'set the clocks of both by NTP';
  if (differenceMs > clockFailMs) return fail('clock', text, advice);
  if (differenceMs > clockWarnMs) return warn('clock', text, advice);
  return ok('clock', `the clock of ${whose} is that of this machine`);
};
