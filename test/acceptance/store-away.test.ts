// A backend whose MongoDB is away: a start says what is wrong and what to do, and a running one is not ready until it is back.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { startFastMongodb } from '../store/mongodb-server.ts';
import { startRelay } from '../store/relay.ts';
import { eventually, startBackend, startProgram, tempDir } from './programs.ts';

test('while MongoDB is away, the backend is not ready and says why; it is ready again afterwards', async (t) => {
  const server = await startFastMongodb();
  t.after(() => server.stop());
  const relay = await startRelay(Number(new URL(server.url).port));
  t.after(() => relay.close());
  await tempDir(async (dir) => {
    const url = `mongodb://127.0.0.1:${relay.port}/mon_away_${process.pid}?directConnection=true`;
    const backend = await startBackend(join(dir, 'state'), ['--store-url', url]);
    t.after(() => backend.program.kill('SIGKILL'));
    const readiness = async (): Promise<string> => {
      const reply = await fetch(`${backend.api}/ready`);
      return `${reply.status} ${await reply.text()}`;
    };
    assert.equal(await readiness(), '200 ready\n');
    relay.cut();
    const reason = /^503 not ready: the store can't be .*MongoDB/;
    await eventually('not ready', async () => reason.test(await readiness()));
    relay.mend();
    await eventually('ready again', async () => (await readiness()) === '200 ready\n');
    await backend.program.kill('SIGKILL');
  });
});

test('a start while MongoDB is away says what is wrong and what to do, and leaves nothing behind', async () => {
  const relay = await startRelay(1);
  await relay.close();
  await tempDir(async (dir) => {
    const args = ['--state-dir', join(dir, 'state'), '--store-url', `mongodb://127.0.0.1:${relay.port}/mon`];
    const program = startProgram('mon-backend', ['start', ...args, '--api-listen-address', '127.0.0.1:0']);
    const { code } = await program.exited;
    const said = program.lines.map((line) => JSON.stringify(line)).join('\n');
    assert.equal(code, 1, said);
    assert.match(
      said,
      /the store can't be opened: MongoDB at 127\.0\.0\.1:\d+: .*ECONNREFUSED.*\. Start MongoDB, or correct the hosts/,
    );
    assert.equal(existsSync(join(dir, 'state')), false);
  });
});
