// fast-check for every property test, with one seed: a run draws what the run before it drew, so a change is judged by
// itself and not by luck. `MON_TEST_SEED=random npm test` (or a number) looks elsewhere; a failure names its seed.
import { randomInt } from 'node:crypto';
import fc from 'fast-check';

const fixedSeed = 20_260_101;

const readSeed = (text: string | undefined): number => {
  if (text === undefined || text === '') return fixedSeed;
  if (text === 'random') return randomInt(2 ** 31);
  const seed = Number(text);
  if (!Number.isSafeInteger(seed))
    throw new Error(`MON_TEST_SEED must be a whole number or "random" (got "${text}")`);
  return seed;
};

/** What this run draws its values from. */
export const seed = readSeed(process.env['MON_TEST_SEED']);

fc.configureGlobal({ ...fc.readConfigureGlobal(), seed });

/** A stream of numbers in [0, 1) that repeats for the same seed (mulberry32). */
export const seeded = (from: number): (() => number) => {
  let state = from;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
};

export { fc };
