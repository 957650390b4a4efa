// The OpenAPI document is complete: every route, every schema, and valid examples.
import assert from 'node:assert/strict';
import test from 'node:test';
import Fastify from 'fastify';
import { inspectionDocs } from '../../../src/http/inspect/route-docs.ts';
import { registerInspection } from '../../../src/http/inspect/routes.ts';
import { openApiPath } from '../../../src/http/openapi/document.ts';
import { examples } from '../../../src/http/openapi/examples.ts';
import { withOpenApi } from '../../../src/http/openapi/routes.ts';
import type { Route } from '../../../src/http/route.ts';
import type { RouteDoc } from '../../../src/http/route-doc.ts';
import { resourceKinds } from '../../../src/model/resource/resource-kinds.ts';
import { openHouse } from '../harness.ts';
import { createFakeSystem } from '../inspect/fake-system.ts';
import { openRealHouse } from '../real-house.ts';

// biome-ignore lint/suspicious/noExplicitAny: the document is looked into from all sides
type Anything = any;

const walk = (value: unknown, visit: (object: Record<string, unknown>) => void): void => {
  if (value === null || typeof value !== 'object') return;
  if (!Array.isArray(value)) visit(value as Record<string, unknown>);
  for (const inner of Object.values(value)) walk(inner, visit);
};

test('every route of the API is in the document, with its parameters, and nothing else is', async (t) => {
  const house = await openHouse(t);
  const reply = await house.ask('GET', '/openapi.json', { as: null });
  assert.equal(reply.status, 200);
  const document: Anything = reply.json;
  assert.equal(document.openapi, '3.1.0');
  const told = Object.entries<Anything>(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
  const served = house.api.routes.map(({ method, url }) => `${method} ${openApiPath(url)}`);
  assert.deepEqual(told.sort(), served.sort());
  assert.ok(served.length > 120, `${served.length} routes`);
  const ids = new Set<string>();
  for (const [path, methods] of Object.entries<Anything>(document.paths)) {
    for (const operation of Object.values<Anything>(methods)) {
      const names = (operation.parameters ?? []).filter((one: Anything) => one.in === 'path');
      assert.deepEqual(
        names.map((one: Anything) => `{${one.name}}`),
        path.match(/\{\w+\}/g) ?? [],
      );
      assert.ok(!ids.has(operation.operationId), `${operation.operationId} twice`);
      ids.add(operation.operationId);
      assert.ok(operation.summary.length > 5 && operation.tags.length === 1);
      assert.ok(
        Object.keys(operation.responses).some((status) => /^[23]/.test(status)),
        path,
      );
    }
  }
  walk(document, ({ $ref: ref }) => {
    if (typeof ref !== 'string') return;
    const found = ref
      .slice(2)
      .split('/')
      .reduce((at: Anything, key) => at?.[key], document);
    assert.notEqual(found, undefined, ref);
  });
});

test('what live inspection serves beside the table of routes is in the document, and nothing else is', async (t) => {
  const app = Fastify();
  t.after(() => app.close());
  const served: string[] = [];
  app.addHook('onRoute', ({ method, url }) => {
    if (method !== 'HEAD') served.push(`${method} ${url}`);
  });
  registerInspection(app, {
    port: createFakeSystem([]).port,
    allowControl: true,
    identify: async () => 'ann',
    authorize: async () => 'ann',
    audit: () => {},
  });
  assert.deepEqual(served.sort(), inspectionDocs.map(({ method, url }) => `${method} ${url}`).sort());
  const house = await openRealHouse(t);
  const document: Anything = await (await fetch(`${house.url}/openapi.json`)).json();
  for (const { method, url, access } of inspectionDocs) {
    const operation = document.paths[openApiPath(url)]?.[method.toLowerCase()];
    assert.ok(operation, `${method} ${url}`);
    assert.ok(typeof access === 'object' && '403' in operation.responses && '401' in operation.responses);
    const [content] = Object.values<Anything>(operation.responses['200'].content);
    assert.notEqual(content.example, undefined, `${method} ${url} has an example`);
  }
});

test('the schema of every kind names its fields: none has turned into "anything"', async (t) => {
  const house = await openHouse(t);
  const document: Anything = (await house.ask('GET', '/openapi.json', { as: null })).json;
  for (const kind of resourceKinds) {
    const schema = document.components.schemas[kind.path];
    const shapes: Anything[] = schema.oneOf ?? schema.anyOf ?? [schema];
    const fields = new Set(shapes.flatMap((shape) => Object.keys(shape.properties ?? {})));
    for (const field of Object.keys(examples[kind.path] ?? {}))
      assert.ok(fields.has(field), `${kind.path}.${field}`);
  }
});

test('each protected route lists both authentication schemes, public ones none', async (t) => {
  const house = await openHouse(t);
  const document: Anything = (await house.ask('GET', '/openapi.json', { as: null })).json;
  for (const { access, method, url } of house.api.routes) {
    const { security, responses } = document.paths[openApiPath(url)][method.toLowerCase()];
    const guarded = access !== 'public' && access !== 'open';
    assert.equal(
      security.some((one: object) => 'token' in one) && security.some((one: object) => 'apiKey' in one),
      guarded,
      url,
    );
    assert.equal(
      '401' in responses,
      guarded || (url.startsWith('/auth') && url !== '/auth/providers') || url.includes('/oidc/'),
      `${method} ${url}`,
    );
    if (typeof access === 'object') assert.ok('403' in responses, `${method} ${url}`);
  }
  for (const scheme of ['token', 'apiKey', 'password'])
    assert.ok(scheme in document.components.securitySchemes);
});

test('every kind has an example, and every example is valid', () => {
  for (const kind of resourceKinds) {
    const decoded = kind.decode(structuredClone(examples[kind.path]));
    assert.ok(decoded.ok, `${kind.path}: ${decoded.ok ? '' : decoded.message}`);
    assert.equal(kind.validate(decoded.value), null, kind.path);
  }
});

test('the page is plain, needs nothing from elsewhere, and shows every path', async (t) => {
  const house = await openHouse(t);
  const reply = await house.ask('GET', '/docs/api', { as: null });
  assert.equal(reply.status, 200);
  assert.match(reply.headers.get('content-type') ?? '', /^text\/html/);
  assert.match(reply.headers.get('content-security-policy') ?? '', /default-src 'none'/);
  assert.doesNotMatch(reply.text, /<script|<link|src=|@import|url\(/);
  for (const { url } of house.api.routes) assert.ok(reply.text.includes(`>${openApiPath(url)}<`), url);
});

test('the document is made at its first read, once: no start waits for it', async () => {
  let reads = 0;
  const doc: RouteDoc = { tag: 'x', summary: 'x', answers: {} };
  const counted: Route = {
    method: 'GET',
    url: '/x',
    access: 'public',
    get doc() {
      reads += 1;
      return doc;
    },
    handle: () => ({ status: 204 }),
  };
  const served = withOpenApi([counted], [], '1.0.0').find(({ url }) => url === '/openapi.json');
  assert.equal(reads, 0);
  const first = await served?.handle({} as never);
  const readsOfFirst = reads;
  assert.ok(readsOfFirst > 0);
  assert.equal(await served?.handle({} as never), first);
  assert.equal(reads, readsOfFirst);
});
