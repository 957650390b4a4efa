import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setup } from 'xstate';
import { machineGraph } from '../../../src/http/inspect/machine-graph.ts';
import { activeStateIds, stateWords } from '../../../src/http/inspect/state-value.ts';
import { sampleMachine } from './sample-machine.ts';

const graph = machineGraph(sampleMachine, 'Sample');
const find = (source: string, label: string) =>
  graph.transitions.filter((line) => line.source === source && line.label === label);

test('every state is in the graph with its kind, parent and initial child', () => {
  const of = (id: string) => graph.states.find((state) => state.id === id);
  assert.equal(graph.states.length, 13);
  assert.equal(of('sample')?.type, 'parallel');
  assert.equal(of('sample.road')?.initial, 'sample.road.start');
  assert.equal(of('sample.road.end')?.type, 'final');
  assert.equal(of('sample.road.middle.memory')?.type, 'history');
  assert.equal(of('sample.road.middle')?.parent, 'sample.road');
  assert.deepEqual(of('sample.lamp.on')?.exit, ['log']);
  assert.deepEqual(
    of('sample.road.middle.second')?.invokes.map((invoke) => invoke.src),
    ['work'],
  );
  assert.equal(of('sample.road.start')?.description, 'Waits for go.');
});

test('transitions that the machine own JSON form loses are in the graph', () => {
  const always = find('sample.road.decide', 'always');
  assert.deepEqual(
    always.map(({ guard, targets }) => [guard, targets]),
    [
      ['isOpen', ['sample.road.end']],
      ['', ['sample.road.start']],
    ],
  );
  assert.equal(find('sample.road.start', 'go')[0]?.guard, 'isLarge and not isStrange');
});

test('delays, completions, errors, wildcards and targetless transitions read as people say them', () => {
  assert.equal(find('sample.road.middle.first', 'after patience').length, 1);
  assert.deepEqual(find('sample.road.middle.second', 'done')[0]?.targets, ['sample.road.middle.third']);
  assert.deepEqual(find('sample.road.middle.second', 'error')[0]?.targets, ['sample.road.end']);
  assert.deepEqual(find('sample.road.middle', 'done')[0]?.targets, ['sample.road.decide']);
  assert.equal(find('sample.road.middle', 'any event').length, 1);
  assert.deepEqual(find('sample.road.start', 'note')[0]?.targets, []);
  assert.deepEqual(find('sample.road.start', 'go')[1]?.actions, ['log', 'count']);
});

test('ids are unique and the same in every walk', () => {
  const ids = graph.transitions.map((line) => line.id);
  assert.equal(new Set(ids).size, ids.length);
  assert.deepEqual(machineGraph(sampleMachine, 'Sample'), graph);
  assert.notEqual(machineGraph(sampleMachine, 'Other').sha, graph.sha);
});

test('event descriptions come from the machine', () => {
  assert.equal(graph.events.go, 'Somebody asks to go on.');
});

test('what has no name is marked', () => {
  const nameless = setup({}).createMachine({
    id: 'nameless',
    initial: 'a',
    states: { a: { entry: () => undefined, on: { go: { guard: () => true, actions: () => undefined } } } },
  });
  const drawn = machineGraph(nameless);
  assert.deepEqual(drawn.transitions[0]?.actions, ['(inline)']);
  assert.equal(drawn.transitions[0]?.guard, '(inline)');
  assert.deepEqual(drawn.states[1]?.entry, ['(inline)']);
});

test('a state value lights exactly its active states', () => {
  assert.deepEqual(activeStateIds('sample', { road: { middle: 'first' }, lamp: 'off' }), [
    'sample',
    'sample.road',
    'sample.road.middle',
    'sample.road.middle.first',
    'sample.lamp',
    'sample.lamp.off',
  ]);
  assert.deepEqual(activeStateIds('one', 'a'), ['one', 'one.a']);
  assert.deepEqual(stateWords({ road: { middle: 'first' }, lamp: 'off' }), ['road.middle.first', 'lamp.off']);
});
