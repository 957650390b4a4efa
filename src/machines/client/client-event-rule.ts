// From the earlier generation to ours: a result of a client as an event of the pipeline.
import { type Check, checkSchema } from '../../model/check/check.ts';
import { attributesAnnotation, incidentAnnotation } from '../../model/earlier/attributes.ts';
import { defaultHandler, unresolved } from '../../model/earlier/event-shape.ts';
import { isMap, type Json } from '../../model/earlier/json.ts';
import { labelsOf, ownOfCheck } from '../../model/earlier/labels.ts';
import type { Entity } from '../../model/entity/entity.ts';
import type { CheckEvent } from '../../model/event/event.ts';
import type { ClientResult } from './client-facts.ts';

const maxStatus = 255;

export const text = (value: unknown): string => (typeof value === 'string' ? value : '');
export const whole = (value: unknown, otherwise = 0): number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : otherwise;
export const strings = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string') : [];

/** Attributes of a result that have a field of their own in a check, or are not for its sender to set. */
const fields: ReadonlySet<string> = new Set([
  unresolved,
  'name',
  'output',
  'status',
  'executed',
  'issued',
  'duration',
  'command',
  'timeout',
  'ttl',
  'ttl_status',
  'stdin',
  'low_flap_threshold',
  'high_flap_threshold',
]);
/** Without those that have a field of their own, or are not for its sender to set. */
const besides = (map: Json, known: ReadonlySet<string>): Json =>
  Object.fromEntries(Object.entries(map).filter(([key]) => !known.has(key)));

export const leftOver = (map: Json, known: ReadonlySet<string>): string | undefined => {
  const rest = besides(map, known);
  return Object.keys(rest).length === 0 ? undefined : JSON.stringify(rest);
};

/** `handlers`, else `handler`, else `default`; nobody when the result says `handle: false`. */
export const handlersOf = ({ handle, handlers, handler }: ClientResult): string[] => {
  if (handle === false) return [];
  if (Array.isArray(handlers)) return strings(handlers);
  return [text(handler) === '' ? defaultHandler : text(handler)];
};

export interface Arrival {
  readonly nowMs: number;
  readonly id: string;
}

/** Statuses beyond what a check can have are cut down to it; anything but 0 stays a failure. */
const statusOf = (status: unknown): number =>
  typeof status === 'number' && Number.isInteger(status) && status >= 0 ? Math.min(status, maxStatus) : 3;

const hooksOf = ({ hooks }: ClientResult): Check['hooks'] => {
  if (!isMap(hooks)) return undefined;
  const done = Object.entries(hooks).filter(
    (entry): entry is [string, Record<string, unknown>] => isMap(entry[1]) && 'output' in entry[1],
  );
  if (done.length === 0) return undefined;
  return done.map(([name, hook]) => ({
    metadata: { name },
    command: text(hook['command']),
    timeout: whole(hook['timeout']),
    stdin: hook['stdin'] === true,
    duration: typeof hook['duration'] === 'number' ? hook['duration'] : 0,
    executed: whole(hook['executed']),
    issued: 0,
    output: text(hook['output']),
    status: whole(hook['status']),
  }));
};

/** The incident is settled when the result is merged with the one before it. */
const annotationsOf = (attributes: string | undefined, id: string): Record<string, string> => ({
  [incidentAnnotation]: id,
  ...(attributes === undefined ? {} : { [attributesAnnotation]: attributes }),
});

/** A result as an event. `sender` is the client that sent it, which may speak for another one. */
export const resultEvent = (
  result: ClientResult,
  entity: Entity,
  sender: string,
  { nowMs, id }: Arrival,
): CheckEvent => {
  const seconds = Math.floor(nowMs / 1000);
  const { name, namespace = '' } = entity.metadata;
  const hooks = hooksOf(result);
  const whence = sender === name ? result : { ...result, origin: sender };
  const check: Check = {
    ...checkSchema.parse({ metadata: { name: text(result['name']) } }),
    metadata: {
      name: text(result['name']),
      namespace,
      // Filters and selectors of today read labels.
      labels: labelsOf(ownOfCheck(besides(whence, fields))),
      annotations: annotationsOf(leftOver(whence, fields), id),
    },
    command: text(result['command']),
    handlers: handlersOf(result),
    interval: whole(result['interval'], 1),
    timeout: whole(result['timeout']),
    ttl: whole(result['ttl']),
    stdin: result['stdin'] === true,
    // A silence of any subscription of a client silences all its results, no matter who asked for the check.
    subscriptions: entity.subscriptions,
    low_flap_threshold: whole(result['low_flap_threshold']),
    high_flap_threshold: whole(result['high_flap_threshold']),
    output: text(result['output']),
    status: statusOf(result['status']),
    executed: whole(result['executed'], seconds),
    issued: whole(result['issued'], seconds),
    duration: typeof result['duration'] === 'number' ? result['duration'] : 0,
    processed_by: sender,
    ...(result['ttl_status'] === undefined ? {} : { ttl_status: whole(result['ttl_status'], 1) }),
    ...(hooks === undefined ? {} : { hooks }),
  };
  return { timestamp: seconds, id, sequence: 0, pipelines: [], metadata: { namespace }, entity, check };
};
