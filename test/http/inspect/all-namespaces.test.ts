// Events of all namespaces in one list, and their groups, over real sockets and a real backend.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EventGroupList, EventListPage } from '../../../src/http/inspect/events/protocol.ts';
import { openRealHouse } from '../real-house.ts';
import { followStream } from './sse-client.ts';

const root = '/api/inspect/v1/events';

const open = async (t: Parameters<typeof openRealHouse>[0]) => {
  const house = await openRealHouse(t);
  const admin = await house.login();
  const send = (method: string, path: string, body?: object, authorization = admin): Promise<Response> =>
    fetch(house.url + path, {
      method,
      headers: { authorization, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  const did = async (reply: Promise<Response>): Promise<void> => {
    const { ok, status } = await reply;
    assert.ok(ok, `answered ${status}`);
  };
  const read = async <T>(path: string, as = admin): Promise<T> => {
    const reply = await send('GET', path, undefined, as);
    assert.equal(reply.status, 200, path);
    return (await reply.json()) as T;
  };
  for (const name of ['sea', 'air', 'land'])
    await did(send('PUT', `/api/core/v2/namespaces/${name}`, { name }));
  const post = (namespace: string, entity: string, check: string, status: number, executed = 1_000) =>
    did(
      send('POST', `/api/core/v2/namespaces/${namespace}/events`, {
        entity: {
          entity_class: 'proxy',
          metadata: {
            name: entity,
            namespace,
            labels: { region: entity === 'web' ? 'eu' : 'us', secret: entity },
          },
        },
        check: { metadata: { name: check, namespace }, interval: 60, status, output: check, executed },
      }),
    );
  /** Somebody who may look into some namespaces. */
  const guest = async (name: string, ...namespaces: string[]): Promise<string> => {
    const password = 'long-enough-one';
    await did(send('PUT', `/api/core/v2/users/${name}`, { username: name, password }));
    for (const namespace of namespaces)
      await did(
        send('PUT', `/api/core/v2/namespaces/${namespace}/rolebindings/${name}`, {
          metadata: { name, namespace },
          subjects: [{ type: 'User', name }],
          role_ref: { type: 'ClusterRole', name: 'view' },
        }),
      );
    return house.login(name, password);
  };
  return { house, admin, send, did, read, post, guest };
};

const names = ({ items }: EventListPage): string[] =>
  items.map(
    ({ entity, check }) => `${entity.metadata.namespace}/${entity.metadata.name}/${check.metadata.name}`,
  );

test('one list covers all namespaces, in every order, page by page', async (t) => {
  const { read, post } = await open(t);
  await post('sea', 'web', 'cpu', 2, 1_000);
  await post('air', 'web', 'cpu', 2, 3_000);
  await post('land', 'db', 'cpu', 1, 5_000);
  await post('sea', 'db', 'disk', 2, 2_000);
  await post('air', 'db', 'disk', 0, 9_000);
  const worst = ['air/web/cpu', 'sea/db/disk', 'sea/web/cpu', 'land/db/cpu', 'air/db/disk'];
  const all = await read<EventListPage>(root);
  assert.deepEqual(names(all), worst);
  assert.deepEqual([all.total, all.counts.all.critical, all.namespaces], [5, 3, undefined]);
  for (const order of ['worst', 'name', 'oldest', 'newest']) {
    const whole = names(await read<EventListPage>(`${root}?order=${order}`));
    const paged: string[] = [];
    for (let next: string | undefined = ''; next !== undefined; ) {
      const page: EventListPage = await read(`${root}?order=${order}&limit=2&continue=${next}`);
      paged.push(...names(page));
      next = page.next;
    }
    assert.deepEqual(paged, whole, order);
  }
  assert.deepEqual(names(await read(`${root}?fuzzy=Se+W+Cp`)), ['sea/web/cpu']);
  assert.deepEqual(names(await read('/api/inspect/v1/namespaces/sea/events?fuzzy=ds')), ['sea/db/disk']);
  assert.deepEqual(names(await read(`${root}?entity=web`)), ['air/web/cpu', 'sea/web/cpu']);
  assert.deepEqual(names(await read(`${root}?state=failing&namespaces=sea,land`)), [
    'sea/db/disk',
    'sea/web/cpu',
    'land/db/cpu',
  ]);
});

test('events are counted by group, and a group is a filter of the list', async (t) => {
  const { read, post, send, did } = await open(t);
  await post('sea', 'web', 'cpu', 2);
  await post('sea', 'web', 'disk', 1);
  await post('air', 'web', 'cpu', 2);
  await post('air', 'db', 'cpu', 2);
  await did(send('PUT', '/api/core/v2/namespaces/air/events/db/cpu/acknowledgement', { owner: 'ann' }));
  const groups = async (query: string, path = root): Promise<(string | number)[][]> => {
    const found = await read<EventGroupList>(`${path}/groups?${query}`);
    assert.equal(found.total, found.groups.length);
    return found.groups.map(({ name, total, counts }) => [name, total, counts.critical]);
  };
  assert.deepEqual(await groups('by=entity'), [
    ['sea/web', 2, 1],
    ['air/db', 1, 1],
    ['air/web', 1, 1],
  ]);
  assert.deepEqual(await groups('by=check'), [
    ['cpu', 3, 3],
    ['disk', 1, 0],
  ]);
  assert.deepEqual(await groups('by=owner&state=critical'), [
    ['', 2, 2],
    ['ann', 1, 1],
  ]);
  assert.deepEqual(await groups('by=label:region'), [
    ['eu', 3, 2],
    ['us', 1, 1],
  ]);
  assert.deepEqual(await groups('by=label:secret&namespaces=air'), [['REDACTED', 2, 2]]);
  assert.deepEqual(await groups('by=entity', '/api/inspect/v1/namespaces/sea/events'), [['web', 2, 1]]);
  assert.deepEqual(names(await read(`${root}?by=label:region&group=us`)), ['air/db/cpu']);
  assert.deepEqual(names(await read(`${root}?by=entity&group=sea/web`)), ['sea/web/cpu', 'sea/web/disk']);
  const unowned = await read<EventListPage>(`${root}?by=owner&order=name`);
  assert.deepEqual(names(unowned), ['air/web/cpu', 'sea/web/cpu', 'sea/web/disk']);
  assert.deepEqual([unowned.total, unowned.counts.all.critical], [3, 2]);
  for (const [path, complaint] of [
    [`${root}/groups`, /by/],
    [`${root}/groups?by=colour`, /must be one of namespace, entity, check, owner, label:NAME/],
  ] as const) {
    const reply = await send('GET', path);
    assert.equal(reply.status, 400);
    assert.match(((await reply.json()) as { message: string }).message, complaint);
  }
});

test('whoever may look into some namespaces sees those, in list, groups and stream', async (t) => {
  const { house, read, post, send, guest } = await open(t);
  for (const namespace of ['sea', 'air', 'land']) await post(namespace, 'web', 'cpu', 2);
  const gus = await guest('gus', 'sea', 'air');
  const seen = await read<EventListPage>(root, gus);
  assert.deepEqual(names(seen), ['air/web/cpu', 'sea/web/cpu']);
  assert.deepEqual([seen.total, seen.counts.all.critical], [2, 2]);
  assert.deepEqual(seen.namespaces?.toSorted(), ['air', 'sea']);
  const { groups } = await read<EventGroupList>(`${root}/groups?by=namespace`, gus);
  assert.deepEqual(
    groups.map(({ name }) => name),
    ['air', 'sea'],
  );
  for (const path of [
    `${root}?namespaces=land`,
    `${root}/groups?by=check&namespaces=sea,land`,
    `${root}/stream`,
  ])
    assert.equal((await send('GET', path, undefined, gus)).status, 403, path);
  assert.equal((await send('GET', root, undefined, await guest('nobody'))).status, 403);

  const followAll = async (query: string, lastId: string) => {
    const streams = [{ id: 'all', url: `${root}/stream?${query}`, last_event_id: lastId }];
    const client = await followStream(
      `${house.url}/api/inspect/v1/streams`,
      { authorization: gus },
      { streams },
    );
    t.after(client.leave);
    return client;
  };
  const refused = await followAll('', seen.cursor);
  await refused.until('a refusal', ({ event }) => event === 'refused');
  const client = await followAll('namespaces=sea,air&state=failing', seen.cursor);
  await post('land', 'web', 'cpu', 0);
  await post('air', 'web', 'cpu', 0);
  const news = await client.until('what left', ({ event }) => event === 'changes');
  assert.deepEqual([news.data.gone, news.data.why], [['air/web/cpu'], { 'air/web/cpu': 'passing' }]);
});
