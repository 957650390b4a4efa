// Keepalives through the whole engine: who is reported dead, when, how often, and what happens over an outage of
// the backend itself (promises 10 and 11).
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Agent } from './agent.ts';
import { startMs, type Told, World } from './world.ts';

const seconds = (atMs: number): number => Math.round((atMs - startMs) / 1000);

/** Alarms and recoveries of one entity: `140 s: 1 120`, seconds, status, threshold named in the output. */
const alarms = (world: World, entity: string): string[] => {
  let failing = false;
  return world.toldOf(entity, 'keepalive').flatMap((told: Told) => {
    const threshold = /\(>= (\d+)\)/.exec(told.output)?.[1] ?? '';
    const isNews = told.status > 0 || failing;
    failing = told.status > 0;
    return isNews ? [`${seconds(told.atMs)} s: ${told.status}${threshold && ` ${threshold}`}`] : [];
  });
};

interface Case {
  readonly what: string;
  readonly warning: number;
  readonly critical: number;
  /** When the agent dies and comes back, seconds. Its keepalives go out every 20 s from 0 on. */
  readonly diesAt: number;
  readonly backAt?: number;
  readonly until: number;
  readonly alarms: readonly string[];
}

const cases: readonly Case[] = [
  {
    what: 'silence is reported after the warning timeout and again every timeout',
    warning: 120,
    critical: 0,
    diesAt: 30,
    until: 400,
    alarms: ['140 s: 1 120', '260 s: 1 120', '380 s: 1 120'],
  },
  {
    what: 'the critical timeout is met exactly, between two warnings',
    warning: 120,
    critical: 180,
    diesAt: 30,
    until: 450,
    alarms: ['140 s: 1 120', '200 s: 2 180', '320 s: 2 180', '440 s: 2 180'],
  },
  {
    what: 'a keepalive ends the alarm',
    warning: 60,
    critical: 0,
    diesAt: 30,
    backAt: 200,
    until: 400,
    alarms: ['80 s: 1 60', '140 s: 1 60', '200 s: 1 60', '200 s: 0'],
  },
  {
    what: 'a gap shorter than the timeout is none',
    warning: 120,
    critical: 180,
    diesAt: 30,
    backAt: 139,
    until: 400,
    alarms: [],
  },
  {
    what: 'without a warning timeout only the critical one counts',
    warning: 0,
    critical: 60,
    diesAt: 30,
    until: 150,
    alarms: ['80 s: 2 60', '140 s: 2 60'],
  },
];

describe('keepalive sequences', () => {
  for (const { what, warning, critical, diesAt, backAt, until, alarms: expected } of cases) {
    test(what, async () => {
      const world = await World.open();
      const agent = await world.agent('web-01', { warningSeconds: warning, criticalSeconds: critical });
      await world.advance(diesAt * 1000);
      agent.die();
      if (backAt !== undefined) {
        await world.advance((backAt - diesAt) * 1000);
        agent.revive();
      }
      await world.advance((until - (backAt ?? diesAt)) * 1000);
      assert.deepEqual(alarms(world, 'web-01'), expected);
      await world.stop();
    });
  }

  test('the stored keepalive event counts its occurrences and speaks of the silence', async () => {
    const world = await World.open();
    const agent = await world.agent('web-01', { warningSeconds: 60 });
    await world.advance(30_000);
    agent.die();
    await world.advance(120_000);
    const event = await world.read('web-01', 'keepalive');
    assert.equal(event?.check.output, 'No keepalive sent from web-01 for 120 seconds (>= 60)');
    assert.equal(event?.check.occurrences, 2);
    assert.equal(event?.check.state, 'failing');
    await world.stop();
  });

  test('the agent names its own handlers', async () => {
    const world = await World.open();
    const agent = await world.agent('web-01', {
      warningSeconds: 60,
      entity: { keepalive_handlers: ['pager'] },
    });
    await world.advance(1_000);
    agent.die();
    await world.advance(60_000);
    const last = world.toldOf('web-01', 'keepalive').at(-1);
    assert.deepEqual([last?.status, last?.event.check?.handlers], [1, ['pager']]);
    await world.stop();
  });
});

