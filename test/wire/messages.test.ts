import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeFrame } from '../../src/wire/frames.ts';
import { maxAckIds } from '../../src/wire/limits.ts';
import {
  ackSchema,
  checkRequestSchema,
  encodeAcks,
  entityConfigMessageSchema,
} from '../../src/wire/messages.ts';

const body = (frame: Buffer | undefined): unknown =>
  JSON.parse(decodeFrame(frame ?? Buffer.alloc(0))?.payload.toString() ?? 'null');

test('the configuration of an entity nobody knows yet is a valid message', () => {
  const read = entityConfigMessageSchema.parse({
    metadata: { name: 'not found', namespace: 'default' },
    entity_class: 'agent',
    subscriptions: null,
    deregister: false,
    deregistration: {},
  });
  assert.equal(read.metadata.name, 'not found');
  assert.deepEqual(read.subscriptions, []);
});

test('a check request as the reference product sends it is read', () => {
  const read = checkRequestSchema.parse({
    config: {
      command: 'true',
      handlers: ['slack'],
      interval: 60,
      check_hooks: [{ 'non-zero': ['ps'] }],
      subdue: null,
      metadata: { name: 'cpu', namespace: 'default' },
    },
    assets: [{ url: '', sha512: '', filters: null, headers: null, builds: [], metadata: { name: 'a' } }],
    hooks: [{ metadata: { name: 'ps' }, command: 'ps', timeout: 60, stdin: false, runtime_assets: null }],
    issued: 1_700_000_000,
    hook_assets: { ps: { assets: [] } },
    secrets: null,
  });
  assert.equal(read.config.metadata.name, 'cpu');
  assert.equal(read.hooks?.[0]?.timeout, 60);
});

test('acknowledgements name what was committed and what never will be', () => {
  const frames = encodeAcks(['a', 'b'], [{ id: 'c', message: 'x'.repeat(600) }]);
  assert.equal(frames.length, 1);
  const ack = ackSchema.parse(body(frames[0]));
  assert.deepEqual(ack.ids, ['a', 'b']);
  assert.equal(ack.refused[0]?.message.length, 512);
  assert.deepEqual(body(encodeAcks(['a'])[0]), { ids: ['a'] });
});

test('more ids than one frame may name are spread over several', () => {
  const ids = Array.from({ length: maxAckIds + 1 }, (_, at) => `id-${at}`);
  const frames = encodeAcks(ids);
  assert.equal(frames.length, 2);
  assert.deepEqual(
    frames.flatMap((frame) => ackSchema.parse(body(frame)).ids),
    ids,
  );
  assert.equal(encodeAcks([]).length, 0);
});
