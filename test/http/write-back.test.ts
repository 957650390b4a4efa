// What is read, changed and written back takes effect, or is refused: every kind of resource, every field of its schema, by
// every way to write it. Made from the table of kinds and held against the document of routes, so that a new kind, a new
// field or a new way to write is asked too.
import assert from 'node:assert/strict';
import test, { type TestContext } from 'node:test';
import { z } from 'zod';
import { examples } from '../../src/http/openapi/examples.ts';
import type { ResourceKind } from '../../src/model/resource/resource-kind.ts';
import { resourceKinds } from '../../src/model/resource/resource-kinds.ts';
import { openRealHouse } from './real-house.ts';

// biome-ignore lint/suspicious/noExplicitAny: documents of every shape
type Json = any;
type Path = readonly (string | number)[];

/** Fields computed by the backend. A write that changes only these is accepted, and they are unchanged. */
const computed: Readonly<Record<string, RegExp>> = {
  '*': /^metadata\.created_by$/,
  // Passwords are write only.
  users: /^password/,
  apikeys: /^created_at$/,
  entities: /^(system|last_seen|mon_agent_version|sensu_agent_version)\b/,
  silenced: /^(creator|expire_at)$/,
  // The entity is the one that is known; metrics are handed on and not stored; the rest follows from the results.
  events:
    /^(entity|metrics|sequence|metadata)\b|^check\.(history|state|total_state_change|last_ok|occurrences|occurrences_watermark|silenced|is_silenced|acknowledgement|incident_notes|masked_by|masking)\b|^check\.metadata\.created_by$/,
};

const isComputed = (kind: string, path: Path): boolean => {
  const text = path.join('.');
  return computed['*']?.test(text) === true || computed[kind]?.test(text) === true;
};

interface Way {
  readonly method: 'PUT' | 'PATCH' | 'POST';
  readonly url: string;
}

/** One thing that is read under one address and written in some ways. */
interface Subject {
  readonly title: string;
  readonly kind: string;
  readonly schema: z.ZodType;
  readonly example: Json;
  /** How it is created. */
  readonly make: Way;
  readonly url: string;
  readonly ways: readonly Way[];
  /** A field by its path in the document that is read. */
  readonly at?: (path: Path) => Path;
  /** What a reader does not get and a writer has to say. */
  readonly withheld?: object;
}

const example = (kind: string): Json => structuredClone(examples[kind]);

const subjectOf = (kind: ResourceKind): Subject => {
  const body = example(kind.path);
  const isEvent = kind.path === 'events';
  const name = isEvent ? 'switch-1/ports' : (body.metadata?.name ?? body.username ?? body.name);
  const scope = kind.namespaced ? `${kind.basePath}/namespaces/default` : kind.basePath;
  const collection = `${scope}/${kind.path}`;
  const url = `${collection}/${isEvent ? name : encodeURIComponent(name)}`;
  const ways: Way[] = [];
  if (kind.operations.has('put')) ways.push({ method: 'PUT', url });
  if (kind.operations.has('patch')) ways.push({ method: 'PATCH', url });
  if (kind.operations.has('create')) ways.push({ method: 'POST', url: collection });
  if (isEvent) ways.push({ method: 'POST', url });
  const make = ways.find(({ method }) => method === (kind.operations.has('put') ? 'PUT' : 'POST'));
  if (make === undefined) throw new Error(`${kind.path} cannot be made`);
  const withheld = kind.path === 'users' ? { password: body.password } : {};
  return { title: kind.path, kind: kind.path, schema: kind.schema, example: body, make, url, ways, withheld };
};

const issuer = (providers: Subject): Subject => ({
  ...providers,
  title: 'authproviders (oidc)',
  example: {
    ...providers.example,
    type: 'oidc',
    spec: { client_id: 'mon', client_secret: 'issuer-secret', server: 'https://issuer.example.org' },
  },
});

/** The configuration half of an entity, in the wrapped form of core/v3. */
const entityConfig = (entities: ResourceKind): Subject => {
  const url = '/api/core/v3/namespaces/default/entity-configs/switch-1';
  const { metadata, ...spec } = example('entities');
  return {
    title: 'entity-configs (core/v3)',
    kind: 'entities',
    schema: entities.schema,
    example: { type: 'EntityConfig', api_version: 'core/v3', metadata, spec },
    make: { method: 'PUT', url },
    url,
    ways: [
      { method: 'PUT', url },
      { method: 'PATCH', url },
    ],
    at: (path) => (path[0] === 'metadata' ? path : ['spec', ...path]),
  };
};

