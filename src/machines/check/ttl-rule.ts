// TTL: a check that promised to report within `ttl` seconds and did not (backend sheet 3.8, interface section 3).
import type { Check } from '../../model/check/check.ts';
import type { CheckEvent } from '../../model/event/event.ts';
import { keepaliveCheckName } from '../../model/resource/names.ts';
import { copyCheck, type WholeCheck } from './check-copy.ts';

/** 1, unless the check names another status for its silence. */
const defaultTtlStatus = 1;

/**
 * When silence becomes a failure, wall milliseconds; null when nothing is expected. Keepalives have their own watch, and
 * a round-robin check runs on another agent next time: its silence on this one means nothing.
 */
export const ttlDeadline = (event: CheckEvent, nowMs: number): number | null => {
  const { ttl, round_robin: roundRobin, metadata } = event.check;
  if (ttl <= 0 || metadata.name === keepaliveCheckName) return null;
  if (roundRobin && event.entity.entity_class !== 'proxy') return null;
  return nowMs + ttl * 1000;
};

/** What is kept of a check when its silence is reported: its definition, nothing of its last run. */
const definitionOf = (check: Check): WholeCheck => {
  const kept = copyCheck(check);
  kept.issued = 0;
  kept.duration = undefined;
  kept.hooks = undefined;
  kept.processed_by = undefined;
  kept.secrets = null;
  kept.subdues = undefined;
  return kept;
};

/** The failure event of a TTL that ran out. It goes on to be merged like any other result. */
export const ttlFailure = (stored: CheckEvent, nowMs: number): CheckEvent => {
  const nowSeconds = Math.floor(nowMs / 1000);
  // A client of the API may leave `executed` out; then the time of the event is the best we know.
  const told = stored.check.executed === 0 ? stored.timestamp : stored.check.executed;
  const lastSeconds = Math.min(told, nowSeconds);
  const check = definitionOf(stored.check);
  check.output = `Last check execution was ${nowSeconds - lastSeconds} seconds ago`;
  check.status = stored.check.ttl_status || defaultTtlStatus;
  check.executed = nowSeconds;
  return { ...stored, timestamp: nowSeconds, check };
};
