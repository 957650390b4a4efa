import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { judgeBuiltIn } from '../../src/pipeline/built-in-filters.ts';
import { ruleOutcomes, ruleWindows } from '../../src/pipeline/filter-rule.ts';
import type { ExpressionOutcome } from '../../src/pipeline/sandbox/protocol.ts';
import { fc } from '../property.ts';
import { checkEvent, filter, metricsEvent, withHistory } from './fixtures.ts';

describe('built-in filters', () => {
  const incidents: readonly (readonly [status: number, history: readonly number[], allowed: boolean])[] = [
    [0, [0], false],
    [0, [], false],
    [0, [0, 0], false],
    [0, [1, 0], true],
    [0, [2, 0, 0], false],
    [1, [1], true],
    [2, [0, 2], true],
    [127, [127], true],
  ];
  for (const [status, history, allowed] of incidents)
    it(`is_incident ${allowed ? 'allows' : 'denies'} status ${status} after [${history.join(' ')}]`, () => {
      assert.equal(judgeBuiltIn('is_incident', withHistory(status, history))?.allowed, allowed);
    });

  it('is_incident denies an event without a check', () => {
    assert.equal(judgeBuiltIn('is_incident', metricsEvent())?.allowed, false);
  });

  it('not_silenced looks at the list of silences and names them', () => {
    assert.equal(judgeBuiltIn('not_silenced', checkEvent())?.allowed, true);
    assert.equal(judgeBuiltIn('not_silenced', metricsEvent())?.allowed, true);
    // The list counts, as after a resolution its expiring silences are gone from it.
    assert.equal(
      judgeBuiltIn('not_silenced', checkEvent({ is_silenced: true, silenced: [] }))?.allowed,
      true,
    );
    assert.deepEqual(judgeBuiltIn('not_silenced', checkEvent({ silenced: ['linux:cpu', 'db:*'] })), {
      allowed: false,
      why: 'silenced by linux:cpu, db:*',
    });
  });

  it('has_metrics wants metrics', () => {
    assert.equal(judgeBuiltIn('has_metrics', checkEvent())?.allowed, false);
    assert.equal(judgeBuiltIn('has_metrics', metricsEvent())?.allowed, true);
  });

  it('leave other names to custom filters', () => {
    assert.equal(judgeBuiltIn('state_change_only', checkEvent()), undefined);
    assert.equal(judgeBuiltIn('constructor', checkEvent()), undefined);
  });
});

