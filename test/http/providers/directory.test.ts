// Logins through a real directory: names, groups, prefixes, TLS, and everything that must not let anybody in.
import assert from 'node:assert/strict';
import test, { type TestContext } from 'node:test';
import { Attribute, Change } from 'ldapts';
import type { Log } from '../../../src/http/log.ts';
import {
  runtimeAuthorities,
  type TrustedAuthorities,
} from '../../../src/model/access/trusted-authorities.ts';
import { type Authority, makeAuthority } from '../certificates.ts';
import { addUser, basicHeader, grant, type House, openHouse, put } from '../harness.ts';
import { binder, type Slapd, skipWithoutSlapd, startSlapd, suffix } from './slapd.ts';

const options = { skip: skipWithoutSlapd };

interface Shape {
  readonly type?: 'ldap' | 'ad';
  readonly server?: object;
  readonly spec?: object;
}

const provider = (
  slapd: Slapd,
  authority: Authority,
  { type = 'ldap', server = {}, spec = {} }: Shape = {},
) => ({
  type,
  api_version: 'authentication/v2',
  metadata: { name: 'directory' },
  spec: {
    servers: [
      {
        host: '127.0.0.1',
        port: slapd.ldapsPort,
        security: 'tls',
        trusted_ca_file: authority.caFile,
        binding: binder,
        group_search: { base_dn: `ou=groups,${suffix}` },
        user_search: { base_dn: `ou=people,${suffix}` },
        ...server,
      },
    ],
    ...spec,
  },
});

const recordingLog = () => {
  const lines: string[] = [];
  const write = (fields: object, text: string) => void lines.push(`${text} ${JSON.stringify(fields)}`);
  const log: Log = { error: write, warn: write, info: write, debug: () => {} };
  return { log, lines };
};

const open = async (
  t: TestContext,
  shape: Shape = {},
  authorities: TrustedAuthorities = runtimeAuthorities,
) => {
  const authority = makeAuthority(t);
  const slapd = await startSlapd(t, authority);
  const { log, lines } = recordingLog();
  const house = await openHouse(t, { log, authorities });
  const configure = async (next: Shape) => {
    const reply = await house.ask('PUT', '/api/enterprise/authentication/v2/authproviders/directory', {
      body: provider(slapd, authority, next),
    });
    assert.equal(reply.status, 200, reply.text);
  };
  await configure(shape);
  return { authority, slapd, house, lines, configure };
};

const login = (house: House, user: string, password: string) =>
  house.ask('GET', '/auth', { as: null, headers: { Authorization: basicHeader(user, password) } });

const claimsOf = (token: string) =>
  JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());

test(
  'a user of the directory logs in over TLS with the groups found there, and the rules know them',
  options,
  async (t) => {
    const { house } = await open(t);
    await grant(house.backend.resources, 'ops', { type: 'Group', name: 'ops' }, [
      { verbs: ['list'], resources: ['checks'], resource_names: null },
    ]);
    const reply = await login(house, 'ada', 'adas-password');
    assert.equal(reply.status, 200, reply.text);
    const claims = claimsOf(reply.json.access_token);
    assert.equal(claims.sub, 'ada');
    assert.deepEqual([...claims.groups].sort(), ['dev team', 'ops', 'system:users']);
    assert.deepEqual(claims.provider, {
      provider_id: 'directory',
      provider_type: 'ldap',
      user_id: `uid=ada,ou=people,${suffix}`,
    });
    house.tokens.set('ada', reply.json.access_token);
    assert.equal((await house.ask('GET', '/api/core/v2/checks', { as: 'ada' })).status, 200);
    assert.equal((await house.ask('GET', '/api/core/v2/users', { as: 'ada' })).status, 403);
  },
);

test(
  'a directory without its own authorities is trusted if the backend trusts its certificate',
  options,
  async (t) => {
    let trusted: string[] | undefined;
    const { house, authority, lines } = await open(t, { server: { trusted_ca_file: '' } }, () => trusted);
    assert.equal((await login(house, 'ada', 'adas-password')).status, 503);
    assert.ok(lines.some((line) => /certificate/.test(line)));
    trusted = [authority.ca.toString()];
    assert.equal((await login(house, 'ada', 'adas-password')).status, 200);
  },
);

