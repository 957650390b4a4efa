// Checks: the definition (CheckConfig) and the check scope of an event, which adds the result (Check); interface
// section 2.7. This file validates types only, for speed. Rules between fields, with the messages users see, are in
// `check-rules.ts`.
import { z } from 'zod';
import { acknowledgementSchema, incidentNoteSchema } from '../event/acknowledgement.ts';
import { metadataSchema, resourceReferenceSchema } from '../resource/metadata.ts';
import { quickObject } from '../schema/quick-object.ts';
import {
  flag,
  integer,
  list,
  listOrNull,
  number,
  optionalStringList,
  stringList,
  stringListOrNull,
  text,
  unsigned,
  unsigned32,
} from '../schema/quick-types.ts';
import { wireForms } from '../schema/wire-forms.ts';
import { maskings, maskSchema } from './mask.ts';

/** One entry maps an exit status to hook names: `{"critical": ["ps"]}`. */
const hookListSchema = z.record(z.string(), stringList().nullable());
export type HookList = z.infer<typeof hookListSchema>;

const proxyRequestsSchema = z.object({
  entity_attributes: stringList().describe('Expressions that must all hold of an entity.'),
  splay: flag(false).describe('Whether the runs are spread over the interval.'),
  splay_coverage: unsigned32(0).meta({
    description: 'Part of the interval over which they are spread.',
    'x-unit': 'per cent',
  }),
});
export type ProxyRequests = z.infer<typeof proxyRequestsSchema>;

export const tagSchema = z.object({
  name: text('').describe('Name of the tag.'),
  value: text('').describe('Its value.'),
});
export const secretReferenceSchema = z.object({
  name: text('').describe('Variable that the command gets.'),
  secret: text('').describe('Name of the secret.'),
});
const subdueWindowSchema = z.object({
  begin: text('').describe('Start of the window, in RFC 3339.'),
  end: text('').describe('End of the window, in RFC 3339.'),
  repeat: optionalStringList().describe(
    'How it repeats: daily, weekdays, weekends, weekly, monthly, annually, or days such as mondays.',
  ),
});
export type SubdueWindow = z.infer<typeof subdueWindowSchema>;

/** `min` and `max` are numbers as strings; an empty string means no bound. */
const metricThresholdSchema = z.object({
  name: text('').describe('Name of the metric.'),
  tags: listOrNull(tagSchema).describe('Only metrics with these tags; none: any.'),
  null_status: unsigned32(0).describe('Status of the check if the metric is missing; 0: it stays.'),
  thresholds: list(
    z.object({
      min: text('').describe('Least value that is in order.'),
      max: text('').describe('Greatest value that is in order.'),
      status: unsigned32(0).describe('Status of the check outside of these.'),
    }),
  )
    .nullish()
    .transform((list) => list ?? [])
    .describe('Ranges and their status.'),
});
export type MetricThreshold = z.infer<typeof metricThresholdSchema>;

/**
 * The fields that definitions and results share, one row each: type, default, description, and form outside of the
 * backend. Copies, comparison, both wire encodings, OpenAPI and forms are derived from the rows.
 */
