import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { EntityContext, EntityEffect, EntityFact } from '../../src/machines/entity/entity-facts.ts';
import {
  entityInput,
  entityMachine,
  entityVersion,
  restoreEntity,
} from '../../src/machines/entity/entity-machine.ts';
import { configOf } from '../../src/machines/entity/registration-rule.ts';
import { RestoreError } from '../../src/machines/restore-rule.ts';
import { bring, type Live } from './harness.ts';
import { type Sample, sampleEvent, sampleKeepalive } from './samples.ts';

type LiveEntity = Live<EntityFact, EntityEffect>;

const start = (): LiveEntity =>
  bring(entityMachine, { input: entityInput({ namespace: 'default', name: 'web-01' }) });

const keepalive = (nowMs: number, sample: Sample = {}): EntityFact => ({
  type: 'keepalive.received',
  event: sampleKeepalive(sample),
  nowMs,
  newId: 'new-id',
});
const silence = (nowMs: number): EntityFact => ({
  type: 'deadline.reached',
  name: 'keepalive',
  nowMs,
  newId: 'id',
});
const announced: EntityFact = { type: 'registration.announced', nowMs: 0 };
const contextOf = (entity: LiveEntity): EntityContext => entity.snapshot().context as EntityContext;
const types = (effects: readonly EntityEffect[]): string[] => effects.map(({ type }) => type);
const statusOf = (effects: readonly EntityEffect[]): number[] =>
  effects.flatMap((effect) => (effect.type === 'publish' ? effect.event.check.status : []));
const both = { check: { timeout: 120, ttl: 180 } };

const reborn = (entity: LiveEntity): LiveEntity => {
  const { value, context } = entity.snapshot();
  const stored: unknown = JSON.parse(JSON.stringify({ value, context }));
  return bring(entityMachine, { snapshot: restoreEntity(stored, entityVersion) });
};

describe('the entity machine: keepalives', () => {
  it('registers an agent with its first keepalive and announces it once', () => {
    const entity = start();
    const effects = entity.send(keepalive(1000));
    assert.deepEqual(types(effects), ['persist', 'deadline.set', 'announce', 'publish', 'config.changed']);
    assert.deepEqual(effects[1], { type: 'deadline.set', name: 'keepalive', atMs: 121_000 });
    assert.equal(entity.snapshot().value, 'registered');
    assert.ok(contextOf(entity).entity.subscriptions.includes('entity:web-01'));
    assert.deepEqual(types(entity.send(keepalive(21_000))), ['persist', 'deadline.set', 'publish']);
    assert.equal(contextOf(entity).deadlineAtMs, 141_000);
  });

  it('takes a changed timeout at once', () => {
    const entity = start();
    entity.send(keepalive(0));
    entity.send(keepalive(1000, { check: { timeout: 30 } }));
    assert.equal(contextOf(entity).deadlineAtMs, 31_000);
  });

  it('reports silence at warning, at critical exactly, and again until a keepalive comes', () => {
    const entity = start();
    entity.send(keepalive(0, both));
    const warning = entity.send(silence(120_000));
    assert.deepEqual(types(warning), ['persist', 'deadline.set', 'publish']);
    assert.deepEqual([statusOf(warning), contextOf(entity).deadlineAtMs], [[1], 180_000]);
    assert.deepEqual(entity.snapshot().value, { unresponsive: 'warning' });
    assert.deepEqual(statusOf(entity.send(silence(180_000))), [2]);
    assert.deepEqual(entity.snapshot().value, { unresponsive: 'critical' });
    assert.deepEqual(statusOf(entity.send(silence(300_000))), [2]);
    const back = entity.send(keepalive(301_000, both));
    assert.deepEqual(types(back), ['persist', 'deadline.set', 'publish']);
    assert.deepEqual([statusOf(back), entity.snapshot().value], [[0], 'registered']);
  });

  it('measures silence by our own clock, whatever the agent says about its', () => {
    const entity = start();
    entity.send(keepalive(0, { event: { timestamp: 4_000_000_000 } }));
    const effects = entity.send(silence(120_000));
    assert.deepEqual(statusOf(effects), [1]);
    const published = effects.find(({ type }) => type === 'publish');
    assert.match(
      published?.type === 'publish' ? published.event.check.output : '',
      /for 120 seconds \(>= 120\)/,
    );
  });

  for (const jumpMs of [-86_400_000, -3_600_000, 3_600_000, 86_400_000])
    it(`counts the waits that are over, though the wall clock was set by ${jumpMs / 3_600_000} h`, () => {
      const entity = start();
      entity.send(keepalive(0, both));
      assert.deepEqual(statusOf(entity.send(silence(120_000 + jumpMs))), [1]);
      assert.deepEqual(
        [contextOf(entity).silentMs, contextOf(entity).deadlineAtMs],
        [120_000, 180_000 + jumpMs],
      );
      assert.deepEqual(statusOf(entity.send(silence(180_000 - jumpMs))), [2]);
      assert.equal(contextOf(entity).silentMs, 180_000);
      entity.send(keepalive(0, both));
      assert.equal(contextOf(entity).silentMs, 0);
    });

  it('stops waiting when the keepalive event is deleted, until the next keepalive', () => {
    const entity = start();
    entity.send(keepalive(0));
    entity.send(announced);
    assert.deepEqual(types(entity.send({ type: 'keepalive.forgotten', nowMs: 1 })), [
      'persist',
      'deadline.clear',
    ]);
    assert.deepEqual(entity.send(silence(120_000)), []);
    assert.deepEqual(reborn(entity).send({ type: 'entity.resumed', nowMs: 5 }), []);
    assert.deepEqual(types(entity.send(keepalive(200_000))), ['persist', 'deadline.set', 'publish']);
  });
});

