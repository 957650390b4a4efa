// The group-commit writer: what is told, when, and what reaches the store. Time is turned by hand.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { StaleOwner } from '../../../src/actors/durable/commit-slot.ts';
import { GroupCommit, type GroupCommitOptions } from '../../../src/actors/durable/group-commit.ts';
import type { Outcome } from '../../../src/actors/runtime/contract.ts';
import { MemoryDisk, MemoryStore, type MemoryStoreOptions } from '../../../src/store/memory-store.ts';
import { StoreError, type StoreWrite } from '../../../src/store/snapshot-store.ts';
import { fc } from '../../property.ts';

class HandClock {
  nowMs = 0;
  #timers: { atMs: number; task: () => void }[] = [];
  wallMs = () => 1_700_000_000_000 + this.nowMs;
  monotonicMs = () => this.nowMs;
  setTimer = (task: () => void, delayMs: number) => {
    const timer = { atMs: this.nowMs + delayMs, task };
    this.#timers.push(timer);
    return () => {
      this.#timers = this.#timers.filter((other) => other !== timer);
    };
  };
  get nextInMs(): number | undefined {
    const times = this.#timers.map((timer) => timer.atMs - this.nowMs);
    return times.length === 0 ? undefined : Math.min(...times);
  }
  advance(ms: number): void {
    this.nowMs += ms;
    const due = this.#timers.filter((timer) => timer.atMs <= this.nowMs);
    this.#timers = this.#timers.filter((timer) => timer.atMs > this.nowMs);
    for (const timer of due) timer.task();
  }
}

function setUp(storeOptions: MemoryStoreOptions = {}, limits: GroupCommitOptions['limits'] = {}) {
  const clock = new HandClock();
  const batches: (readonly StoreWrite[])[] = [];
  const faults: Error[] = [];
  const store = new MemoryStore({
    ...storeOptions,
    beforeCommit: (writes) => {
      batches.push(writes);
      return storeOptions.beforeCommit?.(writes);
    },
  });
  const commit = new GroupCommit({ store, clock, limits, onFault: (error) => faults.push(error) });
  const told: Record<string, Outcome[]> = {};
  const receipt = (name: string) => (outcome: Outcome) => {
    told[name] ??= [];
    told[name].push(outcome);
  };
  return { clock, batches, faults, store, commit, told, receipt };
}

const body = (state: unknown) => () => ({ machine: 'check', version: 1, deadlines: [], state });

/** Lets the event loop turn until everything that can happen without time passing has happened. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resume) => setImmediate(resume));
}

/** A gate commits wait at until it is opened. */
function gate() {
  const open: (() => void)[] = [];
  return {
    wait: () => new Promise<void>((resume) => open.push(resume)),
    openNext: () => open.shift()?.(),
    get waiting() {
      return open.length;
    },
  };
}

describe('a rewrite by somebody who is not the owner', () => {
  it('is written when the record still is what was read, and never over a newer one, due or stored', async () => {
    const { commit, store, told, receipt } = setUp();
    const keys = ['same', 'due', 'stored', 'deleted', 'gone'];
    for (const key of keys) commit.put('check', key, body('old'));
    await settle();
    commit.put('check', 'stored', body('newer'));
    commit.delete('check', 'gone');
    await settle();
    commit.put('check', 'due', body('newer'));
    commit.delete('check', 'deleted');
    const asked = keys.map((key) => commit.rewrite('check', key, 1, body('rewritten'), receipt(key)));
    assert.deepEqual(asked, [true, false, false, false, false]);
    await settle();
    const states = async (key: string) => (await store.get('check', key))?.state;
    assert.deepEqual(await Promise.all(keys.map(states)), [
      'rewritten',
      'newer',
      'newer',
      undefined,
      undefined,
    ]);
    assert.deepEqual(told, { same: [{ type: 'done' }] });
  });
});

