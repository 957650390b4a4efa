// Splay: when within its interval a check runs. The phase depends on the check's name and the wall
// clock alone, so that restarts and all backends agree on it, and checks of one interval do not all run at once.
import { createHash } from 'node:crypto';
import { remember } from '../../model/memo.ts';

const nsPerMs = 1_000_000n;

/** The watchdog asks for each schedule every few seconds. */
const keptSplays = 20_000;

/** The first 8 bytes of the MD5 of a check's name, little-endian. */
export const splayOf = remember(keptSplays, (name) =>
  createHash('md5').update(name).digest().readBigUInt64LE(0),
);

/** Nanoseconds from `nowNs` until the next run; 0 when it is now. The subtraction wraps at 2^64 before the remainder. */
export const delayNs = (splay: bigint, nowNs: bigint, intervalNs: bigint): bigint =>
  BigInt.asUintN(64, splay - nowNs) % intervalNs;

/** The next run after `nowMs`, wall milliseconds: always later than now, by at most one interval. */
export const nextIntervalRun = (name: string, intervalSeconds: number, nowMs: number): number => {
  const intervalNs = BigInt(intervalSeconds) * 1000n * nsPerMs;
  const delayMs = Number(delayNs(splayOf(name), BigInt(nowMs) * nsPerMs, intervalNs) / nsPerMs);
  return nowMs + (delayMs === 0 ? intervalSeconds * 1000 : delayMs);
};
