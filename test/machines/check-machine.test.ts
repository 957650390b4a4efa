import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { CheckContext, CheckEffect, CheckFact } from '../../src/machines/check/check-facts.ts';
import {
  checkInput,
  checkMachine,
  checkVersion,
  restoreCheck,
} from '../../src/machines/check/check-machine.ts';
import { RestoreError } from '../../src/machines/restore-rule.ts';
import { bring, type Live } from './harness.ts';
import { idOf, type Sample, sampleEvent } from './samples.ts';

const input = checkInput({ namespace: 'default', entity: 'web-01', check: 'cpu' });

const start = (): Live<CheckFact, CheckEffect> => bring(checkMachine, { input });

const result = (sample: Sample, nowMs = 0, more = {}): CheckFact => ({
  type: 'result.received',
  event: sampleEvent(sample),
  nowMs,
  silenced: [],
  ...more,
});

const ttlOver = (nowMs: number, more = {}): CheckFact => ({
  type: 'deadline.reached',
  name: 'ttl',
  nowMs,
  entityDown: false,
  silenced: [],
  ...more,
});

const finished = (seq: number): CheckFact => ({ type: 'delivery.finished', seq, nowMs: 0 });

const contextOf = (check: Live<CheckFact, CheckEffect>): CheckContext =>
  check.snapshot().context as CheckContext;
const types = (effects: readonly CheckEffect[]): string[] => effects.map(({ type }) => type);

/** Through the store and back. */
const reborn = (check: Live<CheckFact, CheckEffect>): Live<CheckFact, CheckEffect> => {
  const { value, context } = check.snapshot();
  const stored: unknown = JSON.parse(JSON.stringify({ value, context }));
  return bring(checkMachine, { snapshot: restoreCheck(stored, checkVersion) });
};

describe('the check machine: results', () => {
  it('waits for the first result', () => {
    assert.deepEqual(start().snapshot().value, {
      result: 'awaiting',
      acknowledgement: 'unacknowledged',
      ttl: 'notExpecting',
      delivery: 'idle',
    });
  });

  it('goes between passing and failing with each result', () => {
    const check = start();
    const seen = [0, 0, 2, 1, 0].map((status) => {
      assert.deepEqual(types(check.send(result({ status }))), ['persist']);
      return (check.snapshot().value as { result: string }).result;
    });
    assert.deepEqual(seen, ['passing', 'passing', 'failing', 'failing', 'passing']);
    assert.equal(contextOf(check).event?.check.occurrences, 1);
  });

  it('flaps above the high threshold and stops below the low one', () => {
    const check = start();
    const thresholds = { low_flap_threshold: 20, high_flap_threshold: 60 };
    for (let n = 0; n < 21; n += 1) check.send(result({ status: n % 2, check: thresholds }));
    assert.equal((check.snapshot().value as { result: string }).result, 'flapping');
    let quiet = 0;
    while ((check.snapshot().value as { result: string }).result === 'flapping') {
      check.send(result({ status: 0, check: thresholds }));
      quiet += 1;
      assert.ok(quiet < 21, 'flapping never ended');
    }
    assert.equal((check.snapshot().value as { result: string }).result, 'passing');
    assert.ok((contextOf(check).event?.check.total_state_change ?? 99) <= 20);
  });

  it('applies an event once; the repetition waits for the same durable write', () => {
    const check = start();
    check.send(result({ id: idOf(1), status: 2 }));
    const before = contextOf(check);
    assert.deepEqual(types(check.send(result({ id: idOf(1), status: 2 }))), ['persist']);
    assert.equal(contextOf(check), before);
    check.send(result({ id: idOf(2), status: 2 }));
    assert.equal(contextOf(check).event?.check.occurrences, 2);
  });

  it('tells the silences of an incident that it resolved, after the durable write', () => {
    const check = start();
    check.send(result({ status: 2 }, 0, { silenced: ['a'] }));
    assert.deepEqual(check.send(result({ status: 0 }, 0, { silenced: ['a', 'b'], expiring: ['b'] })), [
      { type: 'persist' },
      { type: 'silences.resolve', names: ['b'] },
    ]);
    assert.deepEqual(contextOf(check).event?.check.silenced, ['a']);
    assert.deepEqual(types(check.send(result({ status: 0 }, 0, { silenced: ['a'] }))), ['persist']);
  });

  it('remembers silences that end, over a restart too, until they are gone', () => {
    const check = start();
    check.send(result({ status: 2 }));
    check.send(result({ status: 0 }, 0, { silenced: ['a', 'b'], expiring: ['a', 'b'] }));
    const again = reborn(check);
    assert.deepEqual(again.send({ type: 'check.resumed', nowMs: 0 }), [
      { type: 'silences.resolve', names: ['a', 'b'] },
    ]);
    assert.deepEqual(again.send({ type: 'silences.ended', names: ['a'] }), [{ type: 'persist' }]);
    assert.deepEqual(contextOf(again).endingSilences, ['b']);
    again.send({ type: 'silences.ended', names: ['b'] });
    assert.deepEqual(reborn(again).send({ type: 'check.resumed', nowMs: 0 }), []);
    assert.deepEqual(again.send({ type: 'silences.ended', names: ['b'] }), []);
  });

  it('ends with its record when the check is deleted', () => {
    const check = start();
    check.send(result({ check: { ttl: 30, handlers: ['slack'] } }));
    assert.deepEqual(types(check.send({ type: 'check.deleted' })), [
      'deadline.clear',
      'deadline.clear',
      'forget',
    ]);
    assert.equal(check.snapshot().status, 'done');
  });
});

