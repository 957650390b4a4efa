// Logins at an OIDC issuer, the way a browser walks them: away, back with a code, tokens of our own.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request } from 'node:https';
import test, { type TestContext } from 'node:test';
import { rootCertificates } from 'node:tls';
import { inspect } from 'node:util';
import type { Log } from '../../../src/http/log.ts';
import type { TrustedAuthorities } from '../../../src/model/access/trusted-authorities.ts';
import { hasOpenssl, makeAuthority, type Pair } from '../certificates.ts';
import { addUser, type House, openHouse, TestClock } from '../harness.ts';
import { type LocalIssuer, startIssuer } from './local-issuer.ts';

const tls = { skip: hasOpenssl ? false : 'no openssl program' };
const root = '/api/enterprise/authentication/v2/oidc';

const open = async (
  t: TestContext,
  spec: object = {},
  {
    pair,
    ...options
  }: { readonly pair?: Pair; readonly authorities?: TrustedAuthorities; readonly origin?: string } = {},
) => {
  const issuer = await startIssuer(t, pair);
  // Tokens of the issuer are of today.
  const clock = new TestClock();
  clock.nowMs = Date.now();
  const lines: string[] = [];
  // As a logger writes errors: with everything that can be seen of them and of their causes.
  const write = (fields: object, text: string) => void lines.push(`${text} ${inspect(fields, { depth: 9 })}`);
  const log: Log = { error: write, warn: write, info: write, debug: write };
  const house = await openHouse(t, { clock, log, ...options });
  const reply = await house.ask('PUT', '/api/enterprise/authentication/v2/authproviders/issuer', {
    body: {
      type: 'oidc',
      api_version: 'authentication/v2',
      metadata: { name: 'issuer' },
      spec: {
        client_id: issuer.clientId,
        client_secret: issuer.clientSecret,
        server: issuer.url,
        username_claim: 'preferred_username',
        groups_claim: 'groups',
        ...spec,
      },
    },
  });
  assert.equal(reply.status, 200, reply.text);
  return { issuer, house, clock, lines };
};

/** Follows the redirects to the issuer and back, up to our callback URL, which is not requested yet. */
const walk = async (house: House, query = '') => {
  const begin = await house.ask('GET', `${root}/authorize${query}`, { as: null });
  assert.equal(begin.status, 302, begin.text);
  const cookie = (begin.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
  const away = await fetch(begin.headers.get('location') ?? '', { redirect: 'manual' });
  const back = new URL(away.headers.get('location') ?? '');
  return { begin, cookie, back, path: back.pathname + back.search };
};

const comeBack = (house: House, path: string, cookie: string) =>
  house.ask('GET', path, { as: null, headers: { cookie } });

/** Where an HTTPS address sends its caller. */
const askTrusting = async (url: string, ca: Buffer): Promise<string> => {
  const asked = request(url, { ca });
  asked.end();
  const [response] = await once(asked, 'response');
  response.resume();
  return response.headers.location ?? '';
};

const login = async (house: House) => {
  const { path, cookie } = await walk(house);
  return comeBack(house, path, cookie);
};

const refresh = (house: House, pair: { access_token: string; refresh_token: string }, path = '/auth/token') =>
  house.ask('POST', path, {
    as: null,
    headers: { Authorization: `Bearer ${pair.access_token}` },
    body: { refresh_token: pair.refresh_token },
  });

const claimsOf = (token: string) =>
  JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());

