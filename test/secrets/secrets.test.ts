// Secrets from the environment and from a key-value store over HTTPS.
import assert from 'node:assert/strict';
import test, { type TestContext } from 'node:test';
import { MonError } from '../../src/model/errors.ts';
import { secretKind, secretsProviderKind } from '../../src/model/kinds/providers.ts';
import { maxWaiting } from '../../src/secrets/limits.ts';
import { createRateLimiter } from '../../src/secrets/rate-limiter.ts';
import { addressOf } from '../../src/secrets/secret-id.ts';
import { createSecrets, type SecretsTable } from '../../src/secrets/secrets.ts';
import { type Authority, makeAuthority } from '../http/certificates.ts';
import { fc } from '../property.ts';
import { type LocalStore, startStore } from './local-store.ts';

class Table implements SecretsTable {
  readonly rows = new Map<string, unknown>();
  get(segment: string, namespace: string, name: string): unknown {
    return this.rows.get(`${segment}/${namespace}/${name}`);
  }
  count(segment: string): number {
    return [...this.rows.keys()].filter((key) => key.startsWith(`${segment}/`)).length;
  }
  provider(type: string, name: string, spec: object = {}): void {
    const raw = { type, api_version: 'secrets/v1', metadata: { name }, spec };
    const decoded = secretsProviderKind.decode(raw);
    assert.ok(decoded.ok, JSON.stringify(decoded));
    assert.equal(secretsProviderKind.validate(decoded.value), null);
    this.rows.set(`providers//${name}`, decoded.value);
  }
  secret(name: string, provider: string, id: string, namespace = 'default'): void {
    const raw = {
      type: 'Secret',
      api_version: 'secrets/v1',
      metadata: { name, namespace },
      spec: { id, provider },
    };
    const decoded = secretKind.decode(raw);
    assert.ok(decoded.ok);
    this.rows.set(`secrets/${namespace}/${name}`, decoded.value);
  }
}

const refersTo = (...names: string[]) => names.map((name) => ({ name: name.toUpperCase(), secret: name }));

const fails = async (work: Promise<unknown>, kind: string, text: RegExp): Promise<void> => {
  await assert.rejects(work, (error: unknown) => {
    assert.ok(error instanceof MonError, String(error));
    assert.equal(error.kind, kind);
    assert.match(error.message, text);
    return true;
  });
};

interface StoreWorld {
  readonly table: Table;
  readonly store: LocalStore;
  readonly authority: Authority;
  readonly secrets: ReturnType<typeof createSecrets>;
  configure(client?: object, outer?: object): void;
}

const openStore = async (t: TestContext, options: object = {}): Promise<StoreWorld> => {
  const authority = makeAuthority(t);
  const store = await startStore(t, authority, options);
  const table = new Table();
  const secrets = createSecrets(table, {});
  t.after(() => secrets.close());
  const configure = (client: object = {}, outer: object = {}): void =>
    table.provider('StoreProvider', 'vault', {
      client: {
        address: store.url,
        token: store.token,
        version: 'v2',
        tls: { ca_cert: authority.caFile },
        max_retries: 0,
        ...client,
      },
      ...outer,
    });
  configure();
  table.secret('pager', 'vault', 'secret/pager#token');
  return { table, store, authority, secrets, configure };
};

test('the environment provider hands out variables of the backend, in order, empty ones left out', async () => {
  const table = new Table();
  const secrets = createSecrets(table, { A: 'first', EMPTY: '', B: 'second=with=signs' });
  table.provider('Env', 'env');
  table.secret('a', 'env', 'A');
  table.secret('empty', 'env', 'EMPTY');
  table.secret('b', 'env', 'B');
  assert.deepEqual(await secrets.resolve('default', refersTo('b', 'empty', 'a')), [
    'B=second=with=signs',
    'A=first',
  ]);
  assert.deepEqual(await secrets.resolve('default', []), []);
});

test('the environment provider hands out no setting of the backend', async () => {
  const table = new Table();
  const secrets = createSecrets(table, { MON_BACKEND_CLUSTER_ADMIN_PASSWORD: 'hunter2' });
  table.provider('Env', 'env');
  table.secret('a', 'env', 'MON_BACKEND_CLUSTER_ADMIN_PASSWORD');
  await fails(secrets.resolve('default', refersTo('a')), 'permissionDenied', /a backend setting/);
});

test('missing secrets have the messages of the reference product, and the first one ends the request', async () => {
  const table = new Table();
  const secrets = createSecrets(table, {});
  table.secret('a', 'env', 'A');
  await fails(
    secrets.resolve('default', refersTo('a')),
    'notFound',
    /^no secret provider defined \(secret a refers to env\)$/,
  );
  table.provider('Env', 'other');
  await fails(
    secrets.resolve('default', refersTo('a')),
    'notFound',
    /^secret provider not found: env \(referred to by secret a\)$/,
  );
  table.provider('Env', 'env');
  await fails(
    secrets.resolve('default', refersTo('a')),
    'notFound',
    /^secret not found: a: the backend has no environment variable /,
  );
  await fails(
    secrets.resolve('default', refersTo('b')),
    'notFound',
    /^secret not found: b: there is no secret of this name in namespace default$/,
  );
  await fails(
    secrets.resolve('other', refersTo('a')),
    'notFound',
    /^secret not found: a: there is no secret of this name in namespace other$/,
  );
  await fails(secrets.resolve('default', [{ name: '', secret: 'a' }]), 'invalid', /^invalid secret info: a$/);
});

