// Records that are written along with another one, by the group-commit writer: whatever happens in between, a stored record
// never counts on one that is not stored.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Companion } from '../../../src/actors/durable/commit-slot.ts';
import { GroupCommit, type GroupCommitOptions } from '../../../src/actors/durable/group-commit.ts';
import type { Outcome } from '../../../src/actors/runtime/contract.ts';
import { MemoryStore, type MemoryStoreOptions } from '../../../src/store/memory-store.ts';
import { StoreError, type StoreWrite, type WriteOutcome } from '../../../src/store/snapshot-store.ts';
import { fc } from '../../property.ts';
import { collect } from '../../store/records.ts';
import { createSimulatedClock } from '../runtime/simulated-clock.ts';

const stages = ['first', undefined, 'last'] as const;

/** Ends batches in the middle, as a store without transactions may: stages before are complete, and half of one is written. */
class StagedStore extends MemoryStore {
  end: { readonly stage: number; readonly isOdd: boolean } | undefined;

  override async commit(writes: readonly StoreWrite[]): Promise<readonly WriteOutcome[]> {
    const { end } = this;
    this.end = undefined;
    if (end === undefined) return super.commit(writes);
    const done = writes.filter(({ order }, at) => {
      const stage = stages.indexOf(order);
      return stage < end.stage || (stage === end.stage && (at % 2 === 1) === end.isOdd);
    });
    await super.commit(done);
    throw new StoreError('unavailable', `ended in stage ${end.stage}`);
  }
}

const setUp = (options: MemoryStoreOptions = {}, limits: GroupCommitOptions['limits'] = {}) => {
  const clock = createSimulatedClock();
  const batches: (readonly StoreWrite[])[] = [];
  const faults: Error[] = [];
  const store = new StagedStore({
    ...options,
    beforeCommit: (writes) => {
      batches.push(writes);
      return options.beforeCommit?.(writes);
    },
  });
  const commit = new GroupCommit({ store, clock, limits, onFault: (error) => faults.push(error) });
  const told: Record<string, Outcome[]> = {};
  const receipt = (name: string) => (outcome: Outcome) => {
    told[name] ??= [];
    told[name].push(outcome);
  };
  return { clock, batches, faults, store, commit, told, receipt };
};

const body = (state: unknown) => () => ({ machine: 'check', version: 1, deadlines: [], state });

const along = (key: string, state: unknown = key): Companion => ({
  type: 'put',
  kind: 'delivery',
  key,
  encode: body(state),
});
const without = (key: string, last = false): Companion => ({ type: 'delete', kind: 'delivery', key, last });

const settle = async (): Promise<void> => {
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resume) => setImmediate(resume));
};

const named = (batch: readonly StoreWrite[] | undefined): string[] =>
  (batch ?? []).map(({ kind, key, type, order }) => `${type} ${kind} ${key}${order ? ` ${order}` : ''}`);

const keysIn = async (store: MemoryStore): Promise<string[]> =>
  (await collect(store.scan('delivery'))).map(({ key }) => key);

