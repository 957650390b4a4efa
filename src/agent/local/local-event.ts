// Converts events of local programs to events of this agent: fills in defaults and validates. The entity is the
// agent's own; another name creates an event of a proxy entity.

import { z } from 'zod';
import { type Check, checkSchema } from '../../model/check/check.ts';
import { validateCheck } from '../../model/check/check-rules.ts';
import type { Entity } from '../../model/entity/entity.ts';
import { type Event, type Metrics, metricsSchema } from '../../model/event/event.ts';
import { isUuid } from '../../model/event/event-rules.ts';
import { splitLongTimestamps } from '../../model/event/exact-timestamps.ts';
import { withMetricHandlers } from '../../model/event/metric-handlers.ts';
import { metadataSchema, resourceReferenceSchema } from '../../model/resource/metadata.ts';
import { decode } from '../../model/schema/decode.ts';
import { isObject } from '../../model/schema/is-object.ts';
import { list } from '../../model/schema/quick-types.ts';
import { no, type Stage, yes } from '../../program/stage.ts';

export interface LocalFacts {
  readonly agentName: string;
  readonly namespace: string;
  readonly entity: Entity;
  readonly nowSeconds: number;
  readonly newId: () => string;
}

type Json = Readonly<Record<string, unknown>>;
/** Adds defaults to a check before it is parsed. */
const withDefaults = (check: Json, facts: LocalFacts): Json => {
  const metadata = isObject(check.metadata) ? check.metadata : {};
  return {
    ...check,
    interval: check.interval === undefined || check.interval === 0 ? 1 : check.interval,
    executed: check.executed === undefined || check.executed === 0 ? facts.nowSeconds : check.executed,
    metadata: { ...metadata, name: metadata.name ?? '', namespace: metadata.namespace ?? facts.namespace },
    processed_by: facts.agentName,
  };
};

const readCheck = (raw: unknown, facts: LocalFacts): Stage<Check | undefined> => {
  if (raw === undefined || raw === null) return yes(undefined);
  if (!isObject(raw)) return no('check must be an object');
  const decoded = decode(checkSchema, withDefaults(raw, facts), 'check');
  if (!decoded.ok) return no(decoded.message);
  const problem = validateCheck(decoded.value);
  return problem === null ? yes(decoded.value) : no(problem);
};

const readMetrics = (raw: unknown): Stage<Metrics | undefined> => {
  if (raw === undefined || raw === null) return yes(undefined);
  splitLongTimestamps(raw);
  const decoded = decode(metricsSchema, raw, 'metrics');
  return decoded.ok ? yes(decoded.value) : no(decoded.message);
};

const restSchema = z.object({
  timestamp: z.number().int().nullish(),
  metadata: metadataSchema.partial().nullish(),
  sequence: z.number().int().nullish(),
  pipelines: list(resourceReferenceSchema).nullish(),
});

/** The name of another entity, if given. */
const foreignName = (entity: unknown, facts: LocalFacts): string => {
  const name = isObject(entity) && isObject(entity.metadata) ? entity.metadata.name : '';
  return typeof name === 'string' && name !== facts.agentName ? name : '';
};

const readId = (raw: unknown, facts: LocalFacts): Stage<string> => {
  if (raw === undefined || raw === null || raw === '') return yes(facts.newId());
  return typeof raw === 'string' && isUuid(raw)
    ? yes(raw.toLowerCase())
    : no(`invalid event id: ${JSON.stringify(raw)} is not a UUID`);
};

/** An event of this agent, or the error for the sender. `ownId`: ignore the id given by the sender. */
export const prepareEvent = (
  raw: unknown,
  facts: LocalFacts,
  { ownId = false }: { readonly ownId?: boolean } = {},
): Stage<Event> => {
  if (!isObject(raw)) return no('an event must be provided');
  if (raw.check == null && raw.metrics == null)
    return no('at least check or metrics need to be instantiated for this event');
  const check = readCheck(raw.check, facts);
  if (!check.ok) return check;
  const metrics = readMetrics(raw.metrics);
  if (!metrics.ok) return metrics;
  const id = readId(raw.id, facts);
  if (!id.ok) return id;
  const rest = decode(restSchema, raw, 'event');
  if (!rest.ok) return no(rest.message);
  const foreign = foreignName(raw.entity, facts);
  const proxy = foreign === '' ? {} : { proxy_entity_name: foreign };
  const event: Event = {
    timestamp: rest.value.timestamp || facts.nowSeconds,
    entity: facts.entity,
    ...(check.value === undefined ? {} : { check: { ...check.value, ...proxy } }),
    ...(metrics.value === undefined ? {} : { metrics: metrics.value }),
    metadata: { ...rest.value.metadata, namespace: rest.value.metadata?.namespace ?? facts.namespace },
    id: ownId ? facts.newId() : id.value,
    sequence: rest.value.sequence ?? 0,
    pipelines: rest.value.pipelines ?? null,
  };
  return yes(withMetricHandlers(event));
};
