// The executor beside XState on machines made at random: nested, parallel, with history, eventless and wildcard transitions,
// internal and external ones, combined guards, entry and exit actions.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type AnyEventObject,
  type AnyMachineSnapshot,
  type AnyStateMachine,
  getInitialSnapshot,
} from 'xstate';
import { evaluateGuard } from 'xstate/guards';
import { chartOf, knowsEvent, type Line } from '../../../../src/actors/runtime/statechart/chart.ts';
import { dryRun } from '../../../../src/actors/runtime/statechart/dry-run.ts';
import { actionsOf, executorOf, type Microstep } from '../../../../src/actors/runtime/statechart/executor.ts';
import { type Candidate, explain } from '../../../../src/actors/runtime/statechart/explain.ts';
import { plannedStepOf } from '../../../../src/actors/runtime/statechart/step.ts';
import { fc } from '../../../property.ts';
import { byXState, inertScope, seen } from './by-xstate.ts';
import { type Log, machines, messages } from './machines.ts';

const logOf = (snapshot: AnyMachineSnapshot): readonly string[] => (snapshot.context as Log).log;

/** One message on a random walk, as XState takes it; `ran` is what was noted since. */
interface Scene {
  readonly machine: AnyStateMachine;
  readonly before: AnyMachineSnapshot;
  readonly event: AnyEventObject;
  readonly next: AnyMachineSnapshot;
  readonly seen: ReturnType<typeof seen>;
  readonly ran: readonly string[];
}

const walk = (
  machine: AnyStateMachine,
  events: readonly AnyEventObject[],
  look: (scene: Scene) => void,
): void => {
  let before = getInitialSnapshot(machine) as AnyMachineSnapshot;
  for (const event of events) {
    if (before.status !== 'active') return;
    const { next, seen: wanted } = byXState(machine, before, event);
    look({ machine, before, event, next, seen: wanted, ran: logOf(next).slice(logOf(before).length) });
    before = next;
  }
};

const everyScene = (look: (scene: Scene) => void, numRuns = 400): void =>
  fc.assert(
    fc.property(machines, messages, (machine, events) => walk(machine, events, look)),
    { numRuns },
  );

/** The name that a line writes down. */
const nameOf = ({ ref }: Line): string => String(ref.actions[0]);

const lineOf = (machine: AnyStateMachine, id: string): Line =>
  chartOf(machine).lines.find((line) => line.id === id) ?? assert.fail(`no line ${id}`);

const isLine = (name: string): boolean => name.startsWith('line');

/** Those of the lines noted that wait for an event; a message may wake eventless ones, too, whose guards look at it. */
const withEvents = (machine: AnyStateMachine, ran: readonly string[]): string[] => {
  const eventless = chartOf(machine).lines.filter(({ event }) => event === '');
  return ran.filter((name) => isLine(name) && !eventless.some((line) => nameOf(line) === name));
};

test('a step of the plan ends where XState ends: states, context, effects', () => {
  const count = { all: 0, planned: 0, moved: 0, exits: 0, always: 0 };
  everyScene(({ machine, before, event, seen: wanted, ran }) => {
    const steps: Microstep[] = [];
    const step = plannedStepOf(machine)(before, event, (one) => steps.push(one));
    count.all += 1;
    if (step === undefined) {
      assert.equal(steps.length, 0, 'nothing is told of a step that is left to XState');
      return;
    }
    assert.deepEqual(seen(step.snapshot, step.emitted), wanted);
    count.planned += 1;
    if (step.snapshot.value !== before.value) count.moved += 1;
    if (ran.some((name) => name.startsWith('out'))) count.exits += 1;
    if (steps.length > 1) count.always += 1;
  });
  // Not vacuous: each of them happened often.
  const { all, planned, moved, exits, always } = count;
  assert.ok(planned > all / 3, `${planned} of ${all} by the plan`);
  assert.ok(Math.min(moved, exits, always) > 30, JSON.stringify(count));
});

test('whoever runs a message, the executor ends where XState ends and tells what ran, in order', () => {
  everyScene(({ machine, before, event, next, ran }) => {
    const steps: Microstep[] = [];
    const note = (step: Microstep): void => void steps.push(step);
    const after = executorOf(machine).advance(before, event, inertScope(machine), () => {}, note);
    assert.deepEqual(seen(after, []), seen(next, []));
    const taken = steps.flatMap(({ lines }) => lines.map(nameOf));
    assert.deepEqual(taken.filter(isLine), ran.filter(isLine));
    if (next.status !== 'active') return; // A machine that ends runs the exits of all states, too.
    const told = actionsOf(machine, before, steps).filter((name) => ran.includes(name));
    assert.deepEqual(told, ran);
  }, 400);
});

test('a dry run names the lines that are taken and ends where XState ends', () => {
  everyScene(({ machine, before, event, next, seen: { emitted }, ran }) => {
    const run = dryRun(machine, before, event);
    assert.deepEqual(seen(run.snapshot, run.effects), seen(next, emitted));
    const taken = run.taken.map((id) => nameOf(lineOf(machine, id)));
    assert.deepEqual(taken.filter(isLine), ran.filter(isLine));
  }, 400);
});

test('an explanation marks the lines that are taken, and its verdicts are those of XState', () => {
  const verdicts: Record<Candidate['verdict'], number> = { yes: 0, no: 0, threw: 0 };
  everyScene(({ machine, before, event }) => {
    const candidates = explain(machine, before, event);
    for (const { id, verdict } of candidates) {
      const { guard } = lineOf(machine, id).ref;
      const holds = guard === undefined || evaluateGuard(guard as never, before.context, event, before);
      assert.equal(verdict, holds ? 'yes' : 'no', id);
      verdicts[verdict] += 1;
    }
    const steps: Microstep[] = [];
    executorOf(machine).advance(
      before,
      event,
      inertScope(machine),
      () => {},
      (step) => steps.push(step),
    );
    const taken = candidates.filter((candidate) => candidate.taken).map(({ id }) => id);
    assert.deepEqual(
      taken,
      steps[0]?.lines.map(({ id }) => id),
    );
  }, 400);
  assert.ok(verdicts.yes > 100 && verdicts.no > 100, JSON.stringify(verdicts));
});

test('an event that no state of a machine names is unknown, and XState does nothing with it', () => {
  everyScene(({ machine, before, event, ran }) => {
    if (knowsEvent(machine, event.type)) return;
    assert.deepEqual(explain(machine, before, event), []);
    assert.deepEqual(withEvents(machine, ran), []);
  }, 300);
});
