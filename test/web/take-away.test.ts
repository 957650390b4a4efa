// What leaves the page for other tools: machines as XState configurations, recordings as Stately's inspection messages.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createMachine } from 'xstate';
import { machineGraph } from '../../src/http/inspect/machine-graph.ts';
import type { ActorView, Frame } from '../../src/http/inspect/protocol.ts';
import { checkMachine } from '../../src/machines/check/check-machine.ts';
import { allMachines } from '../../src/main/all-machines.ts';
import { heatOf, shareOf } from '../../web/src/lib/heat.ts';
import { recordingOf } from '../../web/src/lib/recording.ts';
import { statelyEventsOf } from '../../web/src/lib/stately-events.ts';
import { xstateConfigOf } from '../../web/src/lib/xstate-config.ts';
import { sampleMachine } from '../http/inspect/sample-machine.ts';

for (const machine of [sampleMachine, ...allMachines.map((one) => one.machine)]) {
  test(`the ${machine.id} machine is the same after it was exported as JSON and read by XState`, () => {
    const graph = machineGraph(machine, 'Title');
    const config: object = JSON.parse(JSON.stringify(xstateConfigOf(graph)));
    assert.deepEqual(machineGraph(createMachine(config), 'Title'), graph);
  });
}

const frame = (seq: number, from: string, to: string, taken: readonly string[], status: number): Frame => ({
  seq,
  atMs: 1_000 * seq,
  actor: 'check:default/web-01/disk',
  machine: 'check',
  event: { type: 'result.received' },
  from: { result: from },
  to: { result: to },
  changed: true,
  actions: [],
  effects: [],
  taken,
  candidates: [],
  diff: [{ path: 'event.check.status', before: status, after: 2 - status }],
  deadlines: [],
  durationUs: 100,
});
const failed = 'check.result.passing|result.received|1';
const frames = [
  frame(1, 'passing', 'failing', [failed], 0),
  frame(2, 'failing', 'passing', [], 2),
  frame(3, 'passing', 'failing', [failed], 0),
];

test('a recording becomes one actor, then an event and a snapshot for each transition, each with its own context', () => {
  const view = {
    row: { id: 'check:default/web-01/disk', machine: 'check', value: { result: 'failing' } },
    nowMs: 9_000,
    context: { event: { check: { status: 2, name: 'disk' } } },
  };
  const told = statelyEventsOf(
    recordingOf(view as unknown as ActorView, frames, 0),
    machineGraph(checkMachine),
  );
  assert.deepEqual(
    told.map(({ type }) => type.replace('@xstate.', '')),
    ['actor', 'event', 'snapshot', 'event', 'snapshot', 'event', 'snapshot'],
  );
  assert.deepEqual(
    told.flatMap(({ snapshot }) => (snapshot === undefined ? [] : [[snapshot.value, snapshot.context]])),
    [
      ['passing', 0],
      ['failing', 2],
      ['passing', 0],
      ['failing', 2],
    ].map(([result, status]) => [{ result }, { event: { check: { status, name: 'disk' } } }]),
  );
  assert.equal(createMachine(JSON.parse(told[0]?.definition ?? '{}')).id, 'check');
});

test('heat counts what was entered and taken; the most frequent is hottest and what never was is cold', () => {
  const heat = heatOf(frames);
  assert.equal(heat.counts.get('check.result.failing'), 2);
  assert.equal(heat.counts.get('check.result.passing'), 1);
  assert.equal(heat.counts.get(failed), 2);
  assert.equal(heat.counts.get('check.result'), undefined);
  assert.deepEqual([shareOf(heat, 2), shareOf(heat, 0), shareOf(heatOf([]), 0)], [1, 0, 0]);
});
