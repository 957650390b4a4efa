// Canaries: secrets planted everywhere the HTTP room takes them in, looked for everywhere it lets something out.
import assert from 'node:assert/strict';
import test from 'node:test';
import { createHashingQueue } from '../../src/http/auth/hashing-queue.ts';
import type { Log } from '../../src/http/log.ts';
import { addUser, agentHeaders, basicHeader, connectAgent, openHouse, refusedHandshake } from './harness.ts';

const everything = (lines: unknown[]): string =>
  lines
    .map((line) =>
      JSON.stringify(line, (_, value) =>
        value instanceof Error ? { message: value.message, stack: value.stack, cause: value.cause } : value,
      ),
    )
    .join('\n');

test('no password, token or key shows up in logs, metrics, lists of users or the store', async (t) => {
  const lines: unknown[] = [];
  const write = (fields: object, message: string): void => void lines.push([fields, message]);
  const log: Log = { error: write, warn: write, info: write, debug: write };
  const house = await openHouse(t, { log });
  await addUser(house.backend.resources, 'carol', 'canary-password-1', ['cluster-admins']);
  const tokens = (
    await house.ask('GET', '/auth', {
      as: null,
      headers: { Authorization: basicHeader('carol', 'canary-password-1') },
    })
  ).json;
  const headers = { Authorization: `Bearer ${tokens.access_token}` };
  await house.ask('GET', '/auth', {
    as: null,
    headers: { Authorization: basicHeader('carol', 'canary-wrong-2') },
  });
  await house.ask('GET', '/api/core/v2/events', {
    as: null,
    headers: { Authorization: 'Bearer canary-token-3' },
  });
  await house.ask('POST', '/api/core/v2/users', {
    as: null,
    headers,
    body: { username: 'dave', password: 'canary-password-4' },
  });
  const key = await house.ask('POST', '/api/core/v2/apikeys', {
    as: null,
    headers,
    body: { username: 'carol' },
  });
  const apiKey = key.headers.get('location')?.split('/').at(-1) ?? '';
  await house.ask('GET', '/api/core/v2/events', { as: null, headers: { Authorization: `Key ${apiKey}` } });
  await refusedHandshake(house, agentHeaders('web-01', 'default', 'canary-agent-5'));
  const agent = await connectAgent(t, house);
  agent.send('event', '{"id":"x","entity":{"metadata":{"name":"canary in the payload 6"}}}');
  agent.socket.send('canary-frame-7');
  await agent.closed;
  const users = await house.ask('GET', '/api/core/v2/users', { as: null, headers });
  const metrics = await house.ask('GET', '/metrics', { as: null });

  const places = {
    logs: everything(lines),
    metrics: metrics.text,
    users: users.text,
    store: house.stored(),
  };
  const canaries = ['canary-', apiKey, tokens.access_token, tokens.refresh_token, '$2b$'];
  assert.ok(lines.length > 8, 'the log was written to');
  for (const [place, text] of Object.entries(places)) {
    for (const canary of canaries) {
      if (place === 'store' && canary === '$2b$') continue;
      assert.ok(!text.includes(canary), `${canary} in ${place}`);
    }
  }
});

