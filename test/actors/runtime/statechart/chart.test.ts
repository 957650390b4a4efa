// A machine as data: which events it knows.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createMachine } from 'xstate';
import { knowsEvent } from '../../../../src/actors/runtime/statechart/chart.ts';
import { allMachines } from '../../../../src/main/all-machines.ts';

test('a machine knows the events that any of its states names, also one that is ignored on purpose', () => {
  const machine = createMachine({
    initial: 'a',
    on: { outer: {} },
    states: { a: { on: { 'group.*': 'b' } }, b: { on: { inner: { guard: () => false } } } },
  });
  const known = ['outer', 'group.one', 'group.one.two', 'group', 'inner'];
  const unknown = ['other', 'groups', 'groupie.one', 'inner.one', ''];
  assert.deepEqual(
    [...known, ...unknown].filter((type) => knowsEvent(machine, type)),
    known,
  );
});

test('a machine with a wildcard knows every event', () => {
  assert.equal(knowsEvent(createMachine({ on: { '*': {} } }), 'anything'), true);
});

for (const { machine, title } of allMachines) {
  test(`${title}: knows what it describes, and nothing else`, () => {
    const { events } = machine.config.meta as { readonly events: Readonly<Record<string, string>> };
    assert.deepEqual(
      Object.keys(events).filter((type) => !knowsEvent(machine, type)),
      [],
    );
    assert.equal(knowsEvent(machine, 'nobody.sends.this'), false);
  });
}
