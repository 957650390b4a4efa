// The HTTP socket of the client, byte for byte (interface section 4.7).
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type HttpSocket, openHttpSocket } from '../../src/client/http-socket.ts';
import { createLocalResults } from '../../src/client/local-result.ts';
import type { Json } from '../../src/model/earlier/json.ts';
import { dial, handTimers, rememberingLog } from './helpers.ts';

const published: Json[] = [];
const log = rememberingLog();
let settings: Json = {};
let socket: HttpSocket;

const withCredentials: Json = {
  client: { name: 'c1', http_socket: { user: 'ada', password: 'secret-1' }, service: { api_key: 'k' } },
  checks: { cpu: { command: 'x' } },
};
const protectsAll: Json = {
  client: { http_socket: { user: 'ada', password: 'secret-1', protect_all_endpoints: true } },
};
const transport = {
  name: 'redis',
  keepalives: { messages: 0, consumers: 0 },
  results: { messages: 0, consumers: 0 },
  connected: true,
};

before(async () => {
  socket = await openHttpSocket({
    bind: '127.0.0.1',
    port: 0,
    settings: () => settings,
    transportInfo: async () => transport,
    version: '1.2.3',
    results: createLocalResults((check) => published.push(check), handTimers().timers),
    log,
  });
});
after(() => socket.close());

interface Answer {
  readonly status: string;
  readonly headers: string[];
  readonly body: string;
}

const raw = async (text: string): Promise<Answer> => {
  const line = dial(socket.port);
  line.send(text);
  const answer = await line.closed;
  const [head = '', body = ''] = answer.split('\r\n\r\n', 2);
  const [first = '', ...headers] = head.split('\r\n');
  return { status: first.replace('HTTP/1.1 ', ''), headers, body };
};
const ask = (method: string, path: string, headers = '') =>
  raw(`${method} ${path} HTTP/1.1\r\nHost: x\r\n${headers}\r\n`);
