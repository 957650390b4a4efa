// The cluster roles every backend comes with: what they allow, and how a store of an earlier edition gets what they allow now.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { restoreBuiltIns } from '../../src/actors/resources/seed.ts';
import { openRealHouse } from './real-house.ts';

const seeing = { verbs: ['inspect:get'], resources: ['actors'], resource_names: null };
const formerView = [
  {
    verbs: ['get', 'list'],
    resources: [
      'assets',
      'checks',
      'entities',
      'events',
      'filters',
      'handlers',
      'hooks',
      'mutators',
      'silenced',
      'namespaces',
    ],
    resource_names: null,
  },
];

test('a role that is as it was seeded once gets the rules of now, and one that was changed stays', async (t) => {
  const { backend } = await openRealHouse(t);
  const table = backend.resources;
  const rulesOf = (name: string) => table.get('clusterroles', '', name)?.rules;
  for (const name of ['view', 'edit', 'admin'])
    assert.deepEqual((rulesOf(name) as object[]).at(-1), seeing, `${name} does not see statecharts`);
  const id = (name: string) => ({ segment: 'clusterroles', namespace: '', name });
  await table.put(id('view'), { metadata: { name: 'view' }, created_by: 'ann', rules: formerView } as never);
  const own = [{ verbs: ['get'], resources: ['events'], resource_names: null }];
  await table.put(id('edit'), { metadata: { name: 'edit' }, rules: own } as never);
  await restoreBuiltIns(table);
  assert.deepEqual(rulesOf('view'), [...formerView, seeing]);
  assert.equal(table.get('clusterroles', '', 'view')?.created_by, 'ann');
  assert.deepEqual(rulesOf('edit'), own);
});

test('what one may do is told by kind, inside a namespace and outside of all', async (t) => {
  const house = await openRealHouse(t);
  const authorization = await house.login();
  const put = async (path: string, body: object): Promise<void> => {
    const reply = await fetch(`${house.url}/api/core/v2/${path}`, {
      method: 'PUT',
      headers: { authorization, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    assert.equal(reply.status, 201, await reply.text());
  };
  await put('users/vera', { username: 'vera', password: 'vera-has-a-password' });
  await put('namespaces/default/rolebindings/vera', {
    metadata: { name: 'vera', namespace: 'default' },
    subjects: [{ type: 'User', name: 'vera' }],
    role_ref: { type: 'ClusterRole', name: 'view' },
  });
  const ask = async (as: string, namespace: string) => {
    const reply = await fetch(`${house.url}/api/inspect/v1/namespaces/${namespace}/may`, {
      headers: { authorization: as },
    });
    return (await reply.json()) as {
      exists: boolean;
      may: Record<string, string[]>;
      everywhere: Record<string, string[]>;
    };
  };
  const vera = await house.login('vera', 'vera-has-a-password');
  const inDefault = await ask(vera, 'default');
  assert.equal(inDefault.exists, true);
  assert.deepEqual(inDefault.may.events, ['get', 'list']);
  assert.deepEqual(inDefault.may.actors, ['inspect:get']);
  assert.deepEqual(inDefault.everywhere.actors, []);
  const elsewhere = await ask(vera, 'other');
  assert.deepEqual([elsewhere.exists, elsewhere.may.events], [false, []]);
  assert.deepEqual((await ask(authorization, 'other')).exists, false);
  assert.ok((await ask(authorization, 'default')).everywhere.users?.includes('delete'));
});
