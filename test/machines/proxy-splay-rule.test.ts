// How the copies of a proxy check are spread over its interval.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { proxyDelaysMs, splayPeriodMs } from '../../src/machines/schedule/proxy-splay-rule.ts';
import { type CheckConfig, checkConfigSchema } from '../../src/model/check/check.ts';
import { fc } from '../property.ts';

const midnight = Date.UTC(2023, 10, 12);

const config = (fields: object, proxies: object = {}): CheckConfig =>
  checkConfigSchema.parse({
    metadata: { name: 'http' },
    interval: 60,
    proxy_requests: { entity_attributes: ['true'], ...proxies },
    ...fields,
  });

describe('the copies of one tick', () => {
  it('go out together without splay', () => {
    assert.deepEqual(proxyDelaysMs(config({}), 3, midnight), [0, 0, 0]);
  });

  it('wait before they go; those of a round robin go and wait', () => {
    const splay = { splay: true, splay_coverage: 50 };
    assert.deepEqual(proxyDelaysMs(config({}, splay), 3, midnight), [10_000, 20_000, 30_000]);
    assert.deepEqual(proxyDelaysMs(config({ round_robin: true }, splay), 3, midnight), [0, 10_000, 20_000]);
  });

  it('cover nine tenths when nothing else is said', () => {
    assert.equal(proxyDelaysMs(config({}, { splay: true }), 10, midnight).at(-1), 54_000);
  });

  it('of a cron check are spread over the time to its next run, or over the period after a near one', () => {
    const hourly = config({ interval: 0, cron: '0 * * * *' }, { splay: true });
    assert.equal(splayPeriodMs(hourly, midnight + 600_000), 3_000_000);
    assert.equal(splayPeriodMs(hourly, midnight + 3_595_001), 3_600_000);
    assert.equal(splayPeriodMs(hourly, midnight + 3_595_000), 5_000);
    assert.equal(splayPeriodMs(config({ interval: 0, cron: '0 0 30 2 *' }), midnight), 0);
  });

  it('are all out within the share of the interval they may cover, evenly and in order', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 3_600 }),
        fc.integer({ min: 1, max: 100 }),
        fc.integer({ min: 1, max: 500 }),
        fc.boolean(),
        (interval, coverage, count, inTurn) => {
          const check = config({ interval, round_robin: inTurn }, { splay: true, splay_coverage: coverage });
          const delays = proxyDelaysMs(check, count, midnight);
          assert.equal(delays.length, count);
          const coveredMs = interval * 10 * coverage;
          assert.ok(delays.every((delay) => delay >= 0 && delay <= coveredMs + 1));
          const steps = delays.slice(1).map((delay, index) => delay - (delays[index] ?? 0));
          assert.ok(steps.every((step) => Math.abs(step - coveredMs / count) <= 1));
        },
      ),
    );
  });
});