describe('registration', () => {
  test('is announced once, not stored, and not again after a restart', async () => {
    const world = await World.open();
    await world.agent('web-01');
    await world.advance(60_000);
    assert.equal(world.toldOf('web-01', 'registration').length, 1);
    assert.equal(await world.read('web-01', 'registration'), undefined);
    await world.crash();
    await world.start();
    await world.advance(60_000);
    assert.equal(world.toldOf('web-01', 'registration').length, 1);
    await world.stop();
  });

  test('happens again after the entity was deleted', async () => {
    const world = await World.open();
    const agent = await world.agent('web-01');
    await world.advance(30_000);
    assert.equal(await world.drive(world.backend.deleteEntity('default', 'web-01')), true);
    assert.equal(agent.connected, false, 'the agent has to connect again');
    assert.equal(await world.read('web-01', 'keepalive'), undefined);
    await world.advance(30_000);
    assert.equal(world.toldOf('web-01', 'registration').length, 2);
    await world.stop();
  });

  test('die-during-registration: an agent that vanishes with its first keepalive hurts nobody and is missed', async () => {
    const world = await World.open();
    const agents: Agent[] = [];
    for (let index = 0; index < 50; index += 1) {
      const agent = await world.agent(`web-${index}`, { warningSeconds: 60, offsetMs: 1_000 });
      agents.push(agent);
    }
    // Its keepalive is in the mailbox, its registration is not committed yet, and the connection is gone.
    world.clock.setTimer(() => {
      for (const agent of agents.slice(0, 25)) agent.die();
    }, 1_000);
    await world.advance(120_000);
    for (const [index] of agents.entries()) {
      assert.equal(world.toldOf(`web-${index}`, 'registration').length, 1);
      assert.deepEqual(alarms(world, `web-${index}`), index < 25 ? ['61 s: 1 60'] : []);
    }
    await world.stop();
  });

  test('a registration that was not handled when the backend died is told again, and once it was, no more', async () => {
    let hangs = true;
    const handled: string[] = [];
    const world = await World.open({
      handle: (event) => {
        if (event.check?.metadata.name !== 'registration') return undefined;
        handled.push(event.entity.metadata.name);
        return hangs ? new Promise(() => {}) : undefined;
      },
    });
    await world.agent('web-01');
    assert.deepEqual(handled, ['web-01']);
    await world.crash();
    hangs = false;
    await world.start();
    assert.deepEqual(handled, ['web-01', 'web-01']);
    await world.crash();
    await world.start();
    assert.deepEqual(handled, ['web-01', 'web-01']);
    await world.stop();
  });

  test('a backend that dies during a registration registers the agent after its restart', async () => {
    const world = await World.open();
    await world.agent('web-01', { offsetMs: 5_000 });
    world.clock.advance(5_000);
    await world.crash();
    await world.start();
    await world.advance(60_000);
    assert.notEqual(await world.read('web-01', 'keepalive'), undefined);
    assert.ok(world.toldOf('web-01', 'registration').length >= 1);
    await world.stop();
  });
});

