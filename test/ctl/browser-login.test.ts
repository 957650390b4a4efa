// Login at an OIDC issuer, walked as a browser does.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { startIssuer } from '../http/providers/local-issuer.ts';
import { openProcess, startCtl } from './harness.ts';
import { runHere } from './in-process.ts';

const open = async (t: TestContext) => {
  const { dir, url, folder } = await openProcess(t);
  const issuer = await startIssuer(t);
  t.after(() => issuer.stop());
  issuer.claims = { sub: 'subject-1', preferred_username: 'ada' };
  const provider = {
    type: 'oidc',
    api_version: 'authentication/v2',
    metadata: { name: 'company' },
    spec: {
      client_id: issuer.clientId,
      client_secret: issuer.clientSecret,
      server: issuer.url,
      username_claim: 'preferred_username',
      redirect_uri: `${url}/api/enterprise/authentication/v2/oidc/callback`,
    },
  };
  const made = await runHere(['create'], { MON_CONFIG_DIR: dir }, JSON.stringify(provider));
  assert.equal(made.code, 0, made.text);
  return { issuer, url, own: join(folder, 'browser-config') };
};

/** Follows redirects with the cookies of the site, to the page at the end. */
const walk = async (address: string): Promise<{ status: number; text: string; address: string }> => {
  let next = address;
  let cookie = '';
  for (let hops = 0; hops < 10; hops += 1) {
    const reply = await fetch(next, { redirect: 'manual', headers: { cookie } });
    cookie = reply.headers.get('set-cookie')?.split(';')[0] ?? cookie;
    const location = reply.headers.get('location');
    if (location === null) return { status: reply.status, text: await reply.text(), address: next };
    next = new URL(location, next).href;
  }
  throw new Error('too many redirects');
};

test('a login in the browser ends with tokens, and only its own answer is taken', async (t) => {
  const { issuer, url, own } = await open(t);
  const env = { MON_CONFIG_DIR: own };
  const ctl = startCtl(['login', 'oidc', '--no-browser', '--url', url], env);
  await ctl.until(/at:\n {2}\S+\n/);
  const address = /at:\n {2}(\S+)\n/.exec(ctl.output())?.[1] ?? '';
  const callback = new URL(new URL(address).searchParams.get('callback') ?? '');
  assert.equal(callback.hostname, '127.0.0.1');
  // Somebody else's tokens, without the word of this login.
  const forged = await fetch(`${callback.origin}/callback?login=guess&access_token=a.b.c&refresh_token=d`);
  assert.equal(forged.status, 404);
  const end = await walk(address);
  assert.equal(end.status, 200, end.text);
  assert.match(end.text, /You are logged in/);
  await ctl.until(/You have been logged in/);
  const { contexts } = JSON.parse(await readFile(join(own, 'config.json'), 'utf8'));
  assert.match(contexts.default.access_token, /^eyJ/);
  assert.match((await runHere(['config', 'view'], env)).text, /Username: +ada/);
  issuer.revoked = true;
});

test('a refusal of the issuer is said in the terminal, and nothing is kept', async (t) => {
  const { issuer, url, own } = await open(t);
  issuer.signWithAnotherKey = true;
  const ctl = startCtl(['login', 'oidc', '--no-browser', '--url', url, '--provider', 'company'], {
    MON_CONFIG_DIR: own,
  });
  await ctl.until(/at:\n {2}\S+\n/);
  await walk(/at:\n {2}(\S+)\n/.exec(ctl.output())?.[1] ?? '');
  await ctl.until(/Error: the login was refused: /);
  await assert.rejects(readFile(join(own, 'config.json')));
  const unknown = await runHere(['login', 'oidc', '--url', url, '--provider', 'other'], {
    MON_CONFIG_DIR: own,
  });
  assert.match(unknown.text, /there is no OIDC issuer "other"; known are company/);
});
