// The bus on a real nats-server: every way to log in, TLS, mistakes in words, and servers that fail in other ways than by dying.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { nkeys } from '@nats-io/transport-node';
import { realClock } from '../../src/actors/runtime/time/clock.ts';
import { type Bus, BusError } from '../../src/cluster/bus.ts';
import { openNatsBus } from '../../src/cluster/nats-bus.ts';
import type { NatsSettings } from '../../src/cluster/nats-options.ts';
import { eventually } from '../eventually.ts';
import { freePort } from '../free-port.ts';
import { hasOpenssl, makeAuthority } from '../http/certificates.ts';
import { skipWithout } from '../requirements.ts';
import { type NatsServer, natsSkipReason, startNats } from './nats-server.ts';

const options = { skip: natsSkipReason() };
const withTls = { skip: options.skip || (hasOpenssl ? false : skipWithout('openssl', 'no openssl')) };

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const text = (data: Uint8Array): string => new TextDecoder().decode(data);

interface Opened {
  readonly bus: Bus;
  readonly reports: string[];
}

const open = async (t: TestContext, settings: Omit<NatsSettings, 'name'>): Promise<Opened> => {
  const reports: string[] = [];
  const report = (_level: string, message: string): unknown => reports.push(message);
  const bus = await openNatsBus({ ...settings, name: 'b1', clock: realClock, report });
  t.after(() => bus.drain(0));
  return { bus, reports };
};

const start = async (t: TestContext, lines: readonly string[] = []): Promise<NatsServer> => {
  const server = await startNats(lines);
  t.after(() => server.stop());
  return server;
};

/** A request to itself, there and back. */
const works = async ({ bus }: Opened): Promise<void> => {
  const stop = bus.subscribe('mon.echo', ({ data, respond }) => respond(data));
  assert.equal(text(await bus.request('mon.echo', bytes('hello'), 10_000)), 'hello');
  stop();
};