describe('a companion', () => {
  it('is in the batch of its main record, however small batches are', async () => {
    const { commit, batches, told, receipt } = setUp({}, { maxBatchWrites: 1 });
    commit.put('check', 'x', body(1));
    commit.put('check', 'a', body(1), receipt('a'), [along('a/1'), along('a/2')]);
    commit.put('check', 'b', body(1), receipt('b'), [along('b/1')]);
    await settle();
    assert.deepEqual(batches.map(named), [
      ['put check x'],
      ['put check a', 'put delivery a/1 first', 'put delivery a/2 first'],
      ['put check b', 'put delivery b/1 first'],
    ]);
    assert.deepEqual(told, { a: [{ type: 'done' }], b: [{ type: 'done' }] });
    assert.equal(commit.depth, 0);
  });

  it('of each of several puts goes with the one write they become', async () => {
    const { commit, batches, store } = setUp();
    commit.put('check', 'a', body(1), undefined, [along('a/1')]);
    commit.put('check', 'a', body(2), undefined, [along('a/2')]);
    await settle();
    assert.deepEqual(batches.map(named), [
      ['put check a', 'put delivery a/1 first', 'put delivery a/2 first'],
    ]);
    commit.put('check', 'a', body(3), undefined, [without('a/1'), along('a/3'), without('a/2', true)]);
    await settle();
    assert.deepEqual(named(batches[1]), [
      'put check a',
      'delete delivery a/1',
      'put delivery a/3 first',
      'delete delivery a/2 last',
    ]);
    assert.deepEqual(await keysIn(store), ['a/3']);
    assert.equal(commit.depth, 0);
  });

  it('that is done with before it was written is never written', async () => {
    const { commit, batches } = setUp();
    commit.put('check', 'a', body(1), undefined, [along('a/1')]);
    commit.put('check', 'a', body(2), undefined, [without('a/1')]);
    const flushed = commit.flush();
    await settle();
    await flushed;
    assert.deepEqual(batches.map(named), [['put check a']]);
    assert.equal(commit.depth, 0);
  });

  it('can be read from the moment it was asked for', async () => {
    const { commit, store } = setUp();
    store.fail(new StoreError('unavailable', 'gone'), 1);
    commit.put('check', 'a', body(1), undefined, [along('a/1', 'event')]);
    assert.equal((await commit.latest('delivery', 'a/1'))?.state, 'event');
    await settle();
    assert.equal((await commit.latest('delivery', 'a/1'))?.state, 'event');
    assert.equal(await commit.committed('delivery', 'a/1'), undefined);
  });

  it('is tried again with its main record, in its newest form', async () => {
    const { commit, batches, store, clock, told, receipt } = setUp();
    store.fail(new StoreError('unavailable', 'gone'), 1);
    commit.put('check', 'a', body(1), receipt('a'), [along('a/1'), along('a/2')]);
    await settle();
    assert.equal(told['a']?.[0]?.type, 'outage');
    commit.put('check', 'a', body(2), receipt('again'), [without('a/1'), along('a/3')]);
    clock.advance(100);
    await settle();
    // The first try may have written it.
    assert.deepEqual(named(batches[1]), [
      'put check a',
      'delete delivery a/1',
      'put delivery a/2 first',
      'put delivery a/3 first',
    ]);
    assert.deepEqual(told['again'], [{ type: 'done' }]);
    assert.deepEqual(await keysIn(store), ['a/2', 'a/3']);
    assert.equal(commit.depth, 0);
  });

  it('is refused with its main record, and the other way round; all others get through', async () => {
    for (const culprit of ['main', 'companion'] as const) {
      const { commit, store, told, receipt, faults } = setUp();
      commit.put('check', 'a', body(0), undefined, [along('a/0'), along('a/1')]);
      await settle();
      for (let n = 0; n < 9; n += 1) {
        const isBad = n === 5;
        const key = isBad ? 'a' : `k${n}`;
        commit.put('check', key, body(isBad && culprit === 'main' ? 10n : n), receipt(key), [
          along(`${key}/2`, isBad && culprit === 'companion' ? 10n : n),
          ...(isBad ? [along('a/3'), without('a/0'), without('a/1', true)] : []),
        ]);
      }
      await settle();
      assert.equal(told['a']?.[0]?.type, 'invalid');
      assert.equal((await store.get('check', 'a'))?.state, 0);
      const keys = await keysIn(store);
      // a/1 was to be given up in favour of what was refused; a/0 is done with.
      assert.deepEqual(
        keys.filter((key) => key.startsWith('a/')),
        ['a/1'],
      );
      for (let n = 0; n < 9; n += 1) {
        if (n === 5) continue;
        assert.deepEqual(told[`k${n}`], [{ type: 'done' }]);
        assert.ok(keys.includes(`k${n}/2`));
      }
      assert.equal(faults.length, 1);
      assert.equal(commit.depth, 0);
      commit.put('check', 'a', body(1), receipt('good'), [along('a/2')]);
      await settle();
      assert.deepEqual(told['good'], [{ type: 'done' }]);
      assert.deepEqual(
        (await keysIn(store)).filter((key) => key.startsWith('a/')),
        ['a/1', 'a/2'],
      );
    }
  });

  it('whose record can not be made refuses the put it came with, and nothing else', async () => {
    const { commit, store, told, receipt, faults } = setUp();
    const broken: Companion = {
      type: 'put',
      kind: 'delivery',
      key: 'a/1',
      encode: () => {
        throw new Error('no event');
      },
    };
    commit.put('check', 'a', body(1), receipt('a'), [along('a/0'), broken, along('a/2')]);
    commit.put('check', 'b', body(1), receipt('b'), [along('b/1')]);
    await settle();
    assert.equal(told['a']?.[0]?.type, 'fault');
    assert.deepEqual(told['b'], [{ type: 'done' }]);
    assert.deepEqual(await keysIn(store), ['b/1']);
    assert.equal(faults.length, 1);
    assert.equal(commit.depth, 0);
  });

  it('takes over the key of a deletion that was asked for by itself', async () => {
    const { commit, batches } = setUp({}, { maxBatchWrites: 1 });
    commit.put('check', 'a', body(1), undefined, [along('a/1')]);
    await settle();
    commit.delete('delivery', 'a/1');
    commit.put('check', 'a', body(2), undefined, [along('a/1')]);
    await settle();
    assert.deepEqual(batches.slice(1).map(named), [['put check a', 'put delivery a/1 first']]);
    assert.equal(commit.depth, 0);
  });

  it('is deleted by itself once it is written', async () => {
    const { commit, batches, store } = setUp();
    commit.put('check', 'a', body(1), undefined, [along('a/1')]);
    await settle();
    commit.delete('delivery', 'a/1');
    await settle();
    commit.put('check', 'a', body(2), undefined, [along('a/2')]);
    commit.delete('check', 'a');
    commit.delete('delivery', 'a/2');
    await settle();
    assert.deepEqual(named(batches[1]), ['delete delivery a/1']);
    assert.deepEqual(await keysIn(store), []);
    assert.equal(commit.depth, 0);
  });
});

