// TLS on both listeners, and agents that log in with a certificate. Certificates are made with the openssl program.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request } from 'node:https';
import { connect as connectTcp } from 'node:net';
import test, { type TestContext } from 'node:test';
import { connect } from 'node:tls';
import { WebSocket } from 'ws';
import { createApi } from '../../src/http/api.ts';
import { silentLog } from '../../src/http/log.ts';
import { tlsOptions } from '../../src/http/tls.ts';
import { type Authority, hasOpenssl, makeAuthority } from './certificates.ts';
import { addUser, agentEvent, agentHeaders, openHouse } from './harness.ts';

if (!hasOpenssl) console.error('tls.test: SKIPPED, there is no openssl program on this machine');

const open = async (
  t: TestContext,
  authority: Authority,
  {
    handshakeTimeout,
    ...clients
  }: { clientCa?: Buffer; clientsWithout?: 'allowed'; handshakeTimeout?: number } = {},
) => {
  const { backend, seen } = await openHouse(t);
  const server = authority.issue('backend');
  const times = handshakeTimeout === undefined ? {} : { handshakeTimeout };
  const api = await createApi({
    logins: backend,
    backend,
    log: silentLog,
    clock: { wallMs: () => Date.now(), monotonicMs: () => performance.now() },
    version: '0.1.0',
    backendId: 'backend-1',
    http: { host: '127.0.0.1', port: 0, tls: { ...tlsOptions(server), ...times } },
    agents: {
      host: '127.0.0.1',
      port: 0,
      tls: { ...tlsOptions({ ...server, ...clients }), ...times },
    },
  });
  const { http, agents } = await api.listen();
  t.after(() => api.close());
  return { api, backend, seen, httpPort: http.port, agentUrl: `wss://127.0.0.1:${agents.port}` };
};

const options = { skip: hasOpenssl ? false : 'no openssl program' };

test('the API accepts TLS 1.2 and newer only', options, async (t) => {
  const authority = makeAuthority(t);
  const { httpPort } = await open(t, authority);
  const asked = request({ port: httpPort, host: '127.0.0.1', path: '/version', ca: authority.ca });
  asked.end();
  const [response] = await once(asked, 'response');
  assert.equal(response.statusCode, 200);
  response.resume();
  await assert.rejects(fetch(`http://127.0.0.1:${httpPort}/version`));
  const old = connect({
    port: httpPort,
    host: '127.0.0.1',
    ca: authority.ca,
    minVersion: 'TLSv1.1',
    maxVersion: 'TLSv1.1',
    ciphers: 'ALL@SECLEVEL=0',
  });
  await assert.rejects(once(old, 'secureConnect'));
});

const dialSilently = (t: TestContext, port: number) => {
  const socket = connectTcp({ port, host: '127.0.0.1', allowHalfOpen: true });
  t.after(() => socket.destroy());
  const closed = new Promise((resolve) => socket.resume().once('end', resolve).once('error', resolve));
  return { connected: once(socket, 'connect'), closed };
};

test('a connection that never finishes its TLS handshake is closed on both listeners', options, async (t) => {
  const { httpPort, agentUrl } = await open(t, makeAuthority(t));
  const dialled = [httpPort, Number(new URL(agentUrl).port)].map((port) => dialSilently(t, port));
  await Promise.all(dialled.map(({ closed }) => closed));
});

test('TLS handshakes under way do not hold up a stop', options, async (t) => {
  // Without a time limit of its own, only the stop itself can end them.
  const { api, httpPort, agentUrl } = await open(t, makeAuthority(t), { handshakeTimeout: 0 });
  const dialled = [httpPort, Number(new URL(agentUrl).port)].map((port) => dialSilently(t, port));
  await Promise.all(dialled.map(({ connected }) => connected));
  await api.close();
  await Promise.all(dialled.map(({ closed }) => closed));
});

test(
  'RSA key exchange and CBC ciphers are rejected; ciphers of current clients are accepted',
  options,
  async (t) => {
    const authority = makeAuthority(t);
    const { httpPort, agentUrl } = await open(t, authority);
    for (const port of [httpPort, Number(new URL(agentUrl).port)]) {
      const dial = (ciphers: string) =>
        once(
          connect({
            port,
            host: '127.0.0.1',
            ca: authority.ca,
            maxVersion: 'TLSv1.2',
            ciphers: `${ciphers}@SECLEVEL=0`,
          }),
          'secureConnect',
        );
      for (const ciphers of ['AES128-GCM-SHA256', 'AES256-SHA256', 'ECDHE+AES+SHA256', 'DHE+AESGCM'])
        await assert.rejects(dial(ciphers), /handshake failure/i, ciphers);
      await dial('ECDHE+AESGCM');
      const newest = connect({ port, host: '127.0.0.1', ca: authority.ca, minVersion: 'TLSv1.3' });
      await once(newest, 'secureConnect');
      assert.equal(newest.getProtocol(), 'TLSv1.3');
      newest.destroy();
    }
  },
);