describe('time windows of a filter', () => {
  // 2026-01-07 is a Wednesday.
  const at = (clock: string): number => Date.parse(`2026-01-07T${clock}Z`);
  const night = { days: { all: [{ begin: '5:00 PM', end: '8:00 AM' }] } };
  const lunch = {
    days: {
      wednesday: [{ begin: '12:00pm', end: '1:00 pm' }],
      thursday: [{ begin: '12:00AM', end: '11:59PM' }],
    },
  };
  const table: readonly (readonly [when: object, clock: string, inside: boolean])[] = [
    [night, '17:00:00', true],
    [night, '16:59:59.999', false],
    [night, '23:59:59.999', true],
    [night, '00:00:00', true],
    [night, '08:00:00', true],
    [night, '08:00:00.001', false],
    [lunch, '12:00:00', true],
    [lunch, '13:00:00', true],
    [lunch, '13:00:00.001', false],
    [lunch, '11:59:59', false],
    [{ days: {} }, '12:00:00', false],
  ];
  for (const [when, clock, inside] of table)
    it(`${clock} is ${inside ? 'inside' : 'outside'} ${JSON.stringify(when).slice(0, 60)}`, () => {
      const allow = ruleWindows(filter('f', 'allow', ['true'], { when }), at(clock));
      const deny = ruleWindows(filter('f', 'deny', ['true'], { when }), at(clock));
      assert.equal(allow?.verdict, inside ? undefined : 'denied');
      assert.equal(deny?.verdict, inside ? 'denied' : undefined);
    });

  it('that wrap count their early part to the list of the current weekday', () => {
    const when = { days: { wednesday: [{ begin: '10:00 PM', end: '2:00 AM' }] } };
    const ruled = (clock: string) => ruleWindows(filter('f', 'allow', ['true'], { when }), Date.parse(clock));
    assert.equal(ruled('2026-01-07T01:00:00Z'), null);
    assert.equal(ruled('2026-01-08T01:00:00Z')?.verdict, 'denied');
  });

  it('that cannot be read count as not matched, and are named', () => {
    const when = { days: { all: [{ begin: '25:00', end: '8:00 AM' }] } };
    const allow = ruleWindows(filter('f', 'allow', ['true'], { when }), at('12:00:00'));
    const deny = ruleWindows(filter('f', 'deny', ['true'], { when }), at('12:00:00'));
    assert.deepEqual(
      [allow?.verdict, allow?.stopped, deny?.verdict, deny?.stopped],
      ['error', true, 'error', false],
    );
    assert.match(allow?.why ?? '', /filter f: time window 25:00 - 8:00 AM/);
  });

  it('are inside at begin and end, whichever they are', () => {
    const clock = fc.record({
      hour: fc.integer({ min: 1, max: 12 }),
      minute: fc.nat(59),
      half: fc.constantFrom('AM', 'PM'),
    });
    const text = (time: { hour: number; minute: number; half: string }) =>
      `${time.hour}:${String(time.minute).padStart(2, '0')} ${time.half}`;
    const minutes = (time: { hour: number; minute: number; half: string }) =>
      ((time.hour % 12) + (time.half === 'PM' ? 12 : 0)) * 60 + time.minute;
    fc.assert(
      fc.property(clock, clock, fc.nat(1439), (begin, end, now) => {
        const when = { days: { all: [{ begin: text(begin), end: text(end) }] } };
        const nowMs = Date.UTC(2026, 0, 7) + now * 60_000;
        const [from, to] = [minutes(begin), minutes(end)];
        const inside = to < from ? now <= to || now >= from : now >= from && now <= to;
        assert.equal(ruleWindows(filter('f', 'allow', ['true'], { when }), nowMs) === null, inside);
      }),
    );
  });
});

describe('the ruling on a custom filter', () => {
  const limits = { timeMs: 50, memoryBytes: 16_777_216 };
  const yes: ExpressionOutcome = { type: 'value', truthy: true };
  const no: ExpressionOutcome = { type: 'value', truthy: false };
  const failed = (kind: 'slow' | 'threw' | 'memory' | 'recursion' | 'syntax'): ExpressionOutcome => ({
    type: 'failed',
    kind,
    message: 'ReferenceError: x is not defined',
  });
  const rule = (action: string, ...outcomes: ExpressionOutcome[]) => {
    const { verdict, stopped, why } = ruleOutcomes(filter('slow', action, []), outcomes, limits);
    return `${verdict} ${stopped ? 'stops' : 'goes on'}: ${why}`;
  };

  it('allows when every expression of an allow filter holds', () => {
    assert.equal(rule('allow', yes, yes), 'allowed goes on: every expression is true');
    assert.equal(rule('allow', yes, no), 'denied stops: expression 1 is false');
  });

  it('denies when any expression of a deny filter holds', () => {
    assert.equal(rule('deny', no, yes), 'denied stops: expression 1 is true');
    assert.equal(rule('deny', no, no), 'allowed goes on: no expression is true');
  });

  it('passes over what cannot be decided: the event goes on, and the reason names what failed', () => {
    assert.equal(
      rule('allow', failed('slow')),
      'error goes on: filter slow: expression 0 stopped after 50 ms; the event passes because of the error',
    );
    assert.equal(rule('allow', failed('threw'), no), 'denied stops: expression 1 is false');
    assert.match(rule('allow', failed('threw'), yes), /^error goes on: filter slow: expression 0 threw /);
    assert.match(rule('deny', no, failed('threw')), /^error goes on: filter slow: expression 1 threw /);
    assert.equal(rule('deny', failed('memory'), yes), 'denied stops: expression 1 is true');
    assert.match(rule('deny', failed('memory')), /ran out of memory \(16 MiB\)/);
    assert.match(rule('deny', failed('recursion')), /too deeply/);
    assert.match(rule('deny', failed('syntax')), /has a syntax error/);
  });
});
