// A client that knows nothing but `/openapi.json` drives every route of the real backend with generated input over a
// real socket: no 500, no status the document does not name, no crash, and `Object.prototype` stays what it was.
import assert from 'node:assert/strict';
import { request } from 'node:http';
import test from 'node:test';
import { fc, seed } from '../../property.ts';
import { openRealHouse, realAdmin, realPassword } from '../real-house.ts';
import { from, names } from './json-arbitrary.ts';

// biome-ignore lint/suspicious/noExplicitAny: the document is looked into from all sides
type Anything = any;

const requestsPerRoute = Number(process.env.MON_TEST_REQUESTS_PER_ROUTE ?? 25);

interface Sent {
  readonly path: string;
  readonly body: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
}

const send = (
  url: string,
  method: string,
  { path, body, headers }: Sent,
): Promise<{ status: number; text: string; type: string }> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url);
    const asked = request({ hostname, port, path, method, headers }, (answer) => {
      let text = '';
      const type = String(answer.headers['content-type'] ?? '');
      // An event stream ends when the client disconnects.
      if (type.startsWith('text/event-stream')) {
        resolve({ status: answer.statusCode ?? 0, text, type });
        answer.destroy();
        return;
      }
      answer.setEncoding('utf8');
      answer.on('data', (chunk) => {
        text += chunk;
      });
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, text, type }));
      answer.on('error', reject);
    });
    asked.on('error', reject);
    asked.end(body);
  });

/** Mostly what exists or what the example of the body is called: random names alone would all end in 404. */
const valueFor = (parameter: string, operation: Anything): fc.Arbitrary<string> => {
  if (parameter === 'namespace')
    return fc.oneof({ weight: 8, arbitrary: fc.constant('default') }, { weight: 1, arbitrary: names });
  const { example } = Object.values<Anything>(operation.requestBody?.content ?? {})[0] ?? {};
  const likely: Readonly<Record<string, string | undefined>> = {
    name: example?.metadata?.name ?? example?.username ?? example?.name,
    entity: 'switch-1',
    check: 'ports',
    id: 'check:default/switch-1/ports',
  };
  return fc.oneof(
    { weight: 2, arbitrary: fc.constant(likely[parameter] ?? 'disk') },
    { weight: 1, arbitrary: names },
  );
};

const pathOf = (path: string, operation: Anything): fc.Arbitrary<string> => {
  const parameters: Anything[] = operation.parameters ?? [];
  const inPath = parameters.filter((one) => one.in === 'path').map((one) => one.name as string);
  const inQuery = parameters.filter((one) => one.in === 'query').map((one) => one.name as string);
  const queryValue = fc.oneof(
    fc.constantFrom(
      '1',
      '0',
      '-1',
      'x',
      'YQ',
      "check.name == 'disk'",
      'a in [',
      "'x' in check.subscriptions",
    ),
    fc.string({ maxLength: 40 }),
  );
  return fc
    .tuple(
      fc.record(Object.fromEntries(inPath.map((name) => [name, valueFor(name, operation)]))),
      fc.record(Object.fromEntries(inQuery.map((name) => [name, queryValue])), { requiredKeys: [] }),
    )
    .map(([values, query]) => {
      const filled = path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(String(values[name])));
      const search = new URLSearchParams(query as Record<string, string>).toString();
      return search === '' ? filled : `${filled}?${search}`;
    });
};

/** Mostly none, so that what is behind them is met too. */
const conditions = fc.oneof(
  { weight: 8, arbitrary: fc.constant({}) },
  { weight: 1, arbitrary: fc.constantFrom('*', '"x"', '', 'W/"').map((tag) => ({ 'if-none-match': tag })) },
  { weight: 1, arbitrary: fc.constantFrom('*', '"x"', '', 'W/"').map((tag) => ({ 'if-match': tag })) },
);

const garbage = fc.constantFrom(
  '',
  '{',
  'null',
  '[]',
  '"x"',
  '\u0000',
  '{"__proto__":{"polluted":1}}',
  '{"constructor":{"prototype":{"polluted":1}}}',
  '['.repeat(2_000),
  `{"metadata":{"name":"x","labels":{"__proto__":"1"}}}`,
);

