// Resources over HTTP, by the example of checks: every generic operation, its answers and its refusals.
import assert from 'node:assert/strict';
import test from 'node:test';
import { agentHeaders, connectAgent, openHouse } from './harness.ts';
import { storeFull } from './memory-committer.ts';

const checks = '/api/core/v2/namespaces/default/checks';
const check = (name = 'cpu', extra: object = {}) => ({
  command: 'true',
  interval: 60,
  publish: true,
  subscriptions: ['linux'],
  metadata: { name, namespace: 'default' },
  ...extra,
});

test('a check is created once, read back in the shape of the reference product, replaced and deleted', async (t) => {
  const house = await openHouse(t);
  const made = await house.ask('POST', checks, { body: check() });
  assert.equal(made.status, 201);
  assert.equal(made.text, '');
  const again = await house.ask('POST', checks, { body: check() });
  assert.equal(again.status, 409);
  assert.deepEqual(again.json, {
    message: 'resource already exists: checks/cpu in namespace default',
    code: 3,
  });
  const read = await house.ask('GET', `${checks}/cpu`);
  assert.deepEqual(read.json, {
    command: 'true',
    handlers: [],
    high_flap_threshold: 0,
    interval: 60,
    low_flap_threshold: 0,
    publish: true,
    runtime_assets: null,
    subscriptions: ['linux'],
    proxy_entity_name: '',
    check_hooks: null,
    stdin: false,
    subdue: null,
    ttl: 0,
    timeout: 0,
    round_robin: false,
    output_metric_format: '',
    output_metric_handlers: null,
    env_vars: null,
    metadata: { name: 'cpu', namespace: 'default', created_by: 'admin' },
    secrets: null,
    pipelines: [],
  });
  assert.equal(
    (await house.ask('PUT', `${checks}/cpu`, { body: check('cpu', { interval: 30 }) })).status,
    201,
  );
  assert.equal((await house.ask('GET', `${checks}/cpu`)).json.interval, 30);
  assert.equal((await house.ask('DELETE', `${checks}/cpu`)).status, 204);
  assert.equal((await house.ask('DELETE', `${checks}/cpu`)).status, 404);
  assert.deepEqual((await house.ask('GET', `${checks}/cpu`)).json, { message: 'not found', code: 2 });
});

test('bodies that break a rule are refused with the sentence of the rule', async (t) => {
  const house = await openHouse(t);
  for (const [path, body, message] of [
    [checks, check('a b'), /^resource is invalid: check name cannot contain spaces or special characters/],
    [checks, check('x', { interval: -5 }), /^check\.interval must be a whole number, 0 or more \(got -5\)/],
    [checks, check('x', { interval: 1.5 }), /check\.interval/],
    [checks, check('x', { cron: '* * * * *' }), /must only specify either an interval or a cron schedule/],
    [
      checks,
      check('x', { metadata: { name: 'x', namespace: 'other' } }),
      /the namespace of the resource \(other\) does not match the namespace of the URI \(default\)/,
    ],
    [checks, [], /must be a JSON object/],
    [checks, check('x', { metadata: 7 }), /metadata must be an object/],
    [
      '/api/core/v2/namespaces/default/handlers',
      { type: 'magic', metadata: { name: 'h' } },
      /unknown handler type: magic/,
    ],
    ['/api/core/v2/clusterroles', { rules: [], metadata: { name: 'r' } }, /must have at least one rule/],
  ] as const) {
    const reply = await house.ask('POST', path, { body });
    assert.equal(reply.status, 400, JSON.stringify(body));
    assert.equal(reply.json.code, 1);
    assert.match(reply.json.message, message);
  }
  const elsewhere = await house.ask('POST', '/api/core/v2/namespaces/nowhere/checks', {
    body: check('x', { metadata: { name: 'x' } }),
  });
  assert.equal(elsewhere.status, 404);
  assert.equal(elsewhere.json.message, 'the namespace nowhere does not exist');
  const renamed = await house.ask('PUT', `${checks}/cpu`, { body: check('disk') });
  assert.equal(
    renamed.json.message,
    'the name of the resource (disk) does not match the name of the URI (cpu)',
  );
});

test('a merge patch changes what it names and nothing else', async (t) => {
  const house = await openHouse(t);
  await house.ask('POST', checks, {
    body: check('cpu', { ttl: 90, metadata: { name: 'cpu', labels: { a: '1', b: '2' } } }),
  });
  const patch = (body: unknown, headers: Record<string, string> = {}) =>
    house.ask('PATCH', `${checks}/cpu`, {
      body,
      headers: { 'Content-Type': 'application/merge-patch+json', ...headers },
    });
  const patched = await patch({
    interval: 10,
    ttl: null,
    metadata: { labels: { b: null, c: '3' }, name: '' },
  });
  assert.equal(patched.status, 200, patched.text);
  assert.equal(patched.json.interval, 10);
  assert.equal(patched.json.ttl, 0);
  assert.deepEqual(patched.json.metadata.labels, { a: '1', c: '3' });
  assert.deepEqual((await house.ask('GET', `${checks}/cpu`)).json, patched.json);
  for (const [body, message] of [
    [{ metadata: { name: 'other' } }, /does not match the name in the URI \(cpu\)/],
    [{ metadata: { namespace: 'other' } }, /does not match the namespace in the URI \(default\)/],
    [{ interval: 'soon' }, /check\.interval/],
    [{ ttl: 5 }, /ttl must be greater than check interval/],
    ['[]', /object/],
  ] as const) {
    const reply = await patch(body);
    assert.equal(reply.status, 400, JSON.stringify(body));
    assert.match(reply.json.message, message);
  }
  assert.equal(
    (await house.ask('PATCH', `${checks}/cpu`, { body: {} })).status,
    400,
    'application/json is no patch',
  );
  assert.match(
    (await patch({}, { 'Content-Type': 'application/json-patch+json' })).json.message,
    /JSON Patch is not supported yet/,
  );
  assert.equal(
    (
      await house.ask('PATCH', `${checks}/no`, {
        body: {},
        headers: { 'Content-Type': 'application/merge-patch+json' },
      })
    ).status,
    404,
  );
});

