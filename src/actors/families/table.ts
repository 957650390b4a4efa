// The table of actor families: one row for each. Order matters: the supervision tree starts in it and stops against it, and the
// records of durable families come back in it.
import { bootFamily } from './boot/boot-family.ts';
import { checkFamily } from './check/check-family.ts';
import { circuitFamily } from './circuit/circuit-family.ts';
import { clientFamily } from './client/client-family.ts';
import { entityFamily } from './entity/entity-family.ts';
import { jobFamily } from './job/job-family.ts';
import type { Family } from './kit/family.ts';
import { scheduleFamily } from './schedule/schedule-family.ts';
import { sessionFamily } from './session/session-family.ts';
import { silenceFamily } from './silence/silence-family.ts';

export const families = [
  bootFamily,
  circuitFamily,
  silenceFamily,
  // Before their checks: what a check does about its TTL depends on how its entity is.
  entityFamily,
  checkFamily,
  clientFamily,
  scheduleFamily,
  sessionFamily,
  // After all that it does something to.
  jobFamily,
] as unknown as readonly Family[];
