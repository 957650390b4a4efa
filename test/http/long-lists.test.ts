// A list of 50,000 events over a real socket: in pages, filtered, and complete. A slow reader does not make the
// backend buffer the list.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request } from 'node:http';
import test, { type TestContext } from 'node:test';
import type { Backend } from '../../src/actors/backend.ts';
import type { ApiOptions } from '../../src/http/api.ts';
import { maxPageBytes, maxPageItems, wholeListBytes } from '../../src/http/limits.ts';
import type { CheckEvent } from '../../src/model/event/event.ts';
import { parseEvent } from '../../src/model/event/event-parse.ts';
import { eventually } from '../eventually.ts';
import { type House, openHouse } from './harness.ts';

const total = 50_000;
const base = '/api/core/v2/namespaces/default/events';
const every = 1_000;

const nameAt = (at: number): string => `host-${String(at).padStart(5, '0')}`;

interface Opening {
  readonly output?: number;
  readonly unread?: ApiOptions['unread'];
}

/** A real backend, whose store would take long to fill: events are made as they are read, and what was asked for is counted. */
const open = async (t: TestContext, { output = 500, ...options }: Opening = {}) => {
  const parsed = parseEvent(
    {
      entity: { entity_class: 'proxy', metadata: { name: 'host' } },
      check: { metadata: { name: 'disk' }, interval: 60, output: 'x'.repeat(output) },
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
  const readEvents: Backend['readEvents'] = async ({
    after,
    limit = Number.POSITIVE_INFINITY,
    filter = () => true,
  }) => {
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
  const plant = (backend: Backend): void => {
    backend.readEvents = readEvents;
  };
  return { house: await openHouse(t, { plant, ...options }), asked };
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
  assert.equal(asked.largest, maxPageItems);
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

test('the whole list is read at the pace of the client', async (t) => {
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
  // Nobody reads on: once the buffers on the way are full, nothing more is read from the store. Somebody who reads
  // gets all meanwhile.
  assert.equal((await house.ask('GET', base)).json.length, total);
  const readAhead = asked.read - total;
  assert.ok(
    readAhead < total / 2,
    `${readAhead} of ${total} events were read for a reader who does not read`,
  );
  assert.ok(asked.largest <= 100);
  for await (const chunk of answer) text += chunk;
  assert.equal(JSON.parse(text).length, total);
  assert.equal(asked.read, 2 * total);
});

test('a page has at most 1,000 items, whatever is asked for, and its token goes on behind them', async (t) => {
  const { house, asked } = await open(t);
  for (const [limit, length] of [
    [maxPageItems, maxPageItems],
    [maxPageItems + 1, maxPageItems],
    [1_000_000, maxPageItems],
  ]) {
    const reply = await house.ask('GET', `${base}?limit=${limit}`);
    assert.equal(reply.json.length, length);
    const token = reply.headers.get('sensu-continue');
    const next = await house.ask('GET', `${base}?limit=1&continue=${token}`);
    assert.equal(next.json[0].entity.metadata.name, nameAt(maxPageItems));
  }
  assert.equal(asked.largest, maxPageItems);
});

test('a page of large events ends early, and nothing is lost or repeated', async (t) => {
  const { house } = await open(t, { output: 300_000 });
  const names: string[] = [];
  let token: string | null = '';
  for (let pages = 0; pages < 3; pages += 1) {
    const reply = await house.ask('GET', `${base}?limit=1000&continue=${token}`);
    assert.ok(reply.text.length <= maxPageBytes + 1_000, `${reply.text.length}`);
    assert.ok(reply.json.length > 10);
    for (const { entity } of reply.json) names.push(entity.metadata.name);
    token = reply.headers.get('mon-continue');
  }
  assert.deepEqual(
    names,
    names.map((_, at) => nameAt(at)),
  );
});

/** Requests a list and reads nothing of it. */
const stall = async (house: House, path: string) => {
  const asked = request(house.url + path, {
    headers: { authorization: `Bearer ${house.tokens.get('admin')}` },
    agent: false,
  });
  asked.end();
  const [answer] = await once(asked, 'response');
  answer.on('error', () => {});
  return answer;
};

const unreadBytes = async ({ api, clock }: House): Promise<number> => {
  clock.nowMs += 1_000;
  const text = await api.metrics.text();
  return Number(/^mon_http_unread_answer_bytes (\d+)/m.exec(text)?.[1]);
};

test('what clients leave unread is bounded: further large answers are 503 until they read or go', async (t) => {
  const { house } = await open(t, { output: 300_000, unread: { maxUnreadAnswerBytes: 2.4 * 1_048_576 } });
  await house.ask('GET', '/version');
  await house.ask('GET', `${base}?limit=1`);
  const stalled = [await stall(house, base), await stall(house, base)];
  assert.equal(await unreadBytes(house), 2 * wholeListBytes);
  for (const path of [base, `${base}?limit=1000`]) {
    const refused = await house.ask('GET', path);
    assert.equal(refused.status, 503);
    assert.match(refused.json.message, /request smaller pages/);
    assert.ok(Number(refused.headers.get('retry-after')) > 0);
    assert.equal(refused.headers.get('mon-continue'), null);
  }
  assert.equal((await house.ask('GET', `${base}?limit=1`)).status, 200, 'a page that fits is answered');
  const large = await house.ask('POST', '/api/core/v2/namespaces/default/entities', {
    body: { metadata: { name: 'large', annotations: { text: 'x'.repeat(490_000) } } },
  });
  assert.ok(large.text.length > 490_000);
  assert.equal(large.status, 200, 'a write that took effect is confirmed');
  for (const one of stalled) one.destroy();
  await eventually('nothing is unread', async () => (await unreadBytes(house)) === 0);
  assert.equal((await house.ask('GET', `${base}?limit=1000`)).status, 200);
});

test('a client that takes for ever to read a large answer is cut', async (t) => {
  const { house } = await open(t, { output: 300_000, unread: { maxAnswerMs: 50 } });
  // Logs in with an answer that is too small to be cut.
  await house.ask('GET', '/api/core/v2/namespaces');
  const answer = await stall(house, base);
  await eventually('nothing is unread', async () => (await unreadBytes(house)) === 0);
  const ended = new Promise((resolve) => answer.once('close', resolve));
  answer.resume();
  await ended;
  assert.equal(answer.complete, false, 'it did not come to its end');
});

test('a client that goes before its answer is made leaves nothing behind', async (t) => {
  const { house } = await open(t, { output: 300_000 });
  await house.ask('GET', `${base}?limit=1`);
  const connections = async () => {
    house.clock.nowMs += 1_000;
    return /^mon_http_connections (\d+)/m.exec(await house.api.metrics.text())?.[1];
  };
  const before = await connections();
  const { readEvents } = house.backend;
  let readOn: () => void = () => {};
  const held = new Promise<void>((resolve) => {
    readOn = resolve;
  });
  let reading = 0;
  house.backend.readEvents = async (query) => {
    reading += 1;
    await held;
    return readEvents.call(house.backend, query);
  };
  const asked = [base, `${base}?limit=1000`].map((path) => {
    const one = request(house.url + path, {
      headers: { authorization: `Bearer ${house.tokens.get('admin')}` },
      agent: false,
    });
    one.on('error', () => {});
    one.end();
    return one;
  });
  await eventually('both are asked', () => reading === 2);
  for (const one of asked) one.destroy();
  await eventually('both are gone', async () => (await connections()) === before);
  readOn();
  house.backend.readEvents = readEvents;
  assert.equal((await house.ask('GET', `${base}?limit=1`)).status, 200);
  await eventually('nothing is unread', async () => (await unreadBytes(house)) === 0);
});