describe('companions', () => {
  it('a stored record never names one that is not stored, whatever the store does; in the end all is as it was left', async () => {
    const check = fc.integer({ min: 0, max: 2 });
    const step = fc.oneof(
      { weight: 5, arbitrary: fc.record({ do: fc.constant('add' as const), check, isBad: fc.nat(9) }) },
      { weight: 3, arbitrary: fc.record({ do: fc.constant('finish' as const), check }) },
      { weight: 3, arbitrary: fc.record({ do: fc.constant('replace' as const), check }) },
      { weight: 4, arbitrary: fc.record({ do: fc.constant('turn' as const) }) },
      {
        weight: 1,
        arbitrary: fc.record({ do: fc.constant('fail' as const), times: fc.integer({ min: 1, max: 3 }) }),
      },
      {
        weight: 2,
        arbitrary: fc.record({
          do: fc.constant('end' as const),
          stage: fc.integer({ min: 0, max: 2 }),
          isOdd: fc.boolean(),
        }),
      },
      {
        weight: 2,
        arbitrary: fc.record({ do: fc.constant('wait' as const), ms: fc.integer({ min: 1, max: 6_000 }) }),
      },
    );
    const property = fc.asyncProperty(
      fc.array(step, { maxLength: 60, size: 'max' }),
      fc.integer({ min: 1, max: 3 }),
      async (steps, width) => {
        const { commit, store, clock, faults } = setUp(
          { maxConcurrentCommits: width },
          { maxBatchWrites: 2, minConcurrentWrites: 1 },
        );
        const pending = new Map<string, string[]>();
        /** Told to somebody, or refused to its sender, so that it may be missing. */
        const finished = new Set<string>();
        const look = (when: string): void => {
          const deliveries = store.disk.cells('delivery');
          for (const [key, { text }] of store.disk.cells('check'))
            for (const name of (JSON.parse(text) as { state: string[] }).state)
              assert.ok(
                deliveries.has(name) || finished.has(name),
                `${when}: ${key} names ${name}, which is not stored`,
              );
        };
        // One who was told of an outage is not told that the next try was refused for good.
        const mayRefuse = !steps.some((one) => one.do === 'fail' || one.do === 'end');
        let count = 0;
        for (const action of steps) {
          if (action.do === 'turn') await new Promise((resume) => setImmediate(resume));
          else if (action.do === 'fail') store.fail(new StoreError('unavailable', 'gone'), action.times);
          else if (action.do === 'end') store.end = action;
          else if (action.do === 'wait') clock.advance(action.ms);
          else {
            const key = `c${action.check}`;
            const before = pending.get(key) ?? [];
            const [head, ...rest] = before;
            const companions: Companion[] = [];
            const added: string[] = [];
            let after = before;
            if (action.do !== 'add' && head !== undefined) {
              if (action.do === 'finish') finished.add(head);
              companions.push(without(head, action.do === 'replace'));
              after = rest;
            }
            if (action.do !== 'finish') {
              count += 1;
              const name = `${key}/${count}`;
              added.push(name);
              companions.push(along(name, mayRefuse && 'isBad' in action && action.isBad === 0 ? 10n : name));
              after = [...after, name];
            }
            pending.set(key, after);
            commit.put(
              'check',
              key,
              body(after),
              (outcome) => {
                // As an actor that begins again from what is stored.
                if (outcome.type !== 'invalid') return;
                for (const name of added) finished.add(name);
                void commit
                  .latest('check', key)
                  .then((record) => pending.set(key, [...((record?.state as string[]) ?? [])]));
              },
              companions,
            );
          }
          look(action.do);
        }
        store.recover();
        store.end = undefined;
        for (let n = 0; n < 12 && commit.depth > 0; n += 1) {
          await settle();
          clock.advance(5_000);
        }
        await settle();
        look('in the end');
        assert.equal(commit.depth, 0);
        assert.ok(
          faults.every((fault) => fault instanceof StoreError),
          String(faults.find((f) => !(f instanceof StoreError))),
        );
      },
    );
    await fc.assert(property, { numRuns: 300 });
  });
});