describe('the check machine: ttl', () => {
  const ttl = { ttl: 30 };

  it('waits for the next result and starts over with it', () => {
    const check = start();
    assert.deepEqual(check.send(result({ check: ttl }, 1000)), [
      { type: 'persist' },
      { type: 'deadline.set', name: 'ttl', atMs: 31_000 },
    ]);
    assert.deepEqual(check.send(result({ check: ttl }, 11_000)).at(-1), {
      type: 'deadline.set',
      name: 'ttl',
      atMs: 41_000,
    });
    assert.equal((check.snapshot().value as { ttl: string }).ttl, 'waiting');
  });

  it('reports silence with a failure, and again every ttl', () => {
    const check = start();
    check.send(result({ check: ttl, executed: 1 }, 1000));
    assert.deepEqual(check.send(ttlOver(31_000)), [
      { type: 'persist' },
      { type: 'deadline.set', name: 'ttl', atMs: 61_000 },
    ]);
    assert.deepEqual(check.snapshot().value, {
      result: 'failing',
      acknowledgement: 'unacknowledged',
      ttl: 'expired',
      delivery: 'idle',
    });
    assert.equal(contextOf(check).event?.check.output, 'Last check execution was 30 seconds ago');
    check.send(ttlOver(61_000));
    assert.equal(contextOf(check).event?.check.occurrences, 2);
    check.send(result({ check: ttl }, 62_000));
    assert.deepEqual(check.snapshot().value, {
      result: 'passing',
      acknowledgement: 'unacknowledged',
      ttl: 'waiting',
      delivery: 'idle',
    });
  });

  it('lets a result without ttl end the wait, also after it ran out', () => {
    const check = start();
    for (const ranOut of [false, true]) {
      check.send(result({ check: ttl }, 0));
      if (ranOut) check.send(ttlOver(30_000));
      assert.deepEqual(types(check.send(result({}, 31_000))), ['persist', 'deadline.clear']);
      assert.equal(contextOf(check).ttlAtMs, null);
      assert.equal((check.snapshot().value as { ttl: string }).ttl, 'notExpecting');
    }
  });

  it('says nothing while the entity itself is down', () => {
    const check = start();
    check.send(result({ check: ttl }, 0));
    assert.deepEqual(types(check.send(ttlOver(30_000, { entityDown: true }))), ['persist']);
    assert.deepEqual(check.snapshot().value, {
      result: 'passing',
      acknowledgement: 'unacknowledged',
      ttl: 'notExpecting',
      delivery: 'idle',
    });
    assert.deepEqual(check.send(ttlOver(60_000)), []);
  });

  for (const jumpMs of [-86_400_000, 86_400_000])
    it(`takes its deadline for due, though the wall clock was set by ${jumpMs / 3_600_000} h`, () => {
      const check = start();
      check.send(result({ check: ttl }, 0));
      assert.deepEqual(check.send(ttlOver(30_000 + jumpMs)), [
        { type: 'persist' },
        { type: 'deadline.set', name: 'ttl', atMs: 60_000 + jumpMs },
      ]);
      assert.equal((check.snapshot().value as { ttl: string }).ttl, 'expired');
    });

  it('evaluates silences for its own failures', () => {
    const check = start();
    check.send(result({ check: ttl }, 0));
    check.send(ttlOver(30_000, { silenced: ['quiet'] }));
    assert.equal(contextOf(check).event?.check.is_silenced, true);
  });

  it('keeps after a restart what was left, at most a ttl, and begins anew what ran out meanwhile', () => {
    const check = start();
    check.send(result({ check: ttl }, 0));
    const resumeAt = (nowMs: number) => reborn(check).send({ type: 'check.resumed', nowMs });
    assert.deepEqual(resumeAt(10_000), [{ type: 'deadline.set', name: 'ttl', atMs: 30_000 }]);
    assert.deepEqual(resumeAt(-500_000), [{ type: 'deadline.set', name: 'ttl', atMs: -470_000 }]);
    assert.deepEqual(resumeAt(500_000), [{ type: 'deadline.set', name: 'ttl', atMs: 530_000 }]);
  });
});

