import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { clampWaitMs, nextWaitMs } from '../../src/machines/agent-connection/back-off-rule.ts';
import { graceDeadline, resumedDeadline } from '../../src/machines/boot-grace-rule.ts';
import type { PendingDelivery } from '../../src/machines/check/check-facts.ts';
import {
  carriesEvents,
  fromOldDelivery,
  needsDelivery,
  queueDelivery,
  withoutEvents,
} from '../../src/machines/check/delivery-rule.ts';
import { mergeResult } from '../../src/machines/check/merge-rule.ts';
import { hasSeen, noRecentIds, remember, rememberWrite } from '../../src/machines/check/recent-ids-rule.ts';
import { ttlDeadline, ttlFailure } from '../../src/machines/check/ttl-rule.ts';
import { maxPendingDeliveries, maxPendingDeliveryBytes, maxRecentIds } from '../../src/machines/limits.ts';
import { nextInRing, nextTurns, ringOf } from '../../src/machines/schedule/round-robin-rule.ts';
import type { CheckEvent } from '../../src/model/event/event.ts';
import { repeatKeyOf } from '../../src/model/event/repeat-key.ts';
import { fc } from '../property.ts';
import { agentBackOff, idOf, sampleEvent } from './samples.ts';

describe('recent ids', () => {
  it('remember exactly the last 32', () => {
    fc.assert(
      fc.property(fc.array(fc.uuid(), { maxLength: 80 }), (ids) => {
        let kept = noRecentIds;
        for (const id of ids) kept = remember(kept, id);
        const last = ids.slice(-maxRecentIds);
        for (const id of ids) assert.equal(hasSeen(kept, id), last.includes(id));
      }),
    );
  });

  it('never remember a missing or odd id', () => {
    assert.equal(remember('', null), '');
    assert.equal(remember('', 'abc'), '');
    assert.equal(remember('', '\n'.repeat(36)), '');
    assert.equal(hasSeen(idOf(1), null), false);
    assert.equal(hasSeen(idOf(1), ''), false);
  });

  it('of writes are forgotten by the next write under the same id, those of agents are not', () => {
    const event = { ...sampleEvent({ status: 1 }), id: idOf(7) };
    const [first, changed] = [repeatKeyOf(event), repeatKeyOf({ ...event, timestamp: 5 })];
    assert.notEqual(first, changed);
    assert.equal(repeatKeyOf(structuredClone(event)), first);
    assert.equal(repeatKeyOf({ ...event, id: null }), null);
    let kept = rememberWrite(remember(noRecentIds, idOf(7)), first);
    assert.deepEqual(
      [hasSeen(kept, idOf(7)), hasSeen(kept, first), hasSeen(kept, changed)],
      [true, true, false],
    );
    kept = rememberWrite(kept, changed);
    assert.deepEqual(
      [hasSeen(kept, idOf(7)), hasSeen(kept, first), hasSeen(kept, changed)],
      [true, false, true],
    );
    assert.equal(rememberWrite(kept, null), kept);
  });

  it('do not mistake the seam between two ids for an id', () => {
    const kept = remember(remember('', idOf(1)), idOf(2));
    for (let at = 1; at < 36; at += 1) assert.equal(hasSeen(idOf(9), kept.slice(at, at + 36)), false);
  });
});

describe('delivery', () => {
  it('is needed when a handler or pipeline is named', () => {
    assert.equal(needsDelivery(sampleEvent()), false);
    const reference = { name: 'p' };
    for (const sample of [
      { check: { handlers: ['a'] } },
      { check: { pipelines: [reference] } },
      { event: { metrics: { handlers: ['a'] } } },
      { event: { pipelines: [reference] } },
    ]) {
      assert.equal(needsDelivery(sampleEvent(sample)), true, JSON.stringify(sample));
    }
  });

  const delivery = (seq: number, changes: boolean) => {
    const first = mergeResult(null, sampleEvent({ status: 0 }), { nowMs: 0, silenced: [] }).stored;
    const event = mergeResult(first, sampleEvent({ status: changes ? 1 : 0 }), {
      nowMs: 0,
      silenced: [],
    }).whole;
    return { seq, event };
  };
  const repetition = delivery(0, false);
  const change = delivery(0, true);
  const queueOf = (changes: readonly number[]): PendingDelivery[] =>
    Array.from({ length: maxPendingDeliveries }, (_, seq) => ({
      seq,
      bytes: 100,
      isChange: changes.includes(seq),
    }));
  const seqs = (pending: readonly PendingDelivery[]): number[] => pending.map(({ seq }) => seq);

  it('waits up to the bound without loss', () => {
    const full = queueDelivery(queueOf([]).slice(1), { seq: 128, event: repetition.event });
    assert.equal(full.pending.length, maxPendingDeliveries);
    assert.equal(full.dropped, 0);
  });

  it('past the bound loses the oldest repetition, never the head', () => {
    const { pending, dropped, changes } = queueDelivery(queueOf([1, 2]), { seq: 128, event: change.event });
    assert.equal(dropped, 1);
    assert.deepEqual([changes.added.map(({ seq }) => seq), changes.dropped], [[128], [3]]);
    assert.equal(pending.length, maxPendingDeliveries);
    assert.deepEqual(seqs(pending).slice(0, 4), [0, 1, 2, 4]);
    assert.equal(seqs(pending).at(-1), 128);
  });

  it('loses the oldest change only when all that waits are changes', () => {
    const all = Array.from({ length: maxPendingDeliveries }, (_, seq) => seq);
    const { pending } = queueDelivery(queueOf(all), { seq: 128, event: change.event });
    assert.deepEqual(seqs(pending).slice(0, 3), [0, 2, 3]);
  });
});

