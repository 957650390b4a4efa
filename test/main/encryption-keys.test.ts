// The file of encryption keys, and what is sealed with it in the store.
import assert from 'node:assert/strict';
import { chmodSync, existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { GroupCommit } from '../../src/actors/durable/group-commit.ts';
import { openResources } from '../../src/actors/resources/open-resources.ts';
import { realClock } from '../../src/actors/runtime/time/clock.ts';
import { encryptionKeys } from '../../src/main/encryption-keys.ts';
import { openLmdbStore } from '../../src/store/lmdb-store.ts';
import { readableLog, tempFolder } from '../agent/helpers.ts';

const provider = {
  type: 'ldap',
  api_version: 'authentication/v2',
  metadata: { name: 'directory' },
  spec: { servers: [{ host: 'h', binding: { user_dn: 'cn=x', password: 'hunter2-the-password' } }] },
};
const vaultProvider = {
  type: 'StoreProvider',
  api_version: 'secrets/v1',
  metadata: { name: 'kv' },
  spec: { client: { address: 'https://kv', token: 's.the-token' } },
};

interface Scene {
  readonly keyFile: string;
  readonly dir: string;
  /** Opens the resources of the store, with keys or as an earlier version did, and closes them after the work. */
  open<T>(
    work: (resources: Awaited<ReturnType<typeof openResources>>) => Promise<T> | T,
    withKeys?: boolean,
  ): Promise<T>;
  bytes(): Buffer;
}

const scene = (): Scene => {
  const home = tempFolder();
  const [keyFile, dir] = [join(home, 'keys', 'encryption-key'), join(home, 'store')];
  return {
    keyFile,
    dir,
    bytes: () => readFileSync(join(dir, 'data.mdb')),
    open: async (work, withKeys = true) => {
      const store = await openLmdbStore({ dir });
      const committer = new GroupCommit({ store, clock: realClock, onFault: () => {} });
      const keys = encryptionKeys(keyFile, readableLog().log);
      try {
        return await work(await openResources({ committer, ...(withKeys ? { encryptionKeys: keys } : {}) }));
      } finally {
        await committer.close();
        await store.close();
      }
    },
  };
};

const fill = async ({ table, secret }: Awaited<ReturnType<typeof openResources>>): Promise<string> => {
  await table.put({ segment: 'authproviders', namespace: '', name: 'directory' }, provider);
  await table.put({ segment: 'providers', namespace: '', name: 'kv' }, vaultProvider);
  return Buffer.from(secret).toString('base64');
};
const read = ({ table, secret }: Awaited<ReturnType<typeof openResources>>): unknown => [
  table.get('authproviders', '', 'directory'),
  table.get('providers', '', 'kv'),
  Buffer.from(secret).toString('base64'),
];
/** Only the newest pages: those given back may still hold what was there. */
const newKey = (): string => Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('base64');

test('a key is made at the first start, for its owner only, and nothing sealed can be read in the store', async () => {
  const { keyFile, open, bytes } = scene();
  const secret = await open(fill);
  assert.equal((statSync(keyFile).mode & 0o777).toString(8), '600');
  const stored = bytes();
  for (const text of ['hunter2-the-password', 's.the-token', secret])
    assert.equal(stored.includes(text), false, text);
  assert.deepEqual(await open(read), [provider, vaultProvider, secret]);
});

test('plain records of an earlier version are read, and sealed at the next start', async () => {
  const { open } = scene();
  const secret = await open(fill, false);
  assert.deepEqual(await open(read), [provider, vaultProvider, secret]);
  // A version that knows no keys finds nothing it could read.
  await assert.rejects(open(read, false), /backend-secret is sealed, and no encryption key was given/);
});

test('a key is changed by putting a new one above the old one', async () => {
  const { keyFile, open } = scene();
  const secret = await open(fill);
  const old =
    readFileSync(keyFile, 'utf8')
      .split('\n')
      .find((line) => line.length === 44) ?? '';
  const next = newKey();
  writeFileSync(keyFile, `${next}\n${old}\n`);
  assert.deepEqual(await open(read), [provider, vaultProvider, secret]);
  writeFileSync(keyFile, `# only the new one\n${next}\n`);
  assert.deepEqual(await open(read), [provider, vaultProvider, secret]);
  writeFileSync(keyFile, `${old}\n`);
  await assert.rejects(
    open(read),
    /sealed with the encryption key [0-9a-f]{16}, which is not among those given/,
  );
  writeFileSync(keyFile, `${next}\n`);
  assert.deepEqual(await open(read), [provider, vaultProvider, secret]);
});

test('a missing key file is not recreated while the store needs it', async () => {
  const { keyFile, open } = scene();
  const secret = await open(fill);
  const kept = readFileSync(keyFile);
  rmSync(keyFile);
  await assert.rejects(
    open(read),
    /encrypted with a key of --encryption-key-file, but .* does not exist: restore it/,
  );
  assert.equal(existsSync(keyFile), false);
  writeFileSync(keyFile, kept);
  assert.deepEqual(await open(read), [provider, vaultProvider, secret]);
});

test('an empty or invalid file is rejected with the line; one accessible to others is reported', () => {
  const file = join(tempFolder(), 'keys');
  const log = readableLog();
  const load = () => encryptionKeys(file, log.log)(true);
  writeFileSync(file, '# nothing\n\n', { mode: 0o600 });
  assert.throws(load, /contains no key/);
  writeFileSync(file, `${newKey()}\nc2hvcnQ=\n`);
  assert.throws(load, /line 2: a key must be 32 bytes as base64/);
  writeFileSync(file, `${newKey()}\n`);
  chmodSync(file, 0o644);
  assert.equal(load().length, 1);
  assert.match(JSON.stringify(log.lines()), /accessible to other users.*chmod 600/);
});