describe('deregistration', () => {
  /** An agent that is leaving while its farewell is being handled. */
  const leaving = async () => {
    const scene = { hangs: true, farewells: 0 };
    const world = await World.open({
      deregistrationHandler: 'cmdb',
      handle: (event) => {
        if (event.check?.metadata.name !== 'deregistration') return undefined;
        scene.farewells += 1;
        return scene.hangs ? new Promise(() => {}) : undefined;
      },
    });
    const agent = await world.agent('web-01', { warningSeconds: 60, entity: { deregister: true } });
    agent.die();
    await world.advance(61_000);
    assert.equal(scene.farewells, 1);
    return { world, agent, scene };
  };
  const known = (world: World) => world.drive(world.backend.readEntity('default', 'web-01'));

  test('is told again when the backend died while its handler was at work', async () => {
    const { world, scene } = await leaving();
    assert.notEqual(await known(world), undefined);
    await world.crash();
    scene.hangs = false;
    await world.start();
    assert.equal(scene.farewells, 2);
    assert.equal(await known(world), undefined);
    await world.stop();
  });

  test('spares an agent that comes back while its handler is at work', async () => {
    const { world, agent, scene } = await leaving();
    agent.revive();
    await world.advance(30_000);
    await world.crash();
    scene.hangs = false;
    await world.start();
    await world.advance(30_000);
    assert.equal(scene.farewells, 1);
    assert.notEqual(await known(world), undefined);
    await world.stop();
  });

  interface Handlers {
    readonly what: string;
    readonly agent?: string;
    readonly backend?: string;
    readonly told: readonly string[];
  }
  const handlers: readonly Handlers[] = [
    { what: 'the handler of the agent wins', agent: 'cmdb', backend: 'fallback', told: ['cmdb'] },
    { what: 'without one the handler of the backend is told', backend: 'fallback', told: ['fallback'] },
    { what: 'without any nobody is told', told: [] },
  ];
  for (const { what, agent: named, backend, told } of handlers) {
    test(what, async () => {
      const world = await World.open({ deregistrationHandler: backend ?? '' });
      const agent = await world.agent('web-01', {
        warningSeconds: 60,
        entity: { deregister: true, ...(named === undefined ? {} : { deregistration: { handler: named } }) },
      });
      await world.advance(10_000);
      agent.die();
      await world.advance(120_000);
      const events = world.toldOf('web-01', 'deregistration');
      assert.deepEqual(
        events.flatMap(({ event }) => event.check?.handlers ?? []),
        told,
      );
      assert.equal(await world.drive(world.backend.readEntity('default', 'web-01')), undefined);
      assert.deepEqual(alarms(world, 'web-01'), [], 'it left, it did not fail');
      await world.stop();
    });
  }

  test('happens at once when the agent says that it stops, unless a newer process of it is there', async () => {
    const world = await World.open({ deregistrationHandler: 'cmdb' });
    const agent = await world.agent('web-01', { warningSeconds: 60, entity: { deregister: true } });
    await world.advance(10_000);
    agent.stop();
    await world.quiet();
    assert.equal(await known(world), undefined);
    assert.equal(world.toldOf('web-01', 'deregistration').length, 1);

    const older = await world.agent('web-01', { entity: { deregister: true } });
    const newer = await world.agent('web-01', { entity: { deregister: true } });
    older.stop();
    await world.quiet();
    assert.notEqual(await known(world), undefined);
    newer.die();
    await world.quiet();
    assert.notEqual(await known(world), undefined, 'a line that is lost is no farewell');
    await world.stop();
  });

  test('resolves what the entity left open, and deletes it', async () => {
    const world = await World.open();
    const agent = await world.agent('web-01', { warningSeconds: 60, entity: { deregister: true } });
    await world.post({ name: 'disk', status: 2 }, { entity_class: 'agent' });
    agent.die();
    await world.advance(120_000);
    const [, resolved] = world.toldOf('web-01', 'disk');
    assert.equal(resolved?.output, 'Resolving due to entity deregistering');
    assert.deepEqual([resolved?.status, resolved?.event.check?.history], [0, []]);
    assert.equal(await world.read('web-01', 'disk'), undefined);
    await world.stop();
  });

  test('is finished after a crash that cut it short', async () => {
    const world = await World.open({ deregistrationHandler: 'cmdb' });
    const agent = await world.agent('web-01', { warningSeconds: 60, entity: { deregister: true } });
    await world.advance(10_000);
    agent.die();
    await world.advance(49_999);
    world.clock.advance(1);
    await world.crash();
    await world.start();
    await world.advance(120_000);
    assert.equal(await world.drive(world.backend.readEntity('default', 'web-01')), undefined);
    assert.ok(world.toldOf('web-01', 'deregistration').length >= 1);
    await world.stop();
  });
});

describe('what is not watched', () => {
  test('proxy entities are never missed', async () => {
    const world = await World.open();
    await world.post({ name: 'ping' }, { name: 'router-1' });
    await world.advance(3_600_000);
    assert.deepEqual(world.toldOf('router-1', 'keepalive'), []);
    await world.stop();
  });

  test('nothing is due after the keepalive event was deleted, until the next keepalive', async () => {
    const world = await World.open();
    const agent = await world.agent('web-01', { warningSeconds: 60 });
    await world.advance(10_000);
    agent.die();
    await world.drive(world.backend.deleteEvent('default', 'web-01', 'keepalive'));
    await world.advance(600_000);
    assert.deepEqual(alarms(world, 'web-01'), []);
    agent.revive();
    await world.advance(10_000);
    agent.die();
    await world.advance(80_000);
    assert.equal(alarms(world, 'web-01').length, 1);
    await world.stop();
  });
});