const sharedFields = {
  command: text()
    .optional()
    .describe(
      'Command line that agents run; tokens such as {{ .labels.disk }} are replaced by values of the entity.',
    )
    .register(wireForms, { definition: 1, result: 1, omitEmpty: true }),
  handlers: stringList()
    .describe('Names of handlers that its events go to.')
    .register(wireForms, { definition: 3, result: 3 }),
  high_flap_threshold: unsigned32(0)
    .meta({
      description: 'Percentage of state change from which the check counts as flapping; 0: it never does.',
      'x-unit': 'per cent',
    })
    .register(wireForms, { definition: 4, result: 4 }),
  low_flap_threshold: unsigned32(0)
    .meta({
      description: 'Percentage of state change below which a flapping check counts as stable again.',
      'x-unit': 'per cent',
    })
    .register(wireForms, { definition: 6, result: 6 }),
  interval: unsigned32(0)
    .meta({
      description: 'Time between two runs; either this or cron.',
      'x-unit': 'seconds',
    })
    .register(wireForms, { definition: 5, result: 5 }),
  cron: text()
    .optional()
    .describe(
      'Schedule as a cron expression, with an optional time zone (CRON_TZ=...); either this or interval.',
    )
    .register(wireForms, { definition: 17, result: 17, omitEmpty: true }),
  publish: flag(false)
    .describe('Whether it is scheduled. Without it, it runs on request only.')
    .register(wireForms, { definition: 9, result: 9 }),
  runtime_assets: stringListOrNull()
    .describe('Names of assets that the command runs with.')
    .register(wireForms, { definition: 10, result: 10 }),
  subscriptions: stringList()
    .describe('Agents with one of these subscriptions run it.')
    .register(wireForms, { definition: 11, result: 11 }),
  proxy_entity_name: text('')
    .describe('Entity that the events are about, where that is not the agent.')
    .register(wireForms, { definition: 13, result: 13 }),
  check_hooks: listOrNull(hookListSchema)
    .describe(
      'Hooks to run after a result: lists of names, each under ok, warning, critical, unknown, non-zero or a status.',
    )
    .register(wireForms, { definition: 14, result: 14 }),
  stdin: flag(false)
    .describe('Whether the command reads check and entity as JSON on standard input.')
    .register(wireForms, { definition: 15, result: 15 }),
  /** The older form of `subdues`: stored and returned, but has no effect. */
  subdue: z.unknown().default(null).describe('Older form of subdues: kept and given back, without effect.'),
  subdues: list(subdueWindowSchema)
    .nullish()
    .describe('Times at which it does not run.')
    .register(wireForms, { definition: 34, result: 48, omitEmpty: true }),
  ttl: integer(0)
    .meta({
      description: 'Time without a result after which an event says so; at least 5; 0: never.',
      'x-unit': 'seconds',
    })
    .register(wireForms, { definition: 18, result: 18 }),
  timeout: unsigned32(0)
    .meta({
      description: 'Time after which the command is stopped; 0: no limit.',
      'x-unit': 'seconds',
    })
    .register(wireForms, { definition: 19, result: 19 }),
  proxy_requests: proxyRequestsSchema
    .nullish()
    .describe('Runs it once for each entity that matches, in its name.')
    .register(wireForms, { definition: 20, result: 20, omitEmpty: true }),
  round_robin: flag(false)
    .describe('Whether one agent of each subscription runs it, in turn, instead of all.')
    .register(wireForms, { definition: 21, result: 21 }),
  output_metric_format: text('')
    .meta({
      description: 'Format of metrics in the output; empty: none are read.',
      'x-allowed': [
        'nagios_perfdata',
        'graphite_plaintext',
        'influxdb_line',
        'opentsdb_line',
        'prometheus_text',
      ],
    })
    .register(wireForms, { definition: 22, result: 35 }),
  output_metric_handlers: stringListOrNull()
    .describe('Names of handlers that its metrics go to.')
    .register(wireForms, { definition: 23, result: 36 }),
  output_metric_tags: list(tagSchema)
    .nullish()
    .describe('Tags that are added to each metric.')
    .register(wireForms, { definition: 30, result: 43, omitEmpty: true }),
  output_metric_thresholds: list(metricThresholdSchema)
    .nullish()
    .describe('Bounds of metrics that set the status.')
    .register(wireForms, { definition: 33, result: 47, omitEmpty: true }),
  env_vars: stringListOrNull()
    .describe('Variables of the command, each as NAME=value.')
    .register(wireForms, { definition: 24, result: 37 }),
  max_output_size: integer()
    .optional()
    .meta({ description: 'Longest output that is kept; 0 or less: no limit.', 'x-unit': 'bytes' })
    .register(wireForms, { definition: 27, result: 39, omitEmpty: true }),
  discard_output: flag()
    .optional()
    .describe('Whether the output is dropped after metrics were read from it.')
    .register(wireForms, { definition: 28, result: 40, omitEmpty: true }),
  secrets: listOrNull(secretReferenceSchema)
    .describe('Secrets that the command gets as variables.')
    .register(wireForms, { definition: 29, result: 41 }),
  pipelines: list(resourceReferenceSchema)
    .nullish()
    .transform((list) => list ?? [])
    .describe('Pipelines that its events go through.')
    .register(wireForms, { definition: 32, result: 46 }),
  fallback_pipeline: resourceReferenceSchema
    .nullish()
    .describe('Kept and given back for other backends, without effect here; not together with pipelines.')
    .register(wireForms, { definition: 35, result: 49, omitEmpty: true }),
  ttl_status: unsigned32()
    .optional()
    .meta({ description: 'Status of the event that says that results are missing; 0: 1.' })
    .register(wireForms, { definition: 36, result: 50, omitEmpty: true }),
  asset_status: optionalStringList()
    .describe('Kept and given back, without effect here.')
    .register(wireForms, { definition: 37, result: 51, omitEmpty: true }),
  depends_on: optionalStringList()
    .describe(
      'What has to work for it to work: CHECK of the same entity, ENTITY/CHECK, or entity:NAME for a keepalive. While one of them is down, handlers are not told of its failures.',
    )
    .register(wireForms, { definition: 101, result: 101, omitEmpty: true }),
  metadata: metadataSchema
    .default({ name: '' })
    .describe('Name, namespace, labels and annotations.')
    .register(wireForms, { definition: 26, result: 38 }),
};