describe('deliveries that wait, in bytes', () => {
  interface Sample {
    readonly seq: number;
    readonly event: CheckEvent;
  }
  /** `bytes` of JSON in all; a repetition unless `isChange`. */
  const delivery = (seq: number, bytes: number, isChange = false): Sample => {
    const history = [0, isChange ? 1 : 2, 2].map((status) => ({ status, executed: 1, flapping: false }));
    const event = sampleEvent({ check: { status: 2, history, output: '' } });
    const rest = Buffer.byteLength(JSON.stringify(event));
    return { seq, event: sampleEvent({ check: { status: 2, history, output: 'x'.repeat(bytes - rest) } }) };
  };
  const quarter = maxPendingDeliveryBytes / 4;
  const queued = (waiting: readonly Sample[]) =>
    waiting.reduce(
      (all, one) => {
        const { pending, dropped } = queueDelivery(all.pending, one);
        return { pending, dropped: all.dropped + dropped };
      },
      { pending: queueDelivery([], delivery(0, quarter)).pending, dropped: 0 },
    );
  const seqs = ({ pending }: { readonly pending: readonly PendingDelivery[] }) =>
    pending.map(({ seq }) => seq);

  it('takes what fits to the byte, the head not counted', () => {
    const full = queued([1, 2, 3, 4].map((seq) => delivery(seq, quarter)));
    assert.deepEqual([seqs(full), full.dropped], [[0, 1, 2, 3, 4], 0]);
  });

  it('one byte more drops the oldest repetition', () => {
    const over = queued([
      delivery(1, quarter, true),
      ...[2, 3].map((seq) => delivery(seq, quarter)),
      delivery(4, quarter + 1),
    ]);
    assert.deepEqual([seqs(over), over.dropped], [[0, 1, 3, 4], 1]);
  });

  it('a large one drops as many as it takes, and one always waits', () => {
    const large = queued([
      ...[1, 2, 3].map((seq) => delivery(seq, quarter)),
      delivery(4, 2 * maxPendingDeliveryBytes),
    ]);
    assert.deepEqual([seqs(large), large.dropped], [[0, 4], 3]);
  });

  it('one that is given up at once never gets a record', () => {
    const crowded = [1, 2].map((seq) => delivery(seq, quarter, true));
    const { pending } = queued(crowded);
    const { changes, dropped } = queueDelivery(pending, delivery(3, quarter), true);
    assert.deepEqual([changes.added, changes.dropped, dropped], [[], [1], 2]);
  });

  it('sizes what an older record holds without a size, and takes the event out of it', () => {
    const old = [0, 1].map((seq) => delivery(seq, quarter, seq === 1));
    const pending = old.map(fromOldDelivery);
    assert.ok(carriesEvents(pending));
    const apart = withoutEvents(pending);
    assert.deepEqual(apart.pending, [
      { seq: 0, bytes: quarter, isChange: false },
      { seq: 1, bytes: quarter, isChange: true },
    ]);
    assert.deepEqual(
      apart.changes.added,
      old.map((one) => ({ ...one, bytes: quarter })),
    );
    assert.ok(!carriesEvents(apart.pending));
    assert.throws(() => fromOldDelivery({ seq: 1 }), /is no delivery/);
  });
});

