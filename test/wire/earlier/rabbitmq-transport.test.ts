// The transport over RabbitMQ against a real server: the topology of the earlier generation, and TLS.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { connect } from 'amqplib';
import { brokerFromUrl } from '../../../src/wire/earlier/broker-url.ts';
import { createRabbitmqTransport } from '../../../src/wire/earlier/rabbitmq-transport.ts';
import { eventually } from '../../eventually.ts';
import { type Authority, hasOpenssl, makeAuthority, type Pair } from '../../http/certificates.ts';
import { type RabbitmqBroker, rabbitmqSkipReason, startRabbitmq } from './brokers.ts';

const onFault = (error: unknown) => assert.fail(String(error));

const open = (rabbitmq: unknown) => {
  const told: string[] = [];
  const transport = createRabbitmqTransport({ rabbitmq, stepMs: 50, onFault });
  transport.open({
    connected: () => void told.push('connected'),
    lost: (reason) => void told.push(`lost: ${reason}`),
    failed: (reason) => void told.push(`failed: ${reason}`),
    blocked: (reason) => void told.push(`blocked: ${reason}`),
    unblocked: () => void told.push('unblocked'),
  });
  return { transport, told, isUp: () => eventually('a connection', () => transport.isConnected()) };
};

describe('the transport over RabbitMQ', { skip: rabbitmqSkipReason() }, () => {
  let broker: RabbitmqBroker;
  let authority: Authority;
  let client: Pair;
  const cleanUps: (() => void)[] = [];
  before(async () => {
    if (!hasOpenssl) {
      broker = await startRabbitmq();
      return;
    }
    authority = makeAuthority({ after: (task) => void cleanUps.push(task) });
    client = authority.issue('client');
    broker = await startRabbitmq({ ...authority.issue('rabbitmq'), caFile: authority.caFile });
  });
  after(async () => {
    await broker.stop();
    for (const cleanUp of cleanUps) cleanUp();
  });

  test('has the topology of the earlier generation: others may declare the same, and messages look the same', async () => {
    const { transport, isUp } = open(broker.url);
    await isUp();
    await transport.subscribe({ type: 'fanout', name: 'web' }, 'c1-1.9.0-1', () => {});
    await transport.subscribe({ type: 'direct', name: 'roundrobin:web' }, 'roundrobin:web', () => {});
    await transport.publish({ type: 'direct', name: 'keepalives' }, '{}');

    const connection = await connect(broker.url);
    const channel = await connection.createChannel();
    // Any other flags would be answered with 406 and end the channel.
    const flags = { durable: false, autoDelete: false, internal: false };
    await channel.assertExchange('web', 'fanout', flags);
    await channel.assertExchange('roundrobin:web', 'direct', flags);
    await channel.assertExchange('keepalives', 'direct', flags);
    for (const queue of ['c1-1.9.0-1', 'roundrobin:web', 'results'])
      await channel.assertQueue(queue, { durable: false, autoDelete: true, exclusive: false });
    await channel.assertExchange('results', 'direct', flags);
    await channel.bindQueue('results', 'results', '');
    const message = new Promise<{ properties: object; fields: object }>((resolve) => {
      channel.consume('results', (one) => one !== null && resolve(one), { noAck: true });
    });
    await transport.publish({ type: 'direct', name: 'results' }, '{"a":1}');
    const { properties, fields } = await message;
    const { contentType, deliveryMode, priority } = properties as Record<string, unknown>;
    assert.deepEqual([contentType, deliveryMode, priority], ['application/octet-stream', 1, 0]);
    assert.equal((fields as { routingKey: string }).routingKey, '');
    assert.equal((await transport.stats({ type: 'direct', name: 'results' })).consumers, 1);
    await connection.close();
    await transport.close();
  });

  test('says that a broker without memory takes no messages, and refuses them until it does again', async () => {
    const { transport, told, isUp } = open(broker.url);
    await isUp();
    const request = { type: 'fanout', name: 'web' } as const;
    broker.control('set_vm_memory_high_watermark', '0.000001');
    // A broker tells only those who publish.
    await transport.publish(request, '{}');
    await eventually('the block', () =>
      told.some((line) => /^blocked: rabbitmq blocks publishers: /.test(line)),
    );
    for (const pipe of [request, { type: 'direct', name: 'results' } as const])
      await assert.rejects(transport.publish(pipe, '{}'), { message: 'rabbitmq takes no messages for now' });
    assert.ok(transport.isConnected());
    broker.control('set_vm_memory_high_watermark', '0.4');
    await eventually('the release', () => told.includes('unblocked'));
    await transport.publish(request, '{}');
    await transport.close();
  });

  test('gives up a server that is there and does not answer', async () => {
    const { transport, told, isUp } = open({ port: Number(new URL(broker.url).port), heartbeat: 1 });
    await isUp();
    broker.signal('SIGSTOP');
    await eventually('the loss', () => told.some((line) => line.startsWith('lost')));
    broker.signal('SIGCONT');
    await eventually('the return', () => told.filter((line) => line === 'connected').length === 2);
    await transport.close();
  });

  test('uses TLS with its own certificate, and only with a trusted server', {
    skip: !hasOpenssl && 'there is no openssl program here',
  }, async () => {
    const files = { caFile: authority.caFile, certFile: client.certFile, keyFile: client.keyFile };
    const named = brokerFromUrl(broker.tlsUrl, files);
    assert.ok(named.type === 'rabbitmq');
    const trusting = open(named.rabbitmq);
    await trusting.isUp();
    await trusting.transport.publish({ type: 'direct', name: 'keepalives' }, '{}');
    await trusting.transport.close();

    const unknown = brokerFromUrl(broker.tlsUrl, { ...files, caFile: client.certFile });
    assert.ok(unknown.type === 'rabbitmq');
    const untrusting = open(unknown.rabbitmq);
    await eventually('a refusal', () => untrusting.told.some((line) => /certificate/.test(line)));
    assert.ok(!untrusting.transport.isConnected());
    await untrusting.transport.close();

    // As the configuration of the earlier generation says it: it shows a certificate and believes any broker.
    const port = Number(new URL(broker.tlsUrl).port);
    const scope = { cert_chain_file: client.certFile, private_key_file: client.keyFile };
    const believing = open([{ port, ssl: scope }]);
    await believing.isUp();
    await believing.transport.close();
  });
});
