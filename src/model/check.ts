// Checks: what to run (CheckConfig) and what came of it (Check, the check scope of an event).
// Shapes: interface section 2.7; backend sheet, sections 9.1 and 9.2. Only types are judged here, for speed;
// the rules between fields, with the messages users see, are in `check-rules.ts`.
import { z } from 'zod';
import { metadataSchema, resourceReferenceSchema } from './metadata.ts';
import { quickObject } from './quick-object.ts';
import {
  flag,
  integer,
  listOrNull,
  number,
  optionalStringList,
  stringList,
  stringListOrNull,
  text,
  unsigned,
  unsigned32,
} from './quick-types.ts';

export { maxStatus, minTtlSeconds } from './limits.ts';

/** One entry names the hooks of one status: `{"critical": ["ps"]}`. */
export const hookListSchema = z.record(z.string(), z.array(z.string()).nullable());
export type HookList = z.infer<typeof hookListSchema>;

export const proxyRequestsSchema = z.object({
  entity_attributes: stringList(),
  splay: flag(false),
  splay_coverage: unsigned32(0),
});
export type ProxyRequests = z.infer<typeof proxyRequestsSchema>;

export const tagSchema = z.object({ name: text(''), value: text('') });
export const secretReferenceSchema = z.object({ name: text(''), secret: text('') });
export const subdueWindowSchema = z.object({
  begin: text(''),
  end: text(''),
  repeat: optionalStringList(),
});
export type SubdueWindow = z.infer<typeof subdueWindowSchema>;

/** `min` and `max` are numbers written as strings; an empty one is no bound. */
export const metricThresholdSchema = z.object({
  name: text(''),
  tags: listOrNull(tagSchema),
  null_status: unsigned32(0),
  thresholds: z
    .array(z.object({ min: text(''), max: text(''), status: unsigned32(0) }))
    .nullish()
    .transform((list) => list ?? []),
});
export type MetricThreshold = z.infer<typeof metricThresholdSchema>;

/** The fields a definition and a result share, with the defaults a reader sees. */
const sharedFields = {
  command: text().optional(),
  handlers: stringList(),
  high_flap_threshold: unsigned32(0),
  low_flap_threshold: unsigned32(0),
  interval: unsigned32(0),
  cron: text().optional(),
  publish: flag(false),
  runtime_assets: stringListOrNull(),
  subscriptions: stringList(),
  proxy_entity_name: text(''),
  check_hooks: listOrNull(hookListSchema),
  stdin: flag(false),
  /** The older form of `subdues`: kept and given back, without effect. */
  subdue: z.unknown().default(null),
  subdues: z.array(subdueWindowSchema).nullish(),
  ttl: integer(0),
  timeout: unsigned32(0),
  proxy_requests: proxyRequestsSchema.nullish(),
  round_robin: flag(false),
  output_metric_format: text(''),
  output_metric_handlers: stringListOrNull(),
  output_metric_tags: z.array(tagSchema).nullish(),
  output_metric_thresholds: z.array(metricThresholdSchema).nullish(),
  env_vars: stringListOrNull(),
  max_output_size: integer().optional(),
  discard_output: flag().optional(),
  secrets: listOrNull(secretReferenceSchema),
  pipelines: z
    .array(resourceReferenceSchema)
    .nullish()
    .transform((list) => list ?? []),
  fallback_pipeline: resourceReferenceSchema.nullish(),
  ttl_status: unsigned32().optional(),
  asset_status: optionalStringList(),
  metadata: metadataSchema.default({ name: '' }),
};

/** A check definition as stored and as sent to agents. */
export const checkConfigSchema = z.object(sharedFields);
export type CheckConfig = z.infer<typeof checkConfigSchema>;

export const historyEntrySchema = z.object({
  status: unsigned(0),
  executed: integer(0),
  /** Present, and true, where the check was flapping with this result. */
  flapping: z.boolean().optional(),
});
export type HistoryEntry = z.infer<typeof historyEntrySchema>;

export const checkStates = ['passing', 'failing', 'flapping'] as const;
export type CheckState = (typeof checkStates)[number];

/** A hook's result: its definition's fields and what came of it, at one level. */
export const hookResultSchema = z.looseObject({
  metadata: metadataSchema.default({ name: '' }),
  command: text(''),
  timeout: unsigned32(0),
  stdin: flag(false),
  duration: number(0),
  executed: integer(0),
  issued: integer(0),
  output: text(''),
  status: integer(0),
});

/** The check scope of an event: definition fields plus the result. */
export const checkSchema = quickObject({
  ...sharedFields,
  duration: number().optional(),
  executed: integer(0),
  issued: integer(0),
  output: text(''),
  status: unsigned(0),
  hooks: z.array(hookResultSchema).nullish(),
  scheduler: text(''),
  processed_by: text().optional(),
  // Computed by the backend; whatever a sender puts here is replaced.
  history: listOrNull(historyEntrySchema),
  state: text().optional(),
  total_state_change: unsigned(0),
  last_ok: integer(0),
  occurrences: integer(0),
  occurrences_watermark: integer(0),
  silenced: optionalStringList(),
  is_silenced: flag(false),
});
export type Check = z.infer<typeof checkSchema>;
