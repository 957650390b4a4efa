// Model-based: random sequences of start, crash, stop, restart and time against a small model of what supervision
// promises. The model knows nothing of timers and mailboxes; it only knows who should be there, and since when.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RestartType } from '../../../src/actors/runtime/contract.ts';
import type { Supervisor } from '../../../src/actors/runtime/supervision/supervisor.ts';
import { fc } from '../../property.ts';
import { counterSpec, countOf, type Stage, stage } from './counter.ts';

interface ModelChild {
  readonly restart: RestartType;
  /** Monotonic time at which it comes back; undefined while it is up. */
  backAtMs: number | undefined;
  /** Start of the current life. */
  upSinceMs: number;
  attempts: number;
  failuresMs: number[];
  quarantined: boolean;
  count: number;
}

/** What `inner` depends on: when it fails, `inner` and all its children go down with it and come back after it. */
interface ModelStore {
  backAtMs: number | undefined;
  upSinceMs: number;
  attempts: number;
}

interface Model {
  nowMs: number;
  readonly store: ModelStore;
  readonly children: Map<string, ModelChild>;
}

interface Real {
  readonly set: Stage;
  readonly inner: Supervisor;
}

const ids = ['a', 'b', 'c', 'd'];
const anyId = fc.constantFrom(...ids);

const fail = (model: Model, id: string, child: ModelChild): void => {
  if (child.restart === 'temporary') {
    model.children.delete(id);
    return;
  }
  if (model.nowMs - child.upSinceMs >= 60_000) {
    child.attempts = 0;
    child.quarantined = false;
  }
  child.attempts += 1;
  child.failuresMs = [...child.failuresMs.filter((at) => model.nowMs - at < 60_000), model.nowMs];
  child.quarantined ||= child.failuresMs.length > 5;
  const waitMs = child.quarantined ? 60_000 : Math.min(60_000, 1_000 * 2 ** (child.attempts - 1));
  child.backAtMs = model.nowMs + waitMs;
};

const comeBack = (child: ModelChild, nowMs: number): void => {
  child.backAtMs = undefined;
  child.upSinceMs = nowMs;
  child.count = 0;
};

/** Their supervisor begins anew: temporary ones are gone, the others come back with their failures forgotten. */
const bringBack = ({ children }: Model, atMs: number): void => {
  for (const child of children.values()) {
    Object.assign(child, { attempts: 0, failuresMs: [], quarantined: false });
    comeBack(child, atMs);
  }
};

const dropTemporary = ({ children }: Model): void => {
  for (const [id, child] of children) if (child.restart === 'temporary') children.delete(id);
};

const failStore = (model: Model): void => {
  const { store } = model;
  if (model.nowMs - store.upSinceMs >= 60_000) store.attempts = 0;
  store.attempts += 1;
  store.backAtMs = model.nowMs + Math.min(60_000, 1_000 * 2 ** (store.attempts - 1));
  dropTemporary(model);
  for (const child of model.children.values()) child.backAtMs = store.backAtMs;
};

const advance = (model: Model, ms: number): void => {
  model.nowMs += ms;
  const { store } = model;
  if (store.backAtMs !== undefined) {
    if (store.backAtMs > model.nowMs) return;
    bringBack(model, store.backAtMs);
    store.upSinceMs = store.backAtMs;
    store.backAtMs = undefined;
  }
  for (const child of model.children.values()) {
    if (child.backAtMs !== undefined && child.backAtMs <= model.nowMs) comeBack(child, child.backAtMs);
  }
};

const check = (model: Model, { set, inner }: Real): void => {
  const expected = [...model.children].map(([id, child]) => {
    const down = child.quarantined ? 'quarantined' : 'backingOff';
    return `${id} ${child.backAtMs === undefined ? `up ${child.count}` : down}`;
  });
  const actual = inner
    .children()
    .map(({ id, state }) => `${id} ${state === 'up' ? `up ${countOf(set.runtime, id)}` : state}`);
  assert.deepEqual(actual.sort(), expected.sort());
  assert.deepEqual([...set.runtime.registry.ids()].sort(), [...model.children.keys(), 'store'].sort());
  assert.equal(set.runtime.faults.count, 0);
};

const emptyModel = (): Model => ({
  nowMs: 0,
  store: { backAtMs: undefined, upSinceMs: 0, attempts: 0 },
  children: new Map(),
});

type Step = fc.AsyncCommand<Model, Real, true>;
const step = (name: string, apply: (model: Model, real: Real) => void | Promise<void>): Step => ({
  check: async () => true,
  toString: () => name,
  async run(model, real) {
    await apply(model, real);
    real.set.clock.runTurns();
    check(model, real);
  },
});

