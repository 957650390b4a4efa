// A list of 50,000 events over a real socket: in pages, filtered, and whole; whoever reads slowly does not make the backend
// hold the list.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request } from 'node:http';
import test, { type TestContext } from 'node:test';
import type { CheckEvent } from '../../src/model/event.ts';
import { parseEvent } from '../../src/model/event-parse.ts';
import { FakeBackend } from './fake-backend.ts';
import { openHouse } from './harness.ts';

const total = 50_000;
const base = '/api/core/v2/namespaces/default/events';
const every = 1_000;

const nameAt = (at: number): string => `host-${String(at).padStart(5, '0')}`;

/** Events made as they are read, and a count of what was asked for. */
const open = async (t: TestContext) => {
  const parsed = parseEvent(
    {
      entity: { entity_class: 'proxy', metadata: { name: 'host' } },
      check: { metadata: { name: 'disk' }, interval: 60, output: 'x'.repeat(500) },
    },
    { namespace: 'default' },
  );
  assert.ok(parsed.ok);
  const { entity, check } = parsed.value;
  assert.ok(check);
  const eventAt = (at: number): CheckEvent => ({
    ...parsed.value,
    entity: { ...entity, metadata: { ...entity.metadata, name: nameAt(at) } },
    check: { ...check, status: at % every === 0 ? 2 : 0 },
  });
  const asked: { read: number; largest: number } = { read: 0, largest: 0 };
  const backend = await FakeBackend.create();
  backend.readEvents = async ({ after, limit = Number.POSITIVE_INFINITY, filter = () => true }) => {
    const items: CheckEvent[] = [];
    let at = after === undefined ? 0 : Number(/host-(\d+)/.exec(after)?.[1]) + 1;
    for (; at < total && items.length < limit; at += 1) {
      const event = eventAt(at);
      if (filter(event)) items.push(event);
    }
    asked.read += items.length;
    asked.largest = Math.max(asked.largest, items.length);
    return { items, ...(at < total ? { next: `default/${nameAt(at - 1)}/disk` } : {}) };
  };
  return { house: await openHouse(t, { backend }), asked };
};

test('pages follow each other to the end, and none reads more than it answers with', async (t) => {
  const { house, asked } = await open(t);
  const names: string[] = [];
  for (let token: string | null = ''; token !== null; ) {
    const reply = await house.ask('GET', `${base}?limit=5000&continue=${token}`);
    assert.equal(reply.status, 200);
    for (const { entity } of reply.json) names.push(entity.metadata.name);
    token = reply.headers.get('mon-continue');
  }
  assert.equal(names.length, total);
  assert.deepEqual(names, [...names].sort());
  assert.equal(asked.read, total);
  assert.equal(asked.largest, 5_000);
});

test('a filter is asked while reading: only what fits is in the answer', async (t) => {
  const { house, asked } = await open(t);
  const selector = encodeURIComponent("event.check.status == '2'");
  const found: string[] = [];
  for (let token: string | null = ''; token !== null; ) {
    const reply = await house.ask('GET', `${base}?limit=20&fieldSelector=${selector}&continue=${token}`);
    for (const { entity } of reply.json) found.push(entity.metadata.name);
    token = reply.headers.get('mon-continue');
  }
  assert.deepEqual(
    found,
    Array.from({ length: total / every }, (_, at) => nameAt(at * every)),
  );
  assert.equal(asked.read, found.length);
});

test('the whole list is read no faster than it is taken', async (t) => {
  const { house, asked } = await open(t);
  await house.ask('GET', `${base}?limit=1`);
  asked.read = 0;
  const call = request(house.url + base, {
    headers: { authorization: `Bearer ${house.tokens.get('admin')}` },
  });
  call.end();
  const [answer] = await once(call, 'response');
  let text = '';
  answer.setEncoding('utf8');
  await once(answer, 'readable');
  text += answer.read();
  // Nobody reads on: once the buffers on the way are full, nothing more is read from the store.
  let still = 0;
  for (let before = -1; still < 10; before = asked.read) {
    still = asked.read === before ? still + 1 : 0;
    await new Promise((done) => setTimeout(done, 50));
  }
  assert.ok(
    asked.read < total / 2,
    `${asked.read} of ${total} events were read for a reader who does not read`,
  );
  assert.ok(asked.largest <= 500);
  for await (const chunk of answer) text += chunk;
  assert.equal(JSON.parse(text).length, total);
  assert.equal(asked.read, total);
});
