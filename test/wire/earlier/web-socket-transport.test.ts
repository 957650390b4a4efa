// The transport to our own backend over TLS: whom a client believes, and that its password goes nowhere else.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { tlsOptions } from '../../../src/http/tls.ts';
import { maxFrameBytes } from '../../../src/wire/earlier/limits.ts';
import { createWebSocketTransport } from '../../../src/wire/earlier/web-socket-transport.ts';
import { eventually } from '../../eventually.ts';
import { hasOpenssl, makeAuthority } from '../../http/certificates.ts';
import { openLiveBackend, password } from '../../http/earlier-api/live-backend.ts';

const open = (t: TestContext, port: number, caFile?: string) => {
  const failures: string[] = [];
  const transport = createWebSocketTransport({
    url: `wss://127.0.0.1:${port}/transport`,
    user: 'agent',
    password,
    stepMs: 50,
    onFault: (error) => assert.fail(String(error)),
    ...(caFile === undefined ? {} : { caFile }),
  });
  transport.open({ connected: () => {}, lost: () => {}, failed: (reason) => void failures.push(reason) });
  t.after(() => transport.close());
  return { transport, failures };
};

test('a message that no backend takes is refused before it is sent, and the connection stays', async (t) => {
  const live = await openLiveBackend({});
  t.after(() => live.close());
  const transport = createWebSocketTransport({
    url: `ws://127.0.0.1:${live.port}/transport`,
    user: 'agent',
    password,
    onFault: (error) => assert.fail(String(error)),
  });
  const lost: string[] = [];
  transport.open({ connected: () => {}, lost: (reason) => void lost.push(reason), failed: () => {} });
  t.after(() => transport.close());
  await eventually('a connection', () => transport.isConnected());
  const results = { type: 'direct', name: 'results' } as const;
  await assert.rejects(transport.publish(results, 'x'.repeat(maxFrameBytes)), {
    message: /^the backend refused: a message of \d+ bytes is too large, the maximum is \d+$/,
  });
  const keepalive = { name: 'c1', subscriptions: [], version: '1', timestamp: 1 };
  await transport.publish({ type: 'direct', name: 'keepalives' }, JSON.stringify(keepalive));
  assert.deepEqual(lost, []);
});

test('a backend is believed when its certificate comes from the authority that was named, and only then', {
  skip: !hasOpenssl && 'there is no openssl program here',
}, async (t) => {
  const authority = makeAuthority(t);
  const live = await openLiveBackend({ tls: tlsOptions(authority.issue('backend')) });
  t.after(() => live.close());
  const { transport } = open(t, live.port, authority.caFile);
  await eventually('a connection', () => transport.isConnected());
  const keepalive = { name: 'c1', subscriptions: [], version: '1', timestamp: 1 };
  await transport.publish({ type: 'direct', name: 'keepalives' }, JSON.stringify(keepalive));
  assert.ok(live.backend.clients.get('c1'));
  for (const caFile of [undefined, makeAuthority(t).caFile]) {
    const stranger = open(t, live.port, caFile);
    await eventually('a refusal', () => stranger.failures.some((reason) => /certificate/.test(reason)));
    assert.ok(!stranger.transport.isConnected());
  }
});