describe('the entity machine: restarts of the backend', () => {
  it('declares nobody dead before one full timeout since ready, and reports everyone who is after it', () => {
    const entity = start();
    entity.send(keepalive(0, both));
    entity.send(announced);
    const again = reborn(entity);
    assert.deepEqual(again.send({ type: 'entity.resumed', nowMs: 10_000_000 }), [
      { type: 'deadline.set', name: 'keepalive', atMs: 10_120_000 },
    ]);
    assert.deepEqual(statusOf(again.send(silence(10_120_000))), [2]);
  });

  it('announces a registration again, until the pipelines are done with it', () => {
    const entity = start();
    // As it comes back from the store.
    const first: unknown = JSON.parse(JSON.stringify(entity.send(keepalive(0))[2]));
    const again = reborn(entity);
    assert.deepEqual(
      JSON.parse(JSON.stringify(again.send({ type: 'entity.resumed', nowMs: 1000 }).at(-1))),
      first,
    );
    again.send({ type: 'keepalive.forgotten', nowMs: 2000 });
    assert.deepEqual(
      JSON.parse(JSON.stringify(reborn(again).send({ type: 'entity.resumed', nowMs: 3000 }))),
      [first],
    );
    assert.deepEqual(types(again.send(announced)), ['persist']);
    assert.deepEqual(again.send(announced), []);
    assert.deepEqual(reborn(again).send({ type: 'entity.resumed', nowMs: 4000 }), []);
  });

  it('goes on reporting who was silent before', () => {
    const entity = start();
    entity.send(keepalive(0));
    entity.send(silence(120_000));
    const again = reborn(entity);
    again.send({ type: 'entity.resumed', nowMs: 500_000 });
    assert.deepEqual(again.snapshot().value, { unresponsive: 'warning' });
    assert.deepEqual(statusOf(again.send(silence(620_000))), [1]);
  });
});

describe('the entity machine: deregistration', () => {
  const leaver = { entity: { deregister: true } };

  it('asks to be removed instead of raising an alert', () => {
    const entity = start();
    entity.send(keepalive(0, leaver));
    assert.deepEqual(types(entity.send(silence(120_000))), ['persist', 'deregister']);
    assert.deepEqual(types(reborn(entity).send({ type: 'entity.resumed', nowMs: 0 })), ['deregister']);
    assert.deepEqual(types(entity.send({ type: 'entity.deleted', nowMs: 0 })), ['deadline.clear', 'forget']);
    assert.equal(entity.snapshot().status, 'done');
  });

  it('is asked for at once when the agent says that it stopped, and only where it was wanted', () => {
    const entity = start();
    entity.send(keepalive(0, leaver));
    const stopped = { type: 'agent.stopped', nowMs: 1_000 } as const;
    assert.deepEqual(types(entity.send(stopped)), ['persist', 'deadline.clear', 'deregister']);
    const stays = start();
    stays.send(keepalive(0));
    assert.deepEqual(types(stays.send(stopped)), []);
    assert.equal(stays.snapshot().value, 'registered');
  });

  it('is off when the agent comes back first', () => {
    const entity = start();
    entity.send(keepalive(0, leaver));
    entity.send(silence(120_000));
    entity.send(keepalive(121_000, leaver));
    assert.equal(entity.snapshot().value, 'registered');
    assert.equal(contextOf(entity).deadlineAtMs, 241_000);
  });
});

