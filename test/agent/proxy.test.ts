import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { createServer as createTlsServer } from 'node:tls';
import { createDial, type LineEnd } from '../../src/agent/connection/dial.ts';
import { download } from '../../src/assets/download.ts';
import { proxyFor } from '../../src/program/proxy-rule.ts';
import { hasOpenssl, makeAuthority, type Pair } from './certificates.ts';
import { startBackend } from './fake-backend.ts';
import { configOf } from './helpers.ts';

const proxies = { HTTP_PROXY: 'http://plain:3128', https_proxy: 'secure:3129' };
const through = (url: string, noProxy = ''): string | null =>
  proxyFor(new URL(url), { ...proxies, NO_PROXY: noProxy })?.href ?? null;

for (const [url, noProxy, expected] of [
  ['ws://b.example.com:8081', '', 'http://plain:3128/'],
  ['http://b.example.com', '', 'http://plain:3128/'],
  ['wss://b.example.com:8081', '', 'http://secure:3129/'],
  ['https://b.example.com', '', 'http://secure:3129/'],
  ['ws://localhost:8081', '', null],
  ['ws://127.9.9.9:8081', '', null],
  ['wss://[::1]:8081', '', null],
  ['ws://b.example.com', '*', null],
  ['ws://b.example.com', 'example.com', null],
  ['ws://example.com', 'example.com', null],
  ['ws://badexample.com', 'example.com', 'http://plain:3128/'],
  ['ws://example.com', '.example.com', 'http://plain:3128/'],
  ['ws://B.Example.com', 'x, .EXAMPLE.com', null],
  ['ws://b.example.com:8081', 'b.example.com:8081', null],
  ['ws://b.example.com:8082', 'b.example.com:8081', 'http://plain:3128/'],
  ['ws://b.example.com', 'b.example.com:80', null],
  ['ws://10.1.2.3:8081', '10.0.0.0/8', null],
  ['ws://11.1.2.3:8081', '10.0.0.0/8', 'http://plain:3128/'],
  ['ws://10.1.2.3:8081', '10.1.2.3', null],
  ['ws://[fd00::5]:8081', 'fd00::/8', null],
] as const)
  test(`${url} with NO_PROXY "${noProxy}" goes ${expected === null ? 'straight' : `through ${expected}`}`, () =>
    assert.equal(through(url, noProxy), expected));

test('without variables connections are direct; an invalid proxy URL is reported', () => {
  assert.equal(proxyFor(new URL('ws://b.example.com'), {}), null);
  assert.throws(() => proxyFor(new URL('ws://b.example.com'), { HTTP_PROXY: 'ftp://x' }), /HTTP_PROXY/);
});

interface Proxy {
  readonly url: string;
  readonly asked: string[];
}

