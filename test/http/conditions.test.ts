// Conditional requests over a real socket: create only, replace only what was read, read only what changed.
import assert from 'node:assert/strict';
import test, { type TestContext } from 'node:test';
import { openRealHouse } from './real-house.ts';

const inDefault = '/api/core/v2/namespaces/default';

const open = async (t: TestContext) => {
  const house = await openRealHouse(t);
  const authorization = await house.login();
  const ask = async (method: string, path: string, headers: Record<string, string> = {}, body?: object) => {
    const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
    const reply = await fetch(house.url + path, {
      method,
      headers: { authorization, ...headers, ...(body === undefined ? {} : { 'content-type': type }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await reply.text();
    return { status: reply.status, etag: reply.headers.get('etag') ?? '', text };
  };
  return { house, ask };
};

const command = (value: string) => ({
  command: value,
  interval: 60,
  subscriptions: ['linux'],
  publish: true,
});
const provider = (prefix: string) => ({
  type: 'ldap',
  api_version: 'authentication/v2',
  metadata: { name: 'directory' },
  spec: { username_prefix: prefix, servers: [{ host: 'x.example', user_search: { base_dn: 'dc=x' } }] },
});
const event = (status: number) => ({
  entity: { entity_class: 'proxy', metadata: { name: 'web' } },
  check: { metadata: { name: 'load' }, interval: 60, status },
});
const password = 'correct horse battery';

/** What is written, how it changes, and what a replace is answered with. */
const kinds: readonly (readonly [path: string, first: object, second: object, written: number])[] = [
  [`${inDefault}/checks/cpu`, command('a'), command('b'), 201],
  [
    `${inDefault}/silenced/linux:cpu`,
    { subscription: 'linux', check: 'cpu', reason: 'a' },
    { subscription: 'linux', check: 'cpu', reason: 'b' },
    201,
  ],
  [
    `${inDefault}/entities/router`,
    { entity_class: 'proxy' },
    { entity_class: 'proxy', subscriptions: ['net'] },
    200,
  ],
  [`${inDefault}/events/web/load`, event(0), event(2), 201],
  ['/api/core/v2/users/ada', { password, groups: ['a'] }, { password, groups: ['b'] }, 201],
  [
    '/api/core/v2/clusterroles/watcher',
    { rules: [{ verbs: ['list'], resources: ['events'] }] },
    { rules: [{ verbs: ['get'], resources: ['events'] }] },
    201,
  ],
  ['/api/enterprise/authentication/v2/authproviders/directory', provider('a'), provider('b'), 200],
];

for (const [path, first, second, written] of kinds)
  test(`PUT ${path} keeps to its conditions`, async (t) => {
    const { ask } = await open(t);
    const put = (headers: Record<string, string>, body: object) => ask('PUT', path, headers, body);
    assert.equal((await put({ 'if-match': '*' }, first)).status, 412, 'there is nothing to replace');
    assert.equal((await ask('GET', path)).status, 404, 'and nothing came to be');
    assert.equal((await put({ 'if-none-match': '*' }, first)).status, written, 'create only');
    const again = await put({ 'if-none-match': '*' }, second);
    assert.equal(again.status, 412);
    assert.deepEqual(JSON.parse(again.text).code, 7);
    assert.match(JSON.parse(again.text).message, /^at least one condition failed for the key \w+/);
    const { etag, text } = await ask('GET', path);
    assert.match(etag, /^"\w+"$/);
    assert.equal((await put({ 'if-match': '"another"' }, second)).status, 412);
    assert.equal((await ask('GET', path)).text, text, 'what was refused changed nothing');
    assert.equal((await put({ 'if-match': etag }, second)).status, written);
    assert.equal((await put({ 'if-match': etag }, first)).status, 412, 'the tag of before');
    if (!path.includes('/users/')) {
      assert.equal((await ask('DELETE', path, { 'if-match': etag })).status, 412);
      const now = await ask('GET', path);
      assert.equal((await ask('DELETE', path, { 'if-match': now.etag })).status, 204);
    }
  });

for (const [path, first, second] of kinds)
  test(`GET ${path} is 304 for a client with the current version`, async (t) => {
    const { ask } = await open(t);
    await ask('PUT', path, {}, first);
    const { etag } = await ask('GET', path);
    for (const known of [etag, `W/${etag}`, `"x", ${etag}`, '*']) {
      const reply = await ask('GET', path, { 'if-none-match': known });
      assert.deepEqual([reply.status, reply.text, reply.etag], [304, '', etag], known);
    }
    assert.equal((await ask('GET', path, { 'if-none-match': '"x"' })).status, 200);
    await ask('PUT', path, {}, second);
    assert.equal((await ask('GET', path, { 'if-none-match': etag })).status, 200, 'it changed');
  });

test('the answer to a write names the state that was written', async (t) => {
  const { ask } = await open(t);
  const path = `${inDefault}/checks/cpu`;
  const created = await ask(
    'POST',
    `${inDefault}/checks`,
    {},
    { ...command('a'), metadata: { name: 'cpu' } },
  );
  assert.equal(created.etag, (await ask('GET', path)).etag);
  const replaced = await ask('PUT', path, { 'if-match': created.etag }, command('b'));
  assert.equal(replaced.status, 201);
  assert.equal(replaced.etag, (await ask('GET', path)).etag);
  const patched = await ask('PATCH', path, { 'if-match': replaced.etag }, { interval: 5 });
  assert.equal(patched.status, 200);
  assert.equal(patched.etag, (await ask('GET', path)).etag);
});

test('a hundred writers with the same tag: one of them writes', async (t) => {
  const { ask } = await open(t);
  for (const [path, first, second] of kinds.filter(([one]) => /checks|entities/.test(one))) {
    await ask('PUT', path, {}, first);
    const { etag } = await ask('GET', path);
    const replies = await Promise.all(
      Array.from({ length: 100 }, () => ask('PUT', path, { 'if-match': etag }, second)),
    );
    assert.equal(replies.filter(({ status }) => status === 412).length, 99, path);
  }
});

test('a patch with a condition that does not hold changes nothing', async (t) => {
  const { ask } = await open(t);
  const path = `${inDefault}/checks/cpu`;
  await ask('PUT', path, {}, command('a'));
  const { etag } = await ask('GET', path);
  const patch = (headers: Record<string, string>, interval: number) =>
    ask('PATCH', path, headers, { interval });
  assert.equal((await patch({ 'if-match': '"0000"' }, 1)).status, 412);
  assert.equal((await patch({ 'if-none-match': etag }, 2)).status, 412);
  const held = await patch({ 'if-match': `"zzz", W/${etag}` }, 3);
  assert.equal(held.status, 200);
  assert.notEqual(held.etag, etag);
  assert.equal((await patch({ 'if-match': etag }, 4)).status, 412, 'the tag of before the change');
  assert.equal(JSON.parse((await ask('GET', path)).text).interval, 3);
});
