// What masks an event: the part of a check that says so.
import { z } from 'zod';
import { integer, text } from '../schema/quick-types.ts';

/** What masks an event: a check that is down, and since when in Unix seconds. */
export const maskSchema = z.object({
  entity: text('').describe('Entity of the check that is down.'),
  check: text('').describe('The check that is down.'),
  severity: text('').describe('critical, unknown, or warning for a keepalive.'),
  since: integer(0).meta({ description: 'Since when it has this severity.', 'x-unit': 'seconds since 1970' }),
});
export type Mask = z.infer<typeof maskSchema>;

/**
 * Whether handlers know of the incident: `untold`: it is masked since it began, so they do not; `lifted`: they did not until
 * this event, the first that is not masked. Absent: masking makes no difference.
 */
export const maskings = ['untold', 'lifted'] as const;
export type Masking = (typeof maskings)[number];
