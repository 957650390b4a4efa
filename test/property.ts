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

export { fc };
