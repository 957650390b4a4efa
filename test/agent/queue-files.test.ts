// The files of the event queue: truncation or damage at any byte loses at most the affected events, and the queue
// of an earlier version is migrated.

import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { open } from 'lmdb';
import { openEventQueue } from '../../src/agent/queue/event-queue.ts';
import { openQueueFiles, type QueueFiles } from '../../src/agent/queue/queue-files.ts';
import { encodeRecord, recordText } from '../../src/agent/queue/queue-segment.ts';
import { eventSchema } from '../../src/model/event/event.ts';
import { fc } from '../property.ts';
import { readableLog, tempFolder } from './helpers.ts';

const all = Number.POSITIVE_INFINITY;
const texts = (files: QueueFiles): (string | undefined)[] =>
  files.after(0, all).map((key) => files.read(key));
const segmentsOf = (folder: string): string[] =>
  readdirSync(folder).filter((name) => name.endsWith('.events'));
const only = (folder: string): string => {
  const [name = ''] = segmentsOf(folder);
  return join(folder, name);
};

const filled = async (written: readonly string[]): Promise<string> => {
  const folder = tempFolder();
  const files = openQueueFiles(folder, readableLog().log);
  for (const text of written) await files.append(text);
  await files.close();
  return folder;
};

/** A copy of the only file of a folder, in a folder of its own. */
const copied = (folder: string, change: (path: string) => void): string => {
  const copy = tempFolder();
  const path = join(copy, segmentsOf(folder)[0] ?? '');
  copyFileSync(only(folder), path);
  change(path);
  return copy;
};

const written = ['{"a":1}', '{"ä":"ö"}', `{"long":"${'x'.repeat(60)}"}`, '{"last":true}'];

test('a file that was cut off at any byte holds what was whole, and takes further texts', async () => {
  const folder = await filled(written);
  const size = readFileSync(only(folder)).length;
  let whole = 0;
  for (let bytes = 0; bytes <= size; bytes += 1) {
    const { log } = readableLog();
    const copy = copied(folder, (path) => truncateSync(path, bytes));
    const files = openQueueFiles(copy, log);
    const found = texts(files);
    assert.deepEqual(found, written.slice(0, found.length), `cut at ${bytes}`);
    assert.ok(found.length >= whole, `cut at ${bytes}`);
    whole = found.length;
    await files.append('after');
    await files.close();
    assert.deepEqual(texts(openQueueFiles(copy, log)), [...found, 'after'], `cut at ${bytes}`);
  }
  assert.equal(whole, written.length);
});

test('a changed byte costs one text at most, and the log names the file', async () => {
  const folder = await filled(written);
  const size = readFileSync(only(folder)).length;
  for (let at = 0; at < size; at += 1) {
    const { log, lines } = readableLog();
    const copy = copied(folder, (path) => {
      const bytes = readFileSync(path);
      bytes[at] = (bytes[at] ?? 0) ^ 0x55;
      writeFileSync(path, bytes);
    });
    let found: (string | undefined)[];
    try {
      found = texts(openQueueFiles(copy, log));
    } catch (error) {
      assert.match(String(error), /has format \d+, but this mon-agent reads format 1/);
      assert.ok(at >= 4 && at < 8, `byte ${at}`);
      continue;
    }
    const lost = written.filter((text) => !found.includes(text));
    assert.ok(lost.length <= 1, `byte ${at} lost ${lost.length}`);
    if (lost.length > 0)
      assert.ok(
        lines().some(({ path }) => String(path).startsWith(copy)),
        `byte ${at} went without a word`,
      );
  }
});

test('a file in which nothing can be read is set aside, and the others are read', async () => {
  const folder = await filled(['1']);
  const { log, messages } = readableLog();
  const second = openQueueFiles(folder, log);
  await second.append('2');
  await second.close();
  assert.equal(segmentsOf(folder).length, 2);
  const first = only(folder);
  writeFileSync(first, Buffer.alloc(200, 0x33));
  const third = openQueueFiles(folder, log);
  assert.deepEqual(texts(third), ['2']);
  assert.ok(existsSync(`${first}.damaged`));
  assert.ok(
    messages().includes('no event in this file of the api queue can be read; the file was moved aside'),
  );
});

