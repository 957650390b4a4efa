// Producers ten times as fast as their consumer: memory stays where it is, and every sender is told.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { ActorMessage, Outcome, OverflowRule } from '../../../src/actors/runtime/contract.ts';
import { maxTurnMessages } from '../../../src/actors/runtime/limits.ts';
import { createRuntime, createSupervisor } from '../../../src/actors/runtime/runtime.ts';
import { stepUntil } from '../../eventually.ts';
import { counterSpec } from './counter.ts';
import { createSimulatedClock } from './simulated-clock.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;
const heapBytes = (): number => {
  collectGarbage();
  return process.memoryUsage().heapUsed;
};

const capacity = 100;
const turns = 25;
const perTurn = 10 * maxTurnMessages;
/** A mailbox full of these weighs 80 kB; what is sent in all, 60 MB. */
const payload = (): readonly number[] => new Array<number>(100).fill(0.5);

/** A runtime whose turns the test runs one by one. */
const stepped = () => {
  const clock = createSimulatedClock();
  const due: (() => void)[] = [];
  const runtime = createRuntime({
    clock: { ...clock, yieldTurn: (task) => due.push(task) },
    random: () => 0,
  });
  const root = createSupervisor(runtime, { id: 'root', strategy: 'one_for_one' });
  const runTurn = (): void => due.shift()?.();
  return { runtime, root, runTurn, isIdle: () => due.length === 0 };
};

for (const overflow of ['refuse', 'dropOldest', 'coalesce'] as const satisfies readonly OverflowRule[]) {
  test(`ten times too much for a mailbox that must ${overflow}: the heap does not grow, everybody is told`, () => {
    const { runtime, root, runTurn, isIdle } = stepped();
    stepUntil('nothing is left to do', isIdle, runTurn);
    root.startChild(counterSpec('consumer', {}, { capacity, overflow }));
    stepUntil('nothing is left to do', isIdle, runTurn);
    const outcomes = { done: 0, busy: 0, fault: 0, invalid: 0, poison: 0, outage: 0 };
    const receipt = (outcome: Outcome): void => {
      outcomes[outcome.type] += 1;
    };
    const sendTurn = (): void => {
      for (let count = 0; count < perTurn; count += 1) {
        runtime.registry.tell(
          'consumer',
          { type: 'count', by: 1, payload: payload() } as ActorMessage,
          receipt,
        );
        if (count % (perTurn / 10) === 0) runTurn();
      }
    };
    sendTurn();
    const before = heapBytes();
    for (let turn = 1; turn < turns; turn += 1) sendTurn();
    const growth = heapBytes() - before;
    assert.ok(growth < 5_000_000, `the heap grew by ${growth} bytes`);
    assert.ok((runtime.actor('consumer')?.info.mailbox ?? 0) <= capacity);
    stepUntil('nothing is left to do', isIdle, runTurn);
    assert.equal(outcomes.done + outcomes.busy, turns * perTurn, 'every sender was told');
    assert.equal(outcomes.fault, 0);
    if (overflow === 'coalesce') assert.equal(outcomes.busy, 0, 'the newer one stood for the older one');
    else assert.ok(outcomes.busy > outcomes.done, 'there was too much');
  });
}
