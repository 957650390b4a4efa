import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { copyCheck } from '../../src/machines/check/check-copy.ts';
import { mergeResult } from '../../src/machines/check/merge-rule.ts';
import { sinceAfter } from '../../src/machines/check/severity-rule.ts';
import { ttlFailure } from '../../src/machines/check/ttl-rule.ts';
import { checkSchema } from '../../src/model/check/check.ts';
import type { CheckEvent } from '../../src/model/event/event.ts';
import { fc } from '../property.ts';
import { sampleEvent } from './samples.ts';

const now = { nowMs: 1_700_000_000_900, silenced: [] };

const mergeAll = (events: readonly CheckEvent[]): CheckEvent => {
  let stored: CheckEvent | null = null;
  for (const event of events) stored = mergeResult(stored, event, now).stored;
  if (stored === null) throw new Error('no events');
  return stored;
};

describe('merging a result', () => {
  it('copies every field a check has', () => {
    const check = checkSchema.parse({ metadata: { name: 'cpu' } });
    const fields = Object.keys(checkSchema.shape).sort();
    assert.deepEqual(Object.keys(copyCheck(check)).sort(), fields);
    const marked = Object.fromEntries(fields.map((field) => [field, `value of ${field}`]));
    assert.deepEqual(copyCheck(marked as never), marked);
  });

  it('starts the first result with a history of one', () => {
    const { check } = mergeAll([sampleEvent({ status: 0, executed: 5 })]);
    assert.deepEqual(check.history, [{ status: 0, executed: 5 }]);
    assert.deepEqual(
      [check.state, check.last_ok, check.occurrences, check.occurrences_watermark],
      ['passing', 5, 1, 1],
    );
  });

  it('takes the time of a host whose clock is ahead as now, and keeps what the host said', () => {
    const nowSeconds = Math.floor(now.nowMs / 1000);
    const ahead = nowSeconds + 3_600;
    const { check } = mergeAll([sampleEvent({ status: 0, executed: ahead })]);
    assert.deepEqual(
      [check.last_ok, check.executed, check.history],
      [nowSeconds, ahead, [{ status: 0, executed: ahead }]],
    );
    const failing = sampleEvent({ status: 2, executed: ahead });
    assert.equal(sinceAfter(null, null, failing, nowSeconds), nowSeconds);
    assert.equal(sinceAfter(sampleEvent({ status: 0, executed: 5 }), 5, failing, nowSeconds), nowSeconds);
    assert.equal(ttlFailure(failing, now.nowMs).check.output, 'Last check execution was 0 seconds ago');
  });

  describe('imported with its past', () => {
    const imported = { ...now, mayImport: true };
    const past = (statuses: readonly number[], check: object = {}) => {
      const history = statuses.map((status, index) => ({ status, executed: index + 1 }));
      const own = history.at(-1) ?? { status: 0, executed: 0 };
      return sampleEvent({ ...own, check: { history, ...check } });
    };
    const counts = ({ check }: CheckEvent) => [
      check.state,
      check.occurrences,
      check.occurrences_watermark,
      check.last_ok,
    ];

    it('goes on where it was: its own result is the end of its history', () => {
      const sent = past([0, 2, 2, 2], {
        occurrences: 3,
        occurrences_watermark: 3,
        last_ok: 1,
        state: 'failing',
      });
      const merged = mergeResult(null, sent, imported);
      assert.equal(merged.imported, true);
      assert.deepEqual(merged.stored.check.history, sent.check.history);
      assert.deepEqual(counts(merged.stored), ['failing', 3, 3, 1]);
      const next = mergeResult(merged.stored, sampleEvent({ status: 2, executed: 5 }), imported);
      assert.equal(next.imported, false);
      assert.deepEqual(counts(next.stored), ['failing', 4, 4, 1]);
    });

    it('may have begun before its history only where that is one single run', () => {
      const long = Array.from({ length: 21 }, () => 2);
      assert.deepEqual(
        counts(mergeResult(null, past(long, { occurrences: 500, last_ok: 7 }), imported).stored),
        ['failing', 500, 500, 7],
      );
      const wrong = past([0, 0, 1], {
        occurrences: 500,
        occurrences_watermark: 0,
        last_ok: 0,
        state: 'passing',
      });
      assert.deepEqual(counts(mergeResult(null, wrong, imported).stored), ['failing', 1, 1, 2]);
    });

    it('counts its own result when that is not in its history', () => {
      const sent = past([0, 2], { status: 2, executed: 9, occurrences: 1, occurrences_watermark: 1 });
      const merged = mergeResult(null, sent, imported);
      assert.equal(merged.imported, false);
      assert.equal(merged.stored.check.history?.length, 3);
      assert.deepEqual(counts(merged.stored), ['failing', 2, 2, 1]);
    });

    it('keeps the last 21 of a longer history, and whether it was flapping', () => {
      const statuses = Array.from({ length: 30 }, (_, index) => index % 2);
      const thresholds = { low_flap_threshold: 20, high_flap_threshold: 99 };
      const { check } = mergeResult(
        null,
        past(statuses, { ...thresholds, state: 'flapping' }),
        imported,
      ).stored;
      assert.deepEqual([check.history?.length, check.history?.at(-1)?.flapping], [21, true]);
      assert.deepEqual([check.state, check.total_state_change], ['flapping', 98]);
    });

    it('is a result like any other where the check is known, or where nobody may import', () => {
      const sent = past([2, 2, 2], { occurrences: 3, occurrences_watermark: 3 });
      const known = mergeResult(sampleEvent({ status: 0 }), sent, imported);
      assert.deepEqual([known.imported, known.stored.check.occurrences], [false, 1]);
      assert.equal(mergeResult(null, sent, now).stored.check.occurrences, 1);
    });
  });

  it('drops what a sender claims about history, counts, state and silences', () => {
    const { check } = mergeAll([
      sampleEvent({
        status: 1,
        executed: 5,
        check: {
          history: [{ status: 2, executed: 1 }],
          occurrences: 40,
          occurrences_watermark: 50,
          state: 'flapping',
          last_ok: 3,
          total_state_change: 77,
          silenced: ['a'],
          is_silenced: true,
        },
      }),
    ]);
    assert.deepEqual(check.history, [{ status: 1, executed: 5 }]);
    assert.deepEqual(
      [check.state, check.last_ok, check.occurrences, check.occurrences_watermark, check.total_state_change],
      ['failing', 0, 1, 1, 0],
    );
    assert.deepEqual([check.silenced, check.is_silenced], [undefined, false]);
  });

  it('keeps the time of the last OK through failures', () => {
    const { check } = mergeAll([
      sampleEvent({ status: 0, executed: 5 }),
      sampleEvent({ status: 2, executed: 6 }),
      sampleEvent({ status: 1, executed: 7 }),
    ]);
    assert.equal(check.last_ok, 5);
  });

  it('does not move last_ok while flapping', () => {
    const thresholds = { low_flap_threshold: 10, high_flap_threshold: 30 };
    const events = Array.from({ length: 25 }, (_, n) =>
      sampleEvent({ status: n % 2, executed: n + 1, check: thresholds }),
    );
    const { check } = mergeAll(events);
    assert.equal(check.state, 'flapping');
    assert.equal(check.status, 0);
    // The 20th result is the last before the history is full.
    assert.equal(check.last_ok, 19);
  });

  it('marks the results in its history with which the check was flapping, and no others', () => {
    const thresholds = { low_flap_threshold: 10, high_flap_threshold: 30 };
    const changing = Array.from({ length: 22 }, (_, n) => n % 2);
    const calm = Array.from({ length: 19 }, () => 0);
    const { check } = mergeAll(
      [...changing, ...calm].map((status, n) => sampleEvent({ status, executed: n + 1, check: thresholds })),
    );
    const flapped = (check.history ?? []).filter(({ flapping }) => flapping === true);
    assert.deepEqual([flapped[0]?.executed, flapped.length], [21, 20], 'from its full history on');
    assert.deepEqual(check.history?.at(-1), { status: 0, executed: 41 });
    assert.equal(check.state, 'passing');
  });

  it('fills in a missing timestamp with now and leaves a given one alone', () => {
    assert.equal(mergeResult(null, sampleEvent(), now).stored.timestamp, 1_700_000_000);
    assert.equal(mergeResult(null, sampleEvent({ executed: 12 }), now).stored.timestamp, 12);
  });

  it('stores without metrics and delivers with them', () => {
    const metrics = { handlers: ['influx'], points: [{ name: 'a', value: 1 }] };
    const { stored, whole } = mergeResult(null, sampleEvent({ event: { metrics } }), now);
    assert.equal('metrics' in stored, false);
    assert.equal(whole.metrics?.points?.length, 1);
  });

  it('changes neither the previous nor the incoming event', () => {
    const previous = Object.freeze(mergeAll([sampleEvent({ status: 1 })]));
    const incoming = sampleEvent({ status: 0, event: { metrics: { handlers: ['x'] } } });
    const before = [JSON.stringify(previous), JSON.stringify(incoming)];
    mergeResult(previous, incoming, { ...now, silenced: ['s'] });
    assert.deepEqual([JSON.stringify(previous), JSON.stringify(incoming)], before);
  });
});

