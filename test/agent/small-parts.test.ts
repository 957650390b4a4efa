import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hooksFor } from '../../src/agent/checks/hooks.ts';
import { keepalivePipelines } from '../../src/agent/connection/keepalive.ts';
import { createPostedIds } from '../../src/agent/local/posted-ids.ts';

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
  for (const body of [null, 'text', { id: 5 }]) assert.equal(changes(body), false);
});

test('hooks run for the statuses they name, each once, in the order of the check', () => {
  const types = ['ok', 'warning', 'critical', 'unknown', 'non-zero', '2', '127'];
  const check_hooks = types.map((type) => ({ [type]: [type, 'always'] }));
  const named = (status: number) => hooksFor({ check_hooks, status }).filter((name) => name !== 'always');
  assert.deepEqual(
    [0, 1, 2, 3, 127].map((status) => [status, named(status)]),
    [
      [0, ['ok']],
      [1, ['warning', 'non-zero']],
      [2, ['critical', 'non-zero', '2']],
      [3, ['unknown', 'non-zero']],
      [127, ['unknown', 'non-zero', '127']],
    ],
  );
  assert.deepEqual(hooksFor({ check_hooks, status: 2 }), ['critical', 'always', 'non-zero', '2']);
  assert.deepEqual(hooksFor({ check_hooks: null, status: 2 }), []);
});
