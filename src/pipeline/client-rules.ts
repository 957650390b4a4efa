// Decides which handlers receive events of earlier clients. In the earlier generation the server handles silencing,
// flapping and severities, without filters in the definition, and a plain OK result reaches no handler. The handler
// can override this.
import { attributesOf, isClientEntity } from '../model/earlier/attributes.ts';
import { earlierAction } from '../model/earlier/event-shape.ts';
import { type CheckEvent, type Event, hasCheck } from '../model/event/event.ts';
import type { Handler } from '../model/pipeline/handler.ts';
import type { BuiltInVerdict } from './built-in-filters.ts';

export type ClientGate = (event: Event) => BuiltInVerdict;

/** The name of this verdict in traces, next to filter names. */
export const clientGateName = 'earlier_generation';

const severities = ['ok', 'warning', 'critical', 'unknown'] as const;
const severityOf = (status: number): string => severities[status] ?? 'unknown';

/** A resolution is delivered to the handlers that received the incident. */
const meetsSeverity = ({ check }: CheckEvent, isResolution: boolean, wanted: readonly string[]): boolean =>
  wanted.includes(severityOf(check.status)) ||
  (isResolution && (check.history ?? []).some(({ status }) => wanted.includes(severityOf(status))));

const deny = (why: string): BuiltInVerdict => ({ allowed: false, why });

/** `isPlanned`: a pipeline names the handler with its own filters, which then decide on OK results and severities. */
const judge = (event: Event, handler: Handler, isPlanned: boolean): BuiltInVerdict => {
  if (!hasCheck(event)) return { allowed: true, why: 'the event has no check' };
  const { check } = event;
  const action = earlierAction(event);
  const isPlainOk = check.status === 0 && action === 'create';
  if (action === 'flapping' && handler.handle_flapping !== true)
    return deny('the check is flapping; the handler does not set handle_flapping: true');
  const { severities: wanted } = handler;
  if (!isPlanned && wanted && !meetsSeverity(event, action === 'resolve', wanted))
    return deny(`the handler accepts only the severities ${wanted.join(', ')}`);
  const silenced = check.silenced ?? [];
  if (silenced.length > 0 && !isPlainOk && handler.handle_silenced !== true)
    return deny(`silenced by ${silenced.join(', ')}; the handler does not set handle_silenced: true`);
  if (!isPlanned && isPlainOk && attributesOf(check.metadata)['type'] !== 'metric')
    return deny('neither an incident nor its resolution, and the check is not of type metric');
  return { allowed: true, why: `the action is ${action}` };
};

/** The gate in front of a handler; undefined for events of agents. */
export const clientGate = (event: Event, handler: Handler, isPlanned: boolean): { gate?: ClientGate } =>
  isClientEntity(event.entity) ? { gate: (merged) => judge(merged, handler, isPlanned) } : {};
