// Mistakes that would otherwise go unnoticed: unknown fields, missing references, expressions that always throw.
// Each is reported in the response to the write, and marked until fixed. Uses the real backend with a store in
// memory.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { eventually } from '../eventually.ts';
import { openRealHouse } from './real-house.ts';

type Json = Record<string, unknown>;

const base = '/api/core/v2/namespaces/default';

const open = async (t: TestContext) => {
  const house = await openRealHouse(t);
  const authorization = await house.login();
  const ask = async (method: string, path: string, body?: Json, headers: Record<string, string> = {}) => {
    const reply = await fetch(`${house.url}${path}`, {
      method,
      headers: { authorization, ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await reply.text();
    const { message = '' } = text.startsWith('{') ? (JSON.parse(text) as { message?: string }) : {};
    return { status: reply.status, warning: reply.headers.get('warning') ?? '', text, message };
  };
  const marks = async (name: string): Promise<string> => {
    const found = JSON.parse((await ask('GET', '/api/inspect/v1/problems?namespace=default')).text) as {
      name: string;
      problems: { message: string }[];
    }[];
    return found
      .filter((one) => one.name === name)
      .flatMap(({ problems }) => problems.map(({ message }) => message))
      .join('\n');
  };
  return { ask, marks, house };
};

const check = (name: string, fields: Json = {}): Json => ({
  metadata: { name },
  command: 'true',
  interval: 60,
  subscriptions: ['linux'],
  ...fields,
});

test('a misspelled field is reported with the nearest name, marked, and rejected in strict mode', async (t) => {
  const { ask, marks } = await open(t);
  const misspelled = check('disk', { hndlers: ['pager'], subdues: [{ begn: 'x' }] });
  delete misspelled.subdues;
  for (const strict of ['?strict=true', '?strict']) {
    const refused = await ask('PUT', `${base}/checks/disk${strict}`, misspelled);
    assert.equal(refused.status, 400);
    assert.equal(refused.message, 'unknown field hndlers, did you mean handlers?');
  }
  const byHeader = await ask('POST', `${base}/checks`, misspelled, { 'mon-strict': 'true' });
  assert.equal(byHeader.status, 400);
  assert.equal((await ask('PUT', `${base}/checks/disk?strict=maybe`, misspelled)).status, 400);
  assert.equal((await ask('GET', `${base}/checks/disk`)).status, 404);

  const taken = await ask('PUT', `${base}/checks/disk`, misspelled);
  assert.equal(taken.status, 201);
  assert.match(taken.warning, /^299 mon "unknown field hndlers, did you mean handlers\?"/);
  assert.match(await marks('disk'), /unknown field hndlers/);
  const mended = await ask('PUT', `${base}/checks/disk`, check('disk'));
  assert.doesNotMatch(mended.warning, /unknown/);
  assert.doesNotMatch(await marks('disk'), /unknown/);
  await ask(
    'PATCH',
    `${base}/checks/disk`,
    { lables: {} },
    { 'content-type': 'application/merge-patch+json' },
  );
  assert.match(await marks('disk'), /unknown field lables/);
  assert.equal((await ask('DELETE', `${base}/checks/disk`)).status, 204);
  await eventually('the mark goes', async () => (await marks('disk')) === '');
});

test('a wrapped body, an event and a silence are looked at too', async (t) => {
  const { ask } = await open(t);
  const wrapped = {
    type: 'CheckConfig',
    api_version: 'core/v2',
    metadata: { name: 'disk' },
    spec: { comand: 'true', interval: 60 },
  };
  const refused = await ask('POST', `${base}/checks`, wrapped);
  assert.equal(refused.status, 400);
  assert.match(
    refused.message,
    /check command must be set.*unknown field spec\.comand, did you mean command\?/,
  );
  const silence = { metadata: {}, check: 'disk', subscription: 'linux', expires: 600 };
  assert.match(
    (await ask('POST', `${base}/silenced`, silence)).warning,
    /unknown field expires, did you mean expire\?/,
  );
  assert.equal((await ask('POST', `${base}/silenced?strict=true`, silence)).status, 400);
  const event = {
    entity: { metadata: { name: 'web' }, entity_class: 'proxy' },
    check: { metadata: { name: 'cpu' }, interval: 60, staus: 2 },
  };
  const posted = await ask('POST', `${base}/events`, event);
  assert.equal(posted.status, 201);
  assert.match(posted.warning, /unknown field check\.staus, did you mean status\?/);
});

test('a missing reference is reported until the resource exists', async (t) => {
  const { ask, marks } = await open(t);
  const named = {
    handlers: ['pager'],
    check_hooks: [{ critical: ['ps'] }],
    runtime_assets: ['tools'],
    secrets: [{ name: 'A', secret: 'db' }],
    pipelines: [{ name: 'incident' }],
  };
  const { warning } = await ask('PUT', `${base}/checks/disk`, check('disk', named));
  for (const missing of [
    'handler \\"pager',
    'hook \\"ps',
    'asset \\"tools',
    'secret \\"db',
    'pipeline \\"incident',
  ])
    assert.ok(warning.includes(`the ${missing}\\" does not exist`), `${missing}: ${warning}`);
  assert.match(await marks('disk'), /the handler "pager" does not exist/);
  assert.match(await marks('disk'), /the secret "db" does not exist; the check is not sent to any agent/);

  const handler = {
    metadata: { name: 'pager' },
    type: 'pipe',
    command: 'true',
    filters: ['nights', 'is_incident'],
    mutator: 'short',
  };
  const put = await ask('PUT', `${base}/handlers/pager`, handler);
  assert.match(put.warning, /the filter \\"nights\\" does not exist/);
  assert.match(put.warning, /the mutator \\"short\\" does not exist/);
  assert.doesNotMatch(put.warning, /is_incident/);
  assert.doesNotMatch(await marks('disk'), /pager/);
  assert.equal((await ask('DELETE', `${base}/handlers/pager`)).status, 204);
  assert.match(await marks('disk'), /the handler "pager" does not exist/);

  const binding = {
    metadata: { name: 'ops' },
    role_ref: { type: 'Role', name: 'nobody' },
    subjects: [{ type: 'User', name: 'a' }],
  };
  assert.match(
    (await ask('PUT', `${base}/rolebindings/ops`, binding)).warning,
    /the role \\"nobody\\" does not exist; it grants nothing/,
  );
});

test('a published check that no agent runs is reported', async (t) => {
  const { ask } = await open(t);
  const idle = await ask('PUT', `${base}/checks/idle`, check('idle', { publish: true, subscriptions: [] }));
  assert.match(idle.warning, /no agent runs this published check/);
  const lonely = await ask('PUT', `${base}/checks/lonely`, check('lonely', { publish: true }));
  assert.match(lonely.warning, /no connected agent has the subscription linux, so nobody runs it now/);
  const subscriptions = Array.from({ length: 7 }, (_, at) => `s${at}`);
  const wide = await ask('PUT', `${base}/checks/wide`, check('wide', { publish: true, subscriptions }));
  assert.match(wide.warning, /one of the subscriptions s0, s1, s2, s3, s4 and 2 more, so nobody/);
  assert.equal((await ask('PUT', `${base}/checks/quiet`, check('quiet'))).warning, '');
});

test('an expression that throws on a sample event is reported; one that reads a label is not', async (t) => {
  const { ask, marks } = await open(t);
  const filter = (name: string, expressions: readonly string[]) =>
    ask('PUT', `${base}/filters/${name}`, { metadata: { name }, action: 'allow', expressions });
  const typo = await filter('typo', ['true', 'event.chek.status == 2']);
  assert.equal(typo.status, 201);
  assert.match(typo.warning, /expressions\[1\]: \\"event\.chek\.status == 2\\" fails on a sample: TypeError/);
  assert.match(await marks('typo'), /event\.chek/);
  const fine = await filter('fine', [
    "event.entity.labels.region.startsWith('eu')",
    "event.check.annotations['a/b'].length > 0",
    'event.metrics.points[0].value > 1 && event.check.hooks[0].output != ""',
    'hour(event.timestamp) >= 9 && event.check.history[0].status == 0',
  ]);
  assert.equal(fine.warning, '');
  const proxies = { proxy_requests: { entity_attributes: ['entity.lables.a == "b"'] } };
  const wrong = await ask('PUT', `${base}/checks/proxied`, check('proxied', proxies));
  assert.match(wrong.warning, /proxy_requests\.entity_attributes\[0\]/);
});

test('executing a check with an unresolvable secret is rejected with the reason', async (t) => {
  const { ask } = await open(t);
  await ask('PUT', `${base}/checks/login`, check('login', { secrets: [{ name: 'A', secret: 'db' }] }));
  const refused = await ask('POST', `${base}/checks/login/execute`, {});
  assert.equal(refused.status, 400);
  assert.match(refused.message, /not sent to any agent: a secret can't be resolved \(secret not found: db/);
});

test('a denied request names the user, the action and the resource', async (t) => {
  const { house, ask } = await open(t);
  const user = { username: 'ro', password: 'reads-only-1', groups: [] };
  assert.equal((await ask('PUT', '/api/core/v2/users/ro', user)).status, 201);
  const authorization = await house.login('ro', 'reads-only-1');
  const refused = await fetch(`${house.url}/api/core/v2/namespaces/team-a/checks`, {
    method: 'POST',
    headers: { authorization },
    body: JSON.stringify(check('disk')),
  });
  assert.equal(refused.status, 403);
  assert.deepEqual(await refused.json(), { message: 'ro may not create checks in team-a', code: 4 });
});

test('a pipeline of a dump that names a kind of handler we do not have is stored, and its workflow marked', async (t) => {
  const { ask, marks } = await open(t);
  const handler = { name: 'splunk', type: 'TCPStreamHandler', api_version: 'pipeline/v1' };
  const pipeline = { metadata: { name: 'stream' }, workflows: [{ name: 'w', handler }] };
  const taken = await ask('PUT', `${base}/pipelines/stream`, pipeline);
  assert.equal(taken.status, 201, taken.text);
  const told =
    /handlers of the kind pipeline\/v1.TCPStreamHandler are not supported; the workflow is skipped/;
  assert.match(taken.warning, told);
  assert.match(await marks('stream'), told);
});

test('handlers that an entity names and that do not exist are reported, marked until they exist', async (t) => {
  const { ask, marks } = await open(t);
  const said = (field: string, handler: string): RegExp =>
    new RegExp(`${field}: the handler "${handler}" does not exist; events of this entity do not reach it`);
  const created = await ask('POST', `${base}/entities`, {
    metadata: { name: 'router' },
    entity_class: 'proxy',
    keepalive_handlers: ['pager'],
    deregistration: { handler: 'goodbye' },
  });
  assert.equal(created.status, 200, created.text);
  for (const text of [created.warning.replaceAll('\\', ''), await marks('router')]) {
    assert.match(text, said('keepalive_handlers', 'pager'));
    assert.match(text, said('deregistration.handler', 'goodbye'));
  }
  await ask('PUT', `${base}/handlers/pager`, { metadata: { name: 'pager' }, type: 'pipe', command: 'true' });
  assert.doesNotMatch(await marks('router'), /pager/);
  assert.match(await marks('router'), /goodbye/);
  const written = JSON.parse((await ask('GET', `${base}/entities/router`)).text) as Json;
  const mended = await ask('PUT', `${base}/entities/router`, { ...written, deregistration: {} });
  assert.equal(mended.warning, '');
  assert.equal(await marks('router'), '');
});

test('a field selector that names an unknown field is answered with a warning, and matches as before', async (t) => {
  const { ask } = await open(t);
  await ask('PUT', `${base}/checks/disk`, check('disk'));
  const list = (kind: string, selector: string) =>
    ask('GET', `${base}/${kind}?fieldSelector=${encodeURIComponent(selector)}`);
  for (const [kind, selector, unknown, nearest] of [
    ['checks', 'check.publsh == "true"', 'check.publsh', 'check.publish'],
    ['events', 'event.chek.status == "1"', 'event.chek.status', 'event.check.status'],
    ['entities', '"linux" in entity.subscription', 'entity.subscription', 'entity.subscriptions'],
    ['silenced', 'silence.reason == "x"', 'silence.reason', 'silenced.reason'],
  ] as const) {
    const { status, text, warning } = await list(kind, selector);
    assert.deepEqual([status, text], [200, '[]']);
    assert.match(
      warning.replaceAll('\\', ''),
      new RegExp(`^299 mon "fieldSelector: ${kind} have no field ${unknown}, did you mean ${nearest}\\?"$`),
    );
  }
  for (const [kind, selector] of [
    ['checks', 'check.name == "disk" && check.labels.any != "x"'],
    ['checks', '"linux" in check.subscriptions && check.publish != "true"'],
    ['events', 'event.check.state == "failing" && event.labels.region == "eu" && event.entity.name != "a"'],
    ['entities', 'entity.entity_class == "proxy" && entity.namespace == "default"'],
    ['silenced', 'silenced.creator == "root"'],
  ] as const) {
    const { status, warning } = await list(kind, selector);
    assert.deepEqual([status, warning], [200, ''], selector);
  }
});

test('a list of a namespace that does not exist is empty, and a warning says why', async (t) => {
  const { ask } = await open(t);
  for (const kind of ['events', 'checks', 'entities', 'silenced', 'roles']) {
    const { status, text, warning } = await ask('GET', `/api/core/v2/namespaces/nowhere/${kind}`);
    assert.deepEqual(
      [status, text, warning],
      [200, '[]', '299 mon "the namespace nowhere does not exist"'],
      kind,
    );
    assert.equal((await ask('GET', `${base}/${kind}`)).warning, '');
  }
});

test('a rule for a resource type that nothing has is reported with the nearest name, and rejected in strict mode', async (t) => {
  const { ask, marks } = await open(t);
  const role = (...resources: string[]): Json => ({
    metadata: { name: 'reader' },
    rules: [
      { verbs: ['get'], resources: ['events'] },
      { verbs: ['get'], resources },
    ],
  });
  const why = 'unknown name "chekcs" in rules[1].resources[0], did you mean checks?';
  for (const body of [role('chekcs,handlers'), role('chekcs')]) {
    const refused = await ask('PUT', `${base}/roles/reader?strict`, body);
    assert.deepEqual([refused.status, refused.message], [400, why]);
  }
  const taken = await ask('PUT', `${base}/roles/reader`, role('chekcs'));
  assert.equal(taken.status, 201);
  assert.equal(taken.warning.replaceAll('\\', ''), `299 mon "${why}"`);
  assert.equal(await marks('reader'), why);
  const mended = await ask('PUT', `${base}/roles/reader?strict`, role('checks,events', '*', 'searches'));
  assert.deepEqual([mended.status, mended.warning, await marks('reader')], [201, '', '']);
  const cluster = { metadata: { name: 'reader' }, rules: [{ verbs: ['get'], resources: ['user'] }] };
  const everywhere = await ask('PUT', '/api/core/v2/clusterroles/reader?strict', cluster);
  assert.equal(everywhere.message, 'unknown name "user" in rules[0].resources[0], did you mean users?');
});

test('rules can name whatever a route asks for', async (t) => {
  const { ask, house } = await open(t);
  const named = house.api.routes.flatMap(({ access }) =>
    typeof access === 'string' ? [] : [access.resource],
  );
  const resources = [...new Set(named)].filter((resource) => resource !== null);
  const rules = [{ verbs: ['get'], resources: [...resources, 'localselfuser', 'actors'] }];
  const role = { metadata: { name: 'all' }, rules };
  assert.equal((await ask('PUT', '/api/core/v2/clusterroles/all?strict', role)).status, 201);
});
