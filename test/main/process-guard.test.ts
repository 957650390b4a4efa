// The last line before an exit with 70.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { test } from 'node:test';
import { guardProcess } from '../../src/main/process-guard.ts';

const setUp = (flush: () => void | Promise<void>) => {
  const target = new EventEmitter();
  const happened: string[] = [];
  const log = {
    info() {},
    warn() {},
    error: (_fields: object, text: string) => void happened.push(text),
  };
  const exited = new Promise<number>((resolve) => {
    guardProcess({ log, flush, process: target as never, exit: resolve, flushMs: 20 });
  });
  return { target, happened, exited };
};

for (const kind of ['uncaughtException', 'unhandledRejection']) {
  test(`${kind}: says so, flushes, exits with 70`, async () => {
    const { target, happened, exited } = setUp(() => void happened.push('flushed'));
    target.emit(kind, new Error('lost'));
    assert.equal(await exited, 70);
    assert.deepEqual(happened, [`${kind}: lost; leaving with exit code 70`, 'flushed']);
  });
}

test('a flush that hangs or throws does not keep the process', async () => {
  for (const flush of [() => new Promise<void>(() => {}), () => Promise.reject(new Error('disk'))]) {
    const { target, happened, exited } = setUp(flush);
    target.emit('uncaughtException', new Error('lost'));
    target.emit('uncaughtException', new Error('second'));
    assert.equal(await exited, 70);
    assert.match(
      happened.join('\n'),
      /while leaving: second[\s\S]*the last flush failed: (not done after 20 ms|disk)/,
    );
  }
});

test('a real process leaves with 70 after an unhandled rejection', () => {
  const url = new URL('../../src/main/process-guard.js', import.meta.url).href;
  const program = `
    import { guardProcess } from '${url}';
    const log = { info() {}, warn() {}, error: (_f, text) => console.log(text) };
    guardProcess({ log, flush: () => console.log('flushed') });
    setInterval(() => {}, 1000);
    Promise.reject(new Error('nobody cares'));
  `;
  const result = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
    encoding: 'utf8',
    timeout: 20_000,
  });
  assert.equal(result.status, 70);
  assert.match(result.stdout, /unhandledRejection: nobody cares; leaving with exit code 70\nflushed/);
});