test('lists are ordered, paged and selected; selectors that make no sense are 400', async (t) => {
  const house = await openHouse(t);
  for (const name of ['c', 'a', 'b'])
    await house.ask('POST', checks, {
      body: check(name, { metadata: { name, labels: { team: name === 'b' ? 'blue' : 'red' } } }),
    });
  const names = async (query: string, path = checks) =>
    (await house.ask('GET', `${path}?${query}`)).json.map(
      (one: { metadata: { name: string } }) => one.metadata.name,
    );
  assert.deepEqual(await names(''), ['a', 'b', 'c']);
  assert.deepEqual(await names('', '/api/core/v2/checks'), ['a', 'b', 'c']);
  assert.deepEqual(await names(`labelSelector=${encodeURIComponent('team == red')}`), ['a', 'c']);
  assert.deepEqual(
    await names(`fieldSelector=${encodeURIComponent('linux in check.subscriptions && check.name != a')}`),
    ['b', 'c'],
  );
  assert.deepEqual(
    await names(
      `fieldSelector=${encodeURIComponent('check.publish == true')}&labelSelector=${encodeURIComponent('team == blue')}`,
    ),
    ['b'],
  );
  const page = await house.ask('GET', `${checks}?limit=1&labelSelector=${encodeURIComponent('team == red')}`);
  assert.equal(page.json[0].metadata.name, 'a');
  const token = page.headers.get('mon-continue');
  assert.deepEqual(
    await names(`limit=1&continue=${token}&labelSelector=${encodeURIComponent('team == red')}`),
    ['c'],
  );
  const bad = await house.ask('GET', `${checks}?fieldSelector=${encodeURIComponent('linux in')}`);
  assert.equal(bad.status, 400);
  assert.match(bad.json.message, /^could not parse the operations/);
});

test('what is committed survives a restart, what failed to commit was never there', async (t) => {
  const house = await openHouse(t);
  await house.ask('POST', checks, { body: check('kept') });
  house.store.fail(storeFull());
  const refused = await house.ask('POST', checks, { body: check('lost') });
  assert.equal(refused.status, 507);
  assert.equal((await house.ask('GET', `${checks}/lost`)).status, 404);
  assert.equal(
    (await house.ask('PUT', `${checks}/kept`, { body: check('kept', { interval: 1 }) })).status,
    507,
  );
  assert.equal((await house.ask('DELETE', `${checks}/kept`)).status, 507);
  assert.equal((await house.ask('GET', `${checks}/kept`)).json.interval, 60);
  const after = (await house.restart()).backend;
  assert.equal(after.resources.get('checks', 'default', 'kept')?.interval, 60);
  assert.equal(after.resources.get('checks', 'default', 'lost'), undefined);
});

test('checks are run now and their hooks are named on routes of their own', async (t) => {
  const house = await openHouse(t);
  await house.ask('POST', checks, { body: check('cpu', { publish: false }) });
  const agent = await connectAgent(t, house, { ...agentHeaders(), 'Mon-Subscriptions': 'entity:web-01' });
  const ran = await house.ask('POST', `${checks}/cpu/execute`, {
    body: { subscriptions: ['entity:web-01'] },
  });
  assert.equal(ran.status, 202);
  assert.deepEqual(ran.json, { issued: 1_700_000_000 });
  const requested = () => agent.frames.filter(({ type }) => type === 'check_request');
  await agent.until(() => requested().length > 0);
  assert.match(JSON.stringify(requested()), /"name":"cpu"/);
  assert.equal((await house.ask('POST', `${checks}/cpu/execute`, { body: {} })).status, 202);
  assert.equal((await house.ask('POST', `${checks}/no/execute`, { body: {} })).status, 404);
  assert.equal(
    (await house.ask('POST', `${checks}/cpu/execute`, { body: { subscriptions: 'x' } })).status,
    400,
  );

  const hooks = `${checks}/cpu/hooks`;
  assert.equal(
    (await house.ask('PUT', `${hooks}/critical`, { body: { critical: ['ps', 'df'] } })).status,
    201,
  );
  assert.deepEqual((await house.ask('GET', `${checks}/cpu`)).json.check_hooks, [{ critical: ['ps', 'df'] }]);
  assert.equal((await house.ask('DELETE', `${hooks}/critical/hook/ps`)).status, 204);
  assert.equal((await house.ask('DELETE', `${hooks}/critical/hook/ps`)).status, 404);
  assert.deepEqual((await house.ask('GET', `${checks}/cpu`)).json.check_hooks, [{ critical: ['df'] }]);
  assert.equal((await house.ask('PUT', `${hooks}/never`, { body: { never: ['x'] } })).status, 400);
});
