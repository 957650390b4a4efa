// `mon-backend check-store`: bad records are named with what is wrong with them, put aside byte for byte, and put back.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import test from 'node:test';
import { openStore } from '../../src/store/open-store.ts';
import { ApiClient, inDefault, startBackend, tempDir } from '../acceptance/programs.ts';
import { tamper } from '../store/lmdb-home.ts';
import { startStandIn } from '../store/mongodb-server.ts';
import { onOwnershipLost, put } from '../store/records.ts';
import { runCommand } from './commands.ts';
import { fixtureFormats, loadMongodb, unpackLmdb } from './fixtures.ts';

const newest = fixtureFormats.at(-1);
assert.ok(newest !== undefined);
const server = await startStandIn();
test.after(() => server.stop());

const places = {
  LMDB: async (stateDir: string) => {
    unpackLmdb(newest, stateDir);
    return ['--state-dir', stateDir];
  },
  MongoDB: async (stateDir: string) => {
    const url = `${server.url}/checked`;
    await loadMongodb(newest, url, stateDir);
    return ['--state-dir', stateDir, '--store-url', url];
  },
};

for (const [name, make] of Object.entries(places)) {
  test(`${name}: a bad record is named, put aside and put back`, () =>
    tempDir(async (dir) => {
      const stateDir = join(dir, 'state');
      const flags = await make(stateDir);
      const url = flags[3] ?? '';
      const run = (...args: string[]) => runCommand('mon-backend', ['check-store', ...flags, ...args]);
      const good = await run();
      assert.equal(good.code, 0, good.text);
      assert.match(good.text, /records read: .*7 check.*; bad: 0/);

      const store = await openStore({ stateDir, url, onOwnershipLost });
      await store.commit([
        put('default/web/cpu', 3, { value: 'nowhere', context: {} }),
        put('handlers/gone/mail', 5, { metadata: { name: 'mail' } }, 'resource'),
      ]);
      const before = await store.get('check', 'default/web/cpu');
      await store.close();
      const found = await run();
      assert.equal(found.code, 1, found.text);
      assert.match(found.text, /bad {2}check default\/web\/cpu: stored check state cannot be restored/);
      assert.match(found.text, /bad {2}resource handlers\/gone\/mail: its namespace gone does not exist/);
      assert.match(found.text, /bad: 2/);
      assert.equal((await run()).code, 1, 'to look changes nothing');

      const aside = await run('--set-aside');
      assert.equal(aside.code, 0, aside.text);
      assert.match(aside.text, /2 records were put aside/);
      assert.equal((await run()).code, 0);
      const listed = await run('--list-aside');
      const id = /^(check\/default\/web\/cpu@\S+)/m.exec(listed.text)?.[1];
      assert.ok(id !== undefined, listed.text);
      const back = await run('--put-back', id);
      assert.equal(back.code, 0, back.text);
      const again = await openStore({ stateDir, url, onOwnershipLost });
      assert.deepEqual(await again.get('check', 'default/web/cpu'), before);
      await again.close();
      const twice = await run('--put-back', id);
      assert.equal(twice.code, 1);
      assert.match(twice.text, /nothing of this id was put aside/);
    }));
}

test('damaged bytes are named and come back as they were; a running backend is asked, and keeps its records', () =>
  tempDir(async (dir) => {
    const stateDir = join(dir, 'state');
    unpackLmdb(newest, stateDir);
    await tamper(join(stateDir, 'store'), 'default/router/uplink', (bytes) => {
      bytes[40] = (bytes[40] ?? 0) ^ 1;
      return bytes;
    });
    const run = (...args: string[]) =>
      runCommand('mon-backend', ['check-store', '--state-dir', stateDir, ...args]);
    const found = await run();
    assert.equal(found.code, 1);
    assert.match(found.text, /bad {2}check default\/router\/uplink: checksum differs/);
    assert.equal((await run('--set-aside')).code, 0);
    const id = /^(check\S+)/m.exec((await run('--list-aside')).text)?.[1] ?? '';
    assert.equal((await run('--put-back', id)).code, 0);
    const still = await run();
    assert.match(still.text, /default\/router\/uplink: checksum differs/, 'it is as damaged as before');
    assert.equal((await run('--set-aside')).code, 0);

    const backend = await startBackend(stateDir);
    try {
      const online = await run();
      assert.equal(online.code, 0, online.text);
      const refused = await run('--set-aside');
      assert.equal(refused.code, 1);
      assert.match(refused.text, /a backend \(pid \d+\) serves from .*: stop it/);
      const api = await ApiClient.login(backend.api);
      assert.equal((await api.get<unknown[]>(inDefault('events'))).length, 6);
    } finally {
      await backend.program.kill('SIGKILL');
    }
  }));

test('a store that is not there is not made', () =>
  tempDir(async (dir) => {
    const { code, text } = await runCommand('mon-backend', ['check-store', '--state-dir', join(dir, 'none')]);
    assert.equal(code, 1);
    assert.match(text, /there is no store in .*none\/store; name its state directory with --state-dir/);
  }));
