import assert from 'node:assert/strict';
import { test } from 'node:test';
import { initialTransition, transition } from 'xstate';
import { eventMatches } from '../../../../src/actors/runtime/statechart/chart.ts';
import { explain } from '../../../../src/actors/runtime/statechart/explain.ts';
import { sampleMachine } from '../../../http/inspect/sample-machine.ts';

const [start] = initialTransition(sampleMachine);
const short = (event: { type: string; n?: number }, snapshot = start) =>
  explain(sampleMachine, snapshot, event).map(
    ({ id, verdict, taken }) => `${id} ${verdict}${taken ? ' taken' : ''}`,
  );

test('each transition an event could take is listed with the answer of its guard', () => {
  assert.deepEqual(short({ type: 'go', n: 3 }), [
    'sample.road.start|go|0 no',
    'sample.road.start|go|1 no',
    'sample.road.start|go|2 yes taken',
  ]);
});

test('a guard that throws is a verdict with its message, never an exception', () => {
  const [first, second] = explain(sampleMachine, start, { type: 'go', n: 11 } as { type: string });
  assert.equal(first?.verdict, 'threw');
  assert.equal(first?.why, 'no idea');
  assert.equal(second?.verdict, 'yes');
  assert.equal(second?.taken, false, 'the actor would crash at the first');
});

test('every region answers for itself', () => {
  assert.deepEqual(short({ type: 'note' }), [
    'sample.road.start|note|0 yes taken',
    'sample.lamp.off|note|0 yes taken',
  ]);
});

test('an unknown event has no candidates', () => {
  assert.deepEqual(short({ type: 'unheard' }), []);
});

test('what is marked as taken is what XState takes', () => {
  const [next] = transition(sampleMachine, start, { type: 'go', n: 3 });
  assert.deepEqual(next.value, { road: { middle: 'first' }, lamp: 'off' });
  assert.deepEqual(short({ type: 'group.one' }, next), [
    'sample.road.middle|group.*|0 yes taken',
    'sample.road.middle|*|0 yes',
  ]);
});

test('event descriptors match as XState matches them', () => {
  assert.equal(eventMatches('a.*', 'a.b.c'), true);
  assert.equal(eventMatches('a.*', 'a'), true);
  assert.equal(eventMatches('a.*', 'ab'), false);
  assert.equal(eventMatches('*', 'anything'), true);
  assert.equal(eventMatches('', 'anything'), false);
});
