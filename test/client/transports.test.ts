// Which transport a configuration asks for.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chooseTransport } from '../../src/client/transports.ts';

const chosen = (settings: object) => {
  const choice = chooseTransport(settings as never, () => {});
  return choice.ok ? choice.transport.name : choice.problem;
};

test('one that is named, whatever else is there', () => {
  const everything = { redis: {}, rabbitmq: {}, websocket: {} };
  for (const name of ['websocket', 'redis', 'rabbitmq'])
    assert.equal(chosen({ ...everything, transport: { name } }), name);
});

test('RabbitMQ where only that is configured, as in the reference product; else a WebSocket', () => {
  assert.equal(chosen({ rabbitmq: 'amqp://h' }), 'rabbitmq');
  assert.equal(chosen({ transport: {}, rabbitmq: {}, redis: {} }), 'rabbitmq');
  assert.equal(chosen({ rabbitmq: {}, websocket: {} }), 'websocket');
  assert.equal(chosen({ redis: {} }), 'websocket');
  assert.equal(chosen({}), 'websocket');
});

test('a configuration that can never connect is reported first', () => {
  const table: readonly (readonly [object, RegExp])[] = [
    [
      { transport: { name: 'carrier-pigeon' } },
      /must be websocket, redis or rabbitmq \(got "carrier-pigeon"\)/,
    ],
    [{ websocket: { url: 'no url' } }, /^websocket url is not a valid URL: no url$/],
    [{ transport: { name: 'redis' }, redis: 'no url' }, /^redis cannot be used: Invalid URL/],
    [{ rabbitmq: { ssl: { cert_chain_file: '/nowhere' } } }, /^rabbitmq cannot be used: ENOENT.*\/nowhere/],
  ];
  for (const [settings, problem] of table) assert.match(chosen(settings), problem);
});
