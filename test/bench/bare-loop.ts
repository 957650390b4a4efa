// The bare limit the whole road is compared with: ws in, JSON.parse, LMDB put, acknowledge. No model, no actors, no
// schema. Started with IPC and a folder as argument; tells its port. Acknowledges, like the backend, after the commit.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { open } from 'lmdb';
import { WebSocketServer } from 'ws';

const dir = process.argv[2];
if (dir === undefined) throw new Error('bare-loop needs a folder for its store');

const db = open<string, string>({ path: `${dir}/bare.lmdb`, encoding: 'string', overlappingSync: false });
const http = createServer();
const server = new WebSocketServer({ server: http, perMessageDeflate: false });

server.on('connection', (socket) => {
  let ids: string[] = [];
  const acknowledge = (id: string): void => {
    if (ids.push(id) > 1) return;
    setImmediate(() => {
      socket.send(`ack\n{"ids":${JSON.stringify(ids)}}`);
      ids = [];
    });
  };
  socket.on('message', (data: Buffer) => {
    if (data[0] !== 0x65) return; // only `event\n` frames
    const text = data.toString('utf8', 6);
    const event = JSON.parse(text);
    const key = `${event.entity.metadata.namespace}/${event.entity.metadata.name}/${event.check.metadata.name}`;
    db.put(key, text).then(() => acknowledge(event.id), console.error);
  });
});

http.listen(0, '127.0.0.1', () => process.send?.((http.address() as AddressInfo).port));
