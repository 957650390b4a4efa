// What the API of the earlier generation shows of results, and what its operators do to incidents: keep them open, and end
// them.
import type { Check } from '../../model/check/check.ts';
import { attributesAnnotation, attributesOf } from '../../model/earlier/attributes.ts';
import {
  earlierResult,
  incidentOf,
  isEarlierEvent,
  unresolved,
  unresolvedIn,
} from '../../model/earlier/event-shape.ts';
import type { Json } from '../../model/earlier/json.ts';
import type { CheckEvent } from '../../model/event/event.ts';
import { handlersOf } from './client-event-rule.ts';
import type { ClientResult } from './client-facts.ts';

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