test('both versions of the store are read, and both placements of the outer fields', async (t) => {
  const { store, secrets, configure } = await openStore(t);
  store.data.set('/v1/secret/data/pager', { data: { token: 'two', other: 'x' }, metadata: {} });
  store.data.set('/v1/secret/pager', { token: 'one' });
  assert.deepEqual(await secrets.resolve('default', refersTo('pager')), ['PAGER=two']);
  configure({ version: 'v1' }, { max_retries: 3, timeout: '5s', rate_limiter: { limit: 50, burst: 5 } });
  assert.deepEqual(await secrets.resolve('default', refersTo('pager')), ['PAGER=one']);
});

test('a missing path, a missing key and an invalid id are distinguished from a rejection by the store', async (t) => {
  const { store, table, secrets, configure } = await openStore(t);
  await fails(
    secrets.resolve('default', refersTo('pager')),
    'notFound',
    /^secret not found: pager: provider vault has no secret at /,
  );
  store.data.set('/v1/secret/data/pager', { data: { another: 'x' } });
  await fails(
    secrets.resolve('default', refersTo('pager')),
    'notFound',
    /^secret not found: pager: the secret at .* in provider vault has no field /,
  );
  table.secret('odd', 'vault', 'no-key');
  await fails(secrets.resolve('default', refersTo('odd')), 'invalid', /^invalid secret info: odd: /);
  configure({ token: 'wrong-token-canary' });
  await fails(
    secrets.resolve('default', refersTo('pager')),
    'permissionDenied',
    /^secret provider not available: vault: it responded with status 403$/,
  );
});

test('an outage is tried again as often as asked for, a refusal never', async (t) => {
  const { store, secrets, configure } = await openStore(t);
  store.data.set('/v1/secret/data/pager', { data: { token: 'x' } });
  configure({ max_retries: 2 });
  store.trouble.push(503, 0);
  assert.deepEqual(await secrets.resolve('default', refersTo('pager')), ['PAGER=x']);
  assert.equal(store.asked.length, 3);
  store.trouble.push(500, 500, 500, 500);
  await fails(
    secrets.resolve('default', refersTo('pager')),
    'unavailable',
    /not available: vault: it responded with status 500$/,
  );
  assert.equal(store.asked.length, 6);
  store.trouble.length = 0;
  store.trouble.push(400);
  await fails(
    secrets.resolve('default', refersTo('pager')),
    'permissionDenied',
    /it responded with status 400$/,
  );
  assert.equal(store.asked.length, 7);
});

test('the timeout is a hard stop over all tries', async (t) => {
  const { store, secrets, configure } = await openStore(t);
  configure({ max_retries: 5, timeout: '200ms' });
  store.trouble.push(-1);
  await fails(secrets.resolve('default', refersTo('pager')), 'unavailable', /no response within 200 ms/);
  assert.equal(store.asked.length, 1);
});

test('a store with an untrusted certificate is not used, unless verification is disabled', async (t) => {
  const { store, secrets, configure } = await openStore(t);
  store.data.set('/v1/secret/data/pager', { data: { token: 'x' } });
  configure({ tls: null });
  await fails(secrets.resolve('default', refersTo('pager')), 'unavailable', /certificate/);
  assert.equal(store.asked.length, 0, 'the token never left');
  configure({ tls: { insecure: true } });
  assert.equal((await secrets.resolve('default', refersTo('pager'))).length, 1);
  configure({ tls: { ca_cert: '/nowhere/ca.pem' } });
  await fails(secrets.resolve('default', refersTo('pager')), 'unavailable', /\/nowhere\/ca\.pem/);
});

test('a store without TLS on another machine is refused, also one that was stored before that rule', async (t) => {
  const { table, secrets, configure } = await openStore(t);
  const plain = { address: 'http://secrets.example.org' };
  assert.throws(() => configure(plain), /spec\.client\.address must begin with https/);
  configure();
  const row = table.rows.get('providers//vault') as { spec: { client: object } };
  Object.assign(row.spec.client, plain);
  await fails(secrets.resolve('default', refersTo('pager')), 'unavailable', /must begin with https/);
});

test('a client certificate is shown to a store that asks for one', async (t) => {
  const authority = makeAuthority(t);
  const store = await startStore(t, authority, {
    ca: authority.ca,
    requestCert: true,
    rejectUnauthorized: true,
  });
  const { certFile, keyFile } = authority.issue('backend-1');
  const table = new Table();
  const secrets = createSecrets(table, {});
  t.after(() => secrets.close());
  table.secret('pager', 'vault', 'secret/pager#token');
  const client = { address: store.url, token: store.token, version: 'v1', max_retries: 0 };
  store.data.set('/v1/secret/pager', { token: 'x' });
  table.provider('VaultProvider', 'vault', { client: { ...client, tls: { ca_cert: authority.caFile } } });
  await fails(secrets.resolve('default', refersTo('pager')), 'unavailable', /not available: vault/);
  table.provider('VaultProvider', 'vault', {
    client: { ...client, tls: { ca_cert: authority.caFile, client_cert: certFile, client_key: keyFile } },
  });
  assert.deepEqual(await secrets.resolve('default', refersTo('pager')), ['PAGER=x']);
  assert.equal(store.asked.at(-1)?.client, 'backend-1');
});

