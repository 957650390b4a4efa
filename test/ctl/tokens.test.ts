// Tokens of mon-ctl: when they are renewed, and that a renewal is kept before another command may look.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { tokenCredentials } from '../../src/ctl/client/tokens.ts';
import type { ConfigStore } from '../../src/ctl/settings/config-file.ts';
import type { Settings } from '../../src/ctl/settings/settings.ts';

/** Credentials whose token expires in so many seconds, at a backend that renews it once. */
const credentialsOf = async (t: TestContext, expiresInSeconds: number) => {
  const server = createServer((_, response) =>
    response.end(
      JSON.stringify({
        access_token: 'renewed',
        expires_at: Math.floor(Date.now() / 1000) + 600,
        refresh_token: 'r2',
      }),
    ),
  ).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  const saved = {
    access_token: 'first',
    refresh_token: 'r1',
    expires_at: Math.floor(Date.now() / 1000) + expiresInSeconds,
  };
  const steps: string[] = [];
  const store = {
    read: async () => ({ contexts: { here: saved } }),
    locked: async (work: () => Promise<string>) => {
      const token = await work();
      steps.push('unlocked');
      return token;
    },
    change: async () => {
      for (let turn = 0; turn < 5; turn += 1) await nextTurn();
      steps.push('kept');
    },
  } as unknown as ConfigStore;
  const apiUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const settings = { apiUrl, context: 'here', saved } as unknown as Settings;
  const transport = { timeoutMs: 10_000, trustedCaFile: '', insecureSkipTlsVerify: false, env: {} };
  return { steps, credentials: tokenCredentials(settings, store, transport) };
};

test('a token that is about to expire is renewed, and kept before the file is unlocked', async (t) => {
  const { credentials, steps } = await credentialsOf(t, 5);
  assert.equal(await credentials.authorization(), 'Bearer renewed');
  assert.deepEqual(steps, ['kept', 'unlocked']);
  assert.equal(await credentials.authorization(), 'Bearer renewed');
  assert.deepEqual(steps, ['kept', 'unlocked']);
});

test('a token that is good for a while is used as it is', async (t) => {
  const { credentials, steps } = await credentialsOf(t, 120);
  assert.equal(await credentials.authorization(), 'Bearer first');
  assert.deepEqual(steps, []);
});
