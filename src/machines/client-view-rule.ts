// From our generation to the earlier one: an event of a client as its API tells it, and what an operator makes of it there
// (earlier-client sheet 3.5, 3.7, 4 and 8).
import type { Check } from '../model/check.ts';
import { attributesAnnotation, attributesOf } from '../model/earlier/attributes.ts';
import { isMap, type Json } from '../model/earlier/json.ts';
import type { CheckEvent } from '../model/event.ts';
import { defaultHandler, handlersOf, unresolved } from './client-event-rule.ts';
import type { ClientRecord, ClientResult } from './client-facts.ts';

const given = (entries: Json): Json =>
  Object.fromEntries(
    Object.entries(entries).filter(([, value]) => value !== undefined && value !== 0 && value !== false),
  );

/** Those of events that came another way: a client's own attributes say whom it wants told, and are silent for `default`. */
const addedHandlers = ({ handlers }: Check, { handler, handlers: own }: Json): Json => {
  const isDefault = handlers.length === 1 && handlers[0] === defaultHandler;
  return handler !== undefined || own !== undefined || handlers.length === 0 || isDefault ? {} : { handlers };
};

/** The result of a check as the earlier generation stores it, without its history. */
export const earlierResult = ({ check }: CheckEvent): Json => {
  const { [unresolved]: _, ...attributes } = attributesOf(check.metadata);
  return {
    ...attributes,
    type: attributes['type'] ?? 'standard',
    ...given({
      command: check.command === '' ? undefined : check.command,
      timeout: check.timeout,
      stdin: check.stdin,
      ttl: check.ttl,
      low_flap_threshold: check.low_flap_threshold,
      high_flap_threshold: check.high_flap_threshold,
      duration: check.duration,
    }),
    ...(check.ttl_status === undefined ? {} : { ttl_status: check.ttl_status }),
    ...addedHandlers(check, attributes),
    name: check.metadata.name,
    output: check.output,
    status: check.status,
    executed: check.executed,
    issued: check.issued,
  };
};

const defaultKeptLength = 255;

/** Metrics and checks that ask for it keep the first line of their output, cut to a length. */
const keptOutput = (
  { type, truncate_output: cut, truncate_output_length: given }: Json,
  output: string,
): string => {
  if (cut !== true && (type !== 'metric' || cut === false)) return output;
  const length =
    typeof given === 'number' && Number.isInteger(given) && given > 0 ? given : defaultKeptLength;
  const [first = '', ...more] = output.split('\n');
  const isWhole = first.length <= length && more.every((line) => line === '');
  // One character more than asked for: those who compare texts expect it.
  return isWhole ? first : `${first.slice(0, length + 1)}\n...`;
};

/** As `/results` shows it: with its history, and with no more output than is kept. */
export const storedResult = (event: CheckEvent): Json => {
  const result = earlierResult(event);
  const history = (event.check.history ?? []).map(({ status }) => status);
  return { ...result, output: keptOutput(result, event.check.output), history };
};

export type EarlierAction = 'create' | 'resolve' | 'flapping';

/** Flapping is said whatever the status; an OK result resolves. */
export const earlierAction = ({ check }: CheckEvent): EarlierAction => {
  if (check.state === 'flapping') return 'flapping';
  return check.status === 0 ? 'resolve' : 'create';
};

const unresolvedIn = ({ check }: CheckEvent): Json | undefined => {
  const incident = attributesOf(check.metadata)[unresolved];
  return isMap(incident) ? incident : undefined;
};

/** Only what is wrong is in the earlier generation's event registry, and what nobody ended (earlier-client sheet 3.7). */
export const isEarlierEvent = (event: CheckEvent): boolean =>
  event.check.status !== 0 ||
  (event.check.state === 'flapping' && attributesOf(event.check.metadata)['force_resolve'] !== true) ||
  unresolvedIn(event) !== undefined;

/** When the status became what it is: the first result of the last run of equal ones. */
const changedAt = ({ check, timestamp }: CheckEvent): number => {
  const history = check.history ?? [];
  const before = history.findLastIndex(({ status }) => status !== check.status);
  return history[before + 1]?.executed ?? timestamp;
};

const incidentOf = (event: CheckEvent): Json => {
  const { check } = event;
  const silenced = check.silenced ?? [];
  return {
    id: event.id,
    check: {
      ...earlierResult(event),
      history: (check.history ?? []).map(({ status }) => String(status)),
      total_state_change: check.total_state_change,
    },
    occurrences: check.occurrences,
    occurrences_watermark: check.occurrences_watermark,
    last_ok: check.last_ok === 0 ? null : check.last_ok,
    action: earlierAction(event),
    timestamp: event.timestamp,
    last_state_change: changedAt(event),
    silenced: silenced.length > 0,
    silenced_by: silenced,
  };
};

/** An incident as the earlier generation tells it. History is a list of statuses, as strings. */
export const earlierEvent = (event: CheckEvent, client: ClientRecord): Json => {
  const { id, ...rest } = unresolvedIn(event) ?? incidentOf(event);
  return { id, client, ...rest };
};

const withAttributes = (event: CheckEvent, attributes: Json, check: Partial<Check>): CheckEvent => ({
  ...event,
  check: {
    ...event.check,
    ...check,
    metadata: {
      ...event.check.metadata,
      annotations: {
        ...event.check.metadata.annotations,
        [attributesAnnotation]: JSON.stringify(attributes),
      },
    },
  },
});

/**
 * `auto_resolve: false`: an OK result is kept as the last one, but ends no incident and is told to nobody; the incident
 * goes along as it was. `before` is the event this one follows.
 */
export const keepingIncident = (
  event: CheckEvent,
  result: ClientResult,
  before: CheckEvent | null,
): CheckEvent => {
  if (result['auto_resolve'] !== false || result['force_resolve'] === true) return event;
  if (event.check.status !== 0 || before === null || !isEarlierEvent(before)) return event;
  const incident = unresolvedIn(before) ?? incidentOf(before);
  const attributes = { ...attributesOf(event.check.metadata), [unresolved]: incident };
  return withAttributes(event, attributes, { handlers: [] });
};

const resolvedOutput = 'Resolving on request of the API';

/** The stored check once more, as OK: what the reference product calls a forced resolution. */
export const resolvedEvent = (
  event: CheckEvent,
  { id, nowSeconds }: { readonly id: string; readonly nowSeconds: number },
): CheckEvent => {
  const { [unresolved]: incident, ...attributes } = attributesOf(event.check.metadata);
  // An incident that was kept had its handlers taken away; those who were told of it are told of its end.
  const handlers = incident === undefined ? event.check.handlers : handlersOf(attributes);
  const times = { executed: nowSeconds, issued: nowSeconds };
  const check = { status: 0, output: resolvedOutput, handlers, ...times };
  return withAttributes(
    { ...event, id, timestamp: nowSeconds },
    { ...attributes, force_resolve: true },
    check,
  );
};
