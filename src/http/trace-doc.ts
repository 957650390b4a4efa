// The schema of a pipeline trace (`src/pipeline/trace.ts`) for the OpenAPI document.
import { z } from 'zod';
import type { Trace } from '../pipeline/trace.ts';

const outcome = z.enum(['handled', 'failed', 'timedOut', 'skipped', 'denied']);

export const traceSchema = z.object({
  event: z.object({
    id: z.string().nullable(),
    namespace: z.string(),
    entity: z.string(),
    check: z.string().nullable(),
    timestamp: z.number().int(),
  }),
  startedAtMs: z.number(),
  durationMs: z.number(),
  workflows: z.array(
    z.object({
      pipeline: z.string(),
      name: z.string(),
      outcome,
      why: z.string(),
      filters: z.array(
        z.object({
          name: z.string(),
          verdict: z.enum(['allowed', 'denied', 'error']),
          why: z.string(),
          stopped: z.boolean(),
          durationMs: z.number(),
        }),
      ),
      mutator: z
        .object({
          name: z.string(),
          bytes: z.number(),
          durationMs: z.number(),
          error: z.string().optional(),
        })
        .optional(),
      handler: z
        .object({
          name: z.string(),
          type: z.string(),
          outcome: outcome.exclude(['denied']),
          why: z.string(),
          status: z.number().optional(),
          output: z.string().optional(),
          durationMs: z.number(),
          retry: z.literal(true).optional(),
        })
        .optional(),
      retry: z.literal(true).optional(),
    }),
  ),
  skipped: z.array(z.object({ skipped: z.string(), why: z.string() })),
  retry: z.boolean(),
  summary: z.string(),
  droppedDeliveries: z.number().int().optional(),
});

export const traceExample: Trace = {
  event: {
    id: '6a1f6f0e-8c0f-4f77-9d3d-0e1a2b3c4d5e',
    namespace: 'default',
    entity: 'web-01',
    check: 'cpu',
    timestamp: 1_700_000_000,
  },
  startedAtMs: 1_700_000_000_123,
  durationMs: 2.4,
  workflows: [
    {
      pipeline: 'legacy-pipeline',
      name: 'pager',
      outcome: 'denied',
      why: 'not_silenced: the event is silenced by *:cpu',
      filters: [
        { name: 'is_incident', verdict: 'allowed', why: 'the status is 2', stopped: false, durationMs: 0 },
        {
          name: 'not_silenced',
          verdict: 'denied',
          why: 'the event is silenced by *:cpu',
          stopped: true,
          durationMs: 0,
        },
      ],
    },
  ],
  skipped: [],
  retry: false,
  summary: '1 denied',
};
