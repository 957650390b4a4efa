// The verdicts of the pipelines, as the API tells them.
import assert from 'node:assert/strict';
import test from 'node:test';
import { traceExample, traceSchema } from '../../src/http/trace-doc.ts';
import { openHouse } from './harness.ts';

const url = '/api/core/v2/namespaces/default/events/web-01/cpu/trace';

test('what became of the last delivered event is read as it was kept', async (t) => {
  const house = await openHouse(t);
  house.backend.traces.set('default/web-01/cpu', traceExample);
  const read = await house.ask('GET', url);
  assert.equal(read.status, 200);
  assert.deepEqual(read.json, traceExample);
});

test('before the first delivery there is none', async (t) => {
  const house = await openHouse(t);
  const read = await house.ask('GET', url);
  assert.equal(read.status, 404);
  assert.match(read.json.message, /no event of this check was delivered yet/);
});

test('the example of the document is one', () => {
  assert.deepEqual(traceSchema.parse(traceExample), traceExample);
});
