// Outages of the reference product that must not happen here (promises, section 3.2), and their kin. Those about
// keepalives are in keepalives.test.ts.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { asideKey } from '../../../src/actors/durable/origin.ts';
import { MemoryStore } from '../../../src/store/memory-store.ts';
import { StoreError } from '../../../src/store/snapshot-store.ts';
import type { Agent, Request } from './agent.ts';
import { World } from './world.ts';

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Milliseconds between one request and the next. */
const gaps = (requests: readonly Request[]): number[] =>
  requests.slice(1).map(({ atMs }, index) => atMs - (requests[index]?.atMs ?? 0));

describe('boot-with-one-bad-record', () => {
  const rot = async (
    kind: 'check' | 'entity',
    key: string,
    text: (old: string) => string,
  ): Promise<World> => {
    const world = await World.open();
    for (const name of ['web-01', 'web-02', 'web-03']) await world.post({ status: 1 }, { name });
    await world.crash();
    world.disk.corrupt(kind, key, text(world.disk.cells(kind).get(key)?.text ?? ''));
    await world.start();
    return world;
  };

  test('bytes that are no record are quarantined, and everything else comes up', async () => {
    const world = await rot('check', 'default/web-02/cpu', () => 'x');
    assert.deepEqual(
      (await world.drive(world.backend.readEvents({ namespace: 'default' }))).items.map(
        ({ entity }) => entity.metadata.name,
      ),
      ['web-01', 'web-03'],
    );
    assert.equal(world.warnings(/damaged/).length, 1);
    await world.post({ status: 1 }, { name: 'web-02' });
    assert.equal((await world.read('web-02', 'cpu'))?.check.occurrences, 1);
    await world.stop();
  });

  for (const [kind, key, broken] of [
    [
      'check',
      'default/web-02/cpu',
      '"value":{"result":"dancing","acknowledgement":"unacknowledged","ttl":"waiting","delivery":"idle"}',
    ],
    ['entity', 'default/web-02', '"value":"dancing"'],
  ] as const) {
    test(`a record (${kind}) in a state that nobody knows is set aside whole, reported, and begins anew`, async () => {
      const spoil = (text: string): string => text.replace(/"value":(\{[^}]*\}|"[^"]*")/, broken);
      const world = await rot(kind, key, spoil);
      await world.quiet();
      assert.equal(world.warnings(/set aside/).length, 1);
      const aside = await world.store.get('system', asideKey(kind, key));
      assert.match(JSON.stringify(aside?.state), /dancing/);
      assert.equal(await world.store.get(kind, key), undefined);
      await world.post({ status: 1 }, { name: 'web-02' });
      assert.equal((await world.read('web-02', 'cpu'))?.check.status, 1);
      assert.equal((await world.read('web-03', 'cpu'))?.check.occurrences, 1);
      assert.equal(world.backend.runtime.stats().facts.restarting, 0);
      await world.crash();
      await world.start();
      assert.equal(world.warnings(/set aside/).length, 1, 'reported once, not at every start');
      await world.stop();
    });
  }

  test('a definition that cannot be read leaves the other checks running', async () => {
    const world = await World.open();
    await world.check('cpu', { interval: 10 });
    await world.check('disk', { interval: 10 });
    await world.crash();
    world.disk.corrupt('resource', 'checks/default/cpu', '{"broken":');
    await world.start();
    const agent = await world.agent('web-01');
    await world.advance(60_000);
    assert.deepEqual(new Set(agent.requests.map(({ check }) => check)), new Set(['disk']));
    await world.stop();
  });
});