test('the rate limiter allows a burst and then a fixed rate', async (t) => {
  const { store, table, secrets, configure } = await openStore(t);
  configure({ rate_limiter: { limit: 20, burst: 2 } });
  const names = ['a', 'b', 'c', 'd', 'e'];
  for (const name of names) {
    store.data.set(`/v1/secret/data/${name}`, { data: { k: name } });
    table.secret(name, 'vault', `secret/${name}#k`);
  }
  const begun = performance.now();
  await Promise.all(names.map((name) => secrets.resolve('default', refersTo(name))));
  // Two at once, then one every 50 ms: the last of five cannot leave before 150 ms.
  assert.ok(Math.max(...store.asked.map(({ atMs }) => atMs)) - begun >= 145);
  assert.equal(store.asked.length, 5);
});

test('the number of requests waiting for the rate limit is limited; one more is rejected immediately', async () => {
  const limiter = createRateLimiter({ limit: 1, burst: 1 }, () => 0);
  const stop = new AbortController();
  await limiter.enter(stop.signal);
  const waiting = Array.from({ length: maxWaiting }, () => limiter.enter(stop.signal));
  assert.equal(limiter.waiting, maxWaiting);
  await assert.rejects(limiter.enter(stop.signal), /too many requests are waiting/);
  stop.abort();
  assert.ok((await Promise.allSettled(waiting)).every(({ status }) => status === 'rejected'));
  assert.equal(limiter.waiting, 0);
});

test('concurrent requests for one secret are merged, and the next one is sent again', async (t) => {
  const { store, secrets } = await openStore(t);
  store.data.set('/v1/secret/data/pager', { data: { token: 'x' } });
  const all = await Promise.all(
    Array.from({ length: 50 }, () => secrets.resolve('default', refersTo('pager'))),
  );
  assert.ok(all.every(([entry]) => entry === 'PAGER=x'));
  assert.equal(store.asked.length, 1);
  store.data.set('/v1/secret/data/pager', { data: { token: 'rotated' } });
  assert.deepEqual(await secrets.resolve('default', refersTo('pager')), ['PAGER=rotated']);
});

test('agents get secrets over mutual TLS only, and nothing is fetched for the others', async (t) => {
  const { store, secrets } = await openStore(t);
  store.data.set('/v1/secret/data/pager', { data: { token: 'x' } });
  const plain = { mutualTls: false };
  await fails(secrets.resolveForAgent(plain, 'default', refersTo('pager')), 'permissionDenied', /mutual TLS/);
  assert.equal(store.asked.length, 0);
  assert.deepEqual(await secrets.resolveForAgent(plain, 'default', []), []);
  assert.deepEqual(await secrets.resolveForAgent({ mutualTls: true }, 'default', refersTo('pager')), [
    'PAGER=x',
  ]);
});

test('no error holds a token or a value', async (t) => {
  const { store, secrets, configure } = await openStore(t);
  store.data.set('/v1/secret/data/pager', { data: { other: 'value-canary' } });
  for (const trouble of [500, 0, 403, 200]) {
    configure();
    store.trouble.push(trouble);
    await secrets.resolve('default', refersTo('pager')).catch((error: Error) => {
      for (let at: unknown = error; at instanceof Error; at = at.cause)
        assert.doesNotMatch(`${at.message} ${at.stack}`, /canary/);
    });
  }
});

test('no id leads out of the store, whatever it is', () => {
  assert.deepEqual(addressOf('secret/a/b#k', 'v1'), { path: '/v1/secret/a/b', key: 'k' });
  assert.deepEqual(addressOf('secret/a/b#k', 'v2'), { path: '/v1/secret/data/a/b', key: 'k' });
  assert.deepEqual(addressOf('secret/data/a#k', 'v2'), { path: '/v1/secret/data/a', key: 'k' });
  for (const id of [
    '',
    '#',
    'a#k',
    'secret/a',
    'secret/a#',
    'secret/../sys#k',
    'secret//a#k',
    './a#k',
    'a/\ud800#k',
  ])
    assert.equal(addressOf(id, 'v2'), null, id);
  fc.assert(
    fc.property(fc.string(), fc.constantFrom('v1', 'v2'), (id, version) => {
      const found = addressOf(id, version as 'v1' | 'v2');
      if (found === null) return;
      const url = new URL(found.path, 'https://store');
      assert.ok(
        url.pathname.startsWith('/v1/') && url.host === 'store' && url.search === '' && url.hash === '',
      );
      assert.equal(url.pathname, found.path);
    }),
  );
});
