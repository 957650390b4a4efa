// How a supervisor counts failures: a few restarts are fine, too many in a short time are not.
//
// `collapse` counts for the supervisor as a whole and gives up. `quarantine` counts per child and parks the one that
// fails too often, since its siblings have nothing to do with it; only when many of them fail together it gives up.

import type { SupervisorSpec } from '../contract.ts';
import {
  defaultIntensity,
  defaultPeriodMs,
  maxBackoffMs,
  quarantineFailures,
  quarantinePeriodMs,
  quietPeriodMs,
  sharedFaultPeriodMs,
} from '../limits.ts';
import { backoffMs, createFailureWindow, createFaultSpread, type FailureWindow } from './backoff-rule.ts';

/** What is remembered about one child that failed. */
export interface FailureRecord {
  /** Restarts in a row without a quiet period. */
  attempts: number;
  quarantined: boolean;
  window: FailureWindow | undefined;
}

interface Failure {
  readonly id: string;
  readonly record: FailureRecord;
  readonly nowMs: number;
  /** How long the child had run; 0 when it failed to start. */
  readonly ranMs: number;
  /** Its message was parked: the fault is not the child's, so it counts for nothing. */
  readonly poison: boolean;
  readonly childCount: number;
}

export type Verdict =
  | { readonly type: 'retry'; readonly attempt: number; readonly inMs: number }
  | { readonly type: 'quarantine'; readonly failures: number; readonly inMs: number }
  | { readonly type: 'collapse'; readonly restarts: number; readonly periodMs: number };

/** Made again for each life of a supervisor: it begins with all failures forgotten. */
export interface FailurePolicy {
  judge(failure: Failure): Verdict;
}

const nextAttempt = ({ record, ranMs }: Failure): number => {
  if (ranMs >= quietPeriodMs) {
    record.attempts = 0;
    record.quarantined = false;
  }
  record.attempts += 1;
  return record.attempts;
};

const retry = (attempt: number, random: () => number): Verdict => ({
  type: 'retry',
  attempt,
  inMs: backoffMs(attempt, random()),
});

const collapsePolicy = (intensity: number, periodMs: number, random: () => number): FailurePolicy => {
  const window = createFailureWindow(periodMs);
  return {
    judge(failure) {
      const attempt = nextAttempt(failure);
      if (failure.poison) return retry(1, random);
      const restarts = window.add(failure.nowMs);
      return restarts > intensity ? { type: 'collapse', restarts, periodMs } : retry(attempt, random);
    },
  };
};

const quarantinePolicy = (random: () => number): FailurePolicy => {
  const spread = createFaultSpread(sharedFaultPeriodMs);
  return {
    judge(failure) {
      const attempt = nextAttempt(failure);
      const { record, nowMs } = failure;
      if (failure.poison) return retry(1, random);
      if (spread.add(failure.id, nowMs, failure.childCount)) {
        return { type: 'collapse', restarts: attempt, periodMs: sharedFaultPeriodMs };
      }
      record.window ??= createFailureWindow(quarantinePeriodMs);
      const failures = record.window.add(nowMs);
      record.quarantined ||= failures > quarantineFailures;
      if (!record.quarantined) return retry(attempt, random);
      return { type: 'quarantine', failures: record.attempts, inMs: atTheCap(random) };
    },
  };
};

const atTheCap = (random: () => number): number =>
  backoffMs(1 + Math.ceil(Math.log2(maxBackoffMs / 1_000)), random());

export const createFailurePolicy = (spec: SupervisorSpec, random: () => number): FailurePolicy =>
  spec.whenFailing === 'quarantine'
    ? quarantinePolicy(random)
    : collapsePolicy(spec.intensity ?? defaultIntensity, spec.periodMs ?? defaultPeriodMs, random);