test(
  'a wrong, empty or foreign password, an unknown name and a name full of filter signs are all the same 401',
  options,
  async (t) => {
    const { house, lines } = await open(t);
    for (const [user, password] of [
      ['ada', 'wrong'],
      ['ada', ''],
      ['ada', 'bobs-password'],
      ['nobody-here', 'adas-password'],
      ['*', 'adas-password'],
      ['ada)(uid=*', 'adas-password'],
      ['ad*', 'adas-password'],
      ['\u0000ada', 'adas-password'],
    ] as const) {
      const reply = await login(house, user, password);
      assert.equal(reply.status, 401, `${user} ${password}: ${reply.text}`);
      assert.equal(reply.text, 'Unauthorized\n');
    }
    assert.ok(lines.some((line) => line.includes('user nobody-here was not found')));
    assert.ok(!lines.join().includes('adas-password') && !lines.join().includes(binder.password));
  },
);

test('prefixes and allowed groups determine the user name and groups', options, async (t) => {
  const { house } = await open(t, {
    spec: { username_prefix: 'ldap', groups_prefix: 'dir:', allowed_groups: ['ops'] },
  });
  const { json } = await login(house, 'ADA', 'adas-password');
  const claims = claimsOf(json.access_token);
  assert.equal(claims.sub, 'ldap:ada', 'as the directory writes it, not as it was typed');
  assert.deepEqual(claims.groups, ['dir:ops', 'system:users']);
});

test(
  'STARTTLS and plain connections work; an untrusted certificate only if verification is disabled',
  options,
  async (t) => {
    const { house, slapd, lines, configure } = await open(t);
    await configure({ server: { security: 'starttls', port: slapd.ldapPort } });
    assert.equal((await login(house, 'ada', 'adas-password')).status, 200);
    await configure({ server: { security: 'insecure', port: slapd.ldapPort } });
    assert.equal((await login(house, 'bob', 'bobs-password')).status, 200);
    for (const security of ['tls', 'starttls'] as const) {
      const port = security === 'tls' ? slapd.ldapsPort : slapd.ldapPort;
      await configure({ server: { security, port, trusted_ca_file: '' } });
      assert.equal((await login(house, 'ada', 'adas-password')).status, 503, security);
      await configure({ server: { security, port, trusted_ca_file: '', insecure: true } });
      assert.equal((await login(house, 'ada', 'adas-password')).status, 200, security);
    }
    assert.ok(lines.some((line) => /certificate/.test(line)));
  },
);

test('without a group search the groups are those the entry names itself', options, async (t) => {
  const { house } = await open(t, { server: { group_search: null } });
  const { json } = await login(house, 'ada', 'adas-password');
  assert.deepEqual([...claimsOf(json.access_token).groups].sort(), ['dev team', 'ops', 'system:users']);
});

test('a name that fits two entries lets neither in', options, async (t) => {
  const { house, lines } = await open(t, {
    server: { user_search: { base_dn: `ou=people,${suffix}`, attribute: 'cn' } },
  });
  assert.equal((await login(house, 'Bob', 'bobs-password')).status, 401);
  assert.ok(lines.some((line) => /returned 2 results, expected only 1/.test(line)));
});

test(
  'servers are tried in order until one accepts; an outage is distinguished from a wrong password',
  options,
  async (t) => {
    const { house, slapd, authority } = await open(t);
    const [server] = provider(slapd, authority).spec.servers;
    const gone = { ...server, port: 1 };
    const configure = (servers: readonly object[]) =>
      house.ask('PUT', '/api/enterprise/authentication/v2/authproviders/directory', {
        body: { ...provider(slapd, authority), spec: { servers } },
      });
    await configure([gone, server ?? {}]);
    assert.equal((await login(house, 'ada', 'adas-password')).status, 200);
    assert.equal((await login(house, 'ada', 'wrong')).status, 401);
    await configure([gone]);
    const reply = await login(house, 'ada', 'adas-password');
    assert.equal(reply.status, 503);
    assert.ok(Number(reply.headers.get('retry-after')) > 0);
  },
);

