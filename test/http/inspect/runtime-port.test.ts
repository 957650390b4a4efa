// Live inspection on the real runtime: rows, supervisors, pages of the tree, and its hands.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRuntimePort } from '../../../src/http/inspect/runtime-port.ts';
import { MonError } from '../../../src/model/errors.ts';
import { counterSpec, stage } from '../../actors/runtime/counter.ts';

const open = () => {
  const set = stage({ whenFailing: 'quarantine' });
  for (const id of ['a', 'b', 'c']) set.root.startChild(counterSpec(id));
  const port = createRuntimePort({
    runtime: set.runtime,
    machines: [],
    moreGauges: () => ({}),
    lastTrace: async () => undefined,
    isCommitted: () => true,
  });
  return { ...set, port };
};

test('a supervisor is seen as an actor without a machine, with its children and how it supervises', () => {
  const { port } = open();
  const seen = port.supervisor('root') ?? assert.fail('it is not there');
  assert.equal(seen.row.machine, 'supervisor');
  assert.deepEqual(
    seen.children.map(({ id }) => id),
    ['a', 'b', 'c'],
  );
  const { context } = seen.snapshot as { context: { whenFailing: string; counts: { total: number } } };
  assert.deepEqual([context.whenFailing, context.counts.total], ['quarantine', 3]);
  assert.equal(port.supervisor('a'), undefined);
});

test('a paused actor says so', () => {
  const { port } = open();
  assert.equal(port.pause('a'), true);
  assert.equal(port.actor('a')?.row.status, 'paused');
  assert.equal(port.resume('a'), true);
  assert.equal(port.actor('a')?.row.status, 'up');
  assert.equal(port.pause('nobody'), false);
});

test('an event that an actor cannot handle is an error of its sender', async () => {
  const { port, clock } = open();
  for (const [type, complaint] of [
    ['nonsense', /has no handler for the message nonsense/],
    ['boom', /boom/],
  ] as const) {
    const told = port.tell('a', { type });
    clock.runTurns();
    await assert.rejects(
      told,
      (error) => error instanceof MonError && error.status === 400 && complaint.test(error.message),
    );
  }
});
