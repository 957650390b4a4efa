// Ending the parts of a program.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shutDown } from '../../src/main/shutdown.ts';
import { readableLog } from '../agent/helpers.ts';

test('a part that fails to end does not keep those behind it open', async () => {
  const ended: string[] = [];
  const end = (what: string) => async () => void ended.push(what);
  const log = readableLog();
  const fails = async () => {
    throw new Error('it hung up');
  };
  assert.equal(
    await shutDown(
      [
        ['edges', end('edges')],
        ['actors', fails],
        ['store', end('store')],
      ],
      log.log,
    ),
    false,
  );
  assert.deepEqual(ended, ['edges', 'store']);
  assert.match(JSON.stringify(log.lines()), /actors did not stop cleanly/);
  assert.equal(await shutDown([['store', end('store')]], log.log), true);
});

test('what hangs is named, and the program given up', async () => {
  const log = readableLog();
  let release: () => void = () => {};
  const hangs = () => new Promise<void>((done) => (release = done));
  await shutDown([['actors', hangs]], log.log, () => release(), 1);
  assert.match(JSON.stringify(log.lines()), /still stopping after 1 ms: actors/);
});