describe('the check machine: delivery', () => {
  const told = { handlers: ['slack'] };

  it('keeps what is known of a delivery that waits for another try, and goes on waiting', () => {
    const check = start();
    check.send(result({ check: told }));
    const delayed = (seq: number): CheckFact => ({
      type: 'delivery.delayed',
      seq,
      nowMs: 0,
      trace: { summary: '1 skipped' },
    });
    assert.deepEqual(check.send(delayed(7)), []);
    assert.deepEqual(types(check.send(delayed(1))), ['persist']);
    assert.deepEqual(contextOf(check).lastTrace, { summary: '1 skipped' });
    assert.equal((check.snapshot().value as { delivery: string }).delivery, 'delivering');
    assert.deepEqual(types(check.send(finished(1))), ['persist']);
  });

  it('delivers after the durable write is asked for, whole', () => {
    const check = start();
    const metrics = { handlers: ['influx'], points: [] };
    const effects = check.send(result({ check: { ...told, ttl: 30 }, event: { metrics } }));
    assert.deepEqual(types(effects), ['persist', 'deadline.set', 'deliver']);
    const last = effects.at(-1);
    assert.equal(last?.type === 'deliver' && last.event?.metrics?.handlers?.[0], 'influx');
    assert.equal(contextOf(check).pending.length, 1);
  });

  it('names what waits, and hands its event to the write', () => {
    const check = start();
    const first = check.send(result({ check: told, executed: 1 }))[0];
    const second = check.send(result({ check: told, executed: 2 }))[0];
    assert.ok(first?.type === 'persist' && second?.type === 'persist');
    const [added] = second.deliveries?.added ?? [];
    assert.deepEqual([added?.seq, added?.event.check?.executed], [2, 2]);
    assert.equal(added?.bytes, Buffer.byteLength(JSON.stringify(added?.event)));
    assert.deepEqual(contextOf(check).pending, [
      { seq: 1, bytes: 0, isChange: true },
      { seq: 2, bytes: added?.bytes, isChange: false },
    ]);
    assert.deepEqual(first.deliveries?.added[0]?.bytes, 0, 'what is told at once is not measured');
    const [persist] = check.send(finished(1));
    assert.deepEqual(persist, { type: 'persist', deliveries: { added: [], finished: [1], dropped: [] } });
  });

  it('keeps one waiting while the deliveries of all checks take as much as they may', () => {
    const check = start();
    const crowded = (executed: number) => ({ ...result({ check: told, executed }), isCrowded: true });
    for (let n = 1; n <= 3; n += 1) check.send(result({ check: told, executed: n }));
    const [persist] = check.send(crowded(4));
    assert.deepEqual(
      contextOf(check).pending.map(({ seq }) => seq),
      [1, 4],
    );
    assert.deepEqual(persist?.type === 'persist' && persist.deliveries?.dropped, [2, 3]);
    assert.deepEqual(persist?.type === 'persist' && persist.dropped, 2);
  });

  it('delivers one at a time, in order', () => {
    const check = start();
    check.send(result({ check: told, executed: 1 }));
    assert.deepEqual(types(check.send(result({ check: told, executed: 2 }))), ['persist']);
    assert.deepEqual(types(check.send(result({ check: told, executed: 3 }))), ['persist']);
    assert.deepEqual(check.send(finished(2)), [], 'not the head');
    const next = check.send(finished(1));
    assert.deepEqual(types(next), ['persist', 'deliver']);
    assert.deepEqual(next[1], { type: 'deliver', seq: 2 }, 'its event is in its record');
    check.send(finished(2));
    assert.deepEqual(types(check.send(finished(3))), ['persist']);
    assert.deepEqual(check.send(finished(3)), [], 'told twice');
    assert.equal((check.snapshot().value as { delivery: string }).delivery, 'idle');
  });

  it('keeps what the pipelines said about the last delivery', () => {
    const check = start();
    check.send(result({ check: told }));
    check.send({ type: 'delivery.finished', seq: 1, nowMs: 0, trace: { summary: 'x' } });
    assert.deepEqual(contextOf(check).lastTrace, { summary: 'x' });
  });

  it('delivers again after a crash what was under way, and nothing else', () => {
    const check = start();
    check.send(result({ check: told, executed: 1 }));
    check.send(result({ check: told, executed: 2 }));
    const again = reborn(check);
    const effects = again.send({ type: 'check.resumed', nowMs: 0 });
    assert.deepEqual(types(effects), ['deliver']);
    assert.equal(effects[0]?.type === 'deliver' && effects[0].seq, 1);
    assert.deepEqual(types(again.send(finished(1))), ['persist', 'deliver']);
  });

  it('counts what it had to give up', () => {
    const check = start();
    for (let n = 0; n < 130; n += 1) check.send(result({ check: told, executed: n }));
    assert.equal(contextOf(check).pending.length, 128);
    assert.equal(contextOf(check).droppedDeliveries, 2);
    assert.equal(contextOf(check).pending[0]?.seq, 1);
  });
});

