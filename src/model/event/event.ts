// Events. This file validates types only; the rules are in `event-rules.ts`, the parser in
// `event-parse.ts`.

import { z } from 'zod';
import { type Check, checkSchema, tagSchema } from '../check/check.ts';
import { entitySchema } from '../entity/entity.ts';
import { maxMetricPoints } from '../limits.ts';
import { resourceReferenceSchema, stringMapSchema } from '../resource/metadata.ts';
import { defaultNamespace } from '../resource/names.ts';
import { quickObject } from '../schema/quick-object.ts';
import {
  integer,
  largeInteger,
  list,
  listOrNull,
  number,
  optionalStringList,
  text,
} from '../schema/quick-types.ts';

const metricPointSchema = z.object({
  name: text('').describe('Name of the metric.'),
  value: number(0).describe('Measured value.'),
  /** Seconds. Agents of the reference product send nanoseconds for StatsD metrics. */
  timestamp: largeInteger(0).describe(
    'When it was measured, in seconds since 1970; StatsD metrics of the reference product: nanoseconds.',
  ),
  tags: list(tagSchema).nullish().describe('Dimensions of the metric.'),
  /**
   * The digits of a timestamp above Number.MAX_SAFE_INTEGER. Values from the sender are dropped; see
   * exact-timestamps.
   */
  exact_timestamp: text()
    .optional()
    .describe('All digits of a timestamp that is too large for a number; set by the backend.'),
});
export type MetricPoint = z.infer<typeof metricPointSchema>;

export const metricsSchema = z.object({
  handlers: optionalStringList().describe('Names of handlers of these metrics.'),
  points: list(metricPointSchema, maxMetricPoints).nullish().describe('The measurements.'),
});
export type Metrics = z.infer<typeof metricsSchema>;

/** An event is identified by its entity and check, so its own name stays empty. */
const eventMetadataSchema = z.object({
  name: text().optional().describe('Empty: an event is named by its entity and its check.'),
  namespace: text().optional().describe('The namespace of the entity.'),
  labels: stringMapSchema.nullish().describe('Names and values that selectors and filters can use.'),
  annotations: stringMapSchema.nullish().describe('Names and values for people and programs.'),
  created_by: text().optional().describe('Who wrote it; set by the backend.'),
});

export const eventSchema = quickObject({
  timestamp: integer(0).meta({ description: 'When it happened; 0: now.', 'x-unit': 'seconds since 1970' }),
  entity: entitySchema.describe('What it is about.'),
  check: checkSchema.optional().describe('Definition and result of the check.'),
  metrics: metricsSchema.optional().describe('Measurements and their handlers.'),
  metadata: eventMetadataSchema.default({}).describe('Labels and annotations of the event.'),
  id: text()
    .nullish()
    .transform((id) => id || null)
    .describe('UUID; an event that is sent again with the same id counts once.'),
  sequence: integer(0).describe('Number of the event at its agent.'),
  pipelines: listOrNull(resourceReferenceSchema).describe('Pipelines that it goes through.'),
});
export type Event = z.infer<typeof eventSchema>;

/** For events whose entity was parsed separately: accepts the entity as it is. */
export const eventAroundEntitySchema = eventSchema.extend({ entity: z.unknown() });

/** An event that carries a check: the only kind that is stored. */
export type CheckEvent = Event & { check: Check };

export const hasCheck = (event: Event): event is CheckEvent => event.check !== undefined;

/**
 * The name of the entity the event is stored under: the proxy entity named by the check, otherwise the event's own
 * entity. Permission checks must use this name.
 */
export const writtenEntity = ({ check, entity }: Event): string =>
  check === undefined || check.proxy_entity_name === '' ? entity.metadata.name : check.proxy_entity_name;

/** The namespace of an event, which is that of its entity. */
export const eventNamespace = (event: Event): string => event.entity.metadata.namespace ?? defaultNamespace;