describe('cutting the output', () => {
  it('leaves an output of exactly the allowed bytes alone and cuts one byte more', () => {
    const check = { max_output_size: 4 };
    const fits = mergeResult(null, sampleEvent({ check: { ...check, output: 'abcd' } }), now);
    assert.equal(fits.stored.check.output, 'abcd');
    assert.equal(fits.stored.metadata.labels, undefined);
    const cut = mergeResult(null, sampleEvent({ check: { ...check, output: 'abcde' } }), now);
    assert.equal(cut.stored.check.output, 'abcd');
    assert.equal(cut.whole.check.output, 'abcde');
    for (const event of [cut.stored, cut.whole]) {
      // Under both names: filters and handlers of the reference product ask for theirs.
      assert.equal(event.metadata.labels?.['mon.io/output_truncated_bytes'], '1');
      assert.equal(event.metadata.labels?.['sensu.io/output_truncated_bytes'], '1');
    }
  });

  it('never splits a character and counts what it removed', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme', maxLength: 40 }),
        fc.integer({ min: 1, max: 60 }),
        (output, max) => {
          const { stored, whole } = mergeResult(
            null,
            sampleEvent({ check: { output, max_output_size: max } }),
            now,
          );
          const kept = Buffer.byteLength(stored.check.output);
          assert.ok(output.startsWith(stored.check.output));
          assert.ok(kept <= Math.max(max, 0));
          const removed = Number(stored.metadata.labels?.['mon.io/output_truncated_bytes'] ?? 0);
          assert.equal(kept + removed, Buffer.byteLength(whole.check.output));
          assert.ok(max - kept < 4 || removed === 0);
        },
      ),
    );
  });
});