test('an agent with a trusted certificate needs no password; others are rejected', options, async (t) => {
  const authority = makeAuthority(t);
  const { backend, seen, agentUrl } = await open(t, authority, { clientCa: authority.ca });
  await addUser(backend.resources, 'web-agent', 'a long password', ['system:agents']);
  const { Authorization: _, 'Mon-User': __, ...headers } = agentHeaders();
  for (const name of ['web-agent', 'unknown.example']) {
    const socket = new WebSocket(agentUrl, { headers, ca: authority.ca, ...authority.issue(name) });
    t.after(() => socket.terminate());
    await once(socket, 'open');
    socket.send(`event\n${JSON.stringify(agentEvent())}`);
    await once(socket, 'message');
    const session = seen.sessions.at(-1);
    assert.equal(session?.info.mutualTls, true);
    assert.equal(session?.info.user, name === 'web-agent' ? 'web-agent' : 'agent');
  }
  const stranger = makeAuthority(t).issue('web-agent');
  for (const pair of [{}, stranger]) {
    const socket = new WebSocket(agentUrl, { headers: agentHeaders(), ca: authority.ca, ...pair });
    await assert.rejects(once(socket, 'open'));
  }
  assert.equal(seen.sessions.length, 2);
});

test('without demanded certificates agents log in with their password over TLS', options, async (t) => {
  const authority = makeAuthority(t);
  const { seen, agentUrl } = await open(t, authority);
  const socket = new WebSocket(agentUrl, { headers: agentHeaders(), ca: authority.ca });
  t.after(() => socket.terminate());
  await once(socket, 'open');
  assert.equal(seen.sessions[0]?.info.mutualTls, false);
});

test(
  'with optional certificates, a trusted one makes TLS mutual, and replaces the password only for the user it names',
  options,
  async (t) => {
    const authority = makeAuthority(t);
    const { backend, seen, agentUrl } = await open(t, authority, {
      clientCa: authority.ca,
      clientsWithout: 'allowed',
    });
    const stranger = makeAuthority(t);
    const cases = [
      ['with one of ours', authority.issue('web-01'), true],
      ['with one of somebody else', stranger.issue('web-01'), false],
      ['without', {}, false],
    ] as const;
    for (const [what, pair, mutualTls] of cases) {
      const socket = new WebSocket(agentUrl, { headers: agentHeaders(), ca: authority.ca, ...pair });
      t.after(() => socket.terminate());
      await once(socket, 'open');
      assert.equal(seen.sessions.at(-1)?.info.mutualTls, mutualTls, what);
      assert.equal(seen.sessions.at(-1)?.info.user, 'agent');
    }
    await addUser(backend.resources, 'web-agent', 'a long password', ['system:agents']);
    const { Authorization: _, ...nameless } = agentHeaders();
    const own = authority.issue('web-agent');
    const socket = new WebSocket(agentUrl, { headers: nameless, ca: authority.ca, ...own });
    t.after(() => socket.terminate());
    await once(socket, 'open');
    assert.deepEqual(
      [seen.sessions.at(-1)?.info.user, seen.sessions.at(-1)?.info.mutualTls],
      ['web-agent', true],
    );
    for (const [what, headers, pair] of [
      ['a name nobody has', nameless, authority.issue('unknown.example')],
      ['a name somebody has, signed by somebody else', nameless, stranger.issue('web-agent')],
      ['nothing at all', nameless, {}],
      ['a wrong password beside it', agentHeaders('web-01', 'default', 'a wrong password'), own],
    ] as const) {
      const refused = new WebSocket(agentUrl, { headers, ca: authority.ca, ...pair });
      refused.on('error', () => {});
      const [, response] = await once(refused, 'unexpected-response');
      assert.equal(response.statusCode, 401, what);
      response.resume();
    }
  },
);

const serialAt = async (port: number, ca: Buffer): Promise<string> => {
  const socket = connect({ host: '127.0.0.1', port, ca });
  await once(socket, 'secureConnect');
  const { serialNumber } = socket.getPeerCertificate();
  socket.destroy();
  return serialNumber;
};

test(
  'new certificates are used for new connections, and no agent that is connected is dropped',
  options,
  async (t) => {
    const authority = makeAuthority(t);
    const { api, httpPort, agentUrl } = await open(t, authority);
    const agentPort = Number(new URL(agentUrl).port);
    const before = [await serialAt(httpPort, authority.ca), await serialAt(agentPort, authority.ca)];
    const agent = new WebSocket(agentUrl, { headers: agentHeaders(), ca: authority.ca });
    t.after(() => agent.terminate());
    await once(agent, 'open');
    const next = authority.issue('backend, renewed');
    api.renewCertificates({ api: tlsOptions(next), agents: tlsOptions(next) });
    const after = [await serialAt(httpPort, authority.ca), await serialAt(agentPort, authority.ca)];
    for (const [index, serial] of after.entries()) assert.notEqual(serial, before[index]);
    agent.send(`event\n${JSON.stringify(agentEvent())}`);
    await once(agent, 'message');
    assert.equal(agent.readyState, WebSocket.OPEN);
  },
);

test('certificates that do not fit their key change nothing', options, async (t) => {
  const authority = makeAuthority(t);
  const { api, httpPort, agentUrl } = await open(t, authority);
  const before = await serialAt(httpPort, authority.ca);
  const good = authority.issue('one');
  const mixed = tlsOptions({ cert: good.cert, key: authority.issue('two').key });
  assert.throws(() => api.renewCertificates({ api: tlsOptions(good), agents: mixed }), /key/);
  assert.equal(await serialAt(httpPort, authority.ca), before);
  assert.ok(await serialAt(Number(new URL(agentUrl).port), authority.ca));
});
