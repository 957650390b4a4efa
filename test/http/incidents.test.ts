// What people do about incidents, over HTTP.
import assert from 'node:assert/strict';
import test, { type TestContext } from 'node:test';
import { maxIncidentTextCharacters } from '../../src/model/limits.ts';
import { sampleEvent } from '../machines/samples.ts';
import { type House, openHouse } from './harness.ts';

const event = '/api/core/v2/namespaces/default/events/web-01/cpu';
const acknowledgement = `${event}/acknowledgement`;
const notes = `${event}/notes`;

const openIncident = async (t: TestContext, state = 'failing'): Promise<House> => {
  const house = await openHouse(t);
  const status = state === 'passing' ? 0 : 2;
  await house.backend.acceptEvent(sampleEvent({ status, check: { state } }));
  return house;
};

test('an incident is acknowledged, handed to somebody else and released', async (t) => {
  const house = await openIncident(t);
  const first = await house.ask('PUT', acknowledgement);
  assert.equal(first.status, 200);
  assert.deepEqual([first.json.owner, first.json.by, first.json.remind_at], ['admin', 'admin', 0]);
  const body = { owner: 'bob', comment: ' disk ordered ', remind_every: 600 };
  const handed = await house.ask('PUT', acknowledgement, { body });
  assert.deepEqual([handed.json.owner, handed.json.comment], ['bob', 'disk ordered']);
  assert.equal(handed.json.remind_at, handed.json.at + 600);
  const read = await house.ask('GET', event);
  assert.deepEqual(read.json.check.acknowledgement, handed.json);
  const selected = await house.ask(
    'GET',
    `/api/core/v2/namespaces/default/events?fieldSelector=${encodeURIComponent("event.check.acknowledgement.owner == 'bob'")}`,
  );
  assert.equal(selected.json.length, 1);
  assert.equal((await house.ask('DELETE', acknowledgement)).status, 204);
  assert.equal((await house.ask('GET', event)).json.check.acknowledgement, undefined);
  const again = await house.ask('DELETE', acknowledgement);
  assert.equal(again.status, 404);
  assert.match(again.json.message, /nobody acknowledged the incident web-01\/cpu/);
});

test('notes are kept in order, with their author', async (t) => {
  const house = await openIncident(t);
  for (const text of ['vendor called', 'part is on its way'])
    assert.equal((await house.ask('POST', notes, { body: { text } })).status, 201);
  const { check } = (await house.ask('GET', event)).json;
  assert.deepEqual(
    check.incident_notes.map(({ by, text }: { by: string; text: string }) => [by, text]),
    [
      ['admin', 'vendor called'],
      ['admin', 'part is on its way'],
    ],
  );
});

test('what is wrong with a request is said, and nothing is changed', async (t) => {
  const house = await openIncident(t);
  const tooLong = 'x'.repeat(maxIncidentTextCharacters + 1);
  const put = (body: unknown) => house.ask('PUT', acknowledgement, { body });
  const refused: readonly (readonly [unknown, RegExp])[] = [
    [{ comment: 5 }, /comment must be a string \(got 5\)/],
    [{ comment: tooLong }, /comment must be at most 2000 characters long/],
    [{ remind_every: 5 }, /remind_every must be 0 or a whole number of seconds from 60 to 2592000 \(got 5\)/],
    [{ remind_every: '60' }, /remind_every must be a number \(got "60"\)/],
    [{ coment: 'x' }, /unknown field coment; known: comment, owner, remind_every/],
    [[], /must be an object/],
  ];
  for (const [body, message] of refused) {
    const reply = await put(body);
    assert.equal(reply.status, 400, JSON.stringify(body));
    assert.match(reply.json.message, message);
  }
  assert.equal((await put({ comment: tooLong.slice(1) })).status, 200);
  for (const body of [undefined, {}, { text: '  ' }, { text: tooLong }, { note: 'x' }])
    assert.equal((await house.ask('POST', notes, { body })).status, 400, JSON.stringify(body));
});

test('without an incident there is nothing to acknowledge', async (t) => {
  const house = await openIncident(t, 'passing');
  for (const [method, path, body] of [
    ['PUT', acknowledgement, {}],
    ['POST', notes, { text: 'hello' }],
  ] as const) {
    const passing = await house.ask(method, path, { body });
    assert.equal(passing.status, 409);
    assert.match(passing.json.message, /the check web-01\/cpu is passing: there is no incident/);
    const missing = await house.ask(method, path.replace('cpu', 'disk'), { body });
    assert.equal(missing.status, 404);
  }
});

test('it takes the right to update the event', async (t) => {
  const house = await openIncident(t);
  for (const [method, path] of [
    ['PUT', acknowledgement],
    ['DELETE', acknowledgement],
    ['POST', notes],
  ] as const)
    assert.equal((await house.ask(method, path, { body: { text: 'x' }, as: 'viewer' })).status, 403);
});
