// What every family promises, walked over the rows of the table: records of every version that was ever released come back,
// a crashed actor begins from the store, a bad record is put aside, a moved or cleared deadline is silent, mailboxes are bounded.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { assign, enqueueActions, setup } from 'xstate';
import type { Effect, Family } from '../../../src/actors/families/kit/family.ts';
import type { FamilyHost } from '../../../src/actors/families/kit/family-actors.ts';
import { specOf } from '../../../src/actors/families/kit/family-actors.ts';
import { families } from '../../../src/actors/families/table.ts';
import type { ActorMessage, Outcome } from '../../../src/actors/runtime/contract.ts';
import { contextOf, stateValueOf } from '../../../src/actors/runtime/inspection/snapshot.ts';
import { createRuntime, createSupervisor, type Runtime } from '../../../src/actors/runtime/runtime.ts';
import { MemoryStore } from '../../../src/store/memory-store.ts';
import type { RecordKind, StoredRecord } from '../../../src/store/snapshot-store.ts';
import type { FixtureMember } from '../../machines/fixture-member.ts';
import { World } from '../engine/world.ts';
import { createSimulatedClock } from '../runtime/simulated-clock.ts';
import { type DurableMember, memberFromFixture, members } from './members.ts';

interface Fixture {
  readonly version: number;
  readonly record: FixtureRecord;
}

type Unsaved = Omit<StoredRecord, 'rev' | 'savedAtMs'>;

interface FixtureRecord extends Unsaved {
  /** Other records that this one names. */
  readonly along?: readonly { readonly kind: RecordKind; readonly key: string; readonly record: Unsaved }[];
  readonly member?: FixtureMember;
}

const fixturesOf = (family: string): readonly Fixture[] =>
  readdirSync(`test/fixtures/${family}`)
    .map((file) => ({
      version: Number(/^v(\d+)\.json$/.exec(file)?.[1]),
      record: JSON.parse(readFileSync(`test/fixtures/${family}/${file}`, 'utf8')) as Fixture['record'],
    }))
    .sort((left, right) => left.version - right.version);

const durableFamilies = families.filter(({ durable }) => durable !== undefined);

/** A backend that came up on one record. */
const restored = async (family: Family, record: Fixture['record'], keyOf: DurableMember): Promise<World> => {
  const world = await World.open();
  await world.crash();
  const { along = [], member: _, ...own } = record;
  const kind = family.durable?.kind ?? 'system';
  await new MemoryStore({ disk: world.disk }).commit(
    [{ kind, key: family.key(keyOf.identity), record: own }, ...along].map(
      (one) => ({ type: 'put', ...one, record: { ...one.record, rev: 7, savedAtMs: world.nowMs } }) as const,
    ),
  );
  await world.start();
  return world;
};

const memberOf = (family: Family): DurableMember =>
  members[family.id] ?? memberFromFixture(family, fixturesOf(family.id).at(-1)?.record.state);

const live = (world: World, id: string): { readonly value: unknown; readonly context: unknown } => {
  const snapshot = world.backend.runtime.registry.peek(id);
  assert.ok(snapshot, `${id} is not alive`);
  return { value: stateValueOf(snapshot), context: contextOf(snapshot) };
};

const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

test('every family has its own id', () => {
  assert.equal(new Set(families.map(({ id }) => id)).size, families.length);
});

describe('a durable family', () => {
  for (const family of durableFamilies) {
    const member = memberOf(family);
    const id = `${family.id}:${family.key(member.identity)}`;

    test(`${family.id}: has a fixture of every version, and each comes back`, async () => {
      const fixtures = fixturesOf(family.id);
      const versions = Array.from({ length: family.durable?.version ?? 0 }, (_, index) => index + 1);
      assert.deepEqual(
        fixtures.map(({ version }) => version),
        versions,
      );
      for (const { record, version } of fixtures) {
        assert.equal(record.version, version);
        const world = await restored(family, record, member);
        assert.deepEqual(world.warnings(/set aside|cannot be read back/), []);
        member.verifyRestored(live(world, id), world);
        await world.stop();
      }
    });

    test(`${family.id}: the key of a record names its actor, and no other key does`, () => {
      const { durable } = family;
      assert.deepEqual(durable?.identityOf(family.key(member.identity)), member.identity);
    });

    test(`${family.id}: an actor that crashed begins again from the store, not from what it came up with`, async () => {
      const record = fixturesOf(family.id).at(-1)?.record as Fixture['record'];
      const world = await restored(family, record, member);
      const atBoot = plain(live(world, id));
      await member.advance(world, id);
      await world.quiet();
      const before = plain(live(world, id));
      assert.notDeepEqual(before, atBoot, 'the member must have moved on');
      const outcomes: Outcome[] = [];
      world.backend.runtime.registry.tell(id, member.crash, (outcome) => outcomes.push(outcome));
      await world.advance(5_000);
      assert.deepEqual(
        outcomes.map(({ type }) => type),
        ['fault'],
      );
      assert.equal(world.backend.runtime.actor(id)?.info.generation, 2);
      member.verifySame(plain(live(world, id)), before);
      await world.stop();
    });

    test(`${family.id}: a record that cannot be restored is put aside with a log line, and the actor begins anew`, async () => {
      const record = fixturesOf(family.id).at(-1)?.record as Fixture['record'];
      const world = await restored(family, { ...record, state: { value: 'nonsense', context: {} } }, member);
      assert.equal(world.warnings(/set aside/).length, 1);
      assert.ok(world.backend.runtime.registry.has(id));
      const store = new MemoryStore({ disk: world.disk });
      const key = family.key(member.identity);
      const aside = await store.get('system', `aside/${family.durable?.kind}/${key}`);
      assert.deepEqual(aside?.state, { value: 'nonsense', context: {} });
      assert.equal(await store.get(family.durable?.kind ?? 'system', key), undefined);
      await world.stop();
    });

    test(`${family.id}: a record of a newer program is put aside, not guessed at`, async () => {
      const record = fixturesOf(family.id).at(-1)?.record as Fixture['record'];
      const world = await restored(family, { ...record, version: record.version + 1 }, member);
      assert.equal(world.warnings(/set aside/).length, 1);
      await world.stop();
    });
  }
});

