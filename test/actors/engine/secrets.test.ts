// Secrets of checks on the composed backend: who gets them, and what happens when they cannot be had.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { World } from './world.ts';

const secret = (id: string) => ({
  type: 'Secret',
  api_version: 'secrets/v1',
  metadata: { name: 'db', namespace: 'default' },
  spec: { id, provider: 'env' },
});

test('they travel only to agents that showed a certificate, and others are not asked', async () => {
  process.env['MON_ENGINE_TEST_SECRET'] = 'correct horse';
  const world = await World.open();
  const trusted = await world.agent('trusted', { mutualTls: true });
  const other = await world.agent('other');
  await world.define('secrets', 'db', secret('MON_ENGINE_TEST_SECRET'));
  await world.check('login', { interval: 10, secrets: [{ name: 'PASSWORD', secret: 'db' }] });
  await world.check('open', { interval: 10 });
  await world.advance(30_000);
  const of = (agent: typeof other, check: string) => agent.requests.filter((one) => one.check === check);
  assert.equal(of(trusted, 'login').length, 3);
  assert.deepEqual(of(trusted, 'login')[0]?.request.secrets, ['PASSWORD=correct horse']);
  assert.equal(of(trusted, 'open')[0]?.request.secrets, undefined);
  assert.equal(of(other, 'login').length, 0);
  assert.equal(of(other, 'open').length, 3);
  assert.equal(world.warnings(/without mutual TLS/).length, 1, 'once, not at every run');
  assert.doesNotMatch(
    JSON.stringify([world.logged, [...world.disk.kinds].map(([, cells]) => [...cells])]),
    /correct horse/,
  );
  await world.stop();
  delete process.env['MON_ENGINE_TEST_SECRET'];
});

test('a check whose secrets cannot be had is not sent, and that is told', async () => {
  const world = await World.open();
  const agent = await world.agent('trusted', { mutualTls: true });
  await world.define('secrets', 'db', secret('MON_ENGINE_TEST_UNSET'));
  await world.check('login', { interval: 10, secrets: [{ name: 'PASSWORD', secret: 'db' }] });
  await world.advance(50_000);
  assert.equal(agent.requests.length, 0);
  const told = world.warnings(/the check is not sent: a secret of it cannot be resolved/);
  assert.equal(told.length, 1, 'once, not at every run');
  assert.doesNotMatch(JSON.stringify(told), /stack|\.ts:|\.js:/);
  process.env['MON_ENGINE_TEST_UNSET'] = 'now it is there';
  await world.advance(20_000);
  assert.ok(agent.requests.length > 0);
  delete process.env['MON_ENGINE_TEST_UNSET'];
  await world.advance(50_000);
  assert.equal(world.warnings(/the check is not sent/).length, 2, 'again, after it was sent');
  await world.stop();
});
