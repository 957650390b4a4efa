import assert from 'node:assert/strict';
import { test } from 'node:test';
import { keepalivePipelines } from '../../src/agent/keepalive.ts';
import { createPostedIds } from '../../src/agent/posted-ids.ts';

test('pipelines of keepalives are read from their references; others are named', () => {
  assert.deepEqual(keepalivePipelines(['core/v2.Pipeline.incident', 'incident']), {
    pipelines: [{ api_version: 'core/v2', type: 'Pipeline', name: 'incident' }],
    bad: ['incident'],
  });
  assert.equal(keepalivePipelines(['incident']).pipelines, null);
});

test('an id that was posted with other content is found, whatever its case; an empty one is none', () => {
  const changes = createPostedIds();
  assert.equal(changes({ id: 'A', output: 1 }), false);
  assert.equal(changes({ id: 'A', output: 1 }), false);
  assert.equal(changes({ id: 'a', output: 2 }), true);
  assert.deepEqual([changes({ id: '', output: 1 }), changes({ id: '', output: 2 })], [false, false]);
});