const subjects = (): readonly Subject[] => {
  const entities = resourceKinds.find(({ path }) => path === 'entities');
  assert.ok(entities);
  const kinds = resourceKinds.map(subjectOf);
  const providers = kinds.find(({ kind }) => kind === 'authproviders');
  assert.ok(providers);
  return [...kinds, entityConfig(entities), issuer(providers)];
};

/**
 * Where the changed document is read: where it was, unless it was created under another name. An event that names another
 * entity belongs to that one. Undefined for a name that the backend makes.
 */
const placeOf = (subject: Subject, { method, url }: Way, path: Path, document: Json): string => {
  const key = path.join('.');
  if (subject.kind === 'events') {
    const entity = document.check.proxy_entity_name || document.entity.metadata.name;
    return `/api/core/v2/namespaces/default/events/${entity}/${document.check.metadata.name}`;
  }
  if (method !== 'POST') return subject.url;
  if (subject.kind === 'silenced' && (key === 'check' || key === 'subscription'))
    return `${url}/${encodeURIComponent(`${document.subscription}:${document.check}`)}`;
  const name = document.metadata?.name ?? document.username ?? document.name;
  return `${url}/${encodeURIComponent(name)}`;
};

const get = (value: Json, path: Path): Json => path.reduce((inner, key) => inner?.[key], value);

const set = (value: Json, [key, ...rest]: Path, leaf: unknown): Json => {
  if (key === undefined) return leaf;
  const copy = Array.isArray(value)
    ? [...value]
    : typeof value === 'object' && value !== null
      ? { ...value }
      : typeof key === 'number'
        ? []
        : {};
  copy[key] = set(copy[key], rest, leaf);
  return copy;
};

/** As a merge patch: lists are replaced as a whole. */
const patchFor = (document: Json, path: Path): Json => {
  const list = path.findIndex((key) => typeof key === 'number');
  const named = list === -1 ? path : path.slice(0, list);
  return set({}, named, get(document, named) ?? null);
};

const typeOf = (schema: Json): string | undefined =>
  Array.isArray(schema.type) ? schema.type[0] : schema.type;

/** The paths of all plain values a schema knows, with two values of the right type for each. */
const leaves = (
  schema: Json,
  type: string | undefined,
  path: Path = [],
): readonly { readonly path: Path; readonly values: unknown[] }[] => {
  if (path.length > 7) return [];
  const choice = (schema.anyOf ?? schema.oneOf)?.filter((one: Json) => one.type !== 'null');
  if (choice !== undefined)
    return choice
      .filter(({ properties }: Json) => [undefined, type].includes(properties?.type?.const))
      .flatMap((one: Json) => leaves(one, type, path));
  if (schema.enum !== undefined) return [{ path, values: schema.enum }];
  if (schema.const !== undefined) return [];
  switch (typeOf(schema)) {
    case 'string':
      return [{ path, values: ['changed', 'https://changed.example.org', '7'] }];
    case 'integer':
    case 'number':
      return [{ path, values: [7, 3_601] }];
    case 'boolean':
      return [{ path, values: [true, false] }];
    case 'array':
      return leaves(schema.items ?? {}, type, [...path, 0]);
    case 'object': {
      const properties = Object.entries<Json>(schema.properties ?? {});
      if (properties.length > 0)
        return properties.flatMap(([key, inner]) => leaves(inner, type, [...path, key]));
      return leaves(schema.additionalProperties || {}, type, [...path, 'critical']);
    }
    default:
      return [];
  }
};

const isEmpty = (value: Json): boolean =>
  value === undefined || value === null || value === '' || value === 0 || value === false;

