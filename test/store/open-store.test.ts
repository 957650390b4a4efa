// The store URL picks the store, and a wrong one is refused with a message that helps.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { openStore } from '../../src/store/open-store.ts';
import { StoreError } from '../../src/store/snapshot-store.ts';
import { freePort } from '../free-port.ts';
import { removeDir, temporaryDir } from './lmdb-home.ts';
import { onOwnershipLost } from './records.ts';

const invalid = (message: RegExp) => (error: unknown) => {
  assert.ok(error instanceof StoreError && error.code === 'invalid', String(error));
  assert.match(error.message, message);
  return true;
};

for (const [url, place] of [
  [undefined, 'store'],
  ['', 'store'],
  ['lmdb:', 'store'],
  ['lmdb:elsewhere', 'elsewhere'],
] as const) {
  it(`keeps data in the state directory for ${url === undefined ? 'no URL' : `"${url}"`}`, async () => {
    const stateDir = temporaryDir();
    const store = await openStore({ url, stateDir, onOwnershipLost });
    assert.equal(store.name, 'lmdb');
    assert.ok(existsSync(join(stateDir, place, 'data.mdb')));
    await store.close();
    removeDir(stateDir);
  });
}

it('takes an absolute place for the embedded store, with or without slashes', async () => {
  const dir = temporaryDir();
  for (const url of [`lmdb:${dir}/a`, `lmdb://${dir}/b`])
    await (await openStore({ url, stateDir: '/nowhere', onOwnershipLost })).close();
  assert.ok(existsSync(join(dir, 'a', 'data.mdb')) && existsSync(join(dir, 'b', 'data.mdb')));
  removeDir(dir);
});

it('goes to MongoDB for its URLs', async () => {
  const url = `mongodb://127.0.0.1:${await freePort()}/mon?serverSelectionTimeoutMS=100`;
  await assert.rejects(openStore({ url, stateDir: '/nowhere', onOwnershipLost }), {
    name: 'StoreError',
    code: 'unavailable',
  });
  await assert.rejects(
    openStore({ url: 'mongodb://', stateDir: '/nowhere', onOwnershipLost }),
    invalid(/connection string/),
  );
});

it('refuses any other URL without repeating what may be a secret', async () => {
  await assert.rejects(
    openStore({ url: 'redis://u:s3cret@h/0', stateDir: '/x', onOwnershipLost }),
    invalid(/must begin with .*got redis:/),
  );
  await assert.rejects(openStore({ url: 's3cret', stateDir: '/x', onOwnershipLost }), (error: Error) => {
    assert.doesNotMatch(error.message, /s3cret/);
    return true;
  });
});
