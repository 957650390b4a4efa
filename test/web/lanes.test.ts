// Who told whom is read from recorded transitions: the lanes, the arrows, and the neighbours of an actor.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Frame, JsonValue } from '../../src/http/inspect/protocol.ts';
import { sequenceOf, wantedBeside } from '../../web/src/lib/lanes.ts';

const entity = 'entity:default/web-01';
const keepalive = 'check:default/web-01/keepalive';
const disk = 'check:default/web-01/disk';
const schedule = 'schedule:default/disk';

let seq = 0;
const frame = (
  actor: string,
  type: string,
  effects: readonly string[],
  [from, to]: readonly JsonValue[] = ['a', 'a'],
): Frame => {
  seq += 1;
  return {
    seq,
    atMs: seq,
    actor,
    machine: '',
    event: { type },
    from: from ?? null,
    to: to ?? null,
    changed: true,
    actions: [],
    effects,
    taken: [],
    candidates: [],
    diff: [],
    deadlines: [],
    durationUs: 1,
  };
};

test('a keepalive goes from the agent to its entity, from there to its check, and on to the pipelines', () => {
  const frames = [
    frame(entity, 'keepalive.received', ['persist', 'deadline.set', 'publish']),
    frame(
      keepalive,
      'result.received',
      ['persist', 'deliver'],
      [{ result: 'failing' }, { result: 'passing' }],
    ),
    frame(keepalive, 'delivery.finished', []),
  ];
  const { lanes, messages } = sequenceOf([entity, keepalive], [...frames].reverse());
  assert.deepEqual(lanes, ['agents, API', 'clock', entity, keepalive, 'pipelines', 'store']);
  assert.deepEqual(
    messages.map(({ from, to, label, moved }) => [from, to, label, moved]),
    [
      ['agents, API', entity, 'keepalive.received', ''],
      [entity, 'store', 'persist', ''],
      [entity, 'clock', 'deadline.set', ''],
      [entity, keepalive, 'publish', ''],
      [entity, keepalive, 'result.received', 'result.passing'],
      [keepalive, 'store', 'persist', ''],
      [keepalive, 'pipelines', 'deliver', ''],
      ['pipelines', keepalive, 'delivery.finished', ''],
    ],
  );
});

test('a schedule is woken by the clock, asks the agents, and tells itself that it did; they answer the check', () => {
  const frames = [
    frame(schedule, 'deadline.reached', ['request.issue']),
    frame(schedule, 'request.issued', []),
    frame(disk, 'result.received', []),
    frame('check:default/other/disk', 'result.received', []),
  ];
  assert.deepEqual(
    sequenceOf([schedule, disk], frames).messages.map(({ from, to }) => [from, to]),
    [
      ['clock', schedule],
      [schedule, 'agents, API'],
      [schedule, schedule],
      ['agents, API', disk],
    ],
  );
});

test('what goes out together is one row, and who says nothing gets no lane', () => {
  const frames = [
    frame(disk, 'result.received', ['persist', 'deliver']),
    frame(disk, 'delivery.finished', []),
  ];
  const { lanes, messages } = sequenceOf([entity, disk], frames);
  assert.deepEqual(
    messages.map(({ row, label }) => [row, label]),
    [
      [0, 'result.received'],
      [1, 'persist'],
      [1, 'deliver'],
      [2, 'delivery.finished'],
    ],
  );
  assert.deepEqual(lanes, ['agents, API', disk, 'pipelines', 'store']);
});

test('beside a check stand the session of its agent, its schedule and its entity', () => {
  assert.deepEqual(
    wantedBeside(disk).map(({ prefix }) => prefix),
    ['session:default/web-01#', schedule, entity, disk],
  );
  assert.deepEqual(
    wantedBeside('session:default/web-01#3').map(({ prefix }) => prefix),
    ['session:default/web-01#', entity, 'check:default/web-01/'],
  );
});
