// When a client runs its own checks: the phase depends on the names of client and check and on
// the clock alone, so that restarts keep it and a thousand clients do not all run the same check at once.
import { splayOf } from '../schedule/splay-rule.ts';

/** Milliseconds until the first run: afterwards every interval. `key` is `<client>:<check>`. */
export const firstRunDelayMs = (key: string, intervalSeconds: number, nowMs: number): number => {
  const interval = BigInt(Math.round(intervalSeconds * 1000));
  const behind = (splayOf(key) - BigInt(Math.round(nowMs))) % interval;
  return Number(behind < 0n ? behind + interval : behind);
};
