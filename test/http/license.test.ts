// The entity limit and the licence that lifts it, over real sockets on the real backend.
import assert from 'node:assert/strict';
import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { once } from 'node:events';
import test, { type TestContext } from 'node:test';
import { WebSocket } from 'ws';
import {
  type License,
  readLicenseKey,
  readSigningKey,
  signLicense,
} from '../../src/model/resource/license.ts';
import { agentHeaders } from './harness.ts';
import { openRealHouse, type RealHouse } from './real-house.ts';

const url = '/api/enterprise/licensing/v2/license';
const pair = generateKeyPairSync('ed25519');

const issue = (change: Partial<License> = {}, key: KeyObject = pair.privateKey): License =>
  signLicense(
    {
      entities: 4,
      issued: '2026-01-01T00:00:00Z',
      expires: '2999-01-01T00:00:00Z',
      holder: 'Example Org',
      ...change,
    },
    key,
  );

const open = async (t: TestContext, entityLimit: number, licenseKey: KeyObject | null = pair.publicKey) => {
  const house = await openRealHouse(t, {
    entityLimit,
    ...(licenseKey === null ? {} : { licenseKey }),
  });
  const authorization = await house.login();
  const ask = async (method: string, path: string, body?: unknown) => {
    const reply = await fetch(house.url + path, {
      method,
      headers: { authorization, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await reply.text();
    return { status: reply.status, headers: reply.headers, json: text === '' ? undefined : JSON.parse(text) };
  };
  const entity = (name: string) =>
    ask('POST', '/api/core/v2/namespaces/default/entities', { entity_class: 'proxy', metadata: { name } });
  return { house, ask, entity };
};

const connect = async (t: TestContext, house: RealHouse, name: string): Promise<number> => {
  const socket = new WebSocket(house.agentUrl, { headers: agentHeaders(name) });
  socket.on('error', () => {});
  t.after(() => socket.terminate());
  return Promise.race([
    once(socket, 'open').then(() => 101),
    once(socket, 'unexpected-response').then(([, response]) => Number(response.statusCode)),
  ]);
};

test('at the limit nothing new comes in: 402 over HTTP and at the handshake, and what is there goes on', async (t) => {
  const { house, ask, entity } = await open(t, 2);
  assert.equal((await entity('one')).status, 200);
  assert.equal((await entity('two')).status, 200);
  const third = await entity('three');
  assert.equal(third.status, 402);
  assert.equal(third.json.code, 6);
  assert.match(third.json.message, /a valid license with a sufficient entity limit is required/);
  assert.equal(await connect(t, house, 'new-agent'), 402);
  assert.equal(await connect(t, house, 'two'), 101);
  const one = '/api/core/v2/namespaces/default/entities/one';
  assert.equal((await ask('PUT', one, { entity_class: 'proxy' })).status, 200);
  const event = (name: string) => ({
    entity: { entity_class: 'proxy', metadata: { name } },
    check: { metadata: { name: 'x' }, interval: 1 },
  });
  assert.equal((await ask('POST', '/api/core/v2/namespaces/default/events', event('one'))).status, 201);
  assert.equal((await ask('POST', '/api/core/v2/namespaces/default/events', event('new'))).status, 402);
  assert.equal((await ask('DELETE', one)).status, 204);
  assert.equal((await entity('three')).status, 200);
});

test('a licence lifts the limit while it holds, and removing it brings the free limit back', async (t) => {
  const { ask, entity } = await open(t, 2);
  for (const name of ['a', 'b']) await entity(name);
  assert.equal((await ask('GET', url)).status, 404);
  assert.equal((await ask('PUT', url, issue())).status, 201);
  const read = await ask('GET', url);
  assert.equal(read.json.type, 'LicenseFile');
  assert.equal(read.json.spec.holder, 'Example Org');
  assert.equal(read.json.spec.valid, true);
  assert.equal(read.json.metadata.labels['sensu.io/entity-limit'], '4');
  for (const name of ['c', 'd']) assert.equal((await entity(name)).status, 200, name);
  assert.equal((await entity('e')).status, 402);
  assert.equal((await ask('DELETE', url)).status, 204);
  assert.equal((await ask('DELETE', url)).status, 404);
  const list = await ask('GET', '/api/core/v2/entities');
  assert.equal(list.json.length, 4);
  assert.equal(list.headers.get('mon-entity-limit'), '2');
});

test('the wrapped form of a file is accepted too', async (t) => {
  const { ask } = await open(t, 2);
  const wrapped = { type: 'LicenseFile', api_version: 'licensing/v2', metadata: {}, spec: issue() };
  assert.equal((await ask('PUT', url, wrapped)).status, 201);
  assert.equal((await ask('PUT', url, { ...wrapped, type: 'Check' })).status, 400);
});

test('a licence that does not hold is refused with the reason, and changes nothing', async (t) => {
  const { ask } = await open(t, 2);
  const stranger = generateKeyPairSync('ed25519').privateKey;
  const cases: readonly (readonly [object, RegExp])[] = [
    [{ ...issue(), entities: 4_000 }, /signature does not match/],
    [{ ...issue(), holder: 'Somebody Else' }, /signature does not match/],
    [issue({}, stranger), /signature does not match/],
    [{ ...issue(), signature: 'x' }, /must be the base64 of an Ed25519 signature/],
    [issue({ expires: '2020-01-01T00:00:00Z' }), /the license expired at 2020-01-01/],
    [issue({ expires: 'never' }), /license\.expires must be a time like/],
    [issue({ entities: 0 }), /license\.entities must be at least 1/],
    [issue({ holder: 'a\n9' }), /license\.holder must be a single line/],
    [{ entities: 5 }, /license\.\w+ is required|license\.\w+ must be/],
  ];
  for (const [license, reason] of cases) {
    const reply = await ask('PUT', url, license);
    assert.equal(reply.status, 400);
    assert.match(reply.json.message, reason);
  }
  assert.equal((await ask('GET', url)).status, 404);
});

test('without a key no license is accepted, and the error names both alternatives', async (t) => {
  const { ask, entity } = await open(t, 1, null);
  const reply = await ask('PUT', url, issue());
  assert.equal(reply.status, 400);
  assert.match(reply.json.message, /--license-public-key-file, or with --entity-limit 0/);
  await entity('one');
  assert.equal((await entity('two')).status, 402);
});

test('a licence that ends while the backend runs counts no longer', async (t) => {
  const { house, ask } = await open(t, 2);
  const expires = new Date(Date.now() + 600).toISOString();
  assert.equal((await ask('PUT', url, issue({ expires }))).status, 201);
  assert.equal(house.backend.entityAllowance().limit, 4);
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() + 1_000 });
  assert.equal(house.backend.entityAllowance().limit, 2);
});

test('every authenticated response has count and limit; license managers also get the warning', async (t) => {
  const { house, ask, entity } = await open(t, 10);
  for (let at = 0; at < 9; at += 1) await entity(`e-${at}`);
  const password = 'a-long-password';
  assert.equal(
    (await ask('POST', '/api/core/v2/users', { username: 'vera', password, groups: [] })).status,
    201,
  );
  const headersFor = async (authorization: string | null) =>
    (
      await fetch(`${house.url}/api/core/v2/namespaces`, {
        headers: authorization === null ? {} : { authorization },
      })
    ).headers;
  const vera = await headersFor(await house.login('vera', password));
  for (const dialect of ['sensu', 'mon']) {
    assert.equal(vera.get(`${dialect}-entity-count`), '9');
    assert.equal(vera.get(`${dialect}-entity-limit`), '10');
    assert.equal(vera.get(`${dialect}-entity-warning`), null);
  }
  assert.equal((await headersFor(await house.login())).get('sensu-entity-warning'), null);
  await entity('e-9');
  assert.match(
    (await headersFor(await house.login())).get('sensu-entity-warning') ?? '',
    /10 of 10 entities/,
  );
  assert.equal((await headersFor(null)).get('sensu-entity-count'), null);
});

test('a limit of 0 means no limit', async (t) => {
  const { house, ask, entity } = await open(t, 0);
  for (const name of ['a', 'b', 'c']) assert.equal((await entity(name)).status, 200);
  assert.equal((await ask('GET', '/api/core/v2/entities')).headers.get('mon-entity-limit'), null);
  assert.equal(house.backend.entityAllowance().limit, 0);
});

test('only Ed25519 keys sign and verify licenses', () => {
  const pem = ({ publicKey, privateKey }: { publicKey: KeyObject; privateKey: KeyObject }) => ({
    publicKey: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  });
  const [right, wrong] = [pem(generateKeyPairSync('ed25519')), pem(generateKeyPairSync('ed448'))];
  assert.equal(readLicenseKey(right.publicKey).asymmetricKeyType, 'ed25519');
  assert.equal(readSigningKey(right.privateKey).asymmetricKeyType, 'ed25519');
  assert.throws(() => readLicenseKey(wrong.publicKey), /must be an Ed25519 public key \(it is ed448\)/);
  assert.throws(() => readSigningKey(wrong.privateKey), /must be an Ed25519 private key \(it is ed448\)/);
});
