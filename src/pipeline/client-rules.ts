// Which handlers are told of events of clients of the earlier generation. There silencing, flapping and severities
// are the business of the server, not of filters that somebody has to name, and a plain OK result is told to
// nobody. The handler may say otherwise.
import { attributesOf, isClientEntity } from '../model/earlier/attributes.ts';
import { earlierAction } from '../model/earlier/event-shape.ts';
import { type CheckEvent, type Event, hasCheck } from '../model/event.ts';
import type { Handler } from '../model/handler.ts';
import type { BuiltInVerdict } from './built-in-filters.ts';

export type ClientGate = (event: Event) => BuiltInVerdict;

/** The name the verdict goes by in traces, beside those of filters. */
export const clientGateName = 'earlier_generation';

const severities = ['ok', 'warning', 'critical', 'unknown'] as const;
const severityOf = (status: number): string => severities[status] ?? 'unknown';

/** A resolution is told to those who were told of what it ends. */
const meetsSeverity = ({ check }: CheckEvent, isResolution: boolean, wanted: readonly string[]): boolean =>
  wanted.includes(severityOf(check.status)) ||
  (isResolution && (check.history ?? []).some(({ status }) => wanted.includes(severityOf(status))));

const deny = (why: string): BuiltInVerdict => ({ allowed: false, why });

/** `isPlanned`: a pipeline names the handler, and filters of its own; then OK results and severities are its affair. */
const judge = (event: Event, handler: Handler, isPlanned: boolean): BuiltInVerdict => {
  if (!hasCheck(event)) return { allowed: true, why: 'the event has no check' };
  const { check } = event;
  const action = earlierAction(event);
  const isPlainOk = check.status === 0 && action === 'create';
  if (action === 'flapping' && handler.handle_flapping !== true)
    return deny('the check flaps; a handler with handle_flapping: true is told');
  const { severities: wanted } = handler;
  if (!isPlanned && wanted && !meetsSeverity(event, action === 'resolve', wanted))
    return deny(`the handler wants ${wanted.join(', ')} only`);
  const silenced = check.silenced ?? [];
  if (silenced.length > 0 && !isPlainOk && handler.handle_silenced !== true)
    return deny(`silenced by ${silenced.join(', ')}; a handler with handle_silenced: true is told`);
  if (!isPlanned && isPlainOk && attributesOf(check.metadata)['type'] !== 'metric')
    return deny('neither an incident nor its resolution, and the check is not of type metric');
  return { allowed: true, why: `the action is ${action}` };
};

/** The gate in front of a handler; none for events of agents. */
export const clientGate = (event: Event, handler: Handler, isPlanned: boolean): { gate?: ClientGate } =>
  isClientEntity(event.entity) ? { gate: (merged) => judge(merged, handler, isPlanned) } : {};