test('a user of the issuer gets API tokens, named by the claims and prefixes', async (t) => {
  const { house, issuer } = await open(t, { username_prefix: 'oidc:', groups_prefix: 'oidc' });
  const { begin, cookie, path } = await walk(house);
  const asked = new URL(begin.headers.get('location') ?? '').searchParams;
  assert.equal(asked.get('code_challenge_method'), 'S256');
  assert.equal(asked.get('scope'), 'openid offline_access');
  assert.match(begin.headers.get('set-cookie') ?? '', /HttpOnly; SameSite=Lax/);
  const reply = await comeBack(house, path, cookie);
  assert.equal(reply.status, 200, reply.text);
  assert.equal(reply.headers.get('cache-control'), 'no-store');
  const claims = claimsOf(reply.json.access_token);
  assert.equal(claims.sub, 'oidc:ada');
  assert.deepEqual(claims.groups, ['oidc:ops', 'oidc:dev', 'system:users']);
  assert.deepEqual(claims.provider, { provider_id: 'issuer', provider_type: 'oidc', user_id: 'subject-1' });
  house.tokens.set('ada', reply.json.access_token);
  assert.equal((await house.ask('GET', '/api/core/v2/namespaces', { as: 'ada' })).status, 200);
  assert.ok(!house.stored().includes('access-at-the-issuer'));
  await issuer.stop();
});

test('tokens go to a path of this site or to this machine, and nowhere else', async (t) => {
  const { house } = await open(t);
  const local = await walk(house, `?callback=${encodeURIComponent('http://127.0.0.1:8000/done?x=1')}`);
  const told = new URL((await comeBack(house, local.path, local.cookie)).headers.get('location') ?? '');
  assert.equal(told.port, '8000');
  assert.ok(told.searchParams.get('access_token') && told.searchParams.get('x') === '1');
  const site = await walk(house, '?callback=/ui/');
  assert.match(
    (await comeBack(house, site.path, site.cookie)).headers.get('location') ?? '',
    /^\/ui\/#access_token=/,
  );
  const page = await walk(house, `?callback=${encodeURIComponent('/ui/?login=0a1b')}`);
  assert.match(
    (await comeBack(house, page.path, page.cookie)).headers.get('location') ?? '',
    /^\/ui\/\?login=0a1b#access_token=/,
    'the tab that left knows itself again',
  );
  for (const callback of [
    '/ui/?login=a&x=1',
    '/ui/?next=evil.example',
    'https://evil.example',
    '//evil.example',
    '/\\evil.example',
    'http://127.0.0.1.evil.example/',
    'http://user@127.0.0.1/',
    'javascript:alert(1)',
    'http://evil.example/127.0.0.1',
  ]) {
    const reply = await house.ask('GET', `${root}/authorize?callback=${encodeURIComponent(callback)}`, {
      as: null,
    });
    assert.equal(reply.status, 400, callback);
  }
});

