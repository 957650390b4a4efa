// Two backends in one process, each with its own store, on a bus in memory: events of entities that live on the other one go there,
// and what became of them comes back.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Outcome } from '../../../src/actors/runtime/outcome.ts';
import { Forwarder } from '../../../src/cluster/forward.ts';
import { holdMessageMs } from '../../../src/cluster/limits.ts';
import { type BusFaults, MemoryBusServer } from '../../../src/cluster/memory-bus.ts';
import { Receiver } from '../../../src/cluster/receive.ts';
import { placement, shardOf } from '../../../src/cluster/shards.ts';
import { subjectsOf } from '../../../src/cluster/subjects.ts';
import { forwardEvents, takeForwarded } from '../../../src/main/cluster/event-forwarding.ts';
import { MonError } from '../../../src/model/errors.ts';
import { World, type WorldOptions } from '../../actors/engine/world.ts';
import { createSimulatedClock } from '../../actors/runtime/simulated-clock.ts';
import { seeded } from '../../property.ts';

const names = ['b1', 'b2'] as const;
type Name = (typeof names)[number];
const subjects = subjectsOf('test');
const homeOf = (entity: string): string | undefined => placement(names, shardOf('default', entity));
/** An entity that lives on this backend. */
const entityOf = (home: Name, from = 0): string => {
  for (let index = from; ; index += 1) if (homeOf(`web-${index}`) === home) return `web-${index}`;
};

const open = async (faults?: BusFaults, options: WorldOptions = {}) => {
  const clock = createSimulatedClock();
  const server = new MemoryBusServer({ clock, random: seeded(1) });
  if (faults !== undefined) server.faults = faults;
  const reports: string[] = [];
  const report = (_level: string, message: string): unknown => reports.push(message);
  const join = async (name: Name) => {
    const bus = server.connect(name);
    const forwarder = new Forwarder({
      bus,
      clock,
      sender: `${name}.1`,
      subjectOf: subjects.shards,
      ownerOf: (shard) => ({ backend: placement(names, shard) ?? '', epoch: 1 }),
      lookUpAgain: () => {},
      report,
      random: seeded(2),
    });
    const isMine = (shard: number): boolean => placement(names, shard) === name;
    const world = await World.open({ ...options, elsewhere: forwardEvents(forwarder, isMine) });
    const receive = (): Receiver =>
      new Receiver({
        bus,
        subject: subjects.shards(name),
        clock,
        report,
        ports: {
          holds: (shard) => ({ isMine: isMine(shard), epoch: 1 }),
          apply: takeForwarded((offered, receipt) => world.backend.takeEvent(offered, receipt)),
        },
      });
    return { world, receiver: receive(), receive };
  };
  const [b1, b2] = [await join('b1'), await join('b2')];
  /** Time passes on both and on the bus, a little here and a little there. */
  const pass = async (ms: number, stepMs = 5): Promise<void> => {
    for (let passed = 0; passed < ms; passed += stepMs) {
      await clock.advanceAsync(stepMs);
      await b1.world.advance(stepMs);
      await b2.world.advance(stepMs);
    }
  };
  return { b1, b2, pass, reports };
};

/** An event as an agent of this entity sends it. */
const eventOf = (world: World, entity: string, status: number, id?: string) =>
  world.event(
    { metadata: { name: 'cpu', namespace: 'default' }, status, interval: 10 },
    { metadata: { name: entity, namespace: 'default' }, entity_class: 'agent' },
    id === undefined ? {} : { id },
  );

test('an event goes to the backend where its entity lives, and is acknowledged after the commit there', async () => {
  const { b1, b2, pass } = await open();
  const [near, far] = [entityOf('b1'), entityOf('b2')];
  const outcomes: Outcome[] = [];
  for (const entity of [near, far])
    b1.world.backend.acceptFrame('event', eventOf(b1.world, entity, 2), (outcome) => outcomes.push(outcome));
  await pass(50);
  assert.deepEqual(outcomes, [{ type: 'done' }, { type: 'done' }]);
  assert.equal((await b1.world.read(near, 'cpu'))?.check.status, 2);
  assert.equal((await b2.world.read(far, 'cpu'))?.check.status, 2);
  assert.equal(await b2.world.read(near, 'cpu'), undefined);
  assert.equal(await b1.world.read(far, 'cpu'), undefined);
  assert.deepEqual(
    b2.world.told.map(({ entity }) => entity),
    [far],
  );
});

