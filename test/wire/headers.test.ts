import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  agentHeaders,
  backendHeaderLines,
  jsonType,
  protobufType,
  readAgentHeaders,
  readBackendAnswer,
} from '../../src/wire/headers.ts';

const lower = (headers: Record<string, string>) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
const raw = (lines: readonly string[]) =>
  lines.flatMap((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]);

const us = {
  agentName: 'web-01',
  namespace: 'default',
  subscriptions: ['linux', 'web'],
  accept: jsonType,
} as const;

test('what our agent writes, our backend reads as our dialect with acknowledgements', () => {
  const credentials = { user: 'agent', password: 'P@ssw0rd!' };
  const written = agentHeaders({ ...us, credentials });
  assert.equal(written.Authorization, 'Basic YWdlbnQ6UEBzc3cwcmQh');
  assert.deepEqual(readAgentHeaders(lower(written)), {
    type: 'agent',
    agentName: 'web-01',
    namespace: 'default',
    user: 'agent',
    subscriptions: ['linux', 'web'],
    dialect: 'native',
    ack: true,
    accept: jsonType,
  });
});

test('the headers of a reference agent are read, without acknowledgements', () => {
  const read = readAgentHeaders({
    'sensu-agentname': 'db-01',
    'sensu-namespace': 'prod',
    'sensu-subscriptions': '',
    'sensu-user': 'agent',
    accept: 'application/octet-stream',
  });
  assert.ok(read.type === 'agent');
  assert.deepEqual(
    [read.agentName, read.namespace, read.subscriptions, read.dialect, read.ack, read.accept],
    ['db-01', 'prod', [], 'reference', false, protobufType],
  );
});

test('only the exact binary type asks for binary', () => {
  for (const accept of [undefined, '*/*', 'application/json', 'application/octet-stream, application/json']) {
    const read = readAgentHeaders({ 'mon-agentname': 'a', accept });
    assert.ok(read.type === 'agent');
    assert.equal(read.accept, jsonType);
  }
});

test('a caller that names no agent is refused and told the header', () => {
  const read = readAgentHeaders({ 'mon-namespace': 'default' });
  assert.ok(read.type === 'refused');
  assert.match(read.message, /Mon-AgentName/);
});

test('blank subscriptions are dropped', () => {
  const read = readAgentHeaders({ 'mon-agentname': 'a', 'mon-subscriptions': 'x,, y ,' });
  assert.ok(read.type === 'agent');
  assert.deepEqual(read.subscriptions, ['x', 'y']);
});

test('an agent reads the agreement from the answer', () => {
  const answer = {
    contentType: jsonType,
    backendId: 'b1',
    ack: true,
    accepts: [protobufType, jsonType],
  } as const;
  const lines = backendHeaderLines(answer);
  assert.deepEqual(readBackendAnswer(raw(lines), jsonType), {
    contentType: jsonType,
    backendId: 'b1',
    ack: true,
    dialect: 'native',
  });
  assert.equal(readBackendAnswer(raw(lines), protobufType).contentType, protobufType);
  const old = readBackendAnswer(['Accept', 'application/octet-stream, application/json'], protobufType);
  assert.deepEqual([old.contentType, old.ack, old.dialect], [jsonType, false, 'reference']);
});
