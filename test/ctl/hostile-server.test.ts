// A server that answers nonsense, or tries to steer the terminal: each command ends, with a message instead of a stack.
import assert from 'node:assert/strict';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { tempFolder } from './harness.ts';
import { runHere } from './in-process.ts';

const serve = async (t: TestContext, answer: (response: ServerResponse) => void) => {
  let asked = 0;
  const server = createServer((_, response) => {
    asked += 1;
    answer(response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const dir = await tempFolder(t);
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const flags = ['--api-url', url, '--api-key', 'k', '--config-dir', dir];
  return {
    asked: () => asked,
    run: (line: string, isTTY = false) => runHere([...line.split(' '), ...flags], {}, '', false, isTTY),
  };
};

const steering = '\u001b]0;owned\u0007\u009b31m\u202e';
// biome-ignore lint/suspicious/noControlCharactersInRegex: the point of the test
const controls = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/;

test('the message of a refusal cannot steer the terminal', async (t) => {
  const { run } = await serve(t, (response) => {
    response.statusCode = 403;
    response.end(JSON.stringify({ message: `no ${steering}`, code: 4 }));
  });
  const { code, text } = await run('check list');
  assert.equal(code, 1);
  assert.match(text, /^Error: no /);
  assert.doesNotMatch(text, controls);
});

test('what JSON and YAML do not escape does not reach a terminal, and stays as it is in a file', async (t) => {
  const { run } = await serve(t, (response) =>
    response.end(JSON.stringify([{ metadata: { name: `c${steering}` }, command: 'true' }])),
  );
  for (const format of ['json', 'yaml', 'wrapped-json']) {
    const line = `check list --format ${format}`;
    assert.doesNotMatch((await run(line, true)).text, controls);
    assert.match((await run(line)).text, /\u009b31m\u202e/);
  }
});

test('a warning cannot steer the terminal', async (t) => {
  const { run } = await serve(t, (response) => {
    response.setHeader('Warning', '299 mon "odd \u009b31m"');
    response.end('[]');
  });
  const { text } = await run('check list');
  assert.match(text, /Warning: odd /);
  assert.doesNotMatch(text, controls);
});

test('a list that never ends is given up', async (t) => {
  const { run, asked } = await serve(t, (response) => {
    response.setHeader('Mon-Continue', 'next');
    response.end('[{"metadata":{"name":"m"}}]');
  });
  const { code, text } = await run('mutator list');
  assert.equal(code, 1);
  assert.match(text, /Error: http.*\/mutators answers with the same page again and again/);
  assert.equal(asked(), 2);
});

test('a list of other things than objects is refused in words', async (t) => {
  const { run } = await serve(t, (response) => response.end('[1,null,"x",[[]]]'));
  const { code, text } = await run('asset list');
  assert.equal(code, 1);
  assert.match(text, /Error: http.*\/assets did not answer with a list of objects/);
});

test('a time past all calendars is shown as the number it is', async (t) => {
  const silence = { metadata: { name: 's' }, subscription: 'x', begin: 1e300, expire_at: 1e300 };
  const { run } = await serve(t, (response) => response.end(JSON.stringify([silence])));
  const { code, text } = await run('silenced list');
  assert.equal(code, 0);
  assert.match(text, /1e\+300/);
});
