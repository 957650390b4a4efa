// The queue on disk: what it holds outlives the process, and a full disk is refused and survived.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { createAgent } from '../../src/agent/agent.ts';
import { maxEmptySegmentBytes, maxSegmentBytes } from '../../src/agent/limits.ts';
import { type EventQueue, openEventQueue } from '../../src/agent/queue/event-queue.ts';
import { type Event, eventSchema } from '../../src/model/event/event.ts';
import { configOf, readableLog, tempFolder } from './helpers.ts';

const eventOf = (output: string): Event =>
  eventSchema.parse({ entity: { metadata: { name: 'a' } }, check: { metadata: { name: 'c' }, output } });
const outputs = (queue: EventQueue): (string | undefined)[] =>
  queue.after(0, 100_000).map(({ event }) => event.check?.output.split(' ')[0]);

test('events come out in the order they went in, in this life and in the next', async () => {
  const dir = tempFolder();
  const first = await openEventQueue(dir, readableLog().log);
  await Promise.all(['1', '2', '3'].map((output) => first.add(eventOf(output))));
  const [oldest] = first.after(0, 1);
  await first.remove(oldest?.key ?? 0);
  await first.close();
  const second = await openEventQueue(dir, readableLog().log);
  await second.add(eventOf('4'));
  assert.deepEqual(outputs(second), ['2', '3', '4']);
  await second.close();
});

const bytesOf = (dir: string): number =>
  readdirSync(join(dir, 'queue')).reduce((sum, name) => sum + statSync(join(dir, 'queue', name)).size, 0);

test('a queue that was long gives its space back as its events are removed', async () => {
  const dir = tempFolder();
  const queue = await openEventQueue(dir, readableLog().log);
  const large = 'x'.repeat(500_000);
  for (const number of [1, 2, 3, 4, 5, 6, 7, 8]) await queue.add(eventOf(`${number} ${large}`));
  assert.ok(bytesOf(dir) > 4_000_000);
  for (const { key } of queue.after(0, 7)) await queue.remove(key);
  assert.ok(bytesOf(dir) < 2 * maxSegmentBytes, `${bytesOf(dir)} bytes`);
  assert.deepEqual(outputs(queue), ['8']);
  for (const { key } of queue.after(0, 1)) await queue.remove(key);
  assert.ok(bytesOf(dir) < maxEmptySegmentBytes, `${bytesOf(dir)} bytes`);
  await queue.add(eventOf('9'));
  assert.deepEqual(outputs(queue), ['9']);
  await queue.close();
});

const mountSmallDisk = (t: TestContext): string | undefined => {
  const dir = tempFolder();
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=4m', 'tmpfs', dir], { stdio: 'ignore' });
  } catch {
    console.error('SKIPPED: a full disk was NOT tested (no right to mount a tmpfs)');
    t.skip('no right to mount a tmpfs');
    return undefined;
  }
  t.after(() => execFileSync('umount', ['-l', dir]));
  return dir;
};

test('a full disk refuses further events, keeps those it took, and takes more once there is space', async (t) => {
  const dir = mountSmallDisk(t);
  if (dir === undefined) return;
  const ballast = join(dir, 'ballast');
  writeFileSync(ballast, Buffer.alloc(1_048_576));
  const queue = await openEventQueue(dir, readableLog().log);
  const filler = 'x'.repeat(50_000);
  let taken = 0;
  await assert.rejects(async () => {
    for (; taken < 1_000; taken += 1) await queue.add(eventOf(`${taken} ${filler}`));
  });
  assert.ok(taken > 5, `only ${taken} were taken`);
  await assert.rejects(queue.add(eventOf(`late ${'x'.repeat(500_000)}`)));
  const numbers = Array.from({ length: taken }, (_, at) => String(at));
  assert.deepEqual(outputs(queue), numbers);
  // Removing needs no space.
  const [oldest] = queue.after(0, 1);
  await queue.remove(oldest?.key ?? 0);
  rmSync(ballast);
  await queue.add(eventOf('after'));
  await queue.close();
  const again = await openEventQueue(dir, readableLog().log);
  assert.deepEqual(outputs(again), [...numbers.slice(1), 'after']);
  await again.close();
});

test('on a full disk the sender gets an error, and the agent keeps running', async (t) => {
  const dir = mountSmallDisk(t);
  if (dir === undefined) return;
  const ballast = join(dir, 'ballast');
  writeFileSync(ballast, Buffer.alloc(1_048_576));
  const flags = { 'cache-dir': dir, 'disable-api': 'false', 'api-port': '0' };
  const log = readableLog();
  const agent = createAgent(configOf({ 'backend-url': 'ws://127.0.0.1:9', ...flags }), { log: log.log });
  t.after(() => agent.stop());
  await agent.start();
  const post = async (output: string) => {
    const body = JSON.stringify({ check: { metadata: { name: 'c' }, output } });
    const answer = await fetch(`http://127.0.0.1:${agent.ports().api}/events`, { method: 'POST', body });
    return `${answer.status} ${await answer.text()}`;
  };
  const answers: string[] = [];
  for (let at = 0; at < 1_000 && !answers.at(-1)?.startsWith('5'); at += 1)
    answers.push(await post('x'.repeat(50_000)));
  assert.equal(answers.at(-1), '500 error queueing message\n');
  assert.ok(answers.slice(0, -1).every((answer) => answer === '202 '));
  assert.ok(log.messages().includes('error queueing message'));
  rmSync(ballast);
  assert.equal(await post('after'), '202 ');
});

test('a queue that could not be opened does not stay locked', async () => {
  const dir = tempFolder();
  writeFileSync(join(dir, 'queue'), 'a file where the folder should be');
  await assert.rejects(openEventQueue(dir, readableLog().log), /could not open api queue/);
  rmSync(join(dir, 'queue'));
  const queue = await openEventQueue(dir, readableLog().log);
  await queue.add(eventOf('1'));
  assert.deepEqual(outputs(queue), ['1']);
  await queue.close();
});