test('a keepalive makes the entity there; an event that a client wrote goes to its proxy entity', async () => {
  const { b1, b2, pass } = await open();
  const far = entityOf('b2');
  const other = entityOf('b2', Number(far.slice(4)) + 1);
  const near = entityOf('b1');
  const keepalive = b1.world.event(
    { metadata: { name: 'keepalive', namespace: 'default' }, interval: 20, timeout: 120 },
    { metadata: { name: far, namespace: 'default' }, entity_class: 'agent' },
  );
  const outcomes: Outcome[] = [];
  b1.world.backend.acceptFrame('keepalive', keepalive, (outcome) => outcomes.push(outcome));
  const written = b1.world.event(
    { metadata: { name: 'disk', namespace: 'default' }, status: 1, proxy_entity_name: other },
    { metadata: { name: near, namespace: 'default' } },
  );
  const accepted = b1.world.backend.acceptEvent(written);
  await pass(50);
  await accepted;
  assert.deepEqual(outcomes, [{ type: 'done' }]);
  assert.equal((await b2.world.backend.readEntity('default', far))?.entity_class, 'agent');
  assert.equal((await b2.world.read(other, 'disk'))?.check.status, 1);
  assert.equal(b1.world.backend.knowsEntity('default', other), false);
});

test('what the other backend refuses is refused here, with the same error', async () => {
  const { b1, b2, pass } = await open();
  const lost = b1.world.event(
    { metadata: { name: 'cpu', namespace: 'nowhere' } },
    { metadata: { name: 'x', namespace: 'nowhere' }, entity_class: 'agent' },
  );
  const home = placement(names, shardOf('nowhere', 'x')) === 'b1' ? b2 : b1;
  const refused = assert.rejects(home.world.backend.acceptEvent(lost), (error: unknown) => {
    assert.ok(error instanceof MonError);
    assert.deepEqual([error.kind, error.message], ['notFound', 'the namespace nowhere does not exist']);
    return true;
  });
  await pass(50);
  await refused;
});

test('over a bus that loses and doubles, an event counts once', async () => {
  const { b1, b2, pass } = await open({ lost: 0.3, doubled: 0.5, maxDelayMs: 20 });
  const far = entityOf('b2');
  const outcomes: string[] = [];
  for (let index = 0; index < 10; index += 1) {
    const event = eventOf(b1.world, far, 2, `00000000-0000-4000-8000-00000000000${index}`);
    b1.world.backend.acceptFrame('event', event, ({ type }) => outcomes.push(type));
    await pass(20);
  }
  await pass(25_000, 100);
  assert.deepEqual(
    outcomes,
    Array.from({ length: 10 }, () => 'done'),
  );
  const event = await b2.world.read(far, 'cpu');
  assert.equal(event?.check.occurrences, 10);
  assert.equal(b2.world.told.length, 10);
});

test('while nobody takes events for the entity they wait; then the edge is told to offer them again', async () => {
  const { b1, b2, pass } = await open();
  const far = entityOf('b2');
  b2.receiver.close();
  const outcomes: string[] = [];
  const offer = (): void =>
    b1.world.backend.acceptFrame('event', eventOf(b1.world, far, 0), ({ type }) => outcomes.push(type));
  offer();
  await pass(holdMessageMs - 2_000, 500);
  assert.deepEqual(outcomes, []);
  await pass(4_000, 500);
  assert.deepEqual(outcomes, ['outage']);
  offer();
  await pass(100);
  b2.receive();
  await pass(2_000, 50);
  assert.deepEqual(outcomes, ['outage', 'done']);
});
