// A right to look into one namespace, given the way an operator gives it: over the API. It opens what lies in that
// namespace and nothing else, and touching takes a right of its own.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openRealHouse } from '../real-house.ts';

test('read permission in one namespace shows its actors only, and allows no control', async (t) => {
  const house = await openRealHouse(t);
  const ask = async (as: string, method: string, path: string, body?: object): Promise<number> => {
    const reply = await fetch(house.url + path, {
      method,
      headers: { authorization: as, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    await reply.arrayBuffer();
    return reply.status;
  };
  const root = await house.login();
  const inDefault = '/api/core/v2/namespaces/default';
  const metadata = { name: 'watch', namespace: 'default' };
  const rules = [{ verbs: ['inspect:get'], resources: ['actors'] }];
  const event = {
    entity: { entity_class: 'proxy', metadata: { name: 'web', namespace: 'default' } },
    check: { metadata: { name: 'cpu' }, interval: 60 },
  };
  assert.equal(await ask(root, 'POST', `${inDefault}/events`, event), 201);
  assert.equal(
    await ask(root, 'PUT', '/api/core/v2/users/watcher', { username: 'watcher', password: 'watch-me-now' }),
    201,
  );
  assert.equal(await ask(root, 'PUT', `${inDefault}/roles/watch`, { metadata, rules }), 201);
  const binding = {
    metadata,
    subjects: [{ type: 'User', name: 'watcher' }],
    role_ref: { type: 'Role', name: 'watch' },
  };
  assert.equal(await ask(root, 'PUT', `${inDefault}/rolebindings/watch`, binding), 201);
  const watcher = await house.login('watcher', 'watch-me-now');
  const inspect = '/api/inspect/v1';
  const cpu = `${inspect}/actors/check%3Adefault%2Fweb%2Fcpu`;
  const dryRun = { event: { type: 'check.resumed', nowMs: 1 } };
  const expected: readonly (readonly [number, string, string, object?])[] = [
    [200, 'GET', `${inspect}/actors?namespace=default`],
    [200, 'GET', `${inspect}/actors?prefix=check:default/`],
    [200, 'GET', `${inspect}/tree?parent=tree:default/web`],
    [200, 'GET', cpu],
    [200, 'POST', `${cpu}/dry-run`, dryRun],
    [403, 'GET', `${inspect}/actors?namespace=other`],
    [403, 'GET', `${inspect}/actors`],
    [403, 'GET', `${inspect}/tree`],
    [403, 'GET', `${inspect}/actors/boot%3Abackend`],
    [403, 'GET', `${inspect}/stream?actors=check:default/web/cpu,boot:backend`],
    [403, 'GET', `${inspect}/audit`],
    [403, 'GET', `${inspect}/system`],
    [403, 'GET', `${inspect}/namespaces/default/events`],
    [403, 'POST', `${cpu}/send`, dryRun],
    [403, 'POST', `${cpu}/pause`],
    [403, 'POST', `${cpu}/restart`],
    [403, 'POST', `${cpu}/stop`],
  ];
  for (const [status, method, path, body] of expected)
    assert.equal(await ask(watcher, method, path, body), status, `${method} ${path}`);
  assert.deepEqual(house.faults, []);
});