describe('ttl', () => {
  const withTtl = (check: Record<string, unknown>, entity = {}) =>
    sampleEvent({ check: { ttl: 30, ...check }, entity });

  it('promises another result within ttl seconds', () => {
    assert.equal(ttlDeadline(withTtl({}), 1000), 31_000);
  });

  it('promises nothing without ttl, for keepalives and for round robins between agents', () => {
    assert.equal(ttlDeadline(sampleEvent(), 1000), null);
    assert.equal(ttlDeadline(withTtl({ ttl: -1 }), 1000), null);
    assert.equal(ttlDeadline(withTtl({ metadata: { name: 'keepalive' } }), 1000), null);
    assert.equal(ttlDeadline(withTtl({ round_robin: true }), 1000), null);
    assert.equal(ttlDeadline(withTtl({ round_robin: true }, { entity_class: 'proxy' }), 1000), 31_000);
  });

  it('failure keeps the definition and nothing of the last run', () => {
    const stored = withTtl({
      command: 'x',
      executed: 1000,
      issued: 999,
      duration: 1.5,
      handlers: ['slack'],
      processed_by: 'web-01',
      hooks: [{ metadata: { name: 'h' } }],
    });
    const failure = ttlFailure(stored, 1_045_900);
    assert.equal(failure.timestamp, 1045);
    const { check } = failure;
    assert.equal(check.output, 'Last check execution was 45 seconds ago');
    assert.deepEqual(
      [check.status, check.executed, check.issued, check.command, check.ttl, check.handlers],
      [1, 1045, 0, 'x', 30, ['slack']],
    );
    assert.deepEqual([check.duration, check.hooks, check.processed_by], [undefined, undefined, undefined]);
    assert.equal(failure.id, stored.id);
  });

  it('failure has the status the check asks for', () => {
    assert.equal(ttlFailure(withTtl({ ttl_status: 2 }), 0).check.status, 2);
    assert.equal(ttlFailure(withTtl({ ttl_status: 0 }), 0).check.status, 1);
  });

  it('failure counts from the event when the run has no time of its own', () => {
    const failure = ttlFailure(sampleEvent({ check: { ttl: 30 }, event: { timestamp: 100 } }), 130_000);
    assert.equal(failure.check.output, 'Last check execution was 30 seconds ago');
  });
});

describe('boot grace', () => {
  it('gives signs of life one full timeout since ready', () =>
    assert.equal(graceDeadline(5000, 120_000), 125_000));
  it('keeps what was left of a wait, and begins one anew that ran out meanwhile', () => {
    assert.equal(resumedDeadline(45_000, 5000, 60_000), 45_000);
    assert.equal(resumedDeadline(5000, 5000, 60_000), 65_000);
    assert.equal(resumedDeadline(1000, 5000, 60_000), 65_000);
  });
});

describe('round robin', () => {
  const ring = ringOf(['c', 'a', 'b', 'a']);
  it('goes round in alphabetical order', () => {
    assert.deepEqual(ring, ['a', 'b', 'c']);
    assert.deepEqual(nextTurns(ring, null, 5), ['a', 'b', 'c', 'a', 'b']);
  });
  it('goes on after an agent that left meanwhile', () => assert.equal(nextInRing(['a', 'c'], 'b'), 'c'));
  it('has no turn without agents', () => {
    assert.equal(nextInRing([], 'a'), undefined);
    assert.deepEqual(nextTurns([], null, 3), []);
  });
  it('is fair: turns of any two agents differ by at most one', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.string(), { minLength: 1, maxLength: 9 }),
        fc.integer({ min: 0, max: 50 }),
        (names, n) => {
          const turns = nextTurns(ringOf(names), null, n);
          const counts = names.map((name) => turns.filter((turn) => turn === name).length);
          assert.ok(Math.max(...counts) - Math.min(...counts) <= 1);
        },
      ),
    );
  });
});

describe('back-off', () => {
  it('waits 1 s, then 2 to 4 s, then 4 to 16 s, and at most nine tenths of 120 s', () => {
    const { minMs } = agentBackOff;
    assert.equal(nextWaitMs(minMs, agentBackOff, 0), 2_000);
    assert.equal(nextWaitMs(2_000, agentBackOff, 0), 4_000);
    assert.ok(nextWaitMs(minMs, agentBackOff, 0.999) < 4_000);
    assert.ok(nextWaitMs(4_000, agentBackOff, 0.999) < 16_000);
    assert.equal(clampWaitMs(80_000, agentBackOff, 0), 80_000);
    assert.equal(clampWaitMs(900_000, agentBackOff, 0), 90_000);
    assert.ok(clampWaitMs(900_000, agentBackOff, 0.999) < 108_000);
  });
  it('never grows without end', () => {
    let wait = agentBackOff.minMs;
    for (let n = 0; n < 5_000; n += 1) wait = nextWaitMs(wait, agentBackOff, 0.9);
    assert.ok(Number.isFinite(wait));
  });
});
