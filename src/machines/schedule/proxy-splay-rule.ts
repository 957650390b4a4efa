// Splay of proxy requests: the copies of one tick are spread over a share of its interval.
import type { CheckConfig } from '../../model/check/check.ts';
import { nextRun } from './next-run-rule.ts';

const defaultCoveragePercent = 90;
/** A cron check whose next run is nearer than this is spread over the period after it. */
const minPeriodMs = 5_000;

/** The time the copies are spread over: the interval, or the time to the next run of a cron schedule. */
export const splayPeriodMs = (config: CheckConfig, nowMs: number): number => {
  if (config.cron === undefined || config.cron === '') return config.interval * 1000;
  const next = nextRun(config, nowMs);
  if (next === null) return 0;
  if (next - nowMs >= minPeriodMs) return next - nowMs;
  return (nextRun(config, next) ?? next) - next;
};

/**
 * When each of `count` copies goes out, milliseconds from the tick. A plain copy waits before it goes; a copy of a round
 * robin goes and the next one waits.
 */
export const proxyDelaysMs = (config: CheckConfig, count: number, nowMs: number): readonly number[] => {
  const { splay = false, splay_coverage: coverage = 0 } = config.proxy_requests ?? {};
  if (!splay) return Array.from({ length: count }, () => 0);
  const share = (coverage === 0 ? defaultCoveragePercent : coverage) / 100;
  const stepMs = (splayPeriodMs(config, nowMs) * share) / count;
  const first = config.round_robin ? 0 : 1;
  return Array.from({ length: count }, (_, index) => Math.round(stepMs * (index + first)));
};
