// Clients whose messages are refused: their operators are told, since nobody can answer over a broker.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Refusals } from '../../../src/actors/families/client/refusals.ts';
import { platformNamespace } from '../../../src/actors/platform/platform-events.ts';
import { keepalive, open, result } from './helpers.ts';

type World = Awaited<ReturnType<typeof open>>['world'];

const told = async (world: World) => {
  const { items } = await world.drive(world.backend.readEvents({ namespace: platformNamespace }));
  const event = items.find(({ check }) => check.metadata.name === 'earlier-clients');
  return event && { status: event.check.status, output: event.check.output };
};

test('a client over the entity limit is told of by an event, and so is that it fits again', async () => {
  const { world, hear, take } = await open({ entityLimit: 1 });
  await hear(keepalive('c1'));
  assert.equal(await told(world), undefined);
  await assert.rejects(hear(keepalive('c2')), /the entity limit is reached/);
  await assert.rejects(take(result({ source: 'sw-1' })), /the entity limit is reached/);
  await world.advance(60_000);
  const finding = await told(world);
  assert.equal(finding?.status, 1);
  assert.match(String(finding?.output), /messages of 2 clients of the earlier generation are refused/);
  assert.match(String(finding?.output), /c2: client c2 cannot be added: the entity limit is reached/);
  assert.match(String(finding?.output), /c1: client sw-1 cannot be added: the entity limit is reached/);
  assert.equal(world.backend.gauges()['clientMessagesRefused'], 2);
  await world.advance(400_000);
  assert.equal((await told(world))?.status, 0);
  await world.stop();
});

test('many new clients at once take no more places than the entity limit has', async (t) => {
  const { world, clients } = await open({ entityLimit: 3 });
  t.after(() => world.stop());
  const names = Array.from({ length: 12 }, (_, at) => `c${at}`);
  const heard = names.map((name) => clients.keepalive(keepalive(name), 'websocket').then(() => name));
  const results = names.map((name) => clients.result(result({ source: `sw-${name}` })).then(() => name));
  const told = await world.drive(Promise.allSettled([...heard, ...results]));
  assert.equal(told.filter(({ status }) => status === 'fulfilled').length, 3);
  assert.deepEqual(world.backend.entityAllowance(), { count: 3, limit: 3 });
  assert.equal(clients.list().length, 3);
});

test('what an earlier process told of ends after a restart too', async () => {
  const { world, hear } = await open();
  await assert.rejects(hear({ name: 'c1' }), /client subscriptions must be an array/);
  await world.advance(60_000);
  assert.equal((await told(world))?.status, 1);
  await world.crash();
  await world.start();
  await world.advance(200_000);
  assert.equal((await told(world))?.status, 1);
  await world.advance(200_000);
  assert.equal((await told(world))?.status, 0);
  await world.stop();
});

test('a message that is not signed as its client is counts as refused', async () => {
  const { world, hear, take } = await open();
  await hear(keepalive('c1', { signature: 'S1' }));
  await take(result({}, { signature: 'EVIL' }));
  await world.advance(60_000);
  assert.match(String((await told(world))?.output), /c1: its result is not signed as the client is/);
  await world.stop();
});

test('a flood of names costs bounded memory and few events', async () => {
  let nowMs = 0;
  let tasks: { readonly atMs: number; readonly task: () => void }[] = [];
  const reported: string[] = [];
  const refusals = new Refusals({
    nowMs: () => nowMs,
    after: (delayMs, task) => void tasks.push({ atMs: nowMs + delayMs, task }),
    reportFinding: async ({ output }) => void reported.push(output),
    lastStatus: () => undefined,
    onFault: (_what, error) => assert.fail(String(error)),
  });
  for (let at = 0; at < 60_000; at += 1) {
    nowMs += 1;
    refusals.note(`c${at}`, 'no');
    const due = tasks.filter(({ atMs }) => atMs <= nowMs);
    tasks = tasks.filter(({ atMs }) => atMs > nowMs);
    for (const { task } of due) task();
  }
  assert.equal(refusals.count, 60_000);
  assert.ok(reported.length <= 3, `${reported.length} events`);
  assert.match(String(reported.at(-1)), /^messages of 1000 clients .*\n(.*\n){20}and 980 more$/);
});

test('when it is told that all is well depends on the last refusal, not on when the backend started', async () => {
  const oks: number[] = [];
  for (const startedBeforeMs of [1_000, 295_000]) {
    let nowMs = 0;
    let tasks: { readonly atMs: number; readonly task: () => void }[] = [];
    const told: string[] = [];
    const refusals = new Refusals({
      nowMs: () => nowMs,
      after: (delayMs, task) => void tasks.push({ atMs: nowMs + delayMs, task }),
      reportFinding: async ({ status }) => void told.push(`${status} after ${nowMs - startedBeforeMs}`),
      lastStatus: () => undefined,
      onFault: (_what, error) => assert.fail(String(error)),
    });
    for (; nowMs < 1_000_000; nowMs += 1_000) {
      if (nowMs === startedBeforeMs || nowMs === startedBeforeMs + 10_000) refusals.note('c1', 'no');
      const due = tasks.filter(({ atMs }) => atMs <= nowMs);
      tasks = tasks.filter(({ atMs }) => atMs > nowMs);
      for (const { task } of due) task();
    }
    assert.deepEqual(
      told.map((text) => text[0]),
      ['1', '0'],
    );
    oks.push(Number(told[1]?.split(' ').at(-1)));
  }
  assert.equal(oks[0], oks[1]);
});
