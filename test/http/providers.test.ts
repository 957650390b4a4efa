// Authentication and secrets providers: wrapped, and their secrets stay inside.
import assert from 'node:assert/strict';
import test from 'node:test';
import { openHouse } from './harness.ts';

test('authentication and secrets providers are wrapped, and their secrets stay inside', async (t) => {
  const house = await openHouse(t);
  const url = '/api/enterprise/authentication/v2/authproviders';
  const provider = {
    Type: 'ldap',
    api_version: 'authentication/v2',
    metadata: { name: 'openldap' },
    spec: {
      servers: [
        {
          host: '127.0.0.1',
          binding: { user_dn: 'cn=binder', password: 'canary-1' },
          group_search: { base_dn: 'dc=acme' },
          user_search: { base_dn: 'dc=acme' },
        },
      ],
    },
  };
  const put = await house.ask('PUT', `${url}/openldap`, { body: provider });
  assert.equal(put.status, 200, put.text);
  const read = await house.ask('GET', `${url}/openldap`);
  assert.equal(read.json.type, 'ldap');
  assert.equal(read.json.spec.servers[0].port, 636);
  assert.ok(!read.text.includes('canary-1') && !put.text.includes('canary-1'));
  assert.equal((await house.ask('PUT', `${url}/openldap`, { body: read.json })).status, 200);
  assert.ok(
    JSON.stringify(house.backend.resources.get('authproviders', '', 'openldap')).includes('canary-1'),
  );
  assert.equal((await house.ask('GET', `${url}?types=AD&types=OIDC`)).json.length, 0);
  assert.equal((await house.ask('GET', `${url}?types=AD&types=LDAP`)).json.length, 1);
  assert.equal((await house.ask('PUT', `${url}/other`, { body: provider })).status, 400);
  assert.equal((await house.ask('PUT', `${url}/x`, { body: { type: 'ldap', spec: {} } })).status, 400);
  const { api_version: _, ...versionless } = provider;
  const refused = await house.ask('PUT', `${url}/openldap`, { body: versionless });
  assert.deepEqual(
    [refused.status, refused.json.message],
    [400, 'api_version is required: "authentication/v2"'],
  );
  for (const metadata of [undefined, null, {}, { name: '' }]) {
    const nameless = await house.ask('PUT', `${url}/openldap`, { body: { ...provider, metadata } });
    assert.deepEqual([nameless.status, nameless.json.message], [400, 'metadata.name is required']);
  }
  assert.equal((await house.ask('POST', url, { body: provider })).status, 405);
  assert.equal((await house.ask('DELETE', `${url}/openldap`)).status, 204);
  assert.equal((await house.ask('DELETE', `${url}/openldap`)).status, 404);

  const providers = '/api/enterprise/secrets/v1/providers';
  const store = {
    type: 'StoreProvider',
    api_version: 'secrets/v1',
    metadata: { name: 'vault' },
    spec: { client: { address: 'https://127.0.0.1:8200', token: 'canary-2', version: 'v1' }, max_retries: 5 },
  };
  assert.equal((await house.ask('PUT', `${providers}/vault`, { body: store })).status, 201);
  const { api_version: _unused, ...bare } = store;
  assert.equal((await house.ask('PUT', `${providers}/vault`, { body: bare })).status, 400);
  assert.equal(
    (await house.ask('PUT', `${providers}/vault`, { body: { ...store, metadata: {} } })).status,
    400,
  );
  const at = (address: string, more: object = {}) => ({
    ...store,
    spec: { client: { address, token: 'canary-2', version: 'v1', ...more }, max_retries: 5 },
  });
  const clear = await house.ask('PUT', `${providers}/vault`, { body: at('http://vault.example.org:8200') });
  assert.equal(clear.status, 400);
  assert.match(clear.json.message, /address must begin with https:\/\/ .* only a store on this machine/);
  const relayed = at('https://vault.example.org', { agent_address: 'http://relay.example.org' });
  assert.equal((await house.ask('PUT', `${providers}/vault`, { body: relayed })).status, 400);
  for (const address of ['http://127.0.0.1:8200', 'http://localhost:8200', 'http://[::1]:8200'])
    assert.equal((await house.ask('PUT', `${providers}/vault`, { body: at(address) })).status, 201);
  const list = await house.ask('GET', providers);
  assert.equal(list.json[0].spec.client.max_retries, 5);
  assert.ok(!list.text.includes('canary-2'));
  const secret = {
    type: 'Secret',
    api_version: 'secrets/v1',
    metadata: { name: 's' },
    spec: { id: 'X', provider: 'vault' },
  };
  const secrets = '/api/enterprise/secrets/v1/namespaces/default/secrets';
  assert.equal((await house.ask('PUT', `${secrets}/s`, { body: secret })).status, 201);
  assert.equal((await house.ask('GET', `${secrets}/s`)).json.spec.id, 'X');
  assert.equal((await house.ask('GET', '/api/enterprise/secrets/v1/secrets')).json.length, 1);
});