/** A check definition as stored and as sent to agents. */
export const checkConfigSchema = z.object(sharedFields);
export type CheckConfig = z.infer<typeof checkConfigSchema>;

const historyEntrySchema = z.object({
  status: unsigned(0).describe('Exit status: 0 passing, 1 warning, 2 critical, anything else unknown.'),
  executed: integer(0).describe('When the command was started, in seconds since 1970.'),
  /** True if the check was flapping at this result, otherwise absent. */
  flapping: z.boolean().optional().describe('Whether the check was flapping.'),
});
export type HistoryEntry = z.infer<typeof historyEntrySchema>;

const checkStates = ['passing', 'failing', 'flapping'] as const;
export type CheckState = (typeof checkStates)[number];

/** A hook's result: the fields of its definition and of its execution, in one flat object. */
const hookResultSchema = z.looseObject({
  metadata: metadataSchema.default({ name: '' }).describe('Name, namespace, labels and annotations.'),
  command: text('').describe('Command line of the hook.'),
  timeout: unsigned32(0).describe('Time after which it is stopped, in seconds; 0: 60.'),
  stdin: flag(false).describe('Whether it read the check on standard input.'),
  duration: number(0).describe('How long it ran, in seconds.'),
  executed: integer(0).describe('When the command was started, in seconds since 1970.'),
  issued: integer(0).describe('When the run was requested, in seconds since 1970.'),
  output: text('').describe('What the command wrote to standard output and standard error.'),
  status: integer(0).describe('Exit status.'),
});

/** The check scope of an event: definition fields plus the result. */
export const checkSchema = quickObject({
  ...sharedFields,
  duration: number()
    .optional()
    .describe('How long the command ran, in seconds.')
    .register(wireForms, { result: 22, omitEmpty: true }),
  executed: integer(0)
    .describe('When the command was started, in seconds since 1970.')
    .register(wireForms, { result: 23 }),
  issued: integer(0)
    .describe('When the run was requested, in seconds since 1970.')
    .register(wireForms, { result: 25 }),
  output: text('')
    .describe('What the command wrote to standard output and standard error.')
    .register(wireForms, { result: 26 }),
  status: unsigned(0)
    .describe('Exit status: 0 passing, 1 warning, 2 critical, anything else unknown.')
    .register(wireForms, { result: 28 }),
  hooks: list(hookResultSchema)
    .nullish()
    .describe('Results of the hooks that ran after the check.')
    .register(wireForms, { result: 34, omitEmpty: true }),
  scheduler: text('')
    .describe('Who requested the run; set by the reference product.')
    .register(wireForms, { definition: 31, result: 44 }),
  processed_by: text()
    .optional()
    .describe('Name of the agent that ran it.')
    .register(wireForms, { result: 45, omitEmpty: true }),
  // Computed by the backend; values from the sender are replaced.
  history: listOrNull(historyEntrySchema)
    .describe('The last 21 results, oldest first; set by the backend.')
    .register(wireForms, { result: 24 }),
  state: text()
    .optional()
    .describe('passing, failing or flapping; set by the backend.')
    .register(wireForms, { result: 27, omitEmpty: true }),
  total_state_change: unsigned(0)
    .describe('How often the status changed, in percent of the history, weighted; set by the backend.')
    .register(wireForms, { result: 29 }),
  last_ok: integer(0)
    .describe('When it passed last, in seconds since 1970; set by the backend.')
    .register(wireForms, { result: 30 }),
  occurrences: integer(0)
    .describe('How many results in a row had this status; set by the backend.')
    .register(wireForms, { result: 31 }),
  occurrences_watermark: integer(0)
    .describe('The most occurrences of the incident; set by the backend.')
    .register(wireForms, { result: 32 }),
  silenced: optionalStringList()
    .describe('Names of the silences that cover it; set by the backend.')
    .register(wireForms, { result: 33, omitEmpty: true }),
  is_silenced: flag(false)
    .describe('Whether a silence covers it; set by the backend.')
    .register(wireForms, { result: 42 }),
  acknowledgement: acknowledgementSchema
    .nullish()
    .describe('Who takes care of the incident; absent: nobody. Set by people.'),
  incident_notes: list(incidentNoteSchema).nullish().describe('What people noted about the incident.'),
  masked_by: list(maskSchema)
    .nullish()
    .describe('What it depends on and is down, while it fails; absent: nothing. Set by the backend.'),
  masking: text().optional().meta({
    description:
      'untold: masked since the incident began, so that handlers were not told; lifted: the first event of the incident that is not masked. Set by the backend.',
    'x-allowed': maskings,
  }),
});
export type Check = z.infer<typeof checkSchema>;