describe('a follower of a kind', () => {
  it('is told what is durable, before those who waited for it, and of nothing that was not written', async () => {
    const order: string[] = [];
    let fails = false;
    const { commit, clock } = setUp({
      beforeCommit: () => {
        if (fails) throw new StoreError('unavailable', 'no disk');
      },
    });
    commit.follow('check', (key, record) =>
      order.push(`${key} ${record === undefined ? 'gone' : record.state}`),
    );
    commit.put('check', 'a', body(1), () => order.push('told'));
    commit.put('entity', 'e', body(2));
    await settle();
    fails = true;
    commit.put('check', 'a', body(3));
    await settle();
    fails = false;
    commit.delete('check', 'a');
    clock.advance(60_000);
    await settle();
    assert.deepEqual(order, ['a 1', 'told', 'a gone']);
  });

  it('that throws is reported, and the commit stands', async () => {
    const { commit, faults, told, receipt } = setUp();
    commit.follow('check', () => {
      throw new Error('follower');
    });
    commit.put('check', 'a', body(1), receipt('a'));
    await settle();
    assert.deepEqual(told.a, [{ type: 'done' }]);
    assert.deepEqual(
      faults.map(({ message }) => message),
      ['follower'],
    );
    assert.equal((await commit.latest('check', 'a'))?.state, 1);
  });
});

