// The transport over Redis against real servers: the keys of the earlier generation, TLS, sentinels, and a server
// that no longer answers.
import assert from 'node:assert/strict';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { describe, type TestContext, test } from 'node:test';
import { Redis } from 'ioredis';
import { brokerFromUrl } from '../../../src/wire/earlier/broker-url.ts';
import { maxMessagesInHand, maxWaitingRequests } from '../../../src/wire/earlier/limits.ts';
import { createRedisTransport, inHandKeyOf } from '../../../src/wire/earlier/redis-transport.ts';
import type { Arrival } from '../../../src/wire/earlier/transport.ts';
import { eventually } from '../../eventually.ts';
import { hasOpenssl, makeAuthority } from '../../http/certificates.ts';
import { redisSkipReason, startRedis, startSentinel, startTlsRedis } from './brokers.ts';

const results = { type: 'direct', name: 'results' } as const;
const onFault = (error: unknown) => assert.fail(String(error));

/** A transport that tries often, and what became of its attempts. */
const open = (t: TestContext, redis: unknown, pingMs?: number) => {
  const told: string[] = [];
  const transport = createRedisTransport({
    redis,
    stepMs: 50,
    onFault,
    ...(pingMs === undefined ? {} : { pingMs }),
  });
  transport.open({
    connected: () => void told.push('connected'),
    lost: (reason) => void told.push(`lost: ${reason}`),
    failed: (reason) => void told.push(`failed: ${reason}`),
  });
  t.after(() => transport.close());
  return { transport, told, isUp: () => eventually('a connection', () => transport.isConnected()) };
};

