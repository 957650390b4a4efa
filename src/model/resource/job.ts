// Bulk jobs: what can be done to many events in one go, and what has to be said for it.
import { z } from 'zod';
import { acknowledgementRequestSchema } from '../event/acknowledgement.ts';

export const jobActions = ['resolve', 'acknowledge', 'silence', 'rerun', 'delete'] as const;
export type JobAction = (typeof jobActions)[number];

/** What an action needs besides its events. */
export type JobParameters = Readonly<Record<string, unknown>>;

/** How long a job waits before it begins, so that it can be undone: handlers hear of a resolution, and what is deleted is gone. */
export const undoSecondsOf = (action: JobAction): number =>
  action === 'resolve' || action === 'delete' ? 10 : 0;

const silenceParametersSchema = z.strictObject({
  reason: z.string().max(2_000).default(''),
  /** Seconds; -1 for no end. */
  expire: z.number().int().default(-1),
  expire_on_resolve: z.boolean().default(false),
});

export const parametersSchemaOf = (action: JobAction): z.ZodType<JobParameters> => {
  if (action === 'acknowledge') return acknowledgementRequestSchema;
  return action === 'silence' ? silenceParametersSchema : z.strictObject({});
};
