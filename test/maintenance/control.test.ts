// The control socket of a backend: what many clients at once, and slow ones, get from it.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { askControl, reachControl } from '../../src/main/maintenance/control-client.ts';
import { controlName } from '../../src/main/maintenance/control-path.ts';
import { type ControlRoutes, openControl } from '../../src/main/maintenance/control-server.ts';
import { controlChunkBytes, maxControlConnections } from '../../src/main/maintenance/limits.ts';
import { createLog } from '../../src/program/log.ts';
import { temporaryDir } from '../store/lmdb-home.ts';

const status = { pid: 1, version: '0', identity: 'x', store: 'memory', format: 2, migrated: 2 };

const openHere = async (t: TestContext, routes: ControlRoutes = {}): Promise<string> => {
  const stateDir = temporaryDir();
  const control = await openControl(
    stateDir,
    {
      async *'/v1/status'() {
        yield status;
      },
      ...routes,
    },
    createLog('error'),
  );
  t.after(async () => {
    await control?.close();
    await rm(stateDir, { recursive: true, force: true });
  });
  return stateDir;
};

test('the control socket takes so many connections; the next is told that it has to wait', async (t) => {
  const stateDir = await openHere(t);
  const held = [];
  for (let n = 0; n < maxControlConnections - 1; n += 1) {
    const socket = connect(join(stateDir, controlName));
    socket.on('error', () => {});
    t.after(() => socket.destroy());
    await once(socket, 'connect');
    held.push(socket);
  }
  assert.deepEqual(await reachControl(stateDir), status, 'the last place');
  const last = connect(join(stateDir, controlName));
  t.after(() => last.destroy());
  await once(last, 'connect');
  await assert.rejects(
    reachControl(stateDir),
    /closed the connection: .*16 commands are connected already; try again/,
  );
});

test('a long answer that is read slowly leaves no listeners behind', async (t) => {
  const line = { text: 'x'.repeat(controlChunkBytes) };
  const lines = 100;
  const stateDir = await openHere(t, {
    async *'/v1/long'() {
      for (let n = 0; n < lines; n += 1) yield line;
    },
  });
  const warnings: Error[] = [];
  const note = (warning: Error): void => void warnings.push(warning);
  process.on('warning', note);
  t.after(() => process.off('warning', note));
  let read = 0;
  for await (const _ of askControl(stateDir, '/v1/long')) {
    read += 1;
    await new Promise((resolve) => setImmediate(resolve));
  }
  assert.equal(read, lines);
  assert.deepEqual(warnings, []);
});

test('an answer without its last line is an error, not the whole answer', async (t) => {
  const stateDir = temporaryDir();
  const server = createServer((_request, response) => void response.end('{"key":1}\n'));
  await new Promise<void>((resolve) => server.listen(join(stateDir, controlName), resolve));
  t.after(async () => {
    server.close();
    await rm(stateDir, { recursive: true, force: true });
  });
  const lines: object[] = [];
  const read = async (): Promise<void> => {
    for await (const line of askControl(stateDir, '/v1/long')) lines.push(line);
  };
  await assert.rejects(read(), /went away in the middle; run the command again/);
  assert.deepEqual(lines, [{ key: 1 }]);
});
