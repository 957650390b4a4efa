import assert from 'node:assert/strict';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { type TestContext, test } from 'node:test';
import { openEventStream } from '../../../src/http/inspect/event-stream.ts';
import { createFrameMaker } from '../../../src/http/inspect/frames.ts';
import { maxPendingFrames, replayFrames } from '../../../src/http/inspect/limits.ts';
import { createWatchHub } from '../../../src/http/inspect/watch-hub.ts';
import { createFakeSystem } from './fake-system.ts';
import { sampleMachine } from './sample-machine.ts';

const one = 'sample:default/web-01/cpu';
const other = 'sample:default/web-02/cpu';

const start = async (t: TestContext) => {
  const system = createFakeSystem([{ machine: sampleMachine, title: '' }]);
  system.add(one, sampleMachine);
  system.add(other, sampleMachine);
  const hub = createWatchHub(
    system.port,
    createFrameMaker(() => []),
  );
  const responses: ServerResponse[] = [];
  const server = createServer((request, response) => {
    responses.push(response);
    const lastEventId = request.headers['last-event-id'];
    openEventStream(response, hub, {
      actors: new Set([one]),
      detail: true,
      lastEventId: typeof lastEventId === 'string' ? lastEventId : undefined,
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  t.after(() => {
    hub.close();
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { system, hub, url, responses };
};

// biome-ignore lint/suspicious/noExplicitAny: a test reads whatever JSON the server gave
type Answer = any;

interface Message {
  id?: string;
  event: string;
  data: Answer;
}

/** Reads whole messages from a stream, one a call. */
const listen = async (t: TestContext, url: string, lastEventId?: string) => {
  const leave = new AbortController();
  t.after(() => leave.abort());
  const response = await fetch(url, {
    signal: leave.signal,
    headers: lastEventId === undefined ? {} : { 'last-event-id': lastEventId },
  });
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let buffer = '';
  const next = async (): Promise<Message> => {
    for (;;) {
      const end = buffer.indexOf('\n\n');
      if (end >= 0) {
        const lines = buffer.slice(0, end).split('\n');
        buffer = buffer.slice(end + 2);
        const field = (name: string) =>
          lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
        const id = field('id');
        const event = field('event');
        if (event !== undefined)
          return { event, data: JSON.parse(field('data') ?? 'null'), ...(id === undefined ? {} : { id }) };
        continue;
      }
      const chunk = await reader?.read();
      if (chunk?.done !== false) throw new Error('the stream ended');
      buffer += chunk.value;
    }
  };
  return { next, leave: () => leave.abort() };
};

test('transitions of the followed actor arrive in one batch, in order, and no others', async (t) => {
  const { system, url } = await start(t);
  const { next } = await listen(t, url);
  assert.equal((await next()).event, 'hello');
  system.send(one, { type: 'note' });
  system.send(other, { type: 'note' });
  system.send(one, { type: 'note' });
  const { event, data, id } = await next();
  assert.equal(event, 'transitions');
  assert.deepEqual(
    data.map((frame: Answer) => [frame.actor, frame.to.lamp]),
    [
      [one, 'on'],
      [one, 'off'],
    ],
  );
  assert.match(id ?? '', /\.\d+$/);
});

test('a client that comes back gets what it missed, once', async (t) => {
  const { system, url } = await start(t);
  const first = await listen(t, url);
  await first.next();
  system.send(one, { type: 'note' });
  const seen = await first.next();
  first.leave();
  system.send(one, { type: 'note' });
  const second = await listen(t, url, seen.id);
  assert.equal((await second.next()).event, 'hello');
  const missed = await second.next();
  assert.deepEqual(
    missed.data.map((frame: Answer) => frame.to.lamp),
    ['off'],
  );
});

test('a client of an earlier process is told that its position is lost', async (t) => {
  const { url } = await start(t);
  const { next } = await listen(t, url, 'otherlife.5');
  await next();
  assert.deepEqual(await next(), { event: 'lagged', data: { dropped: null } });
});

test('a client that was disconnected for too long is told that messages are lost', async (t) => {
  const { system, url, hub } = await start(t);
  const first = await listen(t, url);
  const hello = await first.next();
  for (let n = 0; n <= replayFrames; n += 1) system.send(one, { type: 'note' });
  assert.equal(hub.since(0).items.length, replayFrames);
  const second = await listen(t, url, hello.id);
  await second.next();
  assert.equal((await second.next()).event, 'lagged');
});

test('a flood is cut to the newest frames and counted', async (t) => {
  const { system, url } = await start(t);
  const { next } = await listen(t, url);
  await next();
  for (let n = 0; n < maxPendingFrames + 7; n += 1) system.send(one, { type: 'note' });
  assert.deepEqual(await next(), { event: 'lagged', data: { dropped: 7 } });
  assert.equal((await next()).data.length, maxPendingFrames);
});

test('lifecycle facts of the followed actor come too, and a restart is watched on', async (t) => {
  const { system, url } = await start(t);
  const { next } = await listen(t, url);
  await next();
  system.tellFact({
    type: 'restarting',
    actor: one,
    atMs: 1,
    attempt: 1,
    inMs: 1000,
    error: new Error('boom'),
  });
  const { event, data } = await next();
  assert.equal(event, 'lifecycle');
  assert.equal(data[0].error, 'Error: boom');
  system.tellFact({ type: 'started', actor: one, atMs: 2, generation: 2 });
  assert.equal(system.observerCount(), 1);
});

test('context changes are sent as paths, with secrets replaced', async (t) => {
  const { system, hub } = await start(t);
  const actor = system.add('sample:default/x/y', sampleMachine);
  hub.touch(actor.id);
  const moved = { ...actor.snapshot, context: { count: 1, password: 'hunter2' } };
  actor.snapshot = moved as typeof actor.snapshot;
  system.send(actor.id, { type: 'note' });
  const frame = hub.history(actor.id)[0]?.frame(true);
  assert.deepEqual(frame?.diff, [
    { path: 'count', before: 0, after: 1 },
    { path: 'password', before: null, after: 'REDACTED' },
  ]);
});

test('a client that stops reading is cut, and costs no more than its buffer until then', async (t) => {
  const { system, hub } = await start(t);
  const closed = { cut: false };
  const server = createServer((_request, response) => {
    response.on('close', () => {
      closed.cut = response.destroyed;
    });
    openEventStream(response, hub, {
      actors: new Set([one]),
      detail: false,
      lastEventId: undefined,
      stalledMs: 300,
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  t.after(() => socket.destroy());
  socket.on('error', () => undefined);
  socket.pause();
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  let most = 0;
  const deadlineMs = Date.now() + 120_000;
  while (!closed.cut && Date.now() < deadlineMs) {
    for (let n = 0; n < 400; n += 1)
      system.send(one, { type: 'note', text: 'x'.repeat(200) } as { type: string });
    await new Promise((done) => setTimeout(done, 25));
    most = Math.max(most, hub.since(0).items.length);
  }
  assert.ok(closed.cut, 'the stalled client was never cut');
  assert.ok(most <= replayFrames);
});
