// The verdicts of the pipelines, as the API tells them.
import assert from 'node:assert/strict';
import test from 'node:test';
import { traceExample, traceSchema } from '../../src/http/trace-doc.ts';
import { eventually } from '../eventually.ts';
import { agentEvent, openHouse } from './harness.ts';

const url = '/api/core/v2/namespaces/default/events/web-01/cpu/trace';

test('what became of the last delivered event is read as it was kept', async (t) => {
  const house = await openHouse(t, { runPipelines: async () => traceExample as never });
  const { entity, check } = agentEvent();
  const handled = { entity, check: { ...check, status: 2, handlers: ['pager'] } };
  const posted = await house.ask('POST', '/api/core/v2/namespaces/default/events', { body: handled });
  assert.equal(posted.status, 201, posted.text);
  await eventually('it is delivered', async () => (await house.ask('GET', url)).status === 200);
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
