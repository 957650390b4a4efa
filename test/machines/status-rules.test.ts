import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isFlapping, totalStateChange } from '../../src/machines/check/flapping-rule.ts';
import { appendHistory, isResolution, isStatusChange } from '../../src/machines/check/history-rule.ts';
import { countOccurrences } from '../../src/machines/check/occurrence-rule.ts';
import { maxHistoryEntries } from '../../src/machines/limits.ts';
import type { HistoryEntry } from '../../src/model/check/check.ts';
import { fc } from '../property.ts';

const historyOf = (statuses: string): HistoryEntry[] =>
  [...statuses].map((status, executed) => ({ status: Number(status), executed }));

describe('history', () => {
  it('keeps 21 results and lets the oldest go with the 22nd', () => {
    let history: HistoryEntry[] = [];
    for (let executed = 1; executed <= maxHistoryEntries; executed += 1) {
      history = appendHistory(history, { status: 0, executed });
      assert.equal(history.length, executed);
    }
    history = appendHistory(history, { status: 2, executed: 22 });
    assert.equal(history.length, maxHistoryEntries);
    assert.deepEqual([history[0]?.executed, history[20]?.executed], [2, 22]);
  });

  it('does not touch the list it was given', () => {
    const before = historyOf('01');
    appendHistory(before, { status: 0, executed: 9 });
    assert.equal(before.length, 2);
  });

  it('knows a change of status and a resolution', () => {
    assert.deepEqual(['0', '00', '01', '12', '10', '20'].map(historyOf).map(isStatusChange), [
      true,
      false,
      true,
      true,
      true,
      true,
    ]);
    assert.deepEqual(['0', '00', '01', '12', '10', '20'].map(historyOf).map(isResolution), [
      false,
      false,
      false,
      false,
      true,
      true,
    ]);
  });
});

describe('total state change', () => {
  const vectors: readonly [string, number][] = [
    ['010101010101010101010', 98],
    ['012012012012012012012', 98],
    ['000000000000000000001', 5],
    ['100000000000000000000', 4],
    ['000000000010000000000', 9],
    ['010101010100000000000', 44],
    ['000000000001010101010', 54],
    ['001100110011001100110', 50],
    ['000000000000000000000', 0],
    ['01010101010101010101', 0],
  ];
  for (const [statuses, expected] of vectors) {
    it(`of ${statuses} is ${expected}`, () => assert.equal(totalStateChange(historyOf(statuses)), expected));
  }

  it('is never above 98 and 0 without any change', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 21, maxLength: 21 }), (statuses) => {
        const change = totalStateChange(statuses.map((status) => ({ status, executed: 0 })));
        assert.ok(change >= 0 && change <= 98);
        assert.equal(change === 0, new Set(statuses).size === 1);
      }),
    );
  });
});

describe('flapping', () => {
  const cases: readonly [boolean, number, number, number, boolean][] = [
    [false, 60, 20, 60, true],
    [false, 59, 20, 60, false],
    [true, 59, 20, 60, true],
    [true, 21, 20, 60, true],
    [true, 20, 20, 60, false],
    [true, 98, 0, 60, false],
    [true, 98, 20, 0, false],
  ];
  for (const [wasFlapping, change, low, high, expected] of cases) {
    it(`${expected ? 'is' : 'is not'} so at ${change} between ${low} and ${high}, ${wasFlapping ? 'after' : 'without'} flapping`, () =>
      assert.equal(isFlapping({ wasFlapping, change, low, high }), expected));
  }
});

describe('occurrences and watermark', () => {
  it('follow the worked sequence', () => {
    const steps = '0:1/1 0:2/2 1:1/1 1:2/2 1:3/3 2:1/3 2:2/3 2:3/3 2:4/4 0:1/4 2:1/1'.split(' ');
    let history: HistoryEntry[] = [];
    let counts = { occurrences: 0, watermark: 0 };
    for (const step of steps) {
      history = appendHistory(history, { status: Number(step[0]), executed: 0 });
      counts = countOccurrences(history, counts);
      assert.equal(`${step[0]}:${counts.occurrences}/${counts.watermark}`, step);
    }
  });
});