describe('group commit', () => {
  it('writes what was put in one turn as one batch, and tells everybody after it is durable', async () => {
    const door = gate();
    const { commit, batches, told, receipt } = setUp({ afterCommit: door.wait });
    commit.put('check', 'a', body(1), receipt('a'));
    commit.put('entity', 'b', body(2), receipt('b'));
    await settle();
    assert.equal(batches.length, 1);
    assert.equal(batches[0]?.length, 2);
    assert.deepEqual(told, {});
    door.openNext();
    await settle();
    assert.deepEqual(told, { a: [{ type: 'done' }], b: [{ type: 'done' }] });
    assert.equal(commit.depth, 0);
  });

  it('makes one write of many puts of a key: the newest wins, and all are told', async () => {
    const { commit, store, told, receipt } = setUp();
    let encoded = 0;
    for (let n = 1; n <= 100; n += 1) {
      commit.put(
        'check',
        'a',
        () => {
          encoded += 1;
          return body(n)();
        },
        receipt('a'),
      );
    }
    await settle();
    assert.equal(encoded, 1);
    assert.equal(told.a?.length, 100);
    const record = await store.get('check', 'a');
    assert.deepEqual([record?.state, record?.rev, record?.savedAtMs], [100, 1, 1_700_000_000_000]);
    assert.deepEqual(commit.stats().coalesced, 99);
  });

  it('gives every write of a key the next revision, from the seeded one on', async () => {
    const { commit, store } = setUp();
    await store.commit([
      { type: 'put', kind: 'check', key: 'a', record: { ...body(0)(), rev: 7, savedAtMs: 0 } },
    ]);
    commit.seed('check', 'a', 7);
    commit.put('check', 'a', body(1));
    await commit.flush();
    commit.put('check', 'a', body(2));
    await commit.flush();
    assert.equal((await store.get('check', 'a'))?.rev, 9);
  });

  it('learns revisions from what it reads and scans', async () => {
    const disk = new MemoryDisk();
    const old = new MemoryStore({ disk });
    const record = { ...body(0)(), rev: 5, savedAtMs: 0 };
    await old.commit(['a', 'b'].map((key) => ({ type: 'put', kind: 'check', key, record }) as const));
    const { commit, told, receipt } = setUp({ disk });
    assert.equal((await commit.latest('check', 'a'))?.rev, 5);
    for await (const entry of commit.scan('check', { prefix: 'b' })) assert.equal(entry.record.rev, 5);
    commit.put('check', 'a', body(1), receipt('a'));
    commit.put('check', 'b', body(1), receipt('b'));
    await settle();
    assert.deepEqual(told, { a: [{ type: 'done' }], b: [{ type: 'done' }] });
  });

  it('never has a key in two commits at once, however many are allowed', async () => {
    const door = gate();
    const { commit, batches, store, told, receipt } = setUp(
      { beforeCommit: door.wait, maxConcurrentCommits: 4 },
      { minConcurrentWrites: 1 },
    );
    commit.put('check', 'a', body(1), receipt('first'));
    await settle();
    commit.put('check', 'a', body(2), receipt('second'));
    commit.put('check', 'b', body(1), receipt('b'));
    await settle();
    assert.deepEqual(
      batches.map((batch) => batch.map((write) => write.key)),
      [['a'], ['b']],
    );
    door.openNext();
    await settle();
    assert.deepEqual(told, { first: [{ type: 'done' }] });
    assert.equal(batches.length, 3);
    door.openNext();
    door.openNext();
    await settle();
    assert.deepEqual(Object.keys(told).sort(), ['b', 'first', 'second']);
    assert.equal((await store.get('check', 'a'))?.state, 2);
  });

  it('holds a small further commit back for 2 ms, and a full one not at all', async () => {
    const door = gate();
    const { commit, batches, clock } = setUp({ beforeCommit: door.wait, maxConcurrentCommits: 2 });
    commit.put('check', 'a', body(1));
    await settle();
    commit.put('check', 'b', body(1));
    await settle();
    assert.equal(batches.length, 1);
    assert.equal(clock.nextInMs, 2);
    clock.advance(2);
    await settle();
    assert.equal(batches.length, 2);
    door.openNext();
    await settle();
    for (let n = 0; n < 256; n += 1) commit.put('check', `c${n}`, body(1));
    await settle();
    assert.equal(batches[2]?.length, 256);
  });

  it('takes at most 1,024 writes a batch, in the order they were asked for', async () => {
    const { commit, batches } = setUp();
    for (let n = 0; n < 1_025; n += 1) commit.put('check', `k${n}`, body(n));
    await commit.flush();
    assert.deepEqual(
      batches.map((batch) => batch.length),
      [1_024, 1],
    );
    assert.equal(batches[1]?.[0]?.key, 'k1024');
  });

  it('deletes, and begins anew with a key that was deleted', async () => {
    const { commit, store, told, receipt } = setUp();
    commit.put('check', 'a', body(1));
    await commit.flush();
    commit.delete('check', 'a', receipt('a'));
    assert.equal(await commit.latest('check', 'a'), undefined);
    await commit.flush();
    assert.equal(await store.get('check', 'a'), undefined);
    commit.put('check', 'a', body(2), receipt('a'));
    await commit.flush();
    assert.deepEqual(told, { a: [{ type: 'done' }, { type: 'done' }] });
    assert.equal((await store.get('check', 'a'))?.state, 2);
  });

  it('lets a put that follows a delete of the same turn win, and the other way round', async () => {
    const { commit, store } = setUp();
    commit.delete('check', 'a');
    commit.put('check', 'a', body(1));
    commit.put('check', 'b', body(1));
    commit.delete('check', 'b');
    await commit.flush();
    assert.equal((await store.get('check', 'a'))?.state, 1);
    assert.equal(await store.get('check', 'b'), undefined);
  });

  it('reads the newest form at every stage of a write', async () => {
    const door = gate();
    const { commit } = setUp({ beforeCommit: door.wait });
    const state = async () => (await commit.latest('check', 'a'))?.state;
    assert.equal(await state(), undefined);
    commit.put('check', 'a', body(1));
    assert.equal(await state(), 1);
    await settle();
    assert.equal(await state(), 1);
    commit.put('check', 'a', body(2));
    assert.equal(await state(), 2);
    door.openNext();
    await settle();
    door.openNext();
    await settle();
    assert.equal(await state(), 2);
    assert.equal(commit.depth, 0);
  });

  describe('when the store fails', () => {
    it('tells those who wait at once, keeps the keys due, and writes their newest form when it can', async () => {
      const { commit, store, clock, told, receipt, faults } = setUp();
      const full = new StoreError('full', 'no space left');
      store.fail(full);
      commit.put('check', 'a', body(1), receipt('a1'));
      commit.put('check', 'b', body(1), receipt('b'));
      await settle();
      assert.deepEqual(
        [told.a1, told.b].map((outcomes) => outcomes?.map(({ type }) => type)),
        [['outage'], ['outage']],
      );
      assert.ok(told.a1?.[0]?.type === 'outage' && told.a1[0].error.kind === 'storeFull');
      assert.deepEqual(faults, [full]);
      assert.equal(commit.depth, 2);
      commit.put('check', 'a', body(2), receipt('a2'));
      store.recover();
      assert.equal(clock.nextInMs, 100);
      clock.advance(100);
      await settle();
      assert.deepEqual(told.a2, [{ type: 'done' }]);
      assert.equal((await store.get('check', 'a'))?.state, 2);
      assert.equal((await store.get('check', 'b'))?.state, 1);
      assert.equal(commit.depth, 0);
      assert.equal(told.a1?.length, 1);
    });

    it('writes what was put while the failing commit was under way, not what had failed', async () => {
      const door = gate();
      const { commit, store, clock, told, receipt } = setUp({ beforeCommit: door.wait });
      commit.put('check', 'a', body(1), receipt('first'));
      await settle();
      commit.put('check', 'a', body(2), receipt('second'));
      store.fail(new StoreError('unavailable', 'gone'), 1);
      door.openNext();
      await settle();
      assert.deepEqual([told.first?.[0]?.type, told.second], ['outage', undefined]);
      clock.advance(100);
      await settle();
      door.openNext();
      await settle();
      assert.deepEqual(told.second, [{ type: 'done' }]);
      assert.equal((await store.get('check', 'a'))?.state, 2);
      assert.equal(commit.depth, 0);
    });

    it('tries again after 100 ms, twice as long each time, up to 5 s, one commit at a time', async () => {
      const { commit, store, clock, batches } = setUp({ maxConcurrentCommits: 4 });
      store.fail(new StoreError('unavailable', 'gone'));
      commit.put('check', 'a', body(1));
      await settle();
      const pauses: number[] = [];
      for (let n = 0; n < 8; n += 1) {
        const pause = clock.nextInMs ?? -1;
        pauses.push(pause);
        clock.advance(pause - 1);
        await settle();
        assert.equal(batches.length, n + 1);
        clock.advance(1);
        await settle();
      }
      assert.deepEqual(pauses, [100, 200, 400, 800, 1_600, 3_200, 5_000, 5_000]);
      assert.ok(batches.every((batch) => batch.length === 1));
      store.recover();
      clock.advance(5_000);
      await settle();
      store.fail(new StoreError('unavailable', 'gone'), 1);
      commit.put('check', 'a', body(2));
      await settle();
      assert.equal(clock.nextInMs, 100);
    });

    it('counts commits that failed side by side as one failure', async () => {
      const door = gate();
      const { commit, store, clock } = setUp(
        { beforeCommit: door.wait, maxConcurrentCommits: 3 },
        { minConcurrentWrites: 1 },
      );
      for (const key of ['a', 'b', 'c']) {
        commit.put('check', key, body(1));
        await settle();
      }
      store.fail(new StoreError('unavailable', 'gone'));
      for (let n = 0; n < 3; n += 1) door.openNext();
      await settle();
      assert.equal(clock.nextInMs, 100);
    });

    it('tells a put at once when the next try is more than a second away', async () => {
      const { commit, store, clock, told, receipt } = setUp();
      store.fail(new StoreError('unavailable', 'gone'));
      commit.put('check', 'a', body(1));
      await settle();
      for (const pause of [100, 200, 400]) {
        clock.advance(pause);
        await settle();
      }
      commit.put('check', 'b', body(1), receipt('waits'));
      await settle();
      assert.deepEqual(Object.keys(told), []);
      clock.advance(800);
      await settle();
      assert.equal(told.waits?.[0]?.type, 'outage');
      commit.put('check', 'c', body(1), receipt('hopeless'));
      assert.deepEqual(Object.keys(told), ['waits']);
      await settle();
      assert.equal(told.hopeless?.[0]?.type, 'outage');
      store.recover();
      clock.advance(1_600);
      await settle();
      assert.equal((await store.get('check', 'c'))?.state, 1);
    });

    it('overwrites a write whose outcome is unknown, whether it happened or not', async () => {
      let lostReplies = 1;
      const { commit, store, clock, told, receipt } = setUp({
        afterCommit: () => {
          if (lostReplies-- > 0) throw new StoreError('unavailable', 'the reply was lost');
        },
      });
      commit.put('check', 'a', body('once'), receipt('a'));
      await settle();
      assert.equal(told.a?.[0]?.type, 'outage');
      clock.advance(100);
      await settle();
      assert.deepEqual([(await store.get('check', 'a'))?.rev, commit.depth], [2, 0]);
      commit.put('check', 'a', body('twice'), receipt('b'));
      await settle();
      assert.deepEqual(told.b, [{ type: 'done' }]);
    });

    it('gets the rest of a batch through when one record is refused for what it is', async () => {
      const { commit, store, told, receipt, faults } = setUp();
      for (let n = 0; n < 9; n += 1) commit.put('check', `k${n}`, body(n === 5 ? 10n : n), receipt(`k${n}`));
      await settle();
      for (let n = 0; n < 9; n += 1) {
        assert.equal(told[`k${n}`]?.length, 1);
        assert.equal(told[`k${n}`]?.[0]?.type, n === 5 ? 'invalid' : 'done');
        assert.equal((await store.get('check', `k${n}`))?.state, n === 5 ? undefined : n);
      }
      assert.equal(faults.length, 1);
      assert.equal(commit.depth, 0);
    });

    it('fails only the put whose record could not be made', async () => {
      const { commit, told, receipt, faults } = setUp();
      const broken = () => {
        throw new Error('no snapshot');
      };
      commit.put('check', 'bad', broken, receipt('bad'));
      commit.put('check', 'good', body(1), receipt('good'));
      await settle();
      assert.equal(told.bad?.[0]?.type, 'fault');
      assert.deepEqual(told.good, [{ type: 'done' }]);
      assert.deepEqual(
        faults.map((fault) => fault.message),
        ['no snapshot'],
      );
      assert.equal(commit.depth, 0);
    });
  });

  it('stops writing a key that another writer took over, until it is seeded again', async () => {
    const { commit, store, told, receipt, faults } = setUp();
    commit.put('check', 'a', body(1));
    await commit.flush();
    await store.commit([
      { type: 'put', kind: 'check', key: 'a', record: { ...body('theirs')(), rev: 9, savedAtMs: 0 } },
    ]);
    commit.put('check', 'a', body(2), receipt('a'));
    await settle();
    commit.put('check', 'a', body(3), receipt('a'));
    await settle();
    for (const outcome of told.a ?? []) {
      assert.ok(outcome.type === 'outage' && outcome.error.cause instanceof StaleOwner);
      assert.equal(outcome.error.cause.storedRev, 9);
    }
    assert.equal(told.a?.length, 2);
    assert.equal(faults.length, 1);
    assert.equal((await store.get('check', 'a'))?.state, 'theirs');
    assert.equal(commit.depth, 0);
    commit.seed('check', 'a', 9);
    commit.put('check', 'a', body(4), receipt('again'));
    await settle();
    assert.deepEqual(told.again, [{ type: 'done' }]);
    assert.equal((await store.get('check', 'a'))?.rev, 10);
  });

  it('says when the depth reaches the high-water mark and when it is back at the low one', async () => {
    const door = gate();
    const { commit } = setUp(
      { beforeCommit: door.wait },
      { highWaterWrites: 4, lowWaterWrites: 1, maxBatchWrites: 2 },
    );
    const heard: boolean[] = [];
    const off = commit.onPressure((high) => heard.push(high));
    for (let n = 1; n <= 3; n += 1) commit.put('check', `k${n}`, body(n));
    assert.deepEqual([heard, commit.depth], [[], 3]);
    commit.put('check', 'k4', body(4));
    assert.deepEqual([heard, commit.underPressure], [[true], true]);
    await settle();
    door.openNext();
    await settle();
    assert.deepEqual([heard, commit.depth], [[true], 2]);
    door.openNext();
    await settle();
    assert.deepEqual([heard, commit.depth], [[true, false], 0]);
    off();
    for (let n = 1; n <= 4; n += 1) commit.put('check', `k${n}`, body(n));
    assert.deepEqual(heard, [true, false]);
  });

  it('counts waiting puts of one key as depth too', async () => {
    const { commit } = setUp({}, { highWaterWrites: 10 });
    for (let n = 0; n < 10; n += 1) commit.put('check', 'a', body(n), () => {});
    assert.deepEqual([commit.depth, commit.underPressure], [10, true]);
  });

  it('flushes what was asked for before, not what comes after', async () => {
    const door = gate();
    const { commit } = setUp({ beforeCommit: door.wait });
    commit.put('check', 'a', body(1));
    let flushed = false;
    const flush = commit.flush().then(() => {
      flushed = true;
    });
    await settle();
    commit.put('check', 'b', body(1));
    door.openNext();
    await settle();
    assert.equal(flushed, true);
    await flush;
    assert.equal(commit.depth, 1);
  });

  it('closes after a last commit, and refuses what comes later; a store that fails is reported', async () => {
    const { commit, store, told, receipt } = setUp();
    commit.put('check', 'a', body(1), receipt('a'));
    await commit.close();
    assert.deepEqual(told.a, [{ type: 'done' }]);
    commit.put('check', 'a', body(2), receipt('late'));
    await settle();
    const late = told.late?.[0];
    assert.ok(late?.type === 'outage' && (late.error.cause as StoreError).code === 'closed');
    assert.equal((await store.get('check', 'a'))?.state, 1);

    const other = setUp();
    other.store.fail(new StoreError('full', 'no space left'));
    other.commit.put('check', 'a', body(1), other.receipt('a'));
    await assert.rejects(other.commit.close(), { code: 'full' });
    assert.equal(other.told.a?.length, 1);
    assert.equal(other.clock.nextInMs, undefined);
  });

  it('survives listeners and receipts that throw', async () => {
    const { commit, faults, told, receipt } = setUp({}, { highWaterWrites: 2, lowWaterWrites: 1 });
    const broken = () => {
      throw new Error('a broken listener');
    };
    commit.onPressure(broken);
    commit.put('check', 'a', body(1), broken);
    commit.put('check', 'a', body(2), receipt('a'));
    commit.put('check', 'b', body(2), receipt('b'));
    await settle();
    assert.deepEqual(told, { a: [{ type: 'done' }], b: [{ type: 'done' }] });
    assert.equal(faults.length, 3);
  });

  it('tells every put exactly once, and `done` only of what is durable, whatever the store does', async () => {
    const step = fc.oneof(
      {
        weight: 6,
        arbitrary: fc.record({ do: fc.constant('put' as const), key: fc.integer({ min: 0, max: 4 }) }),
      },
      {
        weight: 1,
        arbitrary: fc.record({ do: fc.constant('delete' as const), key: fc.integer({ min: 0, max: 4 }) }),
      },
      { weight: 3, arbitrary: fc.record({ do: fc.constant('turn' as const) }) },
      {
        weight: 1,
        arbitrary: fc.record({ do: fc.constant('fail' as const), times: fc.integer({ min: 1, max: 3 }) }),
      },
      { weight: 1, arbitrary: fc.record({ do: fc.constant('loseReply' as const) }) },
      {
        weight: 2,
        arbitrary: fc.record({ do: fc.constant('wait' as const), ms: fc.integer({ min: 1, max: 6_000 }) }),
      },
    );
    const property = fc.asyncProperty(
      fc.array(step, { maxLength: 60 }),
      fc.integer({ min: 1, max: 3 }),
      async (steps, width) => {
        let lostReplies = 0;
        const { commit, store, clock, faults } = setUp(
          {
            maxConcurrentCommits: width,
            afterCommit: () => {
              if (lostReplies > 0) {
                lostReplies -= 1;
                throw new StoreError('unavailable', 'the reply was lost');
              }
            },
          },
          { maxBatchWrites: 3, minConcurrentWrites: 1 },
        );
        const asked: { key: string; n: number; isDelete: boolean; told: number; wasDurable: boolean }[] = [];
        const newest = new Map<string, number>();
        for (const [n, step] of steps.entries()) {
          if (step.do === 'turn') await new Promise((resume) => setImmediate(resume));
          else if (step.do === 'fail') store.fail(new StoreError('unavailable', 'gone'), step.times);
          else if (step.do === 'loseReply') lostReplies += 1;
          else if (step.do === 'wait') clock.advance(step.ms);
          else {
            const item = {
              key: `k${step.key}`,
              n,
              isDelete: step.do === 'delete',
              told: 0,
              wasDurable: true,
            };
            asked.push(item);
            newest.set(item.key, n);
            const settle = (outcome: Outcome) => {
              item.told += 1;
              if (outcome.type !== 'done') return;
              const stored = store.disk.cells('check').get(item.key);
              const storedN = stored ? (JSON.parse(stored.text) as { state: number }).state : undefined;
              // Absent is durable for a delete, or if a newer delete took the put's place.
              const deletedLater = asked.some((a) => a.key === item.key && a.isDelete && a.n >= item.n);
              item.wasDurable = storedN === undefined ? deletedLater : storedN >= item.n || item.isDelete;
            };
            if (item.isDelete) commit.delete('check', item.key, settle);
            else commit.put('check', item.key, body(n), settle);
          }
        }
        store.recover();
        lostReplies = 0;
        for (let n = 0; n < 8 && commit.depth > 0; n += 1) {
          await settle();
          clock.advance(5_000);
        }
        await commit.flush();
        await settle();
        assert.equal(commit.depth, 0);
        for (const item of asked)
          assert.deepEqual([item.told, item.wasDurable], [1, true], JSON.stringify(item));
        for (const [key, n] of newest) {
          const expected = asked.find((item) => item.n === n)?.isDelete ? undefined : n;
          assert.equal((await store.get('check', key))?.state, expected);
        }
        assert.ok(
          faults.every((fault) => fault instanceof StoreError),
          String(faults.find((f) => !(f instanceof StoreError))),
        );
      },
    );
    await fc.assert(property, { numRuns: 200 });
  });
});
