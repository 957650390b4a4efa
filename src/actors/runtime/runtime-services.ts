// The shared parts of one runtime: what cells and supervisors are handed instead of reaching for globals.
import type { Clock } from './clock.ts';
import type { Deadlines } from './deadlines.ts';
import type { Facts, Faults, RuntimeLog } from './facts.ts';
import type { WritableRegistry } from './registry.ts';
import type { RunQueue } from './run-queue.ts';

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