const open = async (t: TestContext) => {
  const house = await openRealHouse(t);
  const authorization = await house.login();
  const ask = async (method: string, path: string, body?: unknown) => {
    const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
    const reply = await fetch(house.url + path, {
      method,
      headers: { authorization, ...(body === undefined ? {} : { 'content-type': type }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await reply.text();
    return { status: reply.status, text, json: text === '' ? undefined : (JSON.parse(text) as Json) };
  };
  return { house, ask };
};

/** Makes everything there is an example of, in the order in which one refers to the other; the address of each. */
const make = async (ask: Awaited<ReturnType<typeof open>>['ask'], subject: Subject): Promise<string> => {
  const { make, url, example: body } = subject;
  const made = await ask(make.method, make.url, body);
  assert.ok(made.status < 300, `${subject.title}: ${made.text}`);
  if (subject.kind !== 'apikeys') return url;
  const [first] = (await ask('GET', '/api/core/v2/apikeys')).json;
  return `/api/core/v2/apikeys/${first.metadata.name}`;
};

test('every way to write a resource is asked here', async (t) => {
  const { ask } = await open(t);
  const written = new Set(
    subjects().flatMap(({ ways }) => ways.map(({ method, url }) => `${method} ${url}`)),
  );
  const paths = (await ask('GET', '/openapi.json')).json.paths as Record<string, Record<string, unknown>>;
  const unasked: string[] = [];
  for (const [path, methods] of Object.entries(paths)) {
    const isSame = (url: string): boolean => {
      const [one, other] = [path.split('/'), url.split('/')];
      return one.length === other.length && one.every((part, i) => part.startsWith('{') || part === other[i]);
    };
    for (const method of ['PUT', 'PATCH', 'POST'])
      if (methods[method.toLowerCase()] !== undefined)
        if (![...written].some((way) => way.startsWith(`${method} `) && isSame(way.slice(method.length + 1))))
          unasked.push(`${method} ${path}`);
  }
  // No resources: actions, sessions, and single settings with tests of their own.
  const actions =
    /\/(execute|acknowledgement|notes|hooks\/\{type\}|reinstate|password|reset_password|change_password|groups\/\{group\})$|^\w+ \/(api\/inspect|auth|api\/enterprise\/(authentication\/v2\/oidc|licensing)|api\/enterprise\/licensing)|tessen|license|prune\/v1alpha$/;
  assert.deepEqual(
    unasked.filter((way) => !actions.test(way)),
    [],
  );
});

for (const subject of subjects())
  test(`${subject.title}: what is read, changed and written back takes effect or is refused`, async (t) => {
    const { house, ask } = await open(t);
    for (const other of subjects().slice(0, -2)) {
      if (other.kind === subject.kind) break;
      await make(ask, other);
    }
    if (subject.kind === 'users' || subject.kind === 'apikeys')
      await ask('PUT', '/api/core/v2/users/ada', example('users'));
    const url = await make(ask, subject);
    const read = async (): Promise<Json> => {
      const found = await ask('GET', url);
      assert.equal(found.status, 200, found.text);
      return found.json;
    };
    const at = subject.at ?? ((path: Path) => path);
    const schema = z.toJSONSchema(subject.schema, { io: 'input', unrepresentable: 'any' });
    const fields = leaves(schema, subject.example.type).filter(({ path }) => !isComputed(subject.kind, path));
    assert.ok(fields.length > 0);
    let effects = 0;
    const ways = subject.kind === 'apikeys' ? [{ method: 'PATCH', url } as const] : subject.ways;
    for (const { method, url: target } of ways) {
      const what = `${method} ${target}`;
      const before = await read();
      const same = await ask(method, target, method === 'PATCH' ? {} : { ...before, ...subject.withheld });
      if (same.status < 300) {
        const after = await read();
        // An event is one more result; everything else is what it was.
        if (subject.kind === 'events') assert.equal(after.check.occurrences, before.check.occurrences + 1);
        else assert.deepEqual(after, before, `${what}: an unmodified copy changed something`);
      } else assert.ok(same.status < 500 && same.json.message !== '', `${what}: ${same.text}`);
      for (const { path, values } of fields) {
        for (const value of values) {
          const place = at(path);
          const copy = await read();
          if (get(copy, place) === value) continue;
          const changed = { ...set(copy, place, value), ...subject.withheld };
          const reply = await ask(method, target, method === 'PATCH' ? patchFor(changed, place) : changed);
          const told = `${what}: ${place.join('.')} = ${JSON.stringify(value)}: ${reply.status} ${reply.text.slice(0, 200)}`;
          if (reply.status >= 300) {
            assert.ok(reply.status >= 400 && reply.status < 500 && reply.json.message !== '', told);
            continue;
          }
          const found = await ask(
            'GET',
            placeOf({ ...subject, url }, { method, url: target }, path, changed),
          );
          assert.equal(found.status, 200, `${told}; then ${found.text}`);
          const now = get(found.json, place);
          const isHidden = now === 'REDACTED';
          assert.ok(
            isHidden || (isEmpty(now) && isEmpty(value)) || now === value,
            `${told}, but it is ${JSON.stringify(now)}`,
          );
          effects += 1;
        }
      }
    }
    assert.ok(effects > 0, 'nothing could be changed at all');
    assert.deepEqual(house.faults, []);
  });