describe('restoring a check', () => {
  const good = () => {
    const check = start();
    check.send(result({ check: { ttl: 30, handlers: ['slack'] } }, 0));
    const { value, context } = check.snapshot();
    return JSON.parse(JSON.stringify({ value, context })) as {
      value: object;
      context: Record<string, unknown>;
    };
  };

  it('gives back what was stored', () => {
    const { value, context } = restoreCheck(good(), checkVersion);
    assert.deepEqual({ value, context }, good());
  });

  it('moves the events of a record of version 2 into records of their own, in one write', () => {
    const { value, context } = good();
    const told = contextOf(bring(checkMachine, { snapshot: restoreCheck(good(), checkVersion) })).event;
    const { deliverySeries: _, ...old } = context;
    const pending = [1, 2].map((seq) => ({ seq, event: { ...told, timestamp: seq } }));
    const check: Live<CheckFact, CheckEffect> = bring(checkMachine, {
      snapshot: restoreCheck({ value, context: { ...old, pending } }, 2),
    });
    const effects = check.send({ type: 'check.resumed', nowMs: 0 });
    assert.deepEqual(types(effects), ['deadline.set', 'persist', 'deliver']);
    const persist = effects[1];
    assert.ok(persist?.type === 'persist');
    assert.deepEqual(
      persist.deliveries?.added.map(({ seq, event }) => [seq, event.timestamp]),
      [
        [1, 1],
        [2, 2],
      ],
    );
    assert.deepEqual(effects[2], { type: 'deliver', seq: 1 });
    assert.equal(contextOf(check).deliverySeries, 0);
    assert.deepEqual(
      contextOf(check).pending.map((one) => [one.seq, one.isChange, 'event' in one]),
      [
        [1, true, false],
        [2, true, false],
      ],
    );
    assert.deepEqual(types(check.send({ type: 'check.resumed', nowMs: 0 })), ['deadline.set', 'deliver']);
  });

  const bad: readonly [string, unknown, number, RegExp][] = [
    ['a newer version', good(), checkVersion + 1, /version 4 is unknown/],
    ['version 0', good(), 0, /version 0 is unknown/],
    ['nothing', null, checkVersion, /not an object/],
    ['no context', { value: good().value }, checkVersion, /context is not an object/],
    [
      'an unknown state',
      { ...good(), value: { ...good().value, ttl: 'sleeping' } },
      checkVersion,
      /sleeping/,
    ],
    ['a missing region', { ...good(), value: { result: 'passing' } }, checkVersion, /incomplete/],
    ['no value', { context: good().context }, checkVersion, /state value/],
    [
      'a broken event',
      { ...good(), context: { ...good().context, event: 7 } },
      checkVersion,
      /context\.event/,
    ],
    [
      'a broken queue',
      { ...good(), context: { ...good().context, pending: {} } },
      checkVersion,
      /context\.pending/,
    ],
    [
      'a delivery without a number',
      { ...good(), context: { ...good().context, pending: [{ bytes: 0 }] } },
      checkVersion,
      /no delivery/,
    ],
    [
      'a delivery of version 2 without an event',
      { ...good(), context: { ...good().context, pending: [{ seq: 1 }] } },
      2,
      /version 2 cannot be brought to version 3 .*no delivery/,
    ],
    [
      'no series',
      { ...good(), context: { ...good().context, deliverySeries: undefined } },
      checkVersion,
      /deliverySeries/,
    ],
    [
      'a final state',
      { ...good(), value: { result: 'gone', acknowledgement: 'gone', ttl: 'gone', delivery: 'gone' } },
      checkVersion,
      /final/,
    ],
  ];
  for (const [what, state, version, message] of bad) {
    it(`refuses ${what} with a reason`, () => {
      assert.throws(
        () => restoreCheck(state, version),
        (error) => error instanceof RestoreError && message.test(error.message),
      );
    });
  }
});
