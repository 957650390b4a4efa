// Addresses as people write them, and the sentence for those that are none.
import assert from 'node:assert/strict';
import test from 'node:test';
import { localUrl, parseListenAddress, parsePublicUrl } from '../../src/main/listen-address.ts';

test('a listen address is host and port, the host may be left out', () => {
  for (const [text, host, port] of [
    ['127.0.0.1:8080', '127.0.0.1', 8_080],
    ['[::]:8080', '::', 8_080],
    [':0', '::', 0],
    ['localhost:65535', 'localhost', 65_535],
  ] as const)
    assert.deepEqual(parseListenAddress('--x', text), { host, port });
  for (const text of ['', '8080', 'host', 'host:', 'host:65536', '::1:80', 'host:8a'])
    assert.throws(
      () => parseListenAddress('--x', text),
      /^SettingsError: --x must be host:port.*got "/,
      text,
    );
});

test('the address others know is a scheme and a host', () => {
  assert.equal(parsePublicUrl('--api-url', ''), undefined);
  assert.equal(parsePublicUrl('--api-url', 'https://mon.example.org/'), 'https://mon.example.org');
  assert.equal(parsePublicUrl('--api-url', 'http://mon.example.org:8080'), 'http://mon.example.org:8080');
  for (const text of [
    'mon.example.org',
    'ftp://mon.example.org',
    'https://mon.example.org/path',
    'https://user@mon.example.org',
    'https://mon.example.org/?a=1',
    'https://',
  ])
    assert.throws(
      () => parsePublicUrl('--api-url', text),
      /--api-url must be a URL of scheme and host/,
      text,
    );
});

test('a listener on every address is reached on this machine by the loopback one', () => {
  const at = (address: string) => localUrl('http', { address, port: 80 });
  assert.deepEqual(['::', '0.0.0.0', '::1', '10.0.0.1'].map(at), [
    'http://127.0.0.1:80',
    'http://127.0.0.1:80',
    'http://[::1]:80',
    'http://10.0.0.1:80',
  ]);
});
