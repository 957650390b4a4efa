// The list of events over real sockets and a real backend: worst first, filtered, counted, paged; and live.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EventIndex } from '../../../src/actors/events/event-index.ts';
import { changesSince, openEventFeed } from '../../../src/http/inspect/events/event-feed.ts';
import type { EventListPage } from '../../../src/http/inspect/events/protocol.ts';
import { maxFeedRows } from '../../../src/http/inspect/limits.ts';
import { MemoryDisk, MemoryStore } from '../../../src/store/memory-store.ts';
import { eventOf } from '../../actors/events/event-of.ts';
import { openRealHouse, type RealHouse } from '../real-house.ts';
import { followStream } from './sse-client.ts';

const root = '/api/inspect/v1/namespaces/default/events';

const open = async (t: Parameters<typeof openRealHouse>[0], disk = new MemoryDisk()) => {
  const house = await openRealHouse(t, { store: new MemoryStore({ disk }) });
  const authorization = await house.login();
  const send = async (method: string, path: string, body?: object): Promise<Response> => {
    const reply = await fetch(house.url + path, {
      method,
      headers: { authorization, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return reply;
  };
  const list = async (query = ''): Promise<EventListPage> => {
    const reply = await send('GET', `${root}?${query}`);
    assert.equal(reply.status, 200);
    return (await reply.json()) as EventListPage;
  };
  const post = async (entity: string, check: string, status: number, more: object = {}): Promise<void> => {
    const event = {
      entity: {
        entity_class: 'proxy',
        metadata: { name: entity, namespace: 'default', labels: { rack: entity } },
      },
      check: { metadata: { name: check }, interval: 60, status, output: `${check} is ${status}`, ...more },
    };
    const reply = await send('POST', '/api/core/v2/namespaces/default/events', event);
    assert.equal(reply.status, 201, await reply.text());
  };
  return { house, authorization, send, list, post };
};

const names = ({ items }: EventListPage): string[] =>
  items.map(({ entity, check }) => `${entity.metadata.name}/${check.metadata.name}`);

test('a row says since when it fails, also when its history is shorter, and after a restart', async (t) => {
  const disk = new MemoryDisk();
  const { house, list, post } = await open(t, disk);
  const start = 1_700_000_000;
  await post('a', 'cpu', 0, { executed: start });
  for (let failure = 1; failure <= 25; failure += 1)
    await post('a', 'cpu', 2, { executed: start + 60 * failure });
  const sinceIn = ({ items }: EventListPage) => items.map(({ since, check }) => [since, check.occurrences]);
  assert.deepEqual(sinceIn(await list()), [[start + 60, 25]]);
  await house.api.close();
  await house.backend.stop();
  const restarted = await open(t, disk);
  assert.deepEqual(sinceIn(await restarted.list()), [[start + 60, 25]]);
  await restarted.post('a', 'cpu', 2, { executed: start + 60 * 26 });
  assert.deepEqual(sinceIn(await restarted.list()), [[start + 60, 26]]);
});

test('the list comes worst first, filtered, with its total and the counts of the namespace', async (t) => {
  const { list, post, send } = await open(t);
  await post('a', 'cpu', 1);
  await post('b', 'cpu', 2);
  await post('c', 'cpu', 0);
  await post('c', 'disk', 127, { state: 'failing' });
  const all = await list();
  assert.deepEqual(names(all), ['b/cpu', 'a/cpu', 'c/disk', 'c/cpu']);
  assert.equal(all.total, 4);
  assert.deepEqual(all.counts.all, { critical: 1, warning: 1, unknown: 1, passing: 1 });
  assert.equal(all.next, undefined);
  assert.deepEqual(names(await list('state=failing')), ['b/cpu', 'a/cpu', 'c/disk']);
  assert.deepEqual(names(await list('state=passing,critical')), ['b/cpu', 'c/cpu']);
  assert.deepEqual(names(await list('entity=c')), ['c/disk', 'c/cpu']);
  assert.deepEqual(names(await list('check=disk')), ['c/disk']);
  assert.deepEqual(names(await list('search=IS+1')), ['a/cpu', 'c/disk']);
  assert.deepEqual(names(await list('order=name')), ['a/cpu', 'b/cpu', 'c/cpu', 'c/disk']);
  const field = encodeURIComponent("event.check.name == 'cpu' && event.check.status != '0'");
  const selected = await list(`fieldSelector=${field}&limit=1`);
  assert.deepEqual([names(selected), selected.total], [['b/cpu'], 2]);
  assert.deepEqual(names(await list(`labelSelector=${encodeURIComponent("rack == 'a'")}`)), ['a/cpu']);
  await send('POST', '/api/core/v2/namespaces/default/silenced', {
    metadata: { namespace: 'default' },
    check: 'cpu',
    reason: 'moving',
  });
  const open_ = await list('state=failing&silenced=false');
  assert.deepEqual(names(open_), ['c/disk']);
  assert.deepEqual(open_.counts.silenced, { critical: 1, warning: 1, unknown: 0, passing: 1 });
  const hidden = await list('silenced=true&state=critical');
  assert.deepEqual(hidden.items[0]?.check.silenced, ['*:cpu']);
});

test('pages follow each other, whatever comes and goes in between', async (t) => {
  const { list, post, send } = await open(t);
  for (let at = 0; at < 7; at += 1) await post(`h${at}`, 'cpu', 2, { executed: 1_000 - at });
  const first = await list('limit=3');
  assert.deepEqual(names(first), ['h0/cpu', 'h1/cpu', 'h2/cpu']);
  await send('DELETE', '/api/core/v2/namespaces/default/events/h2/cpu');
  await post('new', 'cpu', 2, { executed: 2_000 });
  const second = await list(`limit=3&continue=${first.next}`);
  assert.deepEqual([names(second), second.total], [['h3/cpu', 'h4/cpu', 'h5/cpu'], 7]);
  const last = await list(`limit=3&continue=${second.next}`);
  assert.deepEqual([names(last), last.next], [['h6/cpu'], undefined]);
});

test('without permission to list events, neither list nor stream is readable; invalid queries are reported', async (t) => {
  const { house, send } = await open(t);
  for (const path of [root, `${root}/stream`]) {
    assert.equal((await fetch(house.url + path)).status, 401);
    assert.equal((await send('GET', path.replace('events', 'happenings'))).status, 404);
  }
  await send('PUT', '/api/core/v2/users/guest', { username: 'guest', password: 'long-enough-one' });
  const guest = { authorization: await house.login('guest', 'long-enough-one') };
  for (const path of [root, `${root}/stream`])
    assert.equal((await fetch(house.url + path, { headers: guest })).status, 403);
  for (const [query, complaint] of [
    ['state=red', /state.*one of critical, warning, unknown, passing, failing/],
    ['limit=0', /limit/],
    ['order=best', /order/],
    ['silenced=maybe', /silenced/],
    ['continue=nonsense', /continue must be the token/],
    ['fieldSelector=a+in+[', /could not parse/],
  ] as const) {
    const reply = await send('GET', `${root}?${query}`);
    assert.equal(reply.status, 400, query);
    assert.match(((await reply.json()) as { message: string }).message, complaint);
  }
});

const stream = (house: RealHouse, authorization: string, query: string, lastEventId?: string) =>
  followStream(`${house.url}${root}/stream?${query}`, {
    authorization,
    ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }),
  });

const hasRow = (name: string) => (one: { event: string; data: { rows?: EventListPage['items'] } }) =>
  one.event === 'changes' && (one.data.rows ?? []).some(({ entity }) => entity.metadata.name === name);
const hasGone = (name: string) => (one: { event: string; data: { gone?: string[] } }) =>
  one.event === 'changes' && (one.data.gone ?? []).includes(name);

test('a stream tells what comes into the list, what leaves it, and what only changed its counts', async (t) => {
  const { house, authorization, list, post, send } = await open(t);
  await post('quiet', 'cpu', 0);
  const { cursor } = await list('state=failing&silenced=false');
  await post('early', 'cpu', 2);
  const client = await stream(house, authorization, 'state=failing&silenced=false', cursor);
  t.after(client.leave);
  assert.match(client.response.headers['content-type'] ?? '', /^text\/event-stream/);
  await client.until('what happened between the page and the stream', hasRow('early'));
  await post('late', 'cpu', 1);
  await client.until('a new event', hasRow('late'));
  await post('late', 'cpu', 0);
  await client.until('an event that passes again', hasGone('late/cpu'));
  await send('POST', '/api/core/v2/namespaces/default/silenced', {
    metadata: { namespace: 'default' },
    subscription: 'entity:early',
  });
  await client.until('an event that was silenced', hasGone('early/cpu'));
  await send('DELETE', '/api/core/v2/namespaces/default/silenced/entity:early:*');
  const last = await client.until(
    'an event that is heard again',
    (one) => hasRow('early')(one) && one.id !== client.told[1]?.id,
  );
  assert.deepEqual(last.data.counts.all, { critical: 1, warning: 0, unknown: 0, passing: 2 });
  await send('DELETE', '/api/core/v2/namespaces/default/events/early/cpu');
  await client.until(
    'a deleted event',
    (one) => hasGone('early/cpu')(one) && one.data.counts.all.critical === 0,
  );
  assert.ok(!client.told.some(hasRow('quiet')), 'told of an event that does not fit');
});

test('a reconnecting reader gets what it missed; one from another process must reload', async (t) => {
  const { house, authorization, post } = await open(t);
  await post('a', 'cpu', 2);
  const first = await stream(house, authorization, '');
  const { id } = await first.until('hello', ({ event }) => event === 'hello');
  first.leave();
  await post('b', 'cpu', 2);
  const second = await stream(house, authorization, '', id);
  t.after(second.leave);
  await second.until('what it missed', hasRow('b'));
  assert.ok(!second.told.some(hasRow('a')));
  const stranger = await stream(house, authorization, '', 'other.17');
  t.after(stranger.leave);
  await stranger.until('lagged', ({ event }) => event === 'lagged');
});

const openIndex = (): EventIndex =>
  new EventIndex({ nowMs: () => Date.now(), silencesMatching: () => [], onFault: () => {} });

test('changes up to the size of a message are sent; above that the reader must reload', () => {
  const index = openIndex();
  const put = (at: number): void => index.learn(`default/h${at}/cpu`, eventOf(`h${at}`, 'cpu', 2));
  for (let at = 0; at < maxFeedRows; at += 1) put(at);
  const told = changesSince(index, { namespace: 'default' }, 0, () => 'noCheck');
  assert.equal(told === 'tooMany' ? 0 : told.rows.length, maxFeedRows);
  put(maxFeedRows);
  assert.equal(
    changesSince(index, { namespace: 'default' }, 0, () => 'noCheck'),
    'tooMany',
  );
});

test('a reader that stops reading is cut, and meanwhile nothing is kept for it', async () => {
  const index = openIndex();
  const feed = openEventFeed({
    index,
    epoch: 'now',
    filter: { namespace: 'default' },
    rerunOf: () => 'noCheck',
    lastEventId: undefined,
    stalledMs: 400,
    tickMs: 1,
  });
  /** Characters: one message about one event has fewer than this. */
  const oneMessage = 1_500;
  let mostQueued = 0;
  const busy = setInterval(() => {
    index.learn('default/h/cpu', eventOf('h', 'cpu', 2));
    mostQueued = Math.max(mostQueued, feed.readableLength);
  }, 1);
  await new Promise<void>((resolve) => {
    feed.once('close', resolve);
    // Somebody took the first message, and nothing after it.
    feed.once('readable', () => feed.read());
  });
  clearInterval(busy);
  assert.ok(mostQueued < oneMessage, `${mostQueued} characters were kept`);
});
