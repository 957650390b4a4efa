// Clients of the earlier generation inside a whole backend, on a clock turned by hand.
import { openBridge } from '../../../src/actors/families/client/broker-bridge.ts';
import { attributesAnnotation } from '../../../src/model/earlier/attributes.ts';
import { fakeTransport } from '../../client/fake-transport.ts';
import { World, type WorldOptions } from '../engine/world.ts';

/** What a client sends every 20 s. */
export const keepalive = (name = 'c1', more: object = {}) => ({
  name,
  address: '10.0.0.9',
  subscriptions: ['web'],
  version: '1.9.0',
  timestamp: 1,
  ...more,
});
/** What a client sends after a check. */
export const result = (check: object = {}, more: object = {}) => ({
  client: 'c1',
  check: { name: 'cpu', output: 'x', status: 1, ...check },
  ...more,
});

export const open = async (options: WorldOptions = {}) => {
  const world = await World.open(options);
  const { clients } = world.backend;
  return {
    world,
    hear: (message: unknown, via = 'websocket') => world.drive(world.backend.clients.keepalive(message, via)),
    take: (message: unknown) => world.drive(world.backend.clients.result(message)),
    clients,
  };
};

export const silent = { info: () => {}, warn: () => {}, error: () => {} };

/** The same with a broker in memory between the backend and its clients. */
export const openWithBroker = async () => {
  const opened = await open();
  const broker = fakeTransport();
  openBridge({ transport: broker.transport, clients: opened.clients, log: silent });
  broker.connect();
  await opened.world.quiet();
  return { ...opened, broker };
};

/** Metadata of a check with attributes that only the earlier generation has. */
export const attributed = (name: string, attributes: object) => ({
  name,
  namespace: 'default',
  annotations: { [attributesAnnotation]: JSON.stringify(attributes) },
});
