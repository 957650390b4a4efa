// What holds for every machine of the house: it can be read, it is pure, and there is no part of it nobody can reach.
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { describe, it } from 'node:test';
import type { AnyStateMachine } from 'xstate';
import { allMachines } from '../../src/main/all-machines.ts';
import { seed, seeded } from '../property.ts';
import { bring, nameOf, type Origin, rootOf, statesOf, type Transition, transitionsOf } from './harness.ts';
import { walkOf } from './walks.ts';

const maxWalks = 3_000;

const isNamed = (part: unknown): boolean =>
  typeof part === 'string' || typeof (part as { type?: unknown } | null)?.type === 'string';

const walkThrough = (
  machine: AnyStateMachine,
  onTransition: (transition: Transition) => void,
  random: () => number,
) => {
  const walk = walkOf(machine);
  const places: readonly Origin[] = [
    { input: walk.input },
    ...(walk.snapshots ?? []).map((snapshot) => ({ snapshot })),
  ];
  const live = bring(machine, places[Math.floor(random() * places.length)] as Origin, onTransition);
  let nowMs = 1_700_000_000_000;
  const states = new Set(live.snapshot()._nodes.map(({ id }) => id));
  for (let step = 0; step < walk.length && live.snapshot().status === 'active'; step += 1) {
    nowMs += Math.floor(random() * 40_000) - (random() < 0.2 ? 60_000 : 0);
    const fact = walk.facts[Math.floor(random() * walk.facts.length)];
    if (fact !== undefined) live.send(fact({ random, nowMs, context: live.snapshot().context }));
    for (const { id } of live.snapshot()._nodes) states.add(id);
  }
  live.stop();
  return states;
};

describe('all machines', () => {
  it('are in the list', () => {
    const files = readdirSync('src/machines', { recursive: true, encoding: 'utf8' }).filter((file) =>
      file.endsWith('-machine.ts'),
    );
    assert.equal(files.length, allMachines.length);
    assert.equal(new Set(allMachines.map(({ machine }) => machine.id)).size, allMachines.length);
  });
});

for (const { title, machine } of allMachines) {
  describe(title, () => {
    it('describes every state and every event', () => {
      const silent = statesOf(machine).filter(({ id, description }) => id !== machine.id && !description);
      assert.deepEqual(
        silent.map(({ id }) => id),
        [],
      );
      assert.ok(rootOf(machine).description);
      const described = Object.keys(rootOf(machine).meta?.events ?? {}).sort();
      const known = [...new Set(transitionsOf(machine).map(({ eventType }) => eventType))].sort();
      assert.deepEqual(described, known);
    });

    it('names every guard and action', () => {
      for (const transition of transitionsOf(machine)) {
        const { guard, actions } = transition;
        assert.ok(guard === undefined || isNamed(guard), nameOf(transition));
        for (const action of actions) assert.ok(isNamed(action), nameOf(transition));
      }
      for (const { id, entry, exit } of statesOf(machine)) {
        for (const action of [...entry, ...exit]) assert.ok(isNamed(action), id);
      }
    });

    it('has no timers, no children and no steps of its own', () => {
      for (const state of statesOf(machine)) {
        assert.equal(state.invoke.length, 0, state.id);
        assert.equal(state.always, undefined, state.id);
        for (const type of state.transitions.keys())
          assert.ok(!type.startsWith('xstate.'), `${state.id}: ${type}`);
      }
    });

    it(`reaches every state and takes every transition (seed ${seed})`, () => {
      const random = seeded(seed);
      const wanted = new Set(transitionsOf(machine).map(nameOf));
      const unseen = new Set(statesOf(machine).map(({ id }) => id));
      for (let walk = 0; walk < maxWalks && wanted.size + unseen.size > 0; walk += 1) {
        const states = walkThrough(machine, (transition) => wanted.delete(nameOf(transition)), random);
        for (const id of states) unseen.delete(id);
      }
      assert.deepEqual([[...unseen], [...wanted]], [[], []]);
    });
  });
}
