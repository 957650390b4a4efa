// The circuits of handlers, on the real runtime: who is let through while a handler keeps failing.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type CircuitIdentity, circuitFamily } from '../../../src/actors/families/circuit/circuit-family.ts';
import { createCircuits } from '../../../src/actors/families/circuit/circuits.ts';
import { Families } from '../../../src/actors/families/kit/families.ts';
import { createRuntime, createSupervisor } from '../../../src/actors/runtime/runtime.ts';
import { circuitFailures } from '../../../src/machines/limits.ts';
import { createSimulatedClock } from '../runtime/simulated-clock.ts';

const opened = async () => {
  const clock = createSimulatedClock();
  const runtime = createRuntime({ clock, random: () => 0 });
  createSupervisor(runtime, {
    id: 'root',
    strategy: 'one_for_one',
    children: [{ id: 'circuits', strategy: 'one_for_one', whenFailing: 'quarantine' }],
  });
  const nowMs = (): number => clock.wallMs();
  const families = new Families({
    commit: { put() {}, delete() {}, latest: async () => undefined },
    setAside() {},
    nowMs,
    registry: runtime.registry,
    supervisor: (id) => runtime.supervisor(id),
  });
  let isDefined = true;
  let deleted = (_circuit: CircuitIdentity): void => {};
  const gate = createCircuits({
    actors: families.bind(circuitFamily, { log: runtime.log }),
    nowMs,
    isDefined: () => isDefined,
    onDeleted: (listener) => {
      deleted = listener;
    },
    onFault: (error) => assert.fail(String(error)),
  });
  const remove = (): void => {
    isDefined = false;
    deleted({ namespace: 'default', handler: 'slack' });
    clock.runTurns();
  };
  for (let call = 0; call < circuitFailures; call += 1) {
    const answer = await gate.enter('default', 'slack');
    assert.ok(answer.entered);
    answer.leave('failed', 'refused');
    clock.runTurns();
  }
  const state = (): unknown =>
    (runtime.registry.peek('circuit:default/slack') as { readonly value?: unknown } | undefined)?.value;
  return { clock, gate, state, remove };
};

test('a half-open circuit lets one call through, however many come at the same moment', async () => {
  const { clock, gate, state } = await opened();
  assert.equal(state(), 'open');
  clock.advance(10 * 60_000);
  assert.deepEqual(state(), { halfOpen: 'ready' });
  // Before its actor has noted the first.
  const together = await Promise.all([1, 2, 3].map(() => gate.enter('default', 'slack')));
  assert.deepEqual(
    together.map(({ entered }) => entered),
    [true, false, false],
  );
  clock.runTurns();
  assert.deepEqual(state(), { halfOpen: 'probing' });
  assert.equal((await gate.enter('default', 'slack')).entered, false, 'after its actor has noted it');
  const [probe] = together;
  assert.ok(probe?.entered);
  probe.leave('handled', '');
  clock.runTurns();
  assert.equal(state(), 'closed');
  const after = await Promise.all([1, 2].map(() => gate.enter('default', 'slack')));
  assert.deepEqual(
    after.map(({ entered }) => entered),
    [true, true],
  );
});

test('a probe that ended without an answer leaves the next call to try', async () => {
  const { clock, gate, state } = await opened();
  clock.advance(10 * 60_000);
  const probe = await gate.enter('default', 'slack');
  assert.ok(probe.entered);
  clock.runTurns();
  probe.leave('skipped', 'no such command');
  clock.runTurns();
  assert.deepEqual(state(), { halfOpen: 'ready' });
  assert.equal((await gate.enter('default', 'slack')).entered, true);
});

test('a handler that was deleted has no circuit, also if a call of it fails afterwards', async () => {
  const { clock, gate, state, remove } = await opened();
  clock.advance(10 * 60_000);
  const late = await gate.enter('default', 'slack');
  assert.ok(late.entered);
  clock.runTurns();
  remove();
  assert.equal(state(), undefined);
  late.leave('failed', 'refused');
  clock.runTurns();
  assert.equal(state(), undefined);
});