describe('round-robin-store-outage', () => {
  test('turns go on while the store is away and after it is back, over agents that leave and come', async () => {
    const stores: MemoryStore[] = [];
    const world = await World.open({
      store: (disk) => {
        const store = new MemoryStore({ disk });
        stores.push(store);
        return store;
      },
    });
    const agents: Agent[] = [];
    for (const name of ['a', 'b', 'c']) agents.push(await world.agent(name));
    await world.check('probe', { interval: 10, round_robin: true });
    const turns = (): string =>
      agents
        .flatMap((agent) => agent.requests.map(({ atMs }) => ({ atMs, name: agent.name })))
        .sort((x, y) => x.atMs - y.atMs)
        .map(({ name }) => name)
        .join('');
    await world.advance(60_000);
    assert.equal(turns(), 'abcabc');
    stores[0]?.fail(new StoreError('unavailable', 'no primary'));
    await world.advance(60_000);
    assert.equal(turns(), 'abcabcabcabc');
    stores[0]?.recover();
    agents[1]?.die();
    await world.advance(60_000);
    assert.equal(turns(), 'abcabcabcabcacacac');
    agents[1]?.revive();
    await world.advance(60_000);
    assert.equal(turns(), 'abcabcabcabcacacacabcabc');
    await world.stop();
  });

  test('whose turn it is survives a crash of the backend, and goes with the check', async () => {
    const world = await World.open();
    const agents: Agent[] = [];
    for (const name of ['a', 'b', 'c']) agents.push(await world.agent(name));
    await world.check('probe', { interval: 10, round_robin: true });
    const counts = () => agents.map(({ requests }) => requests.length);
    await world.advance(10_000);
    assert.deepEqual(counts(), [1, 0, 0]);
    for (const expected of [
      [1, 1, 0],
      [1, 1, 1],
      [2, 1, 1],
    ]) {
      await world.crash();
      await world.start();
      for (const agent of agents) agent.sendKeepalive();
      await world.advance(10_000);
      assert.deepEqual(counts(), expected);
    }
    await world.remove('checks', 'probe');
    assert.equal(await world.store.count('schedule'), 0);
    await world.check('probe', { interval: 10, round_robin: true });
    await world.advance(10_000);
    assert.deepEqual(counts(), [3, 1, 1], 'a new check begins at the first agent');
    await world.stop();
  });

  test('a record of turns that cannot be read is reported, and the first agent begins', async () => {
    const world = await World.open();
    const agent = await world.agent('a');
    await world.check('probe', { interval: 10, round_robin: true });
    await world.advance(10_000);
    await world.crash();
    const cell = world.disk.cells('schedule').get('default/probe');
    world.disk.corrupt('schedule', 'default/probe', (cell?.text ?? '').replace('lastTurns', 'lost'));
    await world.start();
    assert.equal(world.warnings(/cannot be read back/).length, 1);
    agent.sendKeepalive();
    await world.advance(10_000);
    assert.equal(agent.requests.length, 2);
    await world.stop();
  });

  test('nobody in the ring is a warning, and the first agent that comes is asked', async () => {
    const world = await World.open();
    await world.check('probe', { interval: 10, round_robin: true });
    await world.advance(20_000);
    assert.ok(world.warnings(/no available entities/).length > 0);
    const agent = await world.agent('a');
    await world.advance(20_000);
    assert.equal(agent.requests.length, 2);
    await world.stop();
  });
});

describe('no-overlapping-run', () => {
  test('an agent that shares several subscriptions with a check is asked once a tick', async () => {
    const world = await World.open();
    const agent = await world.agent('web-01', { subscriptions: ['all', 'linux', 'db'] });
    await world.check('cpu', { interval: 10, subscriptions: ['linux', 'db', 'all', 'entity:web-01'] });
    await world.advance(100_000);
    assert.equal(agent.requests.length, 10);
    assert.deepEqual(new Set(gaps(agent.requests)), new Set([10_000]));
    await world.stop();
  });

  test('neither a changed definition nor a restart of the backend adds or moves a tick', async () => {
    const world = await World.open();
    const agent = await world.agent('web-01');
    await world.check('cpu', { interval: 10 });
    for (let change = 0; change < 20; change += 1) {
      await world.check('cpu', { interval: 10, command: `echo ${change}` });
      if (change % 7 === 3) {
        await world.crash();
        await world.start();
        agent.sendKeepalive();
      }
      await world.advance(3_700);
    }
    await world.advance(10_000);
    assert.deepEqual(new Set(gaps(agent.requests)), new Set([10_000]));
    assert.equal(agent.requests.at(-1)?.request.config.command, 'echo 19');
    await world.stop();
  });

  test('a pause of the backend does not make up for the ticks it missed', async () => {
    const world = await World.open();
    const agent = await world.agent('web-01');
    await world.check('cpu', { interval: 10 });
    await world.advance(30_000);
    const before = agent.requests.length;
    world.clock.pause(100_000);
    await world.quiet();
    assert.ok(agent.requests.length - before <= 1);
    await world.advance(30_000);
    assert.ok(agent.requests.length - before <= 4);
    await world.stop();
  });
});

