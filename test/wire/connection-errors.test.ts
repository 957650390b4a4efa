// Common TLS mistakes: the error shown by the client, and the log line of the backend.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { WebSocket } from 'ws';
import { watchTlsMistakes } from '../../src/http/tls-mistakes.ts';
import { describeClose, describeConnectionError, describeRefusal } from '../../src/wire/connection-errors.ts';
import { hasOpenssl, makeAuthority } from '../agent/certificates.ts';

const listen = async (t: TestContext, secure: boolean) => {
  const pair = makeAuthority().issue('backend');
  const told: string[] = [];
  const log = { warn: (_fields: object, text: string) => void told.push(text) };
  const mistakes = watchTlsMistakes(log, ['ws', 'wss']);
  const server: Server = secure
    ? createTlsServer({ key: readFileSync(pair.key), cert: readFileSync(pair.cert) })
    : createServer();
  server.on('tlsClientError', mistakes.tls);
  server.on('clientError', (error, socket) => {
    mistakes.plain(error, socket as never);
    if (socket.writable) socket.end('HTTP/1.1 400 Bad Request\r\n\r\n');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  return { told, port: (server.address() as AddressInfo).port };
};

const failure = (url: string): Promise<string> =>
  new Promise((resolve) => {
    const socket = new WebSocket(url);
    socket.on('error', (error) => resolve(describeConnectionError(url, error)));
  });

test('plain text to a port with TLS: both ends say which address is right', {
  skip: !hasOpenssl,
}, async (t) => {
  const { told, port } = await listen(t, true);
  const said = await failure(`ws://127.0.0.1:${port}/`);
  assert.match(said, new RegExp(`if the backend uses TLS, use wss://127.0.0.1:${port}$`));
  assert.match(told.join(), /uses plain HTTP on a port with TLS: it must use wss:\/\/ instead of ws:\/\//);
  await failure(`ws://127.0.0.1:${port}/`);
  assert.equal(told.length, 1, 'a caller that tries again is not named each time');
});

test('TLS to a port without it: both ends say which address is right', { skip: !hasOpenssl }, async (t) => {
  const { told, port } = await listen(t, false);
  const said = await failure(`wss://127.0.0.1:${port}/`);
  assert.match(said, /wrong version number: the backend does not use TLS on this port: use ws:\/\/127/);
  assert.match(told.join(), /uses TLS on a port without TLS: it must use ws:\/\/ instead of wss:\/\//);
});

test('an untrusted certificate is reported with the flag to set', {
  skip: !hasOpenssl,
}, async (t) => {
  const { port } = await listen(t, true);
  assert.match(await failure(`wss://127.0.0.1:${port}/`), /--trusted-ca-file to its authority$/);
});

test('other errors are reported unchanged', () => {
  const refused = Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:1'), { code: 'ECONNREFUSED' });
  assert.equal(describeConnectionError('ws://127.0.0.1:1', refused), 'connect ECONNREFUSED 127.0.0.1:1');
});

test('a rejected handshake and a replaced session are reported with advice', () => {
  assert.equal(
    describeRefusal(401, 'bad credentials'),
    'handshake failed with status 401: bad credentials: check --user and --password, or the certificate',
  );
  assert.match(
    describeRefusal(404, '{"message":"not found","code":2}'),
    /port of the HTTP API.*--agent-port/,
  );
  assert.equal(
    describeRefusal(404, 'namespace "ops" not found'),
    'handshake failed with status 404: namespace "ops" not found',
  );
  assert.equal(describeRefusal(503, ''), 'handshake failed with status 503');
  assert.match(
    describeClose(4001, 'replaced by a newer session of default/web'),
    /^connection closed with code 4001: replaced by .*: if another agent uses this name, give one of them a different --name$/,
  );
  assert.equal(describeClose(1006, ''), 'connection closed with code 1006');
});
