// The password that agents come with: a backend that others can reach says so at every start, until it is another one.
import assert from 'node:assert/strict';
import test from 'node:test';
import { isSeeded, seedIfEmpty } from '../../src/actors/resources/seed.ts';
import { isLoopback, warnOfBuiltInPassword } from '../../src/main/built-in-password.ts';
import { agentPassword } from '../../src/model/resource/seeds.ts';
import { openTable } from '../http/harness.ts';

const hashing = { verify: async (password: string, hash: string) => hash === `hash of ${password}` };

const seeded = async (passwordOfAgents?: string | null) => {
  const table = await openTable();
  await seedIfEmpty(table, {
    adminUsername: 'root',
    adminPassword: 'secret-one',
    ...(passwordOfAgents === undefined ? {} : { agentPassword: passwordOfAgents }),
    hash: async (password) => `hash of ${password}`,
  });
  assert.equal(isSeeded(table), true);
  return table;
};

const warnings = async (table: Awaited<ReturnType<typeof seeded>>, ...hosts: string[]) => {
  const lines: { fields: object; text: string }[] = [];
  const log = { warn: (fields: object, text: string) => void lines.push({ fields, text }) };
  await warnOfBuiltInPassword({ table, hashing, log: log as never, hosts, api: 'http://127.0.0.1:8080' });
  return lines;
};

test('the warning contains the command to change it, if other machines can reach a listener', async () => {
  const table = await seeded();
  const [line, ...more] = await warnings(table, '127.0.0.1', '::');
  assert.deepEqual(more, []);
  assert.match(line?.text ?? '', /user agent still has the built-in password/);
  const told = JSON.stringify(line?.fields);
  assert.match(told, /curl -X PUT .*system:agents.*http:\/\/127.0.0.1:8080\/api\/core\/v2\/users\/agent/);
  assert.ok(!told.includes(agentPassword), 'the log does not hold it');
  assert.deepEqual(await warnings(table, '127.0.0.1', '::1', '127.1.2.3'), []);
});

test('no warning for another password, a missing user, or a disabled user', async () => {
  assert.deepEqual(await warnings(await seeded('another one'), '::'), []);
  const without = await seeded(null);
  assert.equal(without.get('users', '', 'agent'), undefined);
  assert.deepEqual(await warnings(without, '::'), []);
  const table = await seeded();
  await table.update({ segment: 'users', namespace: '', name: 'agent' }, (user) => ({
    ...user,
    disabled: true,
  }));
  assert.deepEqual(await warnings(table, '::'), []);
});

test('loopback is what no other machine reaches', () => {
  for (const host of ['127.0.0.1', '127.9.9.9', '::1', 'localhost'])
    assert.equal(isLoopback(host), true, host);
  for (const host of ['::', '0.0.0.0', '10.0.0.1', '192.168.127.1', 'fe80::1', '127.example.org'])
    assert.equal(isLoopback(host), false, host);
});