describe('watcher-empty-event', () => {
  test('a check that is deleted and made again at once goes on being scheduled', async () => {
    const world = await World.open();
    const agent = await world.agent('web-01');
    const config = await world.check('cpu', { interval: 10 });
    await world.silence({ check: 'cpu', expire_at: Math.floor(world.nowMs / 1000) + 1_000 });
    const { resources } = world.backend;
    const id = { segment: 'checks', namespace: 'default', name: 'cpu' };
    const silenceId = { segment: 'silenced', namespace: 'default', name: '*:cpu' };
    const silence = resources.get('silenced', 'default', '*:cpu') ?? {};
    // The commits go through while the actors get no turn: both changes wait in one mailbox.
    const changes = Promise.all([
      resources.delete(id).then(() => resources.put(id, { ...config })),
      resources.delete(silenceId).then(() => resources.put(silenceId, { ...silence })),
    ]);
    for (let round = 0; round < 20; round += 1) await turn();
    await changes;
    await world.advance(30_000);
    assert.equal(agent.requests.length, 3);
    assert.equal(world.backend.runtime.registry.has('silence:default/*:cpu'), true);
    await world.stop();
  });

  test('deleting what is not there, and telling actors that are gone, hurts nobody', async () => {
    const world = await World.open();
    assert.equal(await world.drive(world.backend.deleteEvent('default', 'nobody', 'cpu')), false);
    assert.equal(await world.drive(world.backend.deleteEntity('default', 'nobody')), false);
    world.backend.runtime.registry.tell('check:default/nobody/cpu', { type: 'check.deleted' });
    await world.check('cpu');
    await world.remove('checks', 'cpu');
    await world.remove('checks', 'cpu');
    await world.advance(120_000);
    assert.equal(world.backend.runtime.stats().faults, 0);
    await world.stop();
  });
});

test('store-member-lost: agents are refused while it lasts, and no result of later is lost', async () => {
  const stores: MemoryStore[] = [];
  const world = await World.open({
    store: (disk) => {
      const store = new MemoryStore({ disk });
      stores.push(store);
      return store;
    },
  });
  const agent = await world.agent('web-01', { warningSeconds: 60 });
  await world.check('cpu', { interval: 10 });
  await world.advance(60_000);
  stores[0]?.fail(new StoreError('unavailable', 'no primary'));
  await world.advance(600_000);
  assert.ok(agent.refusals.length > 0, 'nothing is acknowledged that is not stored');
  stores[0]?.recover();
  await world.advance(30_000);
  const refused = agent.refusals.length;
  await world.advance(60_000);
  assert.equal(agent.refusals.length, refused);
  assert.equal(gaps(agent.requests).filter((gap) => gap !== 10_000).length, 0, 'checks went on');
  assert.equal((await world.read('web-01', 'cpu'))?.check.status, 0);
  assert.deepEqual(
    world.toldOf('web-01', 'keepalive').filter(({ status }) => status > 0),
    [],
    'no false alarm',
  );
  await world.stop();
});

test('an entity counts once it is stored, and takes its place under the limit before', async () => {
  const stores: MemoryStore[] = [];
  const world = await World.open({
    entityLimit: 2,
    store: (disk) => {
      const store = new MemoryStore({ disk });
      stores.push(store);
      return store;
    },
  });
  const counts = () => [world.backend.gauges()['entities'], world.backend.entityAllowance().count];
  await world.post({ status: 0 }, { name: 'web-01' });
  assert.deepEqual(counts(), [1, 1]);
  stores[0]?.fail(new StoreError('unavailable', 'no primary'));
  const waiting = world.post({ status: 0 }, { name: 'web-02' }).catch(() => {});
  await world.quiet();
  assert.deepEqual(counts(), [1, 1]);
  assert.equal(world.backend.admitsEntity('default', 'web-03'), false);
  stores[0]?.recover();
  await world.advance(60_000);
  await waiting;
  assert.deepEqual(counts(), [2, 2]);
  await world.crash();
  await world.start();
  assert.deepEqual(counts(), [2, 2]);
  await world.stop();
});

test('a new entity whose record the store refuses for good gives its place back', async () => {
  const stores: MemoryStore[] = [];
  const world = await World.open({
    entityLimit: 1,
    store: (disk) => {
      const store = new MemoryStore({ disk });
      stores.push(store);
      return store;
    },
  });
  stores[0]?.fail(new StoreError('invalid', 'too large'));
  await assert.rejects(world.drive(world.post({ status: 0 }, { name: 'web-01' })));
  stores[0]?.recover();
  await world.advance(1_000);
  assert.equal(world.backend.entityAllowance().count, 0);
  assert.equal(world.backend.admitsEntity('default', 'web-02'), true);
  await world.stop();
});