test('the page finds the issuers without logging in, follows the link, and comes back with tokens or with the reason', async (t) => {
  const { house, issuer } = await open(t);
  const found = await house.ask('GET', '/auth/providers', { as: null });
  assert.equal(found.status, 200);
  assert.deepEqual(
    found.json.map(({ name, type }: { name: string; type: string }) => ({ name, type })),
    [{ name: 'issuer', type: 'oidc' }],
  );
  assert.doesNotMatch(found.text, /client-secret-canary|client_id/);
  const follow = async () => {
    const begin = await house.ask('GET', found.json[0].url, { as: null });
    const cookie = (begin.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
    const away = await fetch(begin.headers.get('location') ?? '', { redirect: 'manual' });
    return { cookie, back: new URL(away.headers.get('location') ?? '') };
  };
  const endOf = (reply: { headers: Headers }) => {
    const [path, fragment] = (reply.headers.get('location') ?? '').split('#');
    return { path, told: Object.fromEntries(new URLSearchParams(fragment)) };
  };

  const good = await follow();
  const { path, told } = endOf(await comeBack(house, good.back.pathname + good.back.search, good.cookie));
  assert.equal(path, '/ui/');
  assert.deepEqual(Object.keys(told).sort(), ['access_token', 'expires_at', 'refresh_token']);
  house.tokens.set('ada', told.access_token ?? '');
  assert.equal((await house.ask('GET', '/api/core/v2/namespaces', { as: 'ada' })).status, 200);

  const denied = await follow();
  const state = denied.back.searchParams.get('state') ?? '';
  const no = `${root}/callback?${new URLSearchParams({ error: 'access_denied', state })}`;
  assert.deepEqual(endOf(await comeBack(house, no, denied.cookie)), {
    path: '/ui/',
    told: { error: 'unauthenticated', error_description: 'the issuer rejected the login' },
  });

  const elsewhere = await follow();
  const stolen = endOf(await comeBack(house, elsewhere.back.pathname + elsewhere.back.search, ''));
  assert.deepEqual([stolen.path, stolen.told.error], ['/ui/', 'invalid']);

  await addUser(house.backend.resources, 'ada', 'a local password');
  await house.ask('DELETE', '/api/core/v2/users/ada');
  const disabled = await follow();
  const shut = endOf(await comeBack(house, disabled.back.pathname + disabled.back.search, disabled.cookie));
  assert.equal(shut.told.error, 'unauthenticated');
  assert.equal(shut.told.access_token, undefined);
  await issuer.stop();
});

test('an issuer with a private certificate is trusted only if its authority is', tls, async (t) => {
  const authority = makeAuthority(t);
  let trusted = [...rootCertificates];
  const { house, issuer } = await open(
    t,
    {},
    { pair: authority.issue('issuer'), authorities: () => trusted },
  );
  const begin = () => house.ask('GET', `${root}/authorize`, { as: null });
  assert.equal((await begin()).status, 503);
  assert.deepEqual(issuer.seen, []);
  trusted = [...rootCertificates, authority.ca.toString()];
  const started = await begin();
  assert.equal(started.status, 302, started.text);
  const away = await askTrusting(started.headers.get('location') ?? '', authority.ca);
  const back = new URL(away);
  const reply = await comeBack(
    house,
    back.pathname + back.search,
    (started.headers.get('set-cookie') ?? '').split(';')[0] ?? '',
  );
  assert.equal(reply.status, 200, reply.text);
  assert.equal(claimsOf(reply.json.access_token).sub, 'ada');
});

test('behind a proxy the issuer sends browsers to the address others know, whatever the request says', async (t) => {
  const { house } = await open(t, {}, { origin: 'https://mon.example.org' });
  const { begin, back } = await walk(house);
  const asked = new URL(begin.headers.get('location') ?? '').searchParams;
  assert.equal(asked.get('redirect_uri'), `https://mon.example.org${root}/callback`);
  assert.match(begin.headers.get('set-cookie') ?? '', /; Secure/);
  assert.equal(back.origin, 'https://mon.example.org');
  const cookie = (begin.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
  const reply = await comeBack(house, back.pathname + back.search, cookie);
  assert.equal(reply.status, 200, reply.text);
  assert.equal(claimsOf(reply.json.access_token).iss, 'https://mon.example.org');
});

test('without an issuer the list is empty', async (t) => {
  const house = await openHouse(t);
  assert.equal((await house.ask('GET', '/auth/providers', { as: null })).text, '[]');
});

test('a login ends in the browser it began in, once, in time, and unchanged', async (t) => {
  const { house, clock } = await open(t);
  const first = await walk(house);
  assert.equal((await comeBack(house, first.path, '')).status, 400, 'no cookie');
  assert.equal(
    (await comeBack(house, first.path, 'mon_oidc=AAAAAAAAAAAAAAAAAAAAAA')).status,
    400,
    'another cookie',
  );
  assert.equal(
    (await comeBack(house, `${root}/callback?code=x&state=x`, first.cookie)).status,
    400,
    'no state',
  );
  assert.equal((await comeBack(house, first.path, first.cookie)).status, 200);
  assert.equal((await comeBack(house, first.path, first.cookie)).status, 401, 'a code works once');
  const wrong = await walk(house);
  const forged = wrong.path.replace(/code=[^&]+/, 'code=made-up');
  assert.equal((await comeBack(house, forged, wrong.cookie)).status, 401, 'a made up code');
  const late = await walk(house);
  clock.nowMs += 601_000;
  assert.equal((await comeBack(house, late.path, late.cookie)).status, 400, 'too late');
});

test('an invalid ID token is rejected', async (t) => {
  const { house, issuer, lines } = await open(t);
  const lies: readonly (readonly [string, (issuer: LocalIssuer) => void])[] = [
    ['for another client', (one) => (one.lie = (claims) => ({ ...claims, aud: 'another' }))],
    ['from another issuer', (one) => (one.lie = (claims) => ({ ...claims, iss: 'https://evil.example' }))],
    ['of another login', (one) => (one.lie = (claims) => ({ ...claims, nonce: 'another' }))],
    ['long over', (one) => (one.lie = (claims) => ({ ...claims, exp: 1_000_000_000 }))],
    ['no token at all', (one) => (one.withoutIdToken = true)],
    ['signed by a stranger', (one) => (one.signWithAnotherKey = true)],
  ];
  for (const [what, tell] of lies) {
    issuer.lie = (claims) => claims;
    issuer.withoutIdToken = false;
    tell(issuer);
    const reply = await login(house);
    assert.equal(reply.status, 401, `${what}: ${reply.text}`);
  }
  assert.ok(lines.some((line) => line.includes('OIDC request failed')));
  assert.doesNotMatch(lines.join('\n'), /access-at-the-issuer|client-secret-canary|eyJ/);
});

test('missing required claims are rejected by name', async (t) => {
  const { house, issuer } = await open(t, { groups_claim: 'teams' });
  const reply = await login(house);
  assert.equal(reply.status, 401);
  assert.match(reply.json.message, /could not find the groups claim "teams" in the user's claims/);
  issuer.claims = { sub: 'subject-1', preferred_username: 'a\u0000b', teams: [] };
  assert.equal((await login(house)).status, 401, 'a name that cannot be one');
});

test('claims that are not in the ID token are asked for at the userinfo endpoint', async (t) => {
  const { house, issuer } = await open(t);
  issuer.claims = { sub: 'subject-1', preferred_username: 'ada' };
  const { json } = await login(house);
  assert.deepEqual(claimsOf(json.access_token).groups, ['from-userinfo', 'system:users']);
});

test('a refresh queries the issuer again: groups change, revoked users are logged out, an outage changes nothing', async (t) => {
  const { house, issuer } = await open(t);
  const first = (await login(house)).json;
  issuer.claims = { ...issuer.claims, groups: ['dev'] };
  const second = await refresh(house, first, `${root}/token`);
  assert.equal(second.status, 200, second.text);
  assert.deepEqual(claimsOf(second.json.access_token).groups, ['dev', 'system:users']);
  const third = await refresh(house, second.json);
  assert.equal(third.status, 200, third.text);
  issuer.revoked = true;
  assert.equal((await refresh(house, third.json)).status, 401);
  house.tokens.set('ada', third.json.access_token);
  assert.equal((await house.ask('GET', '/api/core/v2/namespaces', { as: 'ada' })).status, 401);
  issuer.revoked = false;
  const other = (await login(house)).json;
  await issuer.stop();
  assert.equal((await refresh(house, other)).status, 503);
  house.tokens.set('ada', other.access_token);
  assert.equal((await house.ask('GET', '/api/core/v2/namespaces', { as: 'ada' })).status, 200);
});

test('an issuer outage and an unknown provider are reported', async (t) => {
  const { house, issuer } = await open(t);
  assert.equal((await house.ask('GET', `${root}/authorize?provider=other`, { as: null })).status, 404);
  await issuer.stop();
  const reply = await house.ask('GET', `${root}/authorize`, { as: null });
  assert.equal(reply.status, 503);
  assert.doesNotMatch(reply.text, /client-secret-canary/);
});
