// Run tools: what every run of a check or a hook works with.

import type { Environment } from '../program/environment.ts';
import type { Logger } from '../program/log.ts';
import type { Clock } from './clock.ts';
import type { Execute, RunningCommand } from './executor.ts';
import type { Stages } from './stages.ts';

export interface RunTools {
  readonly clock: Clock;
  readonly log: Logger;
  readonly stages: Stages;
  readonly execute: Execute;
  readonly environment: Environment;
  /** Told of every command that starts, so that a stopping agent can end it. */
  readonly started: (command: RunningCommand) => void;
}
