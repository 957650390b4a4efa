// Dependencies of check and hook runs.

import type { Environment } from '../../program/environment.ts';
import type { Logger } from '../../program/log.ts';
import type { Clock } from '../clock.ts';
import type { Execute, RunningCommand } from './executor.ts';
import type { Stages } from './stages.ts';

export interface RunTools {
  readonly clock: Clock;
  readonly log: Logger;
  readonly stages: Stages;
  readonly execute: Execute;
  readonly environment: Environment;
  /** Called for every started command, so that a stopping agent can kill it. */
  readonly started: (command: RunningCommand) => void;
}