describe('silences in the merge', () => {
  const failing = mergeAll([sampleEvent({ status: 2, executed: 1 })]);
  const silenced = ['forever', 'until-ok'];
  const expiring = ['until-ok'];

  it('name those that match, also while the check fails', () => {
    const { stored } = mergeResult(failing, sampleEvent({ status: 2 }), { ...now, silenced, expiring });
    assert.deepEqual([stored.check.silenced, stored.check.is_silenced], [silenced, true]);
  });

  it('that end on resolve do not hide the resolution', () => {
    const { stored, resolves } = mergeResult(failing, sampleEvent({ status: 0 }), {
      ...now,
      silenced,
      expiring,
    });
    assert.equal(resolves, true);
    assert.deepEqual([stored.check.silenced, stored.check.is_silenced], [['forever'], true]);
    const only = mergeResult(failing, sampleEvent({ status: 0 }), { ...now, silenced: expiring, expiring });
    assert.deepEqual([only.stored.check.silenced, only.stored.check.is_silenced], [undefined, false]);
  });
});

describe('masks in the merge', () => {
  const ping = { entity: 'router', check: 'ping', severity: 'critical', since: 10 };
  /** `m`: masked by the router. */
  const walk = (results: readonly string[]) => {
    let stored: CheckEvent | null = null;
    return results.map((result, at) => {
      const masked = result.includes('m') ? [ping] : [];
      const event = sampleEvent({ status: Number(result[0]), executed: at + 1 });
      const merged: CheckEvent = mergeResult(stored, event, { ...now, masked }).stored;
      stored = merged;
      const { masked_by: by, masking } = merged.check;
      return `${by?.length ?? 0} ${masking ?? ''}`.trim();
    });
  };

  it('are of the failing only, whatever the sender claims', () => {
    const claimed = sampleEvent({ status: 2, check: { masked_by: [ping], masking: 'untold' } });
    const { check } = mergeResult(null, claimed, now).stored;
    assert.deepEqual([check.masked_by, check.masking], [undefined, undefined]);
    assert.deepEqual(walk(['0m', '2m']), ['0', '1 untold']);
  });

  it('hide the end of an incident that nobody was told of, whether or not it is masked to the end', () => {
    assert.deepEqual(walk(['2m', '1m', '0', '0']), ['1 untold', '1 untold', '0 untold', '0']);
    assert.deepEqual(walk(['0', '2m', '0m', '2m']), ['0', '1 untold', '0 untold', '1 untold']);
  });

  it('say when they are lifted, once, while the check goes on failing', () => {
    assert.deepEqual(walk(['2m', '2m', '2', '2', '0']), ['1 untold', '1 untold', '0 lifted', '0', '0']);
    assert.deepEqual(walk(['2m', '2', '2m', '2', '0']), ['1 untold', '0 lifted', '1', '0', '0']);
  });

  it('do not hide the end of an incident that was told before it was masked', () => {
    assert.deepEqual(walk(['2', '2m', '2m', '0']), ['0', '1', '1', '0']);
  });
});