// Below, each row with a machine that does what it is told: the row's own mailbox and deadlines, and nothing else.

interface Order extends ActorMessage {
  readonly type: 'order';
  readonly effects: readonly Effect[];
}

const obedient = setup({
  types: {
    context: {} as { reached: readonly unknown[] },
    events: {} as Order | ActorMessage,
    emitted: {} as Effect,
  },
  actions: {
    obey: enqueueActions(({ event, enqueue }) => {
      for (const effect of (event as Order).effects) enqueue.emit(effect);
    }),
    note: assign(({ context, event }) => ({
      reached: [...context.reached, (event as { name?: unknown }).name],
    })),
  },
}).createMachine({
  id: 'obedient',
  context: { reached: [] },
  on: { order: { actions: 'obey' }, 'deadline.reached': { actions: 'note' } },
});

/** Whatever a row asks of its ports is answered with an empty object. */
const anyPorts: unknown = new Proxy({}, { get: () => () => ({}) });

const obeying = ({ durable, ...family }: Family) => {
  const clock = createSimulatedClock();
  const runtime: Runtime = createRuntime({ clock, random: () => 0 });
  const root = createSupervisor(runtime, { id: 'root', strategy: 'one_for_one' });
  const host: FamilyHost = {
    commit: { put() {}, delete() {}, latest: async () => undefined },
    setAside() {},
    nowMs: () => clock.wallMs(),
    registry: runtime.registry,
    supervisor: (id) => runtime.supervisor(id),
  };
  const spec = specOf({ ...family, machine: obedient }, undefined, anyPorts, host);
  const quiet = { ...spec, id: 'one', behaviour: spec.behaviour };
  root.startChild(quiet);
  clock.runTurns();
  const order = (...effects: readonly Effect[]): void =>
    runtime.registry.tell('one', { type: 'order', effects } as Order);
  const reached = (): readonly unknown[] => {
    const snapshot = runtime.registry.peek('one');
    assert.ok(snapshot);
    return contextOf<{ reached: readonly unknown[] }>(snapshot).reached;
  };
  return { clock, runtime, order, reached };
};

/** Neither the key nor the first message of a row is asked for here. */
const bare = (family: Family): Family => ({
  ...family,
  key: () => 'one',
  input: () => undefined,
  first: () => undefined,
});

describe('a deadline', () => {
  for (const family of families) {
    for (const name of Object.keys(family.deadlines)) {
      const at = (clock: { wallMs(): number }, ms: number): Effect =>
        ({ type: 'deadline.set', name, atMs: clock.wallMs() + ms }) as Effect;

      test(`${family.id}/${name}: comes once, at its time`, () => {
        const { clock, order, reached } = obeying(bare(family));
        order(at(clock, 1_000));
        clock.advance(999);
        assert.deepEqual(reached(), []);
        clock.advance(10_000);
        assert.deepEqual(reached(), [name]);
      });

      test(`${family.id}/${name}: mail of one that was moved or cleared before its turn is never delivered`, () => {
        for (const change of ['moved', 'cleared'] as const) {
          const { clock, runtime, order, reached } = obeying(bare(family));
          order(at(clock, 1_000));
          clock.runTurns();
          runtime.pause('one');
          order(change === 'moved' ? at(clock, 60_000) : ({ type: 'deadline.clear', name } as Effect));
          clock.advance(5_000);
          assert.deepEqual(reached(), []);
          runtime.resume('one');
          clock.advance(5_000);
          assert.deepEqual(reached(), [], `${change} before its turn`);
          clock.advance(60_000);
          assert.deepEqual(reached(), change === 'moved' ? [name] : []);
        }
      });
    }
  }
});

describe('a mailbox', () => {
  for (const family of families) {
    const { capacity, overflow } = family.mailbox;
    test(`${family.id}: holds ${capacity} messages; of one more: ${overflow}`, () => {
      const { clock, runtime } = obeying(bare(family));
      runtime.pause('one');
      const outcomes: string[] = [];
      const post = (index: number): void =>
        runtime.registry.tell('one', { type: 'order', effects: [] } as Order, (outcome) => {
          outcomes.push(outcome.type === 'busy' ? `${index}:${outcome.why}` : outcome.type);
        });
      for (let index = 0; index < capacity; index += 1) post(index);
      assert.deepEqual(outcomes, []);
      assert.equal(runtime.actor('one')?.info.mailbox, capacity);
      post(capacity);
      assert.equal(runtime.actor('one')?.info.mailbox, capacity, 'one more does not make it larger');
      const refused = { refuse: [`${capacity}:mailboxFull`], dropOldest: ['0:mailboxFull'], coalesce: [] };
      assert.deepEqual(outcomes, refused[overflow]);
      runtime.resume('one');
      clock.runTurns();
      const done = outcomes.filter((outcome) => outcome === 'done').length;
      assert.equal(done, overflow === 'coalesce' ? capacity + 1 : capacity);
    });
  }
});
