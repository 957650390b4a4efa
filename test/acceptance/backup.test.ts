// A backup holds everything, and is restored into any kind of store: all that can be observed of a backend is the same before
// and after, from LMDB to MongoDB and back. Commands that are killed in the middle are run again and end well.
import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { copyFile, mkdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'node:test';
import { licenseApiVersion, licenseType, signLicense } from '../../src/model/resource/license.ts';
import { freePort } from '../free-port.ts';
import { runCommand } from '../maintenance/commands.ts';
import { observe, populate } from '../maintenance/full-store.ts';
import { startFastMongodb } from '../store/mongodb-server.ts';
import { ApiClient, type Backend, startBackend, tempDir } from './programs.ts';

const storeOf = (stateDir: string, storeUrl?: string): string[] => [
  ...['--state-dir', stateDir],
  ...(storeUrl === undefined ? [] : ['--store-url', storeUrl]),
];

const makeLicense = async (dir: string) => {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const publicFile = join(dir, 'license.pub.pem');
  await writeFile(publicFile, publicKey.export({ type: 'spki', format: 'pem' }));
  const terms = {
    holder: 'Example Org',
    entities: 500,
    issued: '2020-01-01T00:00:00Z',
    expires: '2999-01-01T00:00:00Z',
  };
  const spec = signLicense(terms, privateKey);
  return { publicFile, license: { type: licenseType, api_version: licenseApiVersion, metadata: {}, spec } };
};

test('what can be observed of a backend is the same after a move from LMDB to MongoDB and back', async () => {
  const server = await startFastMongodb();
  try {
    await tempDir(async (dir) => {
      const { publicFile, license } = await makeLicense(dir);
      const earlierPort = await freePort();
      const earlier = `http://127.0.0.1:${earlierPort}`;
      const flags = ['--earlier-api-port', `${earlierPort}`, '--license-public-key-file', publicFile];
      const dirs = ['one', 'two', 'three'].map((name) => join(dir, name)) as [string, string, string];
      const url = `${server.url}/moved_${process.pid}`;
      const look = async (backend: Backend) =>
        observe(await ApiClient.login(backend.api), backend.api, earlier);
      const moveKey = async (to: string) => {
        await mkdir(to, { recursive: true, mode: 0o700 });
        await copyFile(join(dirs[0], 'encryption-key'), join(to, 'encryption-key'));
      };

      const first = await startBackend(dirs[0], flags);
      let before: Awaited<ReturnType<typeof look>>;
      try {
        await populate(first, earlier, dir, license);
        before = await look(first);
        const made = await runCommand('mon-backend', [
          'backup',
          ...storeOf(dirs[0]),
          join(dir, 'online.backup'),
        ]);
        assert.equal(made.code, 0, made.text);
        assert.match(made.text, /encryption-key/, 'the key that is needed for a restore is named');
        assert.equal((await stat(join(dir, 'online.backup'))).mode & 0o777, 0o600);
      } finally {
        await first.program.kill('SIGKILL');
      }

      await moveKey(dirs[1]);
      const restored = await runCommand('mon-backend', [
        'restore',
        ...storeOf(dirs[1], url),
        join(dir, 'online.backup'),
      ]);
      assert.equal(restored.code, 0, restored.text);
      const second = await startBackend(dirs[1], [...flags, '--store-url', url]);
      try {
        assertSame(await look(second), before);
        const made = await runCommand('mon-backend', [
          'backup',
          ...storeOf(dirs[1], url),
          join(dir, 'two.backup'),
        ]);
        assert.equal(made.code, 0, made.text);
      } finally {
        await second.program.kill('SIGKILL');
      }

      // At rest, too: the backend was killed, and its deliveries are pending in the store.
      const atRest = await runCommand('mon-backend', [
        'backup',
        ...storeOf(dirs[1], url),
        join(dir, 'rest.backup'),
      ]);
      assert.equal(atRest.code, 0, atRest.text);
      await moveKey(dirs[2]);
      const back = await runCommand('mon-backend', [
        'restore',
        ...storeOf(dirs[2]),
        join(dir, 'rest.backup'),
      ]);
      assert.equal(back.code, 0, back.text);
      const third = await startBackend(dirs[2], flags);
      try {
        assertSame(await look(third), before);
      } finally {
        await third.program.kill('SIGKILL');
      }
    });
  } finally {
    await server.stop();
  }
});

type Looked = Awaited<ReturnType<typeof observe>>;

/**
 * Waits of checks end when they would have; what held a process up is added to them. One that began anew would end as much later
 * as passed between the looks.
 */
const assertSame = (after: Looked, before: Looked): void => {
  assert.deepEqual(after.seen, before.seen);
  assert.deepEqual(Object.keys(after.waits), Object.keys(before.waits));
  const passedMs = after.lookedAtMs - before.lookedAtMs;
  for (const [name, atMs] of Object.entries(before.waits))
    assert.ok(
      Math.abs((after.waits[name] ?? 0) - atMs) < passedMs / 2,
      `${name}: ${atMs}, then ${after.waits[name]}, ${passedMs} ms later`,
    );
};
