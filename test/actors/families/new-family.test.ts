// A small durable family from nothing, as somebody who adds one would write it: a machine, a row, and who tells it facts. All
// that is not in this file (records, restore, resume, deadlines, restarts) comes from the kit.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assign, emit, setup } from 'xstate';
import { GroupCommit } from '../../../src/actors/durable/group-commit.ts';
import { setAsideIn } from '../../../src/actors/durable/origin.ts';
import { Families } from '../../../src/actors/families/kit/families.ts';
import { type CommonEffect, defineFamily } from '../../../src/actors/families/kit/family.ts';
import { rootTree } from '../../../src/actors/families/root-tree.ts';
import { createRuntime, createSupervisor } from '../../../src/actors/runtime/runtime.ts';
import { restore } from '../../../src/machines/restore-rule.ts';
import { isObject } from '../../../src/model/schema/is-object.ts';
import { MemoryDisk, MemoryStore } from '../../../src/store/memory-store.ts';
import { createSimulatedClock, type SimulatedClock } from '../runtime/simulated-clock.ts';

// 1. The machine: a lamp that goes out by itself.

interface LampContext {
  readonly switched: number;
  readonly outAtMs: number | null;
}

type LampFact =
  | { readonly type: 'lamp.switched'; readonly nowMs: number }
  | { readonly type: 'lamp.resumed'; readonly nowMs: number }
  | { readonly type: 'deadline.reached'; readonly name: string; readonly nowMs: number };

type LampEffect = CommonEffect | { readonly type: 'lamp.out' };

const lampMachine = setup({
  types: { context: {} as LampContext, events: {} as LampFact, emitted: {} as LampEffect },
  actions: {
    light: assign(({ context, event }) => ({
      switched: context.switched + 1,
      outAtMs: 'nowMs' in event ? event.nowMs + 60_000 : null,
    })),
    goOut: assign({ outAtMs: null }),
    wait: emit(({ context }) => ({ type: 'deadline.set', name: 'out', atMs: context.outAtMs ?? 0 })),
    persist: emit({ type: 'persist' }),
    tell: emit({ type: 'lamp.out' }),
  },
}).createMachine({
  id: 'lamp',
  initial: 'dark',
  context: { switched: 0, outAtMs: null },
  states: {
    dark: { on: { 'lamp.switched': { target: 'lit', actions: ['light', 'persist', 'wait'] } } },
    lit: {
      on: {
        'lamp.switched': { actions: ['light', 'persist', 'wait'] },
        'lamp.resumed': { actions: 'wait' },
        'deadline.reached': { target: 'dark', actions: ['goOut', 'persist', 'tell'] },
      },
    },
  },
});

const lampRecord = {
  version: 1,
  migrate: {},
  contextFault: (context: Readonly<Record<string, unknown>>) =>
    typeof context['switched'] === 'number' && isObject(context)
      ? undefined
      : 'context.switched is not a number',
};

// 2. The row.

interface LampIdentity {
  readonly name: string;
}

const lampFamily = defineFamily<
  LampIdentity,
  LampContext,
  LampFact,
  LampEffect,
  { readonly out: (name: string) => void }
>({
  id: 'lamp',
  title: 'one lamp',
  machine: lampMachine,
  mailbox: { capacity: 16, overflow: 'refuse' },
  supervise: { restart: 'transient', place: { type: 'group', id: 'lamps' } },
  durable: {
    kind: 'system',
    prefix: 'lamp/',
    version: 1,
    restore: (state, version) => restore(lampMachine, lampRecord, state, version),
    identityOf: (key) => ({ name: key.slice('lamp/'.length) }),
  },
  deadlines: { out: { waitsFor: 'time', storedAt: ({ outAtMs }) => outAtMs } },
  key: ({ name }) => `lamp/${name}`,
  input: () => undefined,
  first: (member, resumed) =>
    resumed?.outAtMs == null ? undefined : { type: 'lamp.resumed', nowMs: member.nowMs() },
  perform: (_, __, { identity, ports }) => ports.out(identity.name),
});

// 3. Who uses it.

const house = (disk: MemoryDisk, clock: SimulatedClock) => {
  const runtime = createRuntime({ clock, random: () => 0 });
  const commit = new GroupCommit({
    store: new MemoryStore({ disk }),
    clock,
    onFault: (error) => assert.fail(error),
  });
  const families = new Families({
    commit,
    registry: runtime.registry,
    supervisor: (id) => runtime.supervisor(id),
    nowMs: () => clock.wallMs(),
    setAside: setAsideIn(commit, (_, key) => assert.fail(`${key} was put aside`)),
  });
  const out: string[] = [];
  const lamps = families.bind(lampFamily, { out: (name) => out.push(name) });
  const table = [lampFamily] as unknown as Parameters<typeof rootTree>[0];
  createSupervisor(
    runtime,
    rootTree(table, () => assert.fail('no fixed children')),
  );
  const restored = () =>
    families.restore(table, {
      commit,
      records: (kind, prefix = '') => commit.scan(kind, { prefix }),
      onBadRecord: (_, key) => assert.fail(key),
    });
  return { runtime, commit, lamps, out, restored };
};

test('a family of three pieces is durable, waits over a restart, and begins from the store after a crash', async () => {
  const disk = new MemoryDisk();
  const clock = createSimulatedClock();
  const hall: LampIdentity = { name: 'hall' };
  const first = house(disk, clock);
  clock.runTurns();
  first.lamps.ensure(hall);
  const acknowledged: string[] = [];
  first.lamps.tell(hall, { type: 'lamp.switched', nowMs: clock.wallMs() }, ({ type }) =>
    acknowledged.push(type),
  );
  await clock.settle();
  assert.deepEqual(acknowledged, ['done'], 'told after the commit');
  first.runtime.close();

  clock.jumpWall(0);
  await clock.advanceAsync(40_000);
  const second = house(disk, clock);
  clock.runTurns();
  assert.deepEqual(await second.restored(), { lamp: 1 });
  await clock.settle();
  assert.equal(second.lamps.context(hall)?.switched, 1);
  second.lamps.tell(hall, { type: 'lamp.switched', nowMs: clock.wallMs() });
  await clock.settle();
  second.lamps.tell(
    hall,
    Object.defineProperty({ type: 'lamp.switched' }, 'nowMs', {
      get: () => assert.fail('a crash on purpose'),
      enumerable: true,
    }) as LampFact,
  );
  await clock.advanceAsync(5_000);
  assert.equal(second.lamps.context(hall)?.switched, 2, 'what was stored, not what the process came up with');
  await clock.advanceAsync(54_999);
  assert.deepEqual(second.out, []);
  await clock.advanceAsync(1);
  assert.deepEqual([second.out, second.lamps.state(hall)], [['hall'], 'dark']);
  second.runtime.close();
});