describe('the transport over Redis', { skip: redisSkipReason() }, () => {
  test('has the keys of the earlier generation, in the database it was told', async (t) => {
    const broker = await startRedis();
    t.after(() => broker.stop());
    const seen = new Redis(broker.url);
    t.after(() => seen.disconnect());
    const { transport, isUp } = open(t, broker.url);
    await isUp();
    await transport.publish(results, '{"a":1}');
    assert.deepEqual(await seen.lrange('transport:0:list:results', 0, -1), ['{"a":1}']);
    const taken: string[] = [];
    const take = (message: Buffer) => void taken.push(String(message));
    await transport.subscribe({ type: 'fanout', name: 'web' }, 'f', take);
    await transport.subscribe({ type: 'direct', name: 'roundrobin:web' }, 'x', take);
    await seen.publish('transport:0:channel:web', 'one');
    await seen.rpush('transport:0:list:roundrobin:web', 'two');
    await eventually('both messages', () => taken.length === 2);
    assert.deepEqual(taken.sort(), ['one', 'two']);

    const named = brokerFromUrl(`${broker.url}/3`, { caFile: '', certFile: '', keyFile: '' });
    assert.ok(named.type === 'redis');
    const third = open(t, named.redis);
    await third.isUp();
    await third.transport.publish(results, '{"b":1}');
    await seen.select(3);
    assert.deepEqual(await seen.lrange('transport:3:list:results', 0, -1), ['{"b":1}']);
  });

  test('keeps the newest unconsumed requests, and every result', async (t) => {
    const broker = await startRedis();
    t.after(() => broker.stop());
    const seen = new Redis(broker.url);
    t.after(() => seen.disconnect());
    const { transport, isUp } = open(t, broker.url);
    await isUp();
    for (let at = 0; at < maxWaitingRequests + 5; at += 1) {
      await transport.publish({ type: 'direct', name: 'roundrobin:web' }, String(at));
      await transport.publish(results, String(at));
    }
    const requests = await seen.lrange('transport:0:list:roundrobin:web', 0, -1);
    assert.deepEqual([requests.length, requests[0]], [maxWaitingRequests, '5']);
    assert.equal(await seen.llen('transport:0:list:results'), maxWaitingRequests + 5);
  });

  test('leaves in the list what it cannot deal with yet', async (t) => {
    const broker = await startRedis();
    t.after(() => broker.stop());
    const seen = new Redis(broker.url);
    t.after(() => seen.disconnect());
    const key = 'transport:0:list:results';
    const all = Array.from({ length: 2 * maxMessagesInHand }, (_, at) => String(at));
    await seen.rpush(key, ...all);
    const { transport, isUp } = open(t, broker.url);
    await isUp();
    let letGo = () => {};
    const free = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    const taken: string[] = [];
    await transport.subscribe(results, 'results', (message) => {
      taken.push(String(message));
      return free;
    });
    await eventually('as many as it takes', () => taken.length >= maxMessagesInHand);
    assert.deepEqual([taken.length, await seen.llen(key)], [maxMessagesInHand, maxMessagesInHand]);
    letGo();
    await eventually('all of them', () => taken.length === all.length);
    assert.deepEqual(taken, all);
  });

  test('hands a result on again that was in hand when its taker died, and forgets it once it is dealt with', async (t) => {
    const broker = await startRedis();
    t.after(() => broker.stop());
    const seen = new Redis(broker.url);
    t.after(() => seen.disconnect());
    const key = 'transport:0:list:results';
    await seen.rpush(key, 'one', 'two', 'three');
    const dying = open(t, broker.url);
    await dying.isUp();
    const first: string[] = [];
    await dying.transport.subscribe(
      results,
      'results',
      (message) => {
        first.push(String(message));
        return String(message) === 'one' ? undefined : new Promise(() => {});
      },
      { ack: true },
    );
    await eventually('all in hand', () => first.length === 3);
    await eventually('the first acknowledged', async () => (await seen.llen(inHandKeyOf(key))) === 2);
    assert.equal(await seen.llen(key), 0);
    await dying.transport.close();

    const { transport, isUp } = open(t, broker.url);
    await isUp();
    const taken: [string, boolean | undefined][] = [];
    const take = (message: Buffer, arrival?: Arrival) =>
      void taken.push([String(message), arrival?.redelivered]);
    await transport.subscribe(results, 'results', take, { ack: true });
    await eventually('what was left', () => taken.length === 2);
    await seen.rpush(key, 'four');
    await eventually('what is new', () => taken.length === 3);
    assert.deepEqual(taken, [
      ['two', true],
      ['three', true],
      ['four', false],
    ]);
    await eventually('nothing in hand', async () => (await seen.exists(inHandKeyOf(key), key)) === 0);
  });

  test('needs the password a server asks for', async (t) => {
    const broker = await startRedis([], 'open sesame');
    t.after(() => broker.stop());
    const { host, port } = { host: '127.0.0.1', port: Number(new URL(broker.url).port) };
    const { isUp } = open(t, { host, port, password: 'open sesame' });
    await isUp();
    const refused = open(t, { host, port, password: 'wrong' });
    await eventually('a refusal', () => refused.told.some((line) => /WRONGPASS|invalid/i.test(line)));
  });

  test('uses TLS with its own certificate, and only with a trusted server', {
    skip: !hasOpenssl && 'there is no openssl program here',
  }, async (t) => {
    const authority = makeAuthority(t);
    const server = authority.issue('redis');
    const client = authority.issue('client');
    const broker = await startTlsRedis({ ...server, caFile: authority.caFile });
    t.after(() => broker.stop());
    const files = { caFile: authority.caFile, certFile: client.certFile, keyFile: client.keyFile };
    const named = brokerFromUrl(broker.url, files);
    assert.ok(named.type === 'redis');
    const { transport, isUp } = open(t, named.redis);
    await isUp();
    await transport.publish(results, '{}');

    const stranger = brokerFromUrl(broker.url, { ...files, caFile: makeAuthority(t).caFile });
    assert.ok(stranger.type === 'redis');
    const untrusting = open(t, stranger.redis);
    await eventually('a refusal', () => untrusting.told.some((line) => /certificate/.test(line)));
    assert.ok(!untrusting.transport.isConnected());

    const port = Number(new URL(broker.url).port);
    const scope = { cert_chain_file: client.certFile, private_key_file: client.keyFile };
    await open(t, { port, tls: scope }).isUp();
    await open(t, { port, ssl: { ...scope, ca_file: authority.caFile } }).isUp();
  });

  test('asks a sentinel for the master, and follows when another one becomes it', async (t) => {
    const master = await startRedis();
    t.after(() => master.stop());
    const { port } = new URL(master.url);
    const replica = await startRedis(['--replicaof', '127.0.0.1', port]);
    t.after(() => replica.stop());
    const sentinel = await startSentinel(master.url);
    t.after(() => sentinel.stop());
    const watch = new Redis(sentinel.url);
    t.after(() => watch.disconnect());
    await eventually('the replica known to the sentinel', async () => {
      const known = (await watch.call('SENTINEL', 'replicas', 'mymaster')) as unknown[];
      return known.length > 0;
    });
    const nobody = `127.0.0.1:${(await startRedis().then((gone) => gone.stop().then(() => new URL(gone.url)))).port}`;
    const { transport, told, isUp } = open(t, { sentinels: `${nobody},${sentinel.url}`, master: 'mymaster' });
    await isUp();
    await transport.publish(results, 'before');
    await master.kill();
    await eventually('the loss', () => told.some((line) => line.startsWith('lost')));
    await eventually('the new master', async () => {
      if (!transport.isConnected()) return false;
      // A replica that is not promoted yet takes no writes.
      return transport.publish(results, 'after').then(
        () => true,
        () => false,
      );
    });
    const promoted = new Redis(replica.url);
    t.after(() => promoted.disconnect());
    assert.ok((await promoted.lrange('transport:0:list:results', 0, -1)).includes('after'));
  });

  test('a subscription that fails is a lost connection, and is made again', async (t) => {
    const broker = await startRedis();
    t.after(() => broker.stop());
    const admin = new Redis(broker.url);
    t.after(() => admin.disconnect());
    const { transport, told, isUp } = open(t, broker.url);
    await isUp();
    // Room for the two connections of the transport and this one, and for no third, which a subscription needs.
    await admin.config('SET', 'maxclients', '3');
    await assert.rejects(transport.subscribe(results, 'x', () => {}));
    assert.match(told.at(-1) ?? '', /^lost: redis /);
    await admin.config('SET', 'maxclients', '100');
    await eventually('the return', () => told.filter((line) => line === 'connected').length === 2);
    await transport.subscribe(results, 'x', () => {});
  });

  test('forgets a message that is no text once it is dealt with', async (t) => {
    const broker = await startRedis();
    t.after(() => broker.stop());
    const seen = new Redis(broker.url);
    t.after(() => seen.disconnect());
    const { transport, isUp } = open(t, broker.url);
    await isUp();
    const key = 'transport:0:list:results';
    const odd = Buffer.from('{"output":"Z\xfcrich"}', 'latin1');
    const taken: Buffer[] = [];
    await transport.subscribe(results, 'results', (message) => void taken.push(message), { ack: true });
    await seen.rpush(key, odd, 'last');
    await eventually('both', () => taken.length === 2);
    assert.deepEqual(taken[0], odd);
    await eventually('nothing in hand', async () => (await seen.exists(inHandKeyOf(key), key)) === 0);
  });

  test('gives up a server that accepts the connection and then says nothing', async (t) => {
    const silent = createServer();
    const accepted: Socket[] = [];
    silent.on('connection', (socket) => void accepted.push(socket));
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    t.after(() => {
      for (const socket of accepted) socket.destroy();
      silent.close();
    });
    const { told } = open(t, `redis://127.0.0.1:${(silent.address() as AddressInfo).port}`, 200);
    const failures = () => told.filter((line) => line === 'failed: redis does not respond').length;
    await eventually('a second try', () => failures() >= 2);
  });

  test('gives up a server that is there and does not answer', async (t) => {
    const broker = await startRedis();
    t.after(() => broker.stop());
    const { told, isUp } = open(t, broker.url, 500);
    await isUp();
    broker.signal('SIGSTOP');
    await eventually('the loss', () => told.includes('lost: redis does not respond'));
    broker.signal('SIGCONT');
    await eventually('the return', () => told.filter((line) => line === 'connected').length === 2);
  });
});