describe('the entity machine: configuration', () => {
  const proxy = sampleEvent({ entity: { entity_class: 'proxy' } }).entity;

  it('knows a declared proxy entity and never waits for it', () => {
    const entity = start();
    assert.deepEqual(types(entity.send({ type: 'entity.declared', entity: proxy, nowMs: 0 })), ['persist']);
    assert.equal(entity.snapshot().value, 'proxy');
    assert.deepEqual(types(entity.send({ type: 'entity.declared', entity: proxy, nowMs: 0 })), ['persist']);
    assert.deepEqual(entity.send(silence(1e12)), []);
    assert.deepEqual(types(entity.send(keepalive(0, { entity: { entity_class: 'proxy' } }))), [
      'persist',
      'publish',
    ]);
    assert.equal(contextOf(entity).deadlineAtMs, null);
  });

  it('watches a proxy entity from the moment an agent of its name gives a sign of life', () => {
    const entity = start();
    entity.send({ type: 'entity.declared', entity: { ...proxy, user: 'kept' }, nowMs: 0 });
    entity.send(keepalive(0));
    assert.equal(entity.snapshot().value, 'registered');
    assert.deepEqual(
      [contextOf(entity).entity.entity_class, contextOf(entity).entity.user],
      ['agent', 'kept'],
    );
    assert.equal(contextOf(entity).deadlineAtMs, 120_000);
  });

  it('lets the stored configuration win, and tells the agent when it changes', () => {
    const entity = start();
    entity.send(keepalive(0, { entity: { subscriptions: ['linux'] } }));
    const config = {
      ...configOf(contextOf(entity).entity),
      subscriptions: ['web'],
      keepalive_handlers: ['pager'],
    };
    const effects = entity.send({ type: 'entity.configured', config, nowMs: 0 });
    assert.deepEqual(types(effects), ['persist', 'config.changed']);
    entity.send(keepalive(1, { entity: { subscriptions: ['linux'] }, event: { sequence: 2 } }));
    assert.deepEqual(contextOf(entity).entity.subscriptions, ['web', 'entity:web-01']);
    const published = entity.send(keepalive(2)).find(({ type }) => type === 'publish');
    assert.deepEqual(published?.type === 'publish' && published.event.check.handlers, ['pager']);
  });

  it('is vouched for by an operator, also when its configuration is kept later', () => {
    const entity = start();
    entity.send(keepalive(0));
    const config = configOf(contextOf(entity).entity);
    const configure = (by?: 'keep' | 'operator') => {
      entity.send({ type: 'entity.configured', config, nowMs: 0, ...(by === undefined ? {} : { by }) });
      return contextOf(entity).isVouched;
    };
    assert.deepEqual([configure('keep'), configure('operator'), configure('keep')], [false, true, true]);
    assert.equal(configure(), false);
  });

  it('adopts the configuration of an agent that insists, with its first keepalive only', () => {
    const entity = start();
    const labels = { 'mon.io/managed_by': 'mon-agent' };
    const managed = (subscription: string, sequence: number) => ({
      entity: { metadata: { name: 'web-01', namespace: 'default', labels }, subscriptions: [subscription] },
      event: { sequence },
    });
    entity.send(keepalive(0, managed('a', 1)));
    entity.send(keepalive(0, managed('b', 2)));
    assert.deepEqual(contextOf(entity).entity.subscriptions, ['a', 'entity:web-01']);
    assert.ok(types(entity.send(keepalive(0, managed('c', 1)))).includes('config.changed'));
    assert.deepEqual(contextOf(entity).entity.subscriptions, ['c', 'entity:web-01']);
  });

  it('stops waiting when an agent is made a proxy entity', () => {
    const entity = start();
    entity.send(keepalive(0));
    const config = { ...configOf(contextOf(entity).entity), entity_class: 'proxy' };
    assert.ok(types(entity.send({ type: 'entity.configured', config, nowMs: 0 })).includes('deadline.clear'));
    assert.equal(entity.snapshot().value, 'proxy');
    assert.equal(contextOf(entity).deadlineAtMs, null);
  });
});

describe('restoring an entity', () => {
  it('of version 1 knows how long it was silent', () => {
    const entity = start();
    entity.send(keepalive(0, both));
    entity.send(silence(120_000));
    const { value, context } = entity.snapshot();
    const { silentMs: _, ...first } = context as EntityContext;
    const restored: LiveEntity = bring(entityMachine, {
      snapshot: restoreEntity({ value, context: first }, 1),
    });
    assert.deepEqual(restored.snapshot().value, { unresponsive: 'warning' });
    assert.deepEqual(statusOf(restored.send(silence(180_000))), [2]);
  });

  const bad: readonly [string, unknown, number, RegExp][] = [
    ['a newer version', {}, entityVersion + 1, /version/],
    ['an unknown state', { value: 'asleep', context: {} }, entityVersion, /names no entity/],
    [
      'a broken time',
      {
        value: 'registered',
        context: {
          namespace: 'a',
          name: 'b',
          entity: { metadata: {} },
          keepalive: null,
          lastHeardMs: 'x',
          silentMs: 0,
          deadlineAtMs: null,
        },
      },
      entityVersion,
      /bad time/,
    ],
  ];
  for (const [what, state, version, message] of bad) {
    it(`refuses ${what} with a reason`, () =>
      assert.throws(
        () => restoreEntity(state, version),
        (error) => error instanceof RestoreError && message.test(error.message),
      ));
  }
});