const start = fc
  .tuple(anyId, fc.constantFrom<RestartType>('permanent', 'transient', 'temporary'))
  .map(([id, restart]) =>
    step(`start ${restart} ${id}`, (model, { inner }) => {
      const isNew = !model.children.has(id);
      assert.equal(inner.startChild(counterSpec(id, { restart })).started, isNew);
      if (!isNew) return;
      model.children.set(id, {
        restart,
        backAtMs: model.store.backAtMs,
        upSinceMs: model.nowMs,
        attempts: 0,
        failuresMs: [],
        quarantined: false,
        count: 0,
      });
    }),
  );

const told = (id: string, type: string, handled: (model: Model, child: ModelChild) => void): Step =>
  step(`${type} ${id}`, (model, { set }) => {
    const child = model.children.get(id);
    // Mail for an actor that is down is the receipts test's business.
    if (child?.backAtMs !== undefined) return;
    set.runtime.registry.tell(id, { type });
    if (child !== undefined) handled(model, child);
  });

const count = anyId.map((id) =>
  told(id, 'count', (_model, child) => {
    child.count += 1;
  }),
);
const crash = anyId.map((id) => told(id, 'boom', (model, child) => fail(model, id, child)));
const finish = anyId.map((id) =>
  told(id, 'finish', (model, child) => {
    if (child.restart === 'permanent') fail(model, id, child);
    else model.children.delete(id);
  }),
);

const stop = anyId.map((id) =>
  step(`stop ${id}`, async (model, { inner }) => {
    await inner.stopChild(id);
    model.children.delete(id);
  }),
);

const restartByHand = anyId.map((id) =>
  step(`restart ${id}`, async (model, { inner }) => {
    const child = model.children.get(id);
    if (child === undefined) {
      await assert.rejects(inner.restartChild(id), { kind: 'notFound' });
      return;
    }
    await inner.restartChild(id);
    Object.assign(child, { attempts: 0, failuresMs: [], quarantined: false });
    if (model.store.backAtMs === undefined) comeBack(child, model.nowMs);
  }),
);

const crashStore = fc.constant(0).map(() =>
  step('crash store', (model, { set }) => {
    if (model.store.backAtMs !== undefined) return;
    set.runtime.registry.tell('store', { type: 'boom' });
    failStore(model);
  }),
);

const restartStore = fc.constant(0).map(() =>
  step('restart store', async (model, { set }) => {
    await set.root.restartChild('store');
    model.store.attempts = 0;
    if (model.store.backAtMs === undefined) model.store.upSinceMs = model.nowMs;
  }),
);

const pass = fc.constantFrom(400, 1_000, 3_000, 20_000, 61_000).map((ms) =>
  step(`advance ${ms}`, (model, { set }) => {
    set.clock.advance(ms);
    advance(model, ms);
  }),
);

const jump = fc
  .constantFrom(-3_600_000, 3_600_000)
  .map((ms) => step(`wall ${ms}`, (_model, { set }) => set.clock.jumpWall(ms)));

const restartAll = fc.constant(0).map(() =>
  step('restart supervisor', async (model, { set }) => {
    await set.root.restartChild('inner');
    dropTemporary(model);
    if (model.store.backAtMs === undefined) bringBack(model, model.nowMs);
  }),
);

test('any sequence of commands leaves exactly the children the model expects', async () => {
  const commands = fc.commands<Model, Real, true>(
    [
      start,
      start,
      count,
      crash,
      crash,
      finish,
      stop,
      restartByHand,
      pass,
      jump,
      restartAll,
      crashStore,
      restartStore,
    ],
    {
      maxCommands: 60,
    },
  );
  await fc.assert(
    fc.asyncProperty(commands, async (sequence) => {
      const children = [counterSpec('store')];
      const set = stage({ strategy: 'rest_for_one', intensity: 1_000, children });
      const started = set.root.startSupervisor({
        id: 'inner',
        strategy: 'one_for_one',
        whenFailing: 'quarantine',
      });
      assert.ok(started.started);
      const real: Real = { set, inner: started.supervisor };
      await fc.asyncModelRun(() => ({ model: emptyModel(), real }), sequence);
      await set.root.stop();
      set.clock.advance(120_000);
      assert.equal(set.runtime.registry.size, 0);
      assert.equal(set.runtime.supervisors.size, 0);
      assert.equal(set.clock.timers, 0);
    }),
    { numRuns: Number(process.env['MON_MODEL_RUNS'] ?? 300) },
  );
});
