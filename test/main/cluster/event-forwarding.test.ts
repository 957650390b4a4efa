// Two backends in one process, each with its own store, on a bus in memory: events of entities that live on the other one go there,
// and what became of them comes back.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { entityId } from '../../../src/actors/families/entity/entity-tree.ts';
import type { Outcome } from '../../../src/actors/runtime/outcome.ts';
import { holdMessageMs } from '../../../src/cluster/limits.ts';
import type { BusFaults } from '../../../src/cluster/memory-bus.ts';
import { MonError } from '../../../src/model/errors.ts';
import type { World } from '../../actors/engine/world.ts';
import { type Ending, homeOf, openMembers } from './backends.ts';

/** An entity that lives on this backend. */
const entityOf = (home: 'b1' | 'b2', from = 0): string => {
  for (let index = from; ; index += 1) if (homeOf('default', `web-${index}`) === home) return `web-${index}`;
};

const open = async (t: Ending, faults?: BusFaults) => {
  const { members, pass, reports } = await openMembers(t, 2, {}, faults);
  const [b1, b2] = members;
  assert.ok(b1 !== undefined && b2 !== undefined);
  return { b1, b2, pass, reports };
};

/** An event as an agent of this entity sends it. */
const eventOf = (world: World, entity: string, status: number, id?: string) =>
  world.event(
    { metadata: { name: 'cpu', namespace: 'default' }, status, interval: 10 },
    { metadata: { name: entity, namespace: 'default' }, entity_class: 'agent' },
    id === undefined ? {} : { id },
  );

test('an event goes to the backend where its entity lives, and is acknowledged after the commit there', async (t) => {
  const { b1, b2, pass } = await open(t);
  const [near, far] = [entityOf('b1'), entityOf('b2')];
  const outcomes: Outcome[] = [];
  for (const entity of [near, far])
    b1.world.backend.acceptFrame('event', eventOf(b1.world, entity, 2), (outcome) => outcomes.push(outcome));
  await pass(50);
  assert.deepEqual(outcomes, [{ type: 'done' }, { type: 'done' }]);
  assert.equal((await b1.world.read(near, 'cpu'))?.check.status, 2);
  assert.equal((await b2.world.read(far, 'cpu'))?.check.status, 2);
  assert.equal(b2.world.backend.events.get(`default/${near}/cpu`), undefined);
  assert.equal(b1.world.backend.events.get(`default/${far}/cpu`), undefined);
  assert.deepEqual(
    b2.world.told.map(({ entity }) => entity),
    [far],
  );
});

test('a keepalive makes the entity there; an event that a client wrote goes to its proxy entity', async (t) => {
  const { b1, b2, pass } = await open(t);
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
  assert.equal(b1.world.backend.runtime.registry.has(entityId('default', other)), false);
});

test('an event of a backend about itself goes where its entity lives, and is of class backend there', async (t) => {
  const { b1, b2, pass } = await open(t);
  // Both worlds have the same name.
  const name = 'backend-under-test';
  const isFirst = homeOf('mon-system', name) === 'b1';
  const [home, away] = isFirst ? [b1.world, b2.world] : [b2.world, b1.world];
  for (const world of [home, away])
    await world.drive(
      world.backend.resources.put(
        { segment: 'namespaces', namespace: '', name: 'mon-system' },
        { name: 'mon-system' },
      ),
    );
  await away.check('disk', { handlers: ['nobody'] });
  await pass(30_000, 500);
  const event = await home.drive(home.backend.readEvent('mon-system', name, 'configuration'));
  assert.equal(event?.check.status, 1);
  const entity = await home.drive(home.backend.readEntity('mon-system', name));
  assert.equal(entity?.entity_class, 'backend');
  assert.equal(away.backend.runtime.registry.has(entityId('mon-system', name)), false);
});

test('what the other backend refuses is refused here, with the same error', async (t) => {
  const { b1, b2, pass } = await open(t);
  const lost = b1.world.event(
    { metadata: { name: 'cpu', namespace: 'nowhere' } },
    { metadata: { name: 'x', namespace: 'nowhere' }, entity_class: 'agent' },
  );
  const home = homeOf('nowhere', 'x') === 'b1' ? b2 : b1;
  const refused = assert.rejects(home.world.backend.acceptEvent(lost), (error: unknown) => {
    assert.ok(error instanceof MonError);
    assert.deepEqual([error.kind, error.message], ['notFound', 'the namespace nowhere does not exist']);
    return true;
  });
  await pass(50);
  await refused;
});

test('over a bus that loses and doubles, an event counts once', async (t) => {
  const { b1, b2, pass } = await open(t, { lost: 0.3, doubled: 0.5, maxDelayMs: 20 });
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

test('while nobody takes events for the entity they wait; then the edge is told to offer them again', async (t) => {
  const { b1, b2, pass } = await open(t);
  const far = entityOf('b2');
  b2.receiver?.close();
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