const bodyOf = (operation: Anything, document: Anything): fc.Arbitrary<string | undefined> => {
  const content = Object.values<Anything>(operation.requestBody?.content ?? {})[0];
  if (content === undefined) return fc.oneof(fc.constant(undefined), garbage);
  const resolve = (ref: string): Anything =>
    ref
      .slice(2)
      .split('/')
      .reduce((at, key) => at[key], document);
  // What an example says with one field changed gets past the first rules, and meets the later ones.
  const varied = fc
    .tuple(fc.constantFrom(...Object.keys(content.example)), from(content.schema, resolve))
    .map(([key, value]) => ({ ...content.example, [key]: (value as Anything)?.[key] }));
  return fc.oneof(
    { weight: 3, arbitrary: fc.constant(JSON.stringify(content.example)) },
    { weight: 6, arbitrary: varied.map((value) => JSON.stringify(value)) },
    { weight: 6, arbitrary: from(content.schema, resolve).map((value) => JSON.stringify(value)) },
    { weight: 1, arbitrary: garbage },
  );
};

test('no generated input makes any documented route fail, lie about its statuses, or crash the backend', async (t) => {
  const house = await openRealHouse(t);
  const document: Anything = await (await fetch(`${house.url}/openapi.json`)).json();
  t.diagnostic(`seed ${seed}: repeat with MON_TEST_SEED=${seed}`);
  const operations = Object.entries<Anything>(document.paths).flatMap(([path, methods]) =>
    Object.entries<Anything>(methods).map(([method, operation]) => ({ path, method, operation })),
  );
  const statuses = new Map<number, number>();
  let sent = 0;
  for (const [index, { path, method, operation }] of operations.entries()) {
    const inputs = fc.sample(
      fc.record({ path: pathOf(path, operation), body: bodyOf(operation, document), conditions }),
      { seed: seed + index, numRuns: requestsPerRoute },
    );
    // A new one each time, since some routes end logins.
    let token = await house.login();
    const usesPassword = operation.security.some((one: object) => 'password' in one);
    for (const input of inputs) {
      const authorization = usesPassword
        ? `Basic ${Buffer.from(`${realAdmin}:${realPassword}`).toString('base64')}`
        : token;
      const type = Object.keys(operation.requestBody?.content ?? { 'application/json': 1 })[0] ?? '';
      const headers = {
        authorization,
        ...input.conditions,
        ...(input.body === undefined
          ? {}
          : { 'content-type': type, 'content-length': String(Buffer.byteLength(input.body)) }),
      };
      const reply = await send(house.url, method.toUpperCase(), { ...input, headers });
      const what = `${method.toUpperCase()} ${input.path} ${input.body?.slice(0, 500)}\n-> ${reply.status} ${reply.text.slice(0, 300)}`;
      assert.notEqual(reply.status, 500, what);
      const responses = operation.responses;
      assert.ok(String(reply.status) in responses, `undocumented status: ${what}`);
      if (reply.status >= 400 && /json/.test(reply.type)) {
        const { message, code } = JSON.parse(reply.text);
        assert.ok(typeof message === 'string' && message !== '' && Number.isInteger(code), what);
      }
      statuses.set(reply.status, (statuses.get(reply.status) ?? 0) + 1);
      sent += 1;
      if (path === '/auth/logout' && reply.status === 200) token = await house.login();
    }
    assert.deepEqual(house.faults, [], `${method} ${path}`);
    assert.equal(({} as Anything).polluted, undefined);
  }
  assert.equal((await fetch(`${house.url}/health`)).status, 200);
  t.diagnostic(
    `${sent} requests: ${[...statuses].map(([status, count]) => `${status} x ${count}`).join(', ')}`,
  );
  for (const status of [200, 201, 204, 400, 404])
    assert.ok((statuses.get(status) ?? 0) > 0, `no ${status} seen`);
});
