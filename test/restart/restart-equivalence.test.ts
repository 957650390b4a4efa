// Restart equivalence: whatever happens to a backend, one that was killed in between, again and again, cannot be told from one
// that was not. MON_TEST_RESTARTS=5000 looks at so many scenarios, MON_TEST_SEED=random at others.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { fc } from '../property.ts';
import { type Step, scenario } from './operations.ts';
import { regressions } from './regressions.ts';
import { traitsOfKills } from './restart-equivalence.ts';

const runs = Number(process.env['MON_TEST_RESTARTS'] ?? 8);
const shown = 12;

const check = async (steps: readonly Step[]): Promise<void> => {
  const found = await traitsOfKills(steps);
  assert.equal(found.length, 0, found.slice(0, shown).join('\n'));
};

describe('a backend that is killed and started again', () => {
  for (const [what, steps] of Object.entries(regressions)) test(what, () => check(steps));

  test('cannot be told from one that was not', async () => {
    await fc.assert(fc.asyncProperty(scenario, check), { numRuns: runs });
  });
});