test(
  "users of our own come first, and a directory's account with the name of one is refused",
  options,
  async (t) => {
    const { house } = await open(t);
    await addUser(house.backend.resources, 'ada', 'local-password', ['local']);
    const local = await login(house, 'ada', 'local-password');
    assert.equal(claimsOf(local.json.access_token).provider.provider_id, 'basic');
    assert.equal((await login(house, 'ada', 'adas-password')).status, 401, 'she would act as the local ada');
    await put(house.backend.resources, 'users', '', 'ada', {
      username: 'ada',
      password_hash: 'x',
      disabled: true,
    });
    assert.equal((await login(house, 'ada', 'adas-password')).status, 401);
  },
);

test(
  'a refresh queries the directory again: groups change, and deleted users are logged out',
  options,
  async (t) => {
    const { house, slapd } = await open(t);
    const first = (await login(house, 'ada', 'adas-password')).json;
    const refresh = (pair: { access_token: string; refresh_token: string }) =>
      house.ask('POST', '/auth/token', {
        as: null,
        headers: { Authorization: `Bearer ${pair.access_token}` },
        body: { refresh_token: pair.refresh_token },
      });
    await slapd.asAdmin((client) =>
      client.modify(
        `cn=ops,ou=groups,${suffix}`,
        new Change({
          operation: 'delete',
          modification: new Attribute({ type: 'member', values: [`uid=ada,ou=people,${suffix}`] }),
        }),
      ),
    );
    const second = await refresh(first);
    assert.equal(second.status, 200, second.text);
    assert.deepEqual(claimsOf(second.json.access_token).groups, ['dev team', 'system:users']);
    await slapd.asAdmin((client) => client.del(`uid=ada,ou=people,${suffix}`));
    assert.equal((await refresh(second.json)).status, 401);
    house.tokens.set('ada', second.json.access_token);
    assert.equal((await house.ask('GET', '/api/core/v2/namespaces', { as: 'ada' })).status, 401);
  },
);

test('a directory out of reach does not end logins, and one that is removed does', options, async (t) => {
  const { house, slapd } = await open(t);
  const pair = (await login(house, 'ada', 'adas-password')).json;
  house.tokens.set('ada', pair.access_token);
  await slapd.stop();
  const refused = await house.ask('POST', '/auth/token', {
    as: null,
    headers: { Authorization: `Bearer ${pair.access_token}` },
    body: { refresh_token: pair.refresh_token },
  });
  assert.equal(refused.status, 503);
  assert.equal((await house.ask('GET', '/api/core/v2/namespaces', { as: 'ada' })).status, 200);
  await house.ask('DELETE', '/api/enterprise/authentication/v2/authproviders/directory');
  assert.equal((await house.ask('GET', '/api/core/v2/namespaces', { as: 'ada' })).status, 401);
});

test('right passwords of the directory are never throttled, wrong ones are', options, async (t) => {
  const { house } = await open(t);
  for (let at = 0; at < 15; at += 1) assert.equal((await login(house, 'ada', 'adas-password')).status, 200);
  for (let at = 0; at < 10; at += 1) assert.equal((await login(house, 'ada', `wrong ${at}`)).status, 401);
  assert.equal((await login(house, 'ada', 'wrong again')).status, 429);
});

test('an ad user without a domain gets the default one, and logs in as name@domain', options, async (t) => {
  const { house, slapd, lines, configure } = await open(t);
  const search = { base_dn: `ou=people,${suffix}`, attribute: 'uid' };
  await configure({
    type: 'ad',
    server: {
      user_search: search,
      group_search: { base_dn: `ou=groups,${suffix}`, object_class: 'groupOfNames' },
    },
  });
  const plain = await login(house, 'ada', 'adas-password');
  assert.equal(plain.status, 200, lines.join('\n'));
  assert.equal(claimsOf(plain.json.access_token).provider.provider_type, 'ad');
  // slapd takes no `name@domain` for a name, so the bind is refused: what matters is that it was tried that way.
  await configure({
    type: 'ad',
    server: { port: slapd.ldapsPort, user_search: search, default_upn_domain: 'example.org' },
  });
  assert.equal((await login(house, 'ada', 'adas-password')).status >= 400, true);
});

test('a wrong password of the binding is named in the log, with the account', options, async (t) => {
  const { house, lines } = await open(t, { server: { binding: { ...binder, password: 'wrong' } } });
  assert.equal((await login(house, 'ada', 'adas-password')).status, 503);
  const said = `failed to bind as ${binder.user_dn}: invalid credentials (LDAP result 49)`;
  assert.ok(
    lines.some((line) => line.includes(said)),
    lines.join('\n'),
  );
});
