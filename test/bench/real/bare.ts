// The bare limit under the same load: requests out when the schedules of a backend would send them, results in, decoded by the
// same library, put to LMDB as they came, acknowledged after the synced commit. No model, no actors, no schema, no rights, no
// handlers.
// Started with IPC and a folder; receives a RealPlan, tells its port.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { open } from 'lmdb';
import { type WebSocket, WebSocketServer } from 'ws';
import { nextIntervalRun } from '../../../src/machines/schedule/splay-rule.ts';
import { checkName, definitionOf, type RealPlan } from './plan.ts';
import { nowSeconds, wireOf } from './wire.ts';

const dir = process.argv[2];
if (dir === undefined) throw new Error('the bare loop needs a folder for its store');

const db = open<Buffer, string>({ path: `${dir}/bare.lmdb`, encoding: 'binary', overlappingSync: false });

const acknowledger = (socket: WebSocket): ((id: string) => void) => {
  let ids: string[] = [];
  return (id) => {
    if (ids.push(id) > 1) return;
    setImmediate(() => {
      socket.send(`ack\n{"ids":${JSON.stringify(ids)}}`);
      ids = [];
    });
  };
};

const serve = (plan: RealPlan): void => {
  const wire = wireOf(plan);
  const http = createServer();
  const server = new WebSocketServer({ server: http, perMessageDeflate: false });
  server.on('connection', (socket) => {
    const acknowledge = acknowledger(socket);
    socket.on('error', () => socket.terminate());
    socket.on('message', (frame: Buffer) => {
      const payload = frame.subarray(frame.indexOf(0x0a) + 1);
      const event = wire.decodeEvent(payload);
      const key = `${event.entity.metadata.namespace}/${event.entity.metadata.name}/${event.check.metadata.name}`;
      db.put(key, payload).then(() => acknowledge(event.id), console.error);
    });
  });
  for (let index = 0; index < plan.checks; index += 1) {
    const name = checkName(index);
    const config = definitionOf(name, plan.intervalSeconds, []);
    const next = (): void => {
      const nowMs = Date.now();
      // The phases follow from the names: some checks are due close to each other, and their results queue up.
      setTimeout(issue, nextIntervalRun(name, plan.intervalSeconds, nowMs) - nowMs);
    };
    const issue = (): void => {
      const frame = wire.encodeRequest({ config, issued: nowSeconds() });
      for (const socket of server.clients) socket.send(frame);
      next();
    };
    next();
  }
  http.listen(0, '127.0.0.1', () => process.send?.((http.address() as AddressInfo).port));
};

process.once('message', serve);
process.once('disconnect', () => process.exit(0));