/** A proxy that leads every name to one place. */
const startProxy = async (t: TestContext, target: number, status = 200): Promise<Proxy> => {
  const asked: string[] = [];
  const sockets = new Set<Socket>();
  const note = (request: IncomingMessage) =>
    asked.push(`${request.method} ${request.url} ${request.headers['proxy-authorization'] ?? ''}`.trim());
  const server = createServer((request, response) => {
    note(request);
    response.end('from the proxy');
  });
  server.on('connect', (request: IncomingMessage, socket: Socket) => {
    note(request);
    sockets.add(socket);
    if (status !== 200) {
      socket.end(`HTTP/1.1 ${status} No\r\n\r\n`);
      return;
    }
    const onward = connect(target, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      socket.pipe(onward).pipe(socket);
    });
    sockets.add(onward);
    for (const end of [socket, onward])
      end.on('error', () => {
        socket.destroy();
        onward.destroy();
      });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
    server.closeAllConnections();
  });
  return { url: `http://us:p%40ss@127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
};

const credentials = `Basic ${Buffer.from('us:p@ss').toString('base64')}`;

test('a WebSocket goes through the proxy, which is asked for the backend by name', async (t) => {
  const backend = await startBackend();
  t.after(() => backend.stop());
  const proxy = await startProxy(t, Number(new URL(backend.url).port));
  const dial = createDial(configOf({ 'backend-url': 'ws://b.invalid:8081' }), { HTTP_PROXY: proxy.url });
  const opened = await new Promise<string>((resolve, reject) => {
    dial('ws://b.invalid:8081', {
      opened: (line) => {
        line.cut();
        resolve(line.agreement.backendId);
      },
      message: () => {},
      pong: () => {},
      ended: (end) => reject(new Error(end.message)),
    });
  });
  assert.equal(opened, 'b1');
  assert.deepEqual(proxy.asked, [`CONNECT b.invalid:8081 ${credentials}`]);
});

/** TLS in front of a plain port; notes for which names it was asked. */
const startTlsFront = async (t: TestContext, pair: Pair, target: number) => {
  const names: (string | false | null)[] = [];
  const sockets = new Set<Socket>();
  const server = createTlsServer({ cert: readFileSync(pair.cert), key: readFileSync(pair.key) }, (socket) => {
    names.push(socket.servername);
    const onward = connect(target, '127.0.0.1');
    for (const end of [socket, onward]) {
      sockets.add(end);
      end.on('error', () => {
        socket.destroy();
        onward.destroy();
      });
    }
    socket.pipe(onward).pipe(socket);
  });
  server.on('tlsClientError', () => {
    // A client that trusts us not: the client says so.
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, names };
};

test('wss goes through the proxy, which sees only the host name; the backend presents its certificate', {
  skip: !hasOpenssl,
}, async (t) => {
  const backend = await startBackend();
  t.after(() => backend.stop());
  const authority = makeAuthority();
  const front = await startTlsFront(t, authority.issue('backend'), Number(new URL(backend.url).port));
  const proxy = await startProxy(t, front.port);
  const attempt = (url: string, flags: Record<string, string>) =>
    new Promise<string>((resolve) => {
      createDial(configOf(flags), { HTTPS_PROXY: proxy.url })(url, {
        opened: (line) => {
          resolve(`opened by ${line.agreement.backendId}`);
          line.cut();
        },
        message: () => {},
        pong: () => {},
        ended: (end) => resolve(end.message),
      });
    });
  const trust = { 'trusted-ca-file': authority.ca };
  assert.equal(await attempt('wss://backend.test:8081', trust), 'opened by b1');
  assert.deepEqual(proxy.asked, [`CONNECT backend.test:8081 ${credentials}`]);
  assert.deepEqual(front.names, ['backend.test']);
  assert.match(await attempt('wss://somebody.else:8081', trust), /does not match certificate's altnames/);
  assert.match(await attempt('wss://backend.test:8081', {}), /unable to verify|self-signed/);
  assert.equal(await attempt('wss://somebody.else', { 'insecure-skip-tls-verify': 'true' }), 'opened by b1');
  assert.equal(proxy.asked.at(-1), `CONNECT somebody.else:443 ${credentials}`);
});

test('a proxy that says no, or is not there, is a failed attempt with its reason', async (t) => {
  const proxy = await startProxy(t, 9, 403);
  const attempt = (httpProxy: string) =>
    new Promise<LineEnd>((resolve) => {
      createDial(configOf(), { HTTP_PROXY: httpProxy })('ws://b.invalid:8081', {
        opened: () => {},
        message: () => {},
        pong: () => {},
        ended: resolve,
      });
    });
  assert.match(
    (await attempt(proxy.url)).message,
    /^proxy .*: it responded with status 403 to CONNECT b\.invalid:8081$/,
  );
  assert.match((await attempt('http://127.0.0.1:9')).message, /^proxy 127\.0\.0\.1:9: .*ECONNREFUSED/);
  assert.match((await attempt('ftp://x')).message, /HTTP_PROXY must be an http or https URL/);
});

test('assets come through the proxy too', async (t) => {
  const proxy = await startProxy(t, 9);
  const plain = await download('http://assets.invalid/a.tgz?x=1', { variables: { HTTP_PROXY: proxy.url } });
  assert.equal(plain.bytes.toString(), 'from the proxy');
  await assert.rejects(
    download('https://assets.invalid/a.tgz', { variables: { HTTPS_PROXY: proxy.url } }),
    /^Error: proxy 127\.0\.0\.1:\d+: socket hang up$/,
  );
  assert.deepEqual(proxy.asked, [
    `GET http://assets.invalid/a.tgz?x=1 ${credentials}`,
    `CONNECT assets.invalid:443 ${credentials}`,
  ]);
});
