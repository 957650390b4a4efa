// The messages that come by the thousand are taken by the plan: a transition that needs XState costs several times as much.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AnyStateMachine } from 'xstate';
import { planOf } from '../../../../src/actors/runtime/statechart/plan.ts';
import { checkMachine } from '../../../../src/machines/check/check-machine.ts';
import { entityMachine } from '../../../../src/machines/entity/entity-machine.ts';

const unplanned = (machine: AnyStateMachine, type: string): readonly string[] =>
  planOf(machine).nodes.flatMap(({ on }) =>
    (on.get(type) ?? []).filter(({ actions }) => actions === null).map(({ line }) => line.id),
  );

for (const [machine, types] of [
  [checkMachine, ['result.received', 'deadline.reached', 'delivery.finished']],
  [entityMachine, ['keepalive.received', 'deadline.reached']],
] as const)
  for (const type of types)
    test(`${machine.id}: ${type} is taken by the plan in every state`, () => {
      const { nodes } = planOf(machine);
      assert.ok(
        nodes.some(({ on }) => on.has(type)),
        `some state knows ${type}`,
      );
      assert.deepEqual(unplanned(machine, type), []);
    });