test('whatever is added and removed, in this life and in the next, the rest is there in order', async () => {
  const step = fc.oneof(
    { weight: 6, arbitrary: fc.constant('add' as const) },
    { weight: 4, arbitrary: fc.nat(20) },
    { weight: 1, arbitrary: fc.constant('reopen' as const) },
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 80 }), async (steps) => {
      const folder = tempFolder();
      const limits = { segmentBytes: 200, totalBytes: 1_000_000 };
      let files = openQueueFiles(folder, readableLog().log, limits);
      let model: string[] = [];
      let made = 0;
      let writes: Promise<void>[] = [];
      const settle = async () => {
        await Promise.all(writes);
        writes = [];
      };
      for (const action of steps) {
        if (action === 'add') {
          const text = `text ${made++}`;
          model.push(text);
          writes.push(files.append(text));
          continue;
        }
        await settle();
        if (action === 'reopen') {
          await files.close();
          files = openQueueFiles(folder, readableLog().log, limits);
        } else {
          const key = files.after(0, all)[action];
          if (key === undefined) continue;
          model = model.filter((_, at) => at !== action);
          writes.push(files.remove(key));
        }
      }
      await settle();
      assert.deepEqual(texts(files), model);
      assert.equal(files.size(), model.length);
      await files.close();
    }),
    { numRuns: 40 },
  );
});

test('at its most bytes the queue refuses one more, and takes it once another was removed', async () => {
  const folder = tempFolder();
  const files = openQueueFiles(folder, readableLog().log, { segmentBytes: 100, totalBytes: 332 });
  for (const text of ['1', '2', '3']) await files.append(text.repeat(84));
  await assert.rejects(
    files.append('4'.repeat(84)),
    /the api queue is full: 348 bytes are waiting for a backend/,
  );
  await files.remove(files.after(0, 1)[0] ?? 0);
  await files.append('4'.repeat(84));
  assert.deepEqual(
    texts(files).map((text) => text?.[0]),
    ['2', '3', '4'],
  );
  await files.close();
});

test('what was told as written is there after kill -9, over and over', async () => {
  const folder = tempFolder();
  const told = new Set<string>();
  for (const life of [1, 2, 3]) {
    const child = fork(new URL('./queue-writer.js', import.meta.url), [folder, String(life)], {
      stdio: 'ignore',
    });
    const exited = new Promise((resolve) => child.once('exit', resolve));
    await new Promise<void>((resolve) => {
      let count = 0;
      child.on('message', (text) => {
        told.add(String(text));
        count += 1;
        if (count === 100 * life) resolve();
      });
    });
    child.kill('SIGKILL');
    await exited;
    const files = openQueueFiles(folder, readableLog().log);
    const found = new Set(texts(files));
    assert.deepEqual(
      [...told].filter((text) => !found.has(text)),
      [],
    );
    await files.close();
  }
});

const eventOf = (output: string) =>
  eventSchema.parse({ entity: { metadata: { name: 'a' } }, check: { metadata: { name: 'c' }, output } });

/** The queue as mon-agent 0.1.0 wrote it. */
const lmdbQueue = async (cacheDir: string, outputs: readonly string[], removed: number): Promise<void> => {
  const path = join(cacheDir, 'queue');
  mkdirSync(path);
  const store = open<string, number>({ path, noSubdir: false, encoding: 'string', overlappingSync: false });
  await Promise.all(outputs.map((output, at) => store.put(at + 1, JSON.stringify(eventOf(output)))));
  await Promise.all(outputs.slice(0, removed).map((_, at) => store.remove(at + 1)));
  await store.close();
};

test('the queue of an earlier version is migrated completely and in order, once', async () => {
  for (const count of [0, 1, 700]) {
    const cacheDir = tempFolder();
    const outputs = Array.from(
      { length: count },
      (_, at) => `${at} ${'x'.repeat(at % 7 === 0 ? 9_000 : at)}`,
    );
    const removed = Math.floor(count / 3);
    await lmdbQueue(cacheDir, outputs, removed);
    const { log, messages } = readableLog();
    const queue = await openEventQueue(cacheDir, log);
    const found = () => queue.after(0, all).map(({ event }) => event.check?.output);
    assert.deepEqual(found(), outputs.slice(removed));
    assert.ok(messages().includes('migrated the event queue of an earlier version'));
    assert.ok(!existsSync(join(cacheDir, 'queue', 'data.mdb')));
    await queue.close();
    const again = await openEventQueue(cacheDir, readableLog().log);
    assert.equal(again.size(), count - removed);
    await again.close();
  }
});

test('a second agent is refused the directory of a first, and gets it afterwards', async () => {
  const cacheDir = tempFolder();
  const { log } = readableLog();
  const first = await openEventQueue(cacheDir, log);
  await assert.rejects(openEventQueue(cacheDir, log), /another mon-agent is using it.*set --cache-dir/);
  await first.close();
  await (await openEventQueue(cacheDir, log)).close();
});

test('a record is read under its own key only, and not when it is cut short', () => {
  const record = encodeRecord(7, 'text');
  assert.equal(recordText(record, 7), 'text');
  assert.equal(recordText(record, 8), undefined);
  assert.equal(recordText(record.subarray(0, -1), 7), undefined);
});
