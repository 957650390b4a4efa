// Malicious names and keys in every API request are rejected or stored without effect: they change neither a
// prototype nor resources of others.
import assert from 'node:assert/strict';
import test from 'node:test';
import { maxSelectorCharacters } from '../../src/http/limits.ts';
import { examples } from '../../src/http/openapi/examples.ts';
import type { ResourceKind } from '../../src/model/resource/resource-kind.ts';
import { resourceKinds } from '../../src/model/resource/resource-kinds.ts';
import { openRealHouse } from './real-house.ts';

const pollutions = [
  '"__proto__":{"polluted":"yes"}',
  '"constructor":{"prototype":{"polluted":"yes"}}',
  '"prototype":{"polluted":"yes"}',
];

const collectionOf = (kind: ResourceKind): string =>
  kind.namespaced ? `${kind.basePath}/namespaces/default/${kind.path}` : `${kind.basePath}/${kind.path}`;

/** Where a kind is written: its collection, or an address of its own where it has no POST. */
const writeTo = (kind: ResourceKind, name: string): readonly [method: string, path: string] =>
  kind.operations.has('create')
    ? ['POST', collectionOf(kind)]
    : ['PUT', `${collectionOf(kind)}/${encodeURIComponent(name)}`];

// biome-ignore lint/suspicious/noExplicitAny: examples of every shape
const exampleOf = (kind: ResourceKind): any => structuredClone(examples[kind.path]);

/** The text of a body with raw members put in at the top, in the metadata and in the labels. */
const bodiesWith = (kind: ResourceKind, member: string): readonly string[] => {
  const plain = exampleOf(kind);
  const inMetadata = { ...plain, metadata: { ...plain.metadata, labels: { '@@': '1' } } };
  return [
    JSON.stringify(plain).replace(/^\{/, `{${member},`),
    JSON.stringify(inMetadata).replace('"@@":"1"', member),
    JSON.stringify(inMetadata).replace('"labels":{', `${member},"labels":{`),
  ];
};

const open = async (t: Parameters<typeof openRealHouse>[0]) => {
  const house = await openRealHouse(t);
  const authorization = await house.login();
  const ask = async (method: string, path: string, body?: string) => {
    const reply = await fetch(house.url + path, {
      method,
      headers: { authorization, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body }),
    });
    return { status: reply.status, text: await reply.text() };
  };
  return { house, ask };
};

test('no body pollutes a prototype, whatever it is posted to and wherever the key stands', async (t) => {
  const { house, ask } = await open(t);
  let sent = 0;
  for (const kind of resourceKinds) {
    const name: string = exampleOf(kind).metadata?.name ?? 'x';
    const [method, path] = writeTo(kind, name);
    for (const body of pollutions.flatMap((member) => bodiesWith(kind, member))) {
      const reply = await ask(method, path, body);
      assert.ok([200, 201, 400, 409].includes(reply.status), `${method} ${path} ${body}: ${reply.status}`);
      assert.equal(({} as Record<string, unknown>).polluted, undefined, body);
      assert.doesNotMatch((await ask('GET', collectionOf(kind))).text, /polluted/, `${path} keeps ${body}`);
      sent += 1;
    }
  }
  assert.ok(sent >= resourceKinds.length * 9);
  assert.deepEqual(house.faults, []);
});

const hostileNames = [
  'a/b',
  '../../etc/passwd',
  'a\u0000b',
  'a b',
  'a\nb',
  '$gt',
  '{"$gt":""}',
  'a%2fb',
  '\u0430dmin',
  'a\u202eb',
  '\ud800',
  '',
  'x'.repeat(2_000),
];

test('no kind takes a name outside the alphabet, nor an object in place of one', async (t) => {
  const { house, ask } = await open(t);
  // Assets may have paths for names; API keys get their name from us; silences from what they silence.
  const kinds = resourceKinds.filter(({ path }) => !['assets', 'apikeys', 'silenced'].includes(path));
  for (const kind of kinds) {
    for (const name of [...hostileNames, { $gt: '' }, { $where: '1' }, ['a'], 7, true]) {
      const body = exampleOf(kind);
      if (kind.path === 'events') body.entity.metadata.name = name;
      else if (kind.path === 'namespaces') body.name = name;
      else if (kind.path === 'users') body.username = name;
      else body.metadata.name = name;
      const [method, path] = writeTo(
        kind,
        typeof name === 'string' && name !== '' && name !== '\ud800' ? name : 'x',
      );
      // An empty name is taken from the URI if there is one.
      if (name === '' && method === 'PUT') continue;
      const reply = await ask(method, path, JSON.stringify(body));
      assert.ok(
        [400, 404].includes(reply.status),
        `${kind.path} ${JSON.stringify(name)?.slice(0, 60)}: ${reply.status}`,
      );
    }
  }
  assert.deepEqual(house.faults, []);
});

test('namespaces in bodies, look-alikes and operators do not reach another namespace', async (t) => {
  const { house, ask } = await open(t);
  for (const namespace of [
    'other',
    '../default',
    'default/..',
    '*',
    'd\u0435fault',
    { $ne: '' },
    ['default'],
  ]) {
    const body = { ...exampleOf(resourceKinds.find(({ path }) => path === 'checks') as ResourceKind) };
    body.metadata = { ...body.metadata, namespace };
    const reply = await ask('POST', '/api/core/v2/namespaces/default/checks', JSON.stringify(body));
    assert.equal(reply.status, 400, JSON.stringify(namespace));
  }
  for (const path of [
    '/api/core/v2/namespaces/*/checks',
    '/api/core/v2/namespaces/default%00/checks',
    '/api/core/v2/namespaces/..%2Fdefault/checks',
    '/api/core/v2/namespaces/%24ne/checks',
  ]) {
    const reply = await ask('GET', path);
    assert.ok(reply.status === 404 || reply.text === '[]', `${path}: ${reply.status} ${reply.text}`);
  }
  assert.deepEqual(house.faults, []);
});

test('a selector of 4,096 characters is answered, whatever is in it; one more character is refused', async (t) => {
  const { house, ask } = await open(t);
  const fill = (text: string): string => text.repeat(maxSelectorCharacters).slice(0, maxSelectorCharacters);
  const hostile = [
    "a == '",
    '((((',
    "'a' in [",
    '[,',
    '!=',
    'a&&',
    '\\\\',
    '"',
    'matches ',
    'aaaa',
    ' ',
    '&&&&',
  ];
  for (const text of hostile) {
    for (const parameter of ['fieldSelector', 'labelSelector']) {
      const query = new URLSearchParams({ [parameter]: fill(text) }).toString();
      const reply = await ask('GET', `/api/core/v2/checks?${query}`);
      assert.ok([200, 400, 431].includes(reply.status), `${text}: ${reply.status}`);
    }
  }
  const exact = `check.name == '${'x'.repeat(maxSelectorCharacters - 16)}'`;
  assert.equal(exact.length, maxSelectorCharacters);
  const asQuery = (text: string) => new URLSearchParams({ fieldSelector: text }).toString();
  assert.equal((await ask('GET', `/api/core/v2/checks?${asQuery(exact)}`)).status, 200);
  const refused = await ask('GET', `/api/core/v2/checks?${asQuery(`${exact} `)}`);
  assert.equal(refused.status, 400);
  assert.match(refused.text, /at most 4096 characters/);
  assert.deepEqual(house.faults, []);
});
