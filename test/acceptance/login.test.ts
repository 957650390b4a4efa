// Logins of the real program across a kill: whoever is logged in stays so, what was ended stays ended.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import test from 'node:test';
import { adminPassword, startBackend, tempDir } from './programs.ts';

interface Tokens {
  readonly access_token: string;
  readonly refresh_token: string;
}

const login = async (api: string): Promise<Tokens> => {
  const authorization = `Basic ${Buffer.from(`admin:${adminPassword}`).toString('base64')}`;
  return (await (await fetch(`${api}/auth`, { headers: { authorization } })).json()) as Tokens;
};

const withTokens = (api: string, path: string, { access_token: access, refresh_token: refresh }: Tokens) =>
  fetch(api + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${access}`, 'content-type': 'application/json' },
    body: JSON.stringify({ refresh_token: refresh }),
  });

const reads = async (api: string, authorization: string): Promise<number> =>
  (await fetch(`${api}/api/core/v2/namespaces`, { headers: { authorization } })).status;

test('after a kill -9 tokens and keys of before are as good as they were, and no better', () =>
  tempDir(async (dir) => {
    const state = join(dir, 'state');
    const before = await startBackend(state);
    const [kept, ended, rotated] = [
      await login(before.api),
      await login(before.api),
      await login(before.api),
    ];
    const made = await fetch(`${before.api}/api/core/v2/apikeys`, {
      method: 'POST',
      headers: { authorization: `Bearer ${kept.access_token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ username: 'admin' }),
    });
    const key = `Key ${made.headers.get('location')?.split('/').at(-1)}`;
    assert.equal((await withTokens(before.api, '/auth/logout', ended)).status, 200);
    const next = (await (await withTokens(before.api, '/auth/token', rotated)).json()) as Tokens;
    await before.program.kill('SIGKILL');

    const after = await startBackend(state);
    try {
      assert.equal(await reads(after.api, `Bearer ${kept.access_token}`), 200);
      assert.equal(await reads(after.api, key), 200);
      const renewed = await withTokens(after.api, '/auth/token', kept);
      assert.equal(renewed.status, 200);
      assert.equal(await reads(after.api, `Bearer ${((await renewed.json()) as Tokens).access_token}`), 200);
      assert.equal(await reads(after.api, `Bearer ${ended.access_token}`), 401, 'logged out before the kill');
      assert.equal((await withTokens(after.api, '/auth/token', rotated)).status, 400, 'used before the kill');
      assert.equal(
        await reads(after.api, `Bearer ${next.access_token}`),
        401,
        'a reuse ends the whole login',
      );
    } finally {
      await after.program.kill();
    }
  }));
