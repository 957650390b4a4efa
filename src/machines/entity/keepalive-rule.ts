// Keepalives: how long an agent may be silent, and the events its check `keepalive` gets.
// Silence is the sum of the waits that were kept since a keepalive arrived. It is no difference of two times on the wall: that
// clock may be set, and an agent's clock may be wrong.
import { type Check, checkSchema } from '../../model/check/check.ts';
import type { Entity } from '../../model/entity/entity.ts';
import type { CheckEvent, Event } from '../../model/event/event.ts';
import { keepaliveCheckName } from '../../model/resource/names.ts';
import { copyCheck } from '../check/check-copy.ts';
import {
  defaultKeepaliveIntervalSeconds,
  defaultKeepaliveTimeoutSeconds,
  minKeepaliveTimeoutSeconds,
} from '../limits.ts';

const defaultHandler = 'keepalive';
const registrationName = 'registration';
/** What the reference product reports for checks no scheduler on this backend started; readers may select by it. */
const sharedScheduler = 'etcd';

/** Seconds of silence until an agent is unresponsive. At least one of the two is set. */
export interface Patience {
  readonly warning: number | null;
  readonly critical: number | null;
}

/** A warning timeout of 0 means 120 s, unless there is a critical one: then there is no warning stage. */
export const patienceOf = (keepalive: CheckEvent): Patience => {
  const { timeout, ttl } = keepalive.check;
  const atLeast = (seconds: number): number => Math.max(seconds, minKeepaliveTimeoutSeconds);
  const critical = ttl > 0 ? atLeast(ttl) : null;
  if (timeout > 0) return { warning: atLeast(timeout), critical };
  return { warning: critical === null ? defaultKeepaliveTimeoutSeconds : null, critical };
};

/**
 * How long to wait for the next sign of life after `silentMs` of silence: a warning timeout, but never past the critical one,
 * which the reference product notices only at the next multiple of the warning timeout.
 */
export const nextWaitMs = ({ warning, critical }: Patience, silentMs: number): number => {
  const repeatMs = (warning ?? critical ?? defaultKeepaliveTimeoutSeconds) * 1000;
  const untilCriticalMs = critical === null ? 0 : critical * 1000 - silentMs;
  return untilCriticalMs > 0 ? Math.min(repeatMs, untilCriticalMs) : repeatMs;
};

/** The shortest silence that is an alert, in milliseconds. */
export const firstTimeoutMs = (patience: Patience): number => nextWaitMs(patience, 0);

export interface Silence {
  readonly level: 'warning' | 'critical';
  /** How long nothing was heard. */
  readonly seconds: number;
  /** The threshold that was crossed. */
  readonly threshold: number;
}

/** Asked when a wait is over, so it is always at least a warning. */
export const judgeSilence = ({ warning, critical }: Patience, silentMs: number): Silence => {
  const seconds = Math.floor(silentMs / 1000);
  if (critical !== null && (seconds >= critical || warning === null)) {
    return { level: 'critical', seconds, threshold: critical };
  }
  return { level: 'warning', seconds, threshold: warning ?? 0 };
};

const two = (part: number): string => String(part).padStart(2, '0');

/** `2021-03-29 20:41:41 +0000 UTC` */
export const goTime = (seconds: number): string => {
  const date = new Date(seconds * 1000);
  const day = `${date.getUTCFullYear()}-${two(date.getUTCMonth() + 1)}-${two(date.getUTCDate())}`;
  const time = `${two(date.getUTCHours())}:${two(date.getUTCMinutes())}:${two(date.getUTCSeconds())}`;
  return `${day} ${time} +0000 UTC`;
};

interface Verdict {
  readonly status: number;
  readonly output: string;
}

const keepaliveEvent = (
  entity: Entity,
  keepalive: CheckEvent,
  verdict: Verdict,
  nowMs: number,
  newId: string,
): CheckEvent => {
  const nowSeconds = Math.floor(nowMs / 1000);
  const { interval, timeout, ttl } = keepalive.check;
  const handlers = entity.keepalive_handlers ?? [];
  const check: Check = copyCheck(keepalive.check);
  check.metadata = { ...keepalive.check.metadata, name: keepaliveCheckName };
  if (entity.metadata.namespace !== undefined) check.metadata.namespace = entity.metadata.namespace;
  check.interval = interval === 0 ? defaultKeepaliveIntervalSeconds : interval;
  check.timeout = timeout === 0 && ttl === 0 ? defaultKeepaliveTimeoutSeconds : timeout;
  check.handlers = handlers.length > 0 ? handlers : [defaultHandler];
  check.executed = nowSeconds;
  check.issued = nowSeconds;
  check.scheduler = sharedScheduler;
  check.status = verdict.status;
  check.output = verdict.output;
  const { metrics: _, ...rest } = keepalive;
  return { ...rest, timestamp: nowSeconds, entity, check, id: newId };
};

/** The event of a keepalive that arrived. */
export const aliveEvent = (
  entity: Entity,
  keepalive: CheckEvent,
  nowMs: number,
  newId: string,
): CheckEvent => {
  const output = `Keepalive last sent from ${entity.metadata.name} at ${goTime(entity.last_seen)}`;
  return keepaliveEvent(entity, keepalive, { status: 0, output }, nowMs, newId);
};

/** The event of a keepalive that did not arrive. */
export const silentEvent = (
  entity: Entity,
  keepalive: CheckEvent,
  silence: Silence,
  nowMs: number,
  newId: string,
): CheckEvent => {
  const { level, seconds, threshold } = silence;
  const output = `No keepalive sent from ${entity.metadata.name} for ${seconds} seconds (>= ${threshold})`;
  return keepaliveEvent(entity, keepalive, { status: level === 'critical' ? 2 : 1, output }, nowMs, newId);
};

/** Announced once, when an agent is heard of for the first time. Never stored. */
export const registrationEvent = (entity: Entity, nowMs: number): Event => ({
  timestamp: Math.floor(nowMs / 1000),
  id: null,
  sequence: 0,
  pipelines: [],
  metadata: namespaced(entity),
  entity,
  check: {
    ...checkSchema.parse({ interval: 1, status: 1, handlers: [registrationName], state: '' }),
    metadata: { name: registrationName, ...namespaced(entity) },
  },
});

const namespaced = ({ metadata: { namespace } }: Entity): { namespace?: string } =>
  namespace === undefined ? {} : { namespace };