test('what providers are given stays inside: no secret in answers, errors, logs, metrics or the document', async (t) => {
  const lines: unknown[] = [];
  const write = (fields: object, message: string): void => void lines.push([fields, message]);
  const house = await openHouse(t, { log: { error: write, warn: write, info: write, debug: write } });
  const auth = '/api/enterprise/authentication/v2/authproviders';
  const secrets = '/api/enterprise/secrets/v1/providers';
  const server = { host: '127.0.0.1', port: 1, user_search: { base_dn: 'dc=x' } };
  const answers: string[] = [];
  const ask = async (method: string, path: string, body?: unknown): Promise<number> => {
    const reply = await house.ask(method, path, body === undefined ? {} : { body });
    answers.push(`${JSON.stringify([...reply.headers])} ${reply.text}`);
    return reply.status;
  };
  const shaped = (type: string, name: string, spec: object) => ({
    type,
    api_version: type === 'StoreProvider' ? 'secrets/v1' : 'authentication/v2',
    metadata: { name },
    spec,
  });
  const directory = { servers: [{ ...server, binding: { user_dn: 'cn=b', password: 'canary-binding' } }] };
  const issuer = { client_id: 'mon', client_secret: 'canary-client', server: 'http://127.0.0.1:1' };
  const client = { address: 'https://127.0.0.1:1', token: 'canary-store', version: 'v1' };
  assert.equal(await ask('PUT', `${auth}/directory`, shaped('ldap', 'directory', directory)), 200);
  assert.equal(await ask('PUT', `${auth}/issuer`, shaped('oidc', 'issuer', issuer)), 200);
  assert.equal(await ask('PUT', `${secrets}/store`, shaped('StoreProvider', 'store', { client })), 201);
  // Refused, and kept to itself.
  assert.equal(await ask('PUT', `${auth}/other`, shaped('oidc', 'issuer', issuer)), 400);
  assert.equal(
    await ask(
      'PUT',
      `${secrets}/store`,
      shaped('StoreProvider', 'store', { client: { ...client, version: 'v9' } }),
    ),
    400,
  );
  for (const path of [auth, `${auth}/directory`, `${auth}/issuer`, secrets, `${secrets}/store`])
    assert.equal(await ask('GET', path), 200);
  await house.ask('GET', '/auth', {
    as: null,
    headers: { Authorization: basicHeader('eve', 'canary-typed') },
  });
  await ask('GET', '/api/enterprise/authentication/v2/oidc/authorize?provider=issuer');
  await ask('GET', '/metrics');
  await ask('GET', '/openapi.json');
  assert.ok(
    everything(lines).includes('directory login rejected') &&
      everything(lines).includes('OIDC request failed'),
  );
  for (const text of [everything(lines), ...answers]) assert.doesNotMatch(text, /canary-/);
  assert.match(house.stored(), /canary-binding/, 'the store has it');
});

test('an unknown user costs as many hashes as a wrong password', async (t) => {
  const house = await openHouse(t);
  const slow = await createHashingQueue().hash('right password');
  await house.backend.resources.put(
    { segment: 'users', namespace: '', name: 'erin' },
    { username: 'erin', password_hash: slow, groups: [], disabled: false },
  );
  const spent = async (user: string): Promise<number> => {
    const before = process.cpuUsage();
    await house.ask('GET', '/auth', { as: null, headers: { Authorization: basicHeader(user, 'wrong') } });
    const { user: own, system } = process.cpuUsage(before);
    return own + system;
  };
  await spent('erin');
  const [known, unknown] = [await spent('erin'), await spent('stranger')];
  // One bcrypt of cost 10 is 50 ms of work; a lookup that skipped it would cost a tenth.
  assert.ok(unknown > known / 3, `${unknown} us for a stranger, ${known} us for a user`);
});

test('hashing runs two at a time, keeps sixteen waiting and refuses the rest', async () => {
  const queue = createHashingQueue();
  const outcomes = await Promise.allSettled(
    Array.from({ length: 20 }, (_, i) => queue.hash(`password-${i}`)),
  );
  assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 18);
  assert.equal(queue.waiting, 0);
  assert.match(await queue.hash('again'), /^\$2b\$10\$/);
});

test('passwords are compared with hashes of every dialect of bcrypt', async () => {
  const queue = createHashingQueue();
  const hash = await queue.hash('x'.repeat(72));
  for (const prefix of ['$2a$', '$2b$', '$2y$'])
    assert.equal(await queue.verify('x'.repeat(72), hash.replace('$2b$', prefix)), true, prefix);
  assert.equal(await queue.verify('x'.repeat(71), hash), false);
  assert.equal(await queue.verify('x', 'no hash'), false);
  await assert.rejects(queue.hash('x'.repeat(73)), /longer than 72 bytes/);
});