const post = (body: string, type = 'application/json') =>
  raw(
    `POST /results HTTP/1.1\r\nHost: x\r\nContent-Type: ${type}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
const basic = (text: string) => `Authorization: Basic ${Buffer.from(text).toString('base64')}\r\n`;

test('an answer has exactly two headers and ends the connection', async () => {
  const { status, headers, body } = await ask('GET', '/info');
  assert.equal(status, '200 OK');
  assert.deepEqual(headers, [`Content-length: ${body.length}`, 'Content-type: application/json']);
  assert.deepEqual(JSON.parse(body), { sensu: { version: '1.2.3' }, transport });
});

test('one or several results are accepted with 202', async () => {
  published.length = 0;
  const { status, body } = await post('{"name":"a","output":"x","status":0}');
  assert.deepEqual([status, body], ['202 OK', '{"response":"ok"}']);
  assert.equal(
    (await post('[{"name":"b","output":"x","status":0}]', 'application/json; charset=utf-8')).status,
    '202 OK',
  );
  assert.deepEqual(
    published.map(({ name }) => name),
    ['a', 'b'],
  );
});

test('invalid JSON is 400, another content type 415, an invalid result 500', async () => {
  const bad = { status: '400 Failed to parse JSON body', body: '{"response":"Failed to parse JSON body"}' };
  for (const text of ['', '{', 'ping']) {
    const { status, body } = await post(text);
    assert.deepEqual({ status, body }, bad);
  }
  const typed = await post('{"name":"a","output":"x","status":0}', 'text/plain');
  assert.equal(typed.status, '415 Only application/json content type accepted');
  assert.equal(typed.body, '{"response":"Invalid content type"}');
  for (const text of ['{"name":"a"}', '{"name":"a","output":"x"}', '5', 'null']) {
    const { status, body } = await post(text);
    assert.equal(status, '500 Internal Server Error');
    assert.equal(body, '{"response":"Internal Server Error: Check your Mon logs for error details"}');
  }
  assert.ok(log.told('failed to process check result from http socket').length >= 3);
});

test('settings require the password, and are redacted by default', async () => {
  settings = withCredentials;
  const shown = await ask('GET', '/settings', basic('ada:secret-1'));
  assert.equal(shown.status, '200 OK');
  const visible = JSON.parse(shown.body);
  assert.equal(visible.client.http_socket.password, 'REDACTED');
  assert.equal(visible.client.service.api_key, 'REDACTED');
  assert.deepEqual(visible.checks, { cpu: { command: 'x' } });
  const whole = await ask('GET', '/settings?a=1&Redacted=FALSE', basic('ada:secret-1'));
  assert.equal(JSON.parse(whole.body).client.service.api_key, 'k');
});

test('everybody else gets 401, as does everybody while no password is configured', async () => {
  settings = withCredentials;
  const wrong = ['', basic('ada:wrong'), basic('bob:secret-1'), basic('ada'), 'Authorization: Bearer x\r\n'];
  for (const headers of [...wrong, basic('ada:secret-1').replace('Basic', 'basic')]) {
    const answer = await ask('GET', '/settings', headers);
    assert.equal(answer.status, '401 Unauthorized', headers);
    assert.ok(answer.headers.includes('WWW-Authenticate: Basic realm="Mon Client Restricted Area"'));
    assert.match(answer.body, /You must be authenticated using your http_options user and password settings/);
  }
  settings = {};
  assert.equal((await ask('GET', '/settings', basic(':'))).status, '401 Unauthorized');
  assert.equal((await ask('GET', '/settings', basic('undefined:undefined'))).status, '401 Unauthorized');
  assert.ok(log.told('http socket refusing to serve unauthorized request').length > 0);
});

test('a password with a colon never fits', async () => {
  settings = { client: { http_socket: { user: 'ada', password: 'a:b' } } };
  assert.equal((await ask('GET', '/settings', basic('ada:a:b'))).status, '401 Unauthorized');
});

test('protect_all_endpoints covers every endpoint, not 404 and 405', async () => {
  settings = protectsAll;
  assert.equal((await ask('GET', '/info')).status, '401 Unauthorized');
  assert.equal((await post('{"name":"a","output":"x","status":0}')).status, '401 Unauthorized');
  assert.equal((await ask('GET', '/info', basic('ada:secret-1'))).status, '200 OK');
  assert.equal((await ask('GET', '/brew')).status, '401 Unauthorized');
  assert.equal((await ask('GET', '/brew', basic('ada:secret-1'))).status, "418 I'm a teapot");
  assert.equal((await ask('GET', '/nothing')).status, '404 Not Found');
  assert.equal((await ask('PUT', '/info')).status, '405 Method Not Allowed');
  settings = {};
});

test('brew', async () => {
  const { status, body } = await ask('GET', '/brew');
  assert.deepEqual([status, body], ["418 I'm a teapot", '{"response":"I\'m a teapot!"}']);
});

test('another method gets the list of allowed methods', async () => {
  const { status, headers, body } = await ask('DELETE', '/info');
  assert.equal(status, '405 Method Not Allowed');
  assert.equal(body, '{"response":"Valid methods for this endpoint: [\\"GET\\"]"}');
  assert.ok(!headers.some((line) => /^allow/i.test(line)));
  assert.match((await ask('GET', '/results')).body, /\[\\"POST\\"\]/);
  assert.equal((await ask('HEAD', '/info')).status, '405 Method Not Allowed');
});

test('every other path is 404 with help, a trailing slash included', async () => {
  for (const path of ['/', '/info/', '/INFO', '/settings/x']) {
    const { status, body } = await ask('GET', path);
    assert.equal(status, '404 Not Found', path);
    const { endpoints } = JSON.parse(body);
    assert.deepEqual(Object.keys(endpoints), ['/info', '/results', '/settings', '/brew']);
    assert.deepEqual(endpoints['/results'], { help: 'Send check JSON results here', methods: ['POST'] });
  }
});

test('invalid HTTP is 400', async () => {
  const { status, body } = await raw('nonsense\r\n\r\n');
  assert.deepEqual([status, body], ['400 Bad request', 'Detected error: HTTP code 400']);
});
