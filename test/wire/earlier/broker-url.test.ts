// Brokers named by one URL, as the flags of the backend do.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { BrokerUrlError, brokerFromUrl } from '../../../src/wire/earlier/broker-url.ts';
import { brokerAddresses } from '../../../src/wire/earlier/rabbitmq-address.ts';
import { redisOptions } from '../../../src/wire/earlier/redis-options.ts';

const none = { caFile: '', certFile: '', keyFile: '' };
const some = { caFile: 'ca', certFile: 'cert', keyFile: 'key' };
const tls = { verify_peer: true, ca_file: 'ca', cert_chain_file: 'cert', private_key_file: 'key' };

describe('a broker named by a URL', () => {
  const table: readonly (readonly [string, typeof none, object])[] = [
    ['redis://h', none, { type: 'redis', redis: { host: 'h', db: 0 } }],
    [
      'redis://:p%40ss@h:1/2',
      none,
      { type: 'redis', redis: { host: 'h', port: 1, password: 'p@ss', db: 2 } },
    ],
    ['rediss://h', none, { type: 'redis', redis: { host: 'h', db: 0, tls: { verify_peer: true } } }],
    ['rediss://[::1]:1', some, { type: 'redis', redis: { host: '::1', port: 1, db: 0, tls } }],
    ['redis://h', some, { type: 'redis', redis: { host: 'h', db: 0 } }],
    [
      'redis-sentinel://:p@a;b:1/2#m',
      none,
      {
        type: 'redis',
        redis: { sentinels: [{ host: 'a' }, { host: 'b', port: 1 }], master: 'm', password: 'p', db: 2 },
      },
    ],
    ['amqp://h', none, { type: 'rabbitmq', rabbitmq: { host: 'h', heartbeat: 10 } }],
    ['amqp://h/', none, { type: 'rabbitmq', rabbitmq: { host: 'h', heartbeat: 10 } }],
    [
      'amqps://u:p:q@h:1/%2Fmon',
      some,
      {
        type: 'rabbitmq',
        rabbitmq: { host: 'h', port: 1, user: 'u', password: 'p:q', vhost: '/mon', heartbeat: 10, ssl: tls },
      },
    ],
  ];
  for (const [url, files, broker] of table)
    test(`${url}${files === some ? ' with files' : ''}`, () =>
      assert.deepEqual(brokerFromUrl(url, files), broker));

  test('is refused when it is none, without its password in the message', () => {
    for (const url of ['', 'h', 'http://u:sesame@h', 'redis://', 'redis://:sesame@h/db', 'redis://h:sesame'])
      assert.throws(
        () => brokerFromUrl(url, none),
        (error: Error) => error instanceof BrokerUrlError && !error.message.includes('sesame'),
      );
  });
});

describe('the scopes of a configuration', () => {
  test('name a Redis', () => {
    const { host, port, tls: secure } = redisOptions(undefined);
    assert.deepEqual([host, port, secure], ['127.0.0.1', 6_379, undefined]);
    assert.deepEqual(redisOptions('rediss://h').tls, { rejectUnauthorized: true });
    assert.deepEqual(redisOptions({ tls: {} }).tls, { rejectUnauthorized: false });
    assert.deepEqual(redisOptions({ ssl: { verify_peer: true } }).tls, { rejectUnauthorized: true });
    assert.throws(() => redisOptions('nowhere'), /Invalid URL/);
    assert.throws(() => redisOptions({ tls: { ca_file: '/nowhere' } }), /ENOENT.*\/nowhere/);
    const { sentinels, name, sentinelPassword, db } = redisOptions({
      sentinels: [{ host: 'a', password: 's' }, 'redis://b:1'],
      db: 4,
    });
    assert.deepEqual(sentinels, [
      { host: 'a', port: 26_379 },
      { host: 'b', port: 1 },
    ]);
    assert.deepEqual([name, sentinelPassword, db], ['mymaster', 's', 4]);
    const inUrl = redisOptions({ sentinels: ['redis://:p%40ss@b:1'], master: 'm' });
    assert.equal(inUrl.sentinelPassword, 'p@ss', 'a password in a URL is decoded');
  });

  test('name one RabbitMQ or several', () => {
    const [plain] = brokerAddresses({ host: 'h', user: 'u' });
    assert.deepEqual(plain, {
      url: {
        protocol: 'amqp',
        hostname: 'h',
        port: 5_672,
        username: 'u',
        password: 'guest',
        vhost: '/',
        frameMax: 131_072,
      },
      prefetch: 1,
    });
    const [secure] = brokerAddresses({ ssl: {}, prefetch: 5 });
    assert.deepEqual([secure?.tls, secure?.prefetch], [{ rejectUnauthorized: false }, 5]);
    assert.match(JSON.stringify(secure?.url), /"protocol":"amqps".*"port":5671/);
    assert.match(JSON.stringify(brokerAddresses({ heartbeat: 5 })), /"heartbeat":5/);
    assert.doesNotMatch(JSON.stringify(brokerAddresses({ heartbeat: 0 })), /heartbeat/);
    assert.equal(brokerAddresses([{ host: 'a' }, { host: 'b' }]).length, 2);
    assert.throws(() => brokerAddresses('nowhere'), /Invalid URL/);
  });
});
