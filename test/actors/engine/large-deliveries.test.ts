// Large events behind a handler that hangs, and records the store can never take: nothing is retried for ever, what was
// acknowledged is delivered, and what was refused leaves no trace.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { maxRecordBytes } from '../../../src/store/limits.ts';
import { MemoryStore } from '../../../src/store/memory-store.ts';
import { type Json, World } from './world.ts';

const keyOf = (check: string): string => `default/web-01/${check}`;
const outputBytes = 900_000;

test('large outputs behind a handler that hangs are all taken, in a record that stays within its limit', async () => {
  let release: () => void = () => {};
  const hanging = new Promise<void>((resolve) => {
    release = resolve;
  });
  const world = await World.open({ handle: () => hanging });
  const take = async (n: number): Promise<void> => {
    const output = `${n} ${'x'.repeat(outputBytes)}`;
    await world.drive(world.backend.acceptEvent(world.event({ status: n % 3, handlers: ['slack'], output })));
  };
  for (let n = 0; n < 20; n += 1) await take(n);
  const text = world.disk.cells('check').get(keyOf('cpu'))?.text ?? '';
  assert.ok(text.length > outputBytes && text.length < maxRecordBytes / 2, `${text.length} bytes`);
  const dropped = world.backend.gauges()['deliveriesDropped'] ?? 0;
  assert.ok(dropped > 0, 'the figure counts them');
  const lines = world.logged.filter(({ text: line }) => line.startsWith('deliveries dropped'));
  assert.deepEqual(
    lines.map(({ fields }) => (fields as Json)['dropped']),
    [1, 2, 4, 8].filter((count) => count <= dropped),
  );
  release();
  await world.quiet();
  const told = world.told.map(({ output }) => Number(output.split(' ')[0]));
  assert.equal(told[0], 0, 'the head was never dropped');
  assert.equal(told.at(-1), 19, 'the newest is told');
  assert.equal(told.length, 20 - dropped);
  const trace = (await world.backend.readTrace('default', 'web-01', 'cpu')) as Json;
  assert.equal(trace['droppedDeliveries'], dropped, 'the trace says so');
});

test('an event whose record the store can never take is refused for good, told to nobody, and leaves no trace', async () => {
  const world = await World.open({ store: (disk) => new MemoryStore({ disk }) });
  const send = (status: number, output: string): Promise<void> =>
    world.drive(world.backend.acceptEvent(world.event({ status, handlers: ['slack'], output })));
  await send(0, 'good');
  await world.quiet();
  await assert.rejects(send(2, 'x'.repeat(maxRecordBytes)), { kind: 'invalid', message: /cannot be stored/ });
  await world.quiet();
  await send(1, 'good again');
  await world.quiet();
  assert.deepEqual(
    world.told.map(({ status }) => status),
    [0, 1],
    'nobody was told of what was refused',
  );
  const event = await world.backend.readEvent('default', 'web-01', 'cpu');
  assert.deepEqual(
    event?.check.history?.map(({ status }) => status),
    [0, 1],
    'nor is it in the history',
  );
  assert.equal(world.backend.gauges()['commitDepth'], 0, 'nothing is tried again');
});