describe('outages of the backend', () => {
  test('keepalive-after-restart: an agent that was silent before goes on being reported', async () => {
    const world = await World.open();
    const agent = await world.agent('web-01', { warningSeconds: 60 });
    await world.advance(10_000);
    agent.die();
    await world.advance(60_000);
    assert.deepEqual(alarms(world, 'web-01'), ['60 s: 1 60']);
    await world.crash();
    await world.advance(30_000);
    await world.start();
    await world.advance(150_000);
    assert.deepEqual(alarms(world, 'web-01'), ['60 s: 1 60', '160 s: 1 60', '220 s: 1 60']);
    await world.stop();
  });

  test('keepalive-missed-during-outage: who died while the backend was down is reported, the living are not', async () => {
    const world = await World.open();
    const agents: Agent[] = [];
    for (let index = 0; index < 20; index += 1) {
      agents.push(await world.agent(`web-${index}`, { warningSeconds: 120, offsetMs: index * 997 }));
    }
    await world.advance(60_000);
    await world.crash();
    await world.advance(60_000);
    for (const agent of agents.slice(0, 10)) agent.die();
    await world.advance(3_600_000);
    const readyAt = seconds(world.nowMs);
    await world.start();
    await world.advance(130_000);
    for (const [index] of agents.entries()) {
      assert.deepEqual(alarms(world, `web-${index}`), index < 10 ? [`${readyAt + 120} s: 1 120`] : []);
    }
    await world.stop();
  });

  test('keepalive-first-failure: of a thousand agents that die at once every single one is reported, once', async () => {
    const world = await World.open({ records: ({ check }) => (check?.status ?? 0) > 0 });
    const agents: Agent[] = [];
    for (let index = 0; index < 1_000; index += 1) {
      agents.push(await world.agent(`web-${index}`, { warningSeconds: 60, offsetMs: (index * 19) % 20_000 }));
    }
    await world.advance(40_000);
    for (const agent of agents) agent.die();
    await world.advance(60_000);
    const reported = world.told.filter(({ check }) => check === 'keepalive');
    assert.equal(reported.length, 1_000);
    assert.equal(new Set(reported.map(({ entity }) => entity)).size, 1_000);
    await world.stop();
  });

  test('a backend that stood still raises no false alarm, and still finds the dead', async () => {
    const world = await World.open();
    const living = await world.agent('living', { warningSeconds: 60 });
    const dead = await world.agent('dead', { warningSeconds: 60 });
    await world.advance(30_000);
    dead.die();
    // SIGSTOP: keepalives of the time wait in the socket and come after it.
    world.clock.pause(300_000);
    await world.quiet();
    living.sendKeepalive();
    await world.advance(90_000);
    assert.deepEqual(alarms(world, 'living'), []);
    assert.equal(alarms(world, 'dead').length, 1);
    await world.stop();
  });

  test('agent-churn-1000: a thousand connects and deaths leave no actor, no alarm of the living and no fault', async () => {
    const world = await World.open({ records: ({ check }) => (check?.status ?? 0) > 0 });
    const agent = await world.agent('web-01', { warningSeconds: 60 });
    await world.advance(1_000);
    const before = world.backend.runtime.stats();
    for (let life = 0; life < 1_000; life += 1) {
      agent.revive();
      await world.advance(50);
    }
    const after = world.backend.runtime.stats();
    assert.equal(after.actors, before.actors);
    assert.equal(after.deadlines, before.deadlines);
    assert.deepEqual([after.faults, after.facts.restarting], [0, 0]);
    assert.equal(world.backend.sessions.count, 1);
    assert.deepEqual(
      world.told.filter(({ check }) => check === 'keepalive'),
      [],
    );
    await world.stop();
  });
});

test('a keepalive of one entity too many is refused, and the entity does not come to be', async (t) => {
  const world = await World.open({ entityLimit: 1 });
  t.after(() => world.stop());
  const keepalive = { name: 'keepalive', timeout: 60 };
  await world.post(keepalive, { name: 'web-01', entity_class: 'agent' });
  await assert.rejects(
    world.post(keepalive, { name: 'web-02', entity_class: 'agent' }),
    /entity web-02 cannot be added: the entity limit is reached/,
  );
  await world.post(keepalive, { name: 'web-01', entity_class: 'agent' });
  assert.equal(world.backend.entityAllowance().count, 1);
});