const directoryOf = (t: TestContext): string => {
  const directory = mkdtempSync(join(tmpdir(), 'mon-bus-'));
  t.after(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
};

const refusal = async (
  t: TestContext,
  settings: Omit<NatsSettings, 'name'>,
): Promise<{ readonly code: string; readonly message: string }> => {
  const error = await open(t, settings).then(
    () => assert.fail('it was opened'),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof BusError, String(error));
  return error;
};

test('user and password, in the URL or beside it; wrong ones are refused in words', options, async (t) => {
  const { port } = await start(t, ['authorization { user: "m@n", password: "p:w/1" }']);
  const at = `127.0.0.1:${port}`;
  await works(await open(t, { urls: [`nats://m%40n:p%3Aw%2F1@${at}`] }));
  await works(await open(t, { urls: [`nats://${at}`], user: 'm@n', password: 'p:w/1' }));
  for (const urls of [[`nats://m%40n:wrong@${at}`], [`nats://${at}`]]) {
    const { code, message } = await refusal(t, { urls });
    assert.equal(code, 'invalid');
    assert.match(
      message,
      /^the bus at 127\.0\.0\.1:\d+ can't be reached: Authorization Violation\. Check the user/i,
    );
    assert.doesNotMatch(message, /wrong/);
  }
});

test('a token, and an nkey', options, async (t) => {
  const byToken = await start(t, ['authorization { token: "s3cret" }']);
  await works(await open(t, { urls: [byToken.url], token: 's3cret' }));
  await works(await open(t, { urls: [`nats://s3cret@127.0.0.1:${byToken.port}`] }));
  assert.equal((await refusal(t, { urls: [byToken.url], token: 'other' })).code, 'invalid');
  const pair = nkeys.createUser();
  const nkeyFile = join(directoryOf(t), 'user.nk');
  writeFileSync(nkeyFile, `# for mon\n${new TextDecoder().decode(pair.getSeed())}\n`);
  const byKey = await start(t, [`authorization { users: [ { nkey: ${pair.getPublicKey()} } ] }`]);
  await works(await open(t, { urls: [byKey.url], nkeyFile }));
  assert.equal((await refusal(t, { urls: [byKey.url] })).code, 'invalid');
});

test('a credentials file of an operator', options, async (t) => {
  const [operator, account, user] = [nkeys.createOperator(), nkeys.createAccount(), nkeys.createUser()];
  const jwt = (
    issuer: typeof operator,
    subject: typeof operator,
    type: 'operator' | 'account' | 'user',
  ): string => {
    const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
    const limits = { account: { limits: unlimited }, user: unlimited, operator: {} }[type];
    const nats = { type, version: 2, ...limits };
    const claims = {
      jti: 'x',
      iat: 1,
      iss: issuer.getPublicKey(),
      sub: subject.getPublicKey(),
      name: type,
      nats,
    };
    const signed = `${part({ typ: 'JWT', alg: 'ed25519-nkey' })}.${part(claims)}`;
    return `${signed}.${Buffer.from(issuer.sign(bytes(signed))).toString('base64url')}`;
  };
  const unlimited = {
    subs: -1,
    data: -1,
    payload: -1,
    imports: -1,
    exports: -1,
    wildcards: true,
    conn: -1,
    leaf: -1,
  };
  const server = await start(t, [
    `operator: ${jwt(operator, operator, 'operator')}`,
    'resolver: MEMORY',
    `resolver_preload: { ${account.getPublicKey()}: ${jwt(operator, account, 'account')} }`,
  ]);
  const section = (name: string, content: string): string =>
    `-----BEGIN ${name}-----\n${content}\n------END ${name}------\n\n`;
  const credentialsFile = join(directoryOf(t), 'user.creds');
  writeFileSync(
    credentialsFile,
    section('NATS USER JWT', jwt(account, user, 'user')) +
      section('USER NKEY SEED', new TextDecoder().decode(user.getSeed())),
  );
  const opened = await open(t, { urls: [server.url], credentialsFile });
  await works(opened);
  // The file vanishes: what was read before serves until it is back.
  rmSync(credentialsFile);
  await server.kill();
  await server.start();
  await eventually(
    'connected again',
    () => opened.bus.status().state === 'connected' && opened.reports.length > 2,
  );
  await works(opened);
  assert.ok(opened.reports.some((line) => /user\.creds'; the credentials read before are used$/.test(line)));
});

test('TLS with a client certificate; a server of another authority is refused', withTls, async (t) => {
  const [authority, other] = [makeAuthority(t), makeAuthority(t)];
  const [ofServer, ofClient] = [authority.issue('nats'), authority.issue('b1')];
  const files = `cert_file: "${ofServer.certFile}", key_file: "${ofServer.keyFile}", ca_file: "${authority.caFile}"`;
  const { port } = await start(t, [`tls { ${files}, verify: true }`]);
  const client = { certFile: ofClient.certFile, keyFile: ofClient.keyFile };
  for (const host of ['127.0.0.1', 'localhost'])
    await works(await open(t, { urls: [`tls://${host}:${port}`], caFile: authority.caFile, ...client }));
  const urls = [`tls://127.0.0.1:${port}`];
  const wrongCa = await refusal(t, { urls, caFile: other.caFile, ...client });
  assert.match(wrongCa.message, /certificate.*\. Check the CA and the client certificate$/);
  const without = await refusal(t, { urls, caFile: authority.caFile });
  assert.match(without.message, /client certificate\??$/);
  const plain = await start(t);
  const noTls = await refusal(t, { urls: [`tls://127.0.0.1:${plain.port}`] });
  assert.match(noTls.message, /The server has no TLS/);
});

test('mistakes are named before anything connects', async (t) => {
  const unreadable = '/nonexistent/file';
  const url = 'nats://127.0.0.1:4222';
  const cases: readonly [settings: Omit<NatsSettings, 'name'>, says: RegExp][] = [
    [{ urls: [] }, /at least one URL, such as nats:\/\/host:4222/],
    [{ urls: ['localhost:4222'] }, /must look like nats:\/\/host:4222 .*\(got "localhost:4222"\)/],
    [{ urls: ['http://user:secret@host'] }, /http:\/\/ is not supported \(got "http:\/\/\*\*\*@host"\)/],
    [{ urls: ['ws://host:80'] }, /ws:\/\/ is not supported/],
    [{ urls: ['nats://host:4222/path'] }, /without a path/],
    [{ urls: ['nats://a:4222,b:4222'] }, /must look like/],
    [{ urls: [url], certFile: unreadable }, /needs both its certificate file and its key file/],
    [{ urls: [url], caFile: unreadable }, /^the ca file of the bus can't be read: ENOENT/],
    [{ urls: [url], nkeyFile: unreadable }, /^the nkey file of the bus can't be read: ENOENT/],
    [{ urls: [url], credentialsFile: '/dev/null' }, /^the credentials file \/dev\/null can't be used/],
    [{ urls: [url], nkeyFile: '/dev/null' }, /^the nkey file \/dev\/null can't be used/],
    [{ urls: [url], token: 'x', user: 'y' }, /takes one of/],
  ];
  for (const [settings, says] of cases) {
    const { code, message } = await refusal(t, settings);
    assert.equal(code, 'invalid', message);
    assert.match(message, says);
    assert.doesNotMatch(message, /secret/);
  }
});

test('nobody there, another kind of server, and a dead one beside one that lives', options, async (t) => {
  const dead = `nats://127.0.0.1:${await freePort()}`;
  const refused = await refusal(t, { urls: [dead] });
  assert.equal(refused.code, 'disconnected');
  assert.match(refused.message, /connection refused\. Start nats-server, or correct the URL/);
  const other = createServer((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  t.after(() => other.close());
  const address = other.address();
  const port = typeof address === 'object' ? address?.port : 0;
  const { message } = await refusal(t, { urls: [`nats://127.0.0.1:${port}`] });
  assert.match(message, /unexpected response from server\. Is it a NATS server that listens there\?/);
  const [one, two] = [await start(t), await start(t)];
  const opened = await open(t, { urls: [dead, one.url, two.url] });
  await works(opened);
  const { server } = opened.bus.status();
  await (one.url.endsWith(server) ? one : two).kill();
  await eventually('the other server', () => {
    const status = opened.bus.status();
    return status.state === 'connected' && status.server !== server;
  });
  await works(opened);
});

test('what the server forbids is said, and works once it is allowed', options, async (t) => {
  const rights = (more: string): string =>
    `authorization { users: [ { user: a, password: b, permissions: { publish: ["_INBOX.>", "mon.echo"${more}], subscribe: ["_INBOX.>", "mon.echo"${more}] } } ] }`;
  const server = await start(t, [rights('')]);
  const opened = await open(t, { urls: [`nats://a:b@127.0.0.1:${server.port}`] });
  const { bus, reports } = opened;
  const isForbidden = (error: unknown): boolean => error instanceof BusError && error.code === 'forbidden';
  await works(opened);
  const heard: string[] = [];
  bus.subscribe('mon.other', ({ data }) => void heard.push(text(data)));
  await assert.rejects(bus.request('mon.other', bytes('?'), 60_000), isForbidden);
  await eventually('both reports', () => reports.length >= 2);
  for (const verb of ['subscribe', 'publish']) {
    const words = `the NATS server forbids this user to ${verb} to mon.other: allow mon.> and _INBOX.> for both`;
    assert.ok(reports.includes(words), reports.join('\n'));
  }
  server.configure([rights(', "mon.other"')]);
  server.signal('SIGHUP');
  await eventually('it to be heard', () => {
    if (bus.status().state === 'connected') bus.publish('mon.other', bytes('x'));
    return heard.length > 0;
  });
  const blind = await start(t, [
    'authorization { users: [ { user: a, password: b, permissions: { subscribe: ["mon.>"] } } ] }',
  ]);
  const { code, message } = await refusal(t, { urls: [`nats://a:b@127.0.0.1:${blind.port}`] });
  assert.equal(code, 'invalid');
  assert.match(message, /forbids this user to subscribe to _INBOX\..*: allow mon\.> and _INBOX\.> for both/);
});

test('a server that hangs is noticed, and requests end', options, async (t) => {
  const server = await start(t);
  const { bus } = await open(t, { urls: [server.url] });
  server.signal('SIGSTOP');
  t.after(() => server.signal('SIGCONT'));
  bus.subscribe('mon.silent', () => {});
  await assert.rejects(
    bus.request('mon.silent', bytes('?'), 60_000),
    (error: unknown) => error instanceof BusError && error.code === 'disconnected',
  );
  server.signal('SIGCONT');
  await eventually('connected', () => bus.status().state === 'connected');
});
