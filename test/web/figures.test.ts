// What the system page draws over time: totals as rates, and only what this backend has.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type FigureLine, figureGroups, linesOf, type System } from '../../web/src/lib/figures.ts';

const sampleAt = (nowMs: number, gauges: Record<string, number>): System => ({
  nowMs,
  uptimeSeconds: 1,
  rssBytes: 2_048,
  heapBytes: 1_024,
  watchedActors: 0,
  streams: 0,
  gauges,
});

const linesFor = (title: string, samples: readonly System[]): FigureLine[] => {
  const group = figureGroups.find((one) => one.title === title);
  assert.ok(group, `no group is called ${title}`);
  return linesOf(group, samples);
};

test('what only grows is drawn by how much it grew a second, and from zero again after a new start', () => {
  const samples = [
    sampleAt(1_000, { messages: 100 }),
    sampleAt(3_000, { messages: 110 }),
    sampleAt(4_000, { messages: 113 }),
    sampleAt(5_000, { messages: 2 }),
  ];
  assert.deepEqual(linesFor('Throughput, a second', samples), [{ name: 'messages', values: [0, 5, 3, 0] }]);
});

test('a figure the backend does not have has no line', () => {
  const samples = [sampleAt(1_000, { lagMs: 4 }), sampleAt(2_000, { lagMs: 0.5 })];
  assert.deepEqual(linesFor('Event loop', samples), [{ name: 'lag', values: [4, 0.5] }]);
  assert.deepEqual(linesFor('Store commit', samples), []);
  assert.deepEqual(
    linesFor('Memory', samples).map((line) => line.values),
    [
      [2_048, 2_048],
      [1_024, 1_024],
    ],
  );
});

test('without a sample nothing is drawn', () => {
  for (const { title } of figureGroups) assert.deepEqual(linesFor(title, []), []);
});
