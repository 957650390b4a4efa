// What the sockets of agent and client share, over real sockets. What is said on them is tested with their owners.
import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { gatherBytes } from '../../src/sockets/gathered-bytes.ts';
import { type LocalSocketOptions, openLocalSockets } from '../../src/sockets/local-sockets.ts';
import { readMessage } from '../../src/sockets/message.ts';
import { eventually } from '../eventually.ts';
import { fc } from '../property.ts';

const open = async (t: TestContext, more: Partial<LocalSocketOptions> = {}) => {
  const sockets = await openLocalSockets({
    host: '127.0.0.1',
    port: 0,
    maxConnections: 2,
    lingerMs: 50,
    converse: (answer) => ({
      received: (bytes) => answer(`got ${bytes.length}`),
      ended: () => answer('end'),
      over: () => {},
    }),
    datagram: () => {},
    fault: (_protocol, error) => assert.fail(error.message),
    ...more,
  });
  t.after(() => sockets.close());
  return sockets;
};

const dial = async (port: number): Promise<Socket> => {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  await once(socket, 'connect');
  return socket;
};

const heard = async (socket: Socket): Promise<string> => {
  let text = '';
  socket.on('data', (chunk) => {
    text += chunk.toString();
  });
  await once(socket, 'end');
  return text;
};

test('what comes after the answer is not handed on, and the answer stays one', async (t) => {
  const received: number[] = [];
  const { port } = await open(t, {
    lingerMs: 60_000,
    converse: (answer) => ({
      received: (bytes) => {
        received.push(bytes.length);
        answer('done');
      },
      ended: () => answer('end'),
      over: () => {},
    }),
  });
  const socket = await dial(port);
  socket.write('a');
  assert.equal(await heard(socket), 'done');
  socket.end('late');
  await once(socket, 'close');
  // A connection that is made and answered after that: the server has read what was late.
  const next = await dial(port);
  next.write('b');
  assert.equal(await heard(next), 'done');
  next.destroy();
  assert.deepEqual(received, [1, 1]);
});

test('a peer that goes on sending after its answer is cut off', async (t) => {
  // Long against the pauses between what it sends, also on a busy machine.
  const { port } = await open(t, { lingerMs: 1_000 });
  const socket = await dial(port);
  let isClosed = false;
  socket.on('error', () => {});
  socket.once('close', () => {
    isClosed = true;
  });
  socket.resume();
  const drip = setInterval(() => socket.writable && socket.write('x'), 5);
  t.after(() => clearInterval(drip));
  await eventually('it is cut off', () => isClosed);
});

test('bytes gathered in any pieces are the bytes that came', () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 40 })), (pieces) => {
      const gathered = gatherBytes();
      let all = Buffer.alloc(0);
      for (const piece of pieces) {
        all = Buffer.concat([all, piece]);
        assert.deepEqual(gathered.add(Buffer.from(piece)), all);
      }
    }),
  );
});

test('a large document is tried when it may be whole, a small one always', () => {
  const large = JSON.stringify({ a: 'x'.repeat(100_000) });
  assert.equal(readMessage(Buffer.from(`${large} \n`), 1_000_000).type, 'value');
  assert.equal(readMessage(Buffer.from(large.slice(0, -1)), 1_000_000).type, 'unfinished');
  assert.equal(readMessage(Buffer.from('5'), 100).type, 'value');
  assert.equal(readMessage(Buffer.from('{"a":'), 100).type, 'unfinished');
});

test('a message may be as large as the limit, and no larger', () => {
  const bytes = Buffer.from('{"a":1}');
  assert.equal(readMessage(bytes, bytes.length).type, 'value');
  assert.equal(readMessage(bytes, bytes.length - 1).type, 'refused');
});

test('one answer a connection, and a peer that keeps its side open is cut off', {
  timeout: 60_000,
}, async (t) => {
  const { port } = await open(t);
  const socket = await dial(port);
  const word = heard(socket);
  socket.write('hello');
  assert.equal(await word, 'got 5');
  // The peer neither closes its side nor stops sending, so it is disconnected.
  const cutOff = new Promise((resolve) => socket.on('error', resolve));
  const talking = setInterval(() => socket.write('anybody?'), 20);
  await cutOff;
  clearInterval(talking);
});

test('a conversation is over once, whether it was answered or the peer vanished', async (t) => {
  let over = 0;
  let done = () => {};
  const twoOver = new Promise<void>((resolve) => {
    done = resolve;
  });
  const { port } = await open(t, {
    converse: (answer) => ({
      received: (bytes) => (bytes.toString() === 'answer' ? answer('ok') : undefined),
      // Kernels tell of a peer that vanished as an end or as a fault.
      ended: () => answer('goodbye'),
      over: () => {
        over += 1;
        if (over === 2) done();
      },
    }),
  });
  const first = await dial(port);
  const word = heard(first);
  first.end('answer');
  assert.equal(await word, 'ok');
  const second = await dial(port);
  second.write('silence');
  second.resetAndDestroy();
  await twoOver;
  assert.equal(over, 2);
});

test('more connections than allowed are closed, and a place that is free again is given', async (t) => {
  const { port } = await open(t);
  const held = await Promise.all([dial(port), dial(port)]);
  const third = connect(port, '127.0.0.1');
  third.on('error', () => {});
  await once(third, 'close');
  const word = heard(held[0] as Socket);
  held[0]?.end('x');
  assert.equal(await word, 'got 1');
  await once(held[0] as Socket, 'close');
  const fourth = await dial(port);
  const answer = heard(fourth);
  fourth.end('12');
  assert.equal(await answer, 'got 2');
  held[1]?.destroy();
});

test('a port in use for UDP also closes TCP', async (t) => {
  const taken = createSocket('udp4').bind(0, '127.0.0.1');
  await once(taken, 'listening');
  t.after(() => taken.close());
  const { port } = taken.address();
  await assert.rejects(open(t, { port }), /EADDRINUSE/);
  await assert.rejects(dial(port), /ECONNREFUSED/);
});
