// The shared parts of one runtime: what cells and supervisors are handed instead of reaching for globals.

import type { Facts, Faults, RuntimeLog } from './inspection/facts.ts';
import type { RunQueue } from './load/run-queue.ts';
import type { WritableRegistry } from './registry.ts';
import type { Clock } from './time/clock.ts';
import type { Deadlines } from './time/deadlines.ts';

export interface RuntimeServices {
  readonly clock: Clock;
  /** In [0, 1): the source of all jitter. */
  readonly random: () => number;
  readonly log: RuntimeLog;
  readonly deadlines: Deadlines;
  readonly queue: RunQueue;
  readonly facts: Facts;
  readonly faults: Faults;
  readonly registry: WritableRegistry;
}
