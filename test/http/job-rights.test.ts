// A bulk job acts with the rights of now of the person who started it, however they were taken away.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ResourceTable } from '../../src/actors/resources/resource-table.ts';
import { jobRefusal } from '../../src/http/job-rights.ts';
import type { JobPrincipal } from '../../src/machines/job/job-machine.ts';
import { addUser, grant, openTable, put } from './harness.ts';
import { openRealHouse } from './real-house.ts';

const question = {
  verb: 'delete',
  resource: 'events',
  namespace: 'default',
  resourceName: 'web-01/disk',
} as const;

const rules = [{ verbs: ['delete'], resources: ['events'], resource_names: null }];

/** Ada, whose group may delete events, and a job of hers. */
const withAda = async (): Promise<{ table: ResourceTable; by: JobPrincipal }> => {
  const table = await openTable();
  await put(table, 'namespaces', '', 'default', { name: 'default' });
  await grant(table, 'operators', { type: 'Group', name: 'operators' }, rules, 'default');
  await addUser(table, 'ada', 'a password', ['operators']);
  const by = { username: 'ada', groups: ['operators'], isLocal: true };
  assert.equal(jobRefusal(table, by, question), null);
  return { table, by };
};

test('a user who left the group may no longer do what the group may', async () => {
  const { table, by } = await withAda();
  await addUser(table, 'ada', 'a password', []);
  assert.match(jobRefusal(table, by, question) ?? '', /ada may not delete events/);
});

test('a user who came into a group since has its rights', async () => {
  const { table, by } = await withAda();
  assert.equal(jobRefusal(table, { ...by, groups: [] }, question), null);
});

test('a user who was deleted may do nothing', async () => {
  const { table, by } = await withAda();
  await table.delete({ segment: 'users', namespace: '', name: 'ada' });
  assert.equal(jobRefusal(table, by, question), 'ada is deleted');
});

test('a user who became an agent may do nothing', async () => {
  const { table, by } = await withAda();
  await addUser(table, 'ada', 'a password', ['operators', 'system:agents']);
  assert.equal(jobRefusal(table, by, question), 'ada is an agent now');
});

test('whom a provider vouched for keeps those groups, until a user here has the name', async () => {
  const { table } = await withAda();
  const by = { username: 'grace', groups: ['operators'], isLocal: false };
  assert.equal(jobRefusal(table, by, question), null);
  await addUser(table, 'grace', 'a password', ['operators']);
  assert.equal(jobRefusal(table, by, question), 'grace is another user now');
});

test('the list of a namespace that does not exist says so', async (t) => {
  const house = await openRealHouse(t);
  const headers = { Authorization: await house.login() };
  const list = (namespace: string) =>
    fetch(`${house.url}/api/inspect/v1/namespaces/${namespace}/jobs`, { headers });
  const nowhere = await list('nowhere');
  assert.deepEqual([nowhere.status, await nowhere.json()], [200, []]);
  assert.match(nowhere.headers.get('warning') ?? '', /the namespace nowhere does not exist/);
  assert.equal((await list('default')).headers.get('warning'), null);
});

test('a job that is started says whether its user is one of this backend', async (t) => {
  const house = await openRealHouse(t);
  const reply = await fetch(`${house.url}/api/inspect/v1/namespaces/default/jobs`, {
    method: 'POST',
    headers: { Authorization: await house.login(), 'Content-Type': 'application/json' },
    body: JSON.stringify({ action: 'delete', events: ['web-01/disk'] }),
  });
  assert.equal(reply.status, 202);
  const { id } = (await reply.json()) as { id: string };
  assert.equal((await house.backend.jobs.get('default', id))?.by.isLocal, true);
});
