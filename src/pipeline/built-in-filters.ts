// The built-in filters. They take precedence over custom filters of the same name.
import type { Check } from '../model/check.ts';
import type { Event } from '../model/event.ts';

export interface BuiltInVerdict {
  readonly allowed: boolean;
  readonly why: string;
}

type BuiltInFilter = (event: Event) => BuiltInVerdict;

/** True if this status 0 resolves an incident: it is the last result in the history and the one before is not 0. */
export const isResolution = (check: Check | undefined): boolean => {
  const history = check?.history ?? [];
  const previous = history.at(-2);
  return check?.status === 0 && previous !== undefined && previous.status !== 0;
};

const isIncident: BuiltInFilter = ({ check }) => {
  if (check === undefined) return { allowed: false, why: 'the event has no check' };
  if (check.status !== 0) return { allowed: true, why: `status is ${check.status}` };
  return isResolution(check)
    ? { allowed: true, why: 'the event resolves an incident' }
    : { allowed: false, why: 'neither an incident nor its resolution' };
};

const notSilenced: BuiltInFilter = ({ check }) => {
  const entries = check?.silenced ?? [];
  return entries.length === 0
    ? { allowed: true, why: 'not silenced' }
    : { allowed: false, why: `silenced by ${entries.join(', ')}` };
};

const hasMetrics: BuiltInFilter = ({ metrics }) =>
  metrics === undefined
    ? { allowed: false, why: 'the event has no metrics' }
    : { allowed: true, why: 'the event has metrics' };

const builtIns: ReadonlyMap<string, BuiltInFilter> = new Map([
  ['is_incident', isIncident],
  ['not_silenced', notSilenced],
  ['has_metrics', hasMetrics],
]);

/** The verdict of a built-in filter, or undefined if there is no built-in filter of that name. */
export const judgeBuiltIn = (name: string, event: Event): BuiltInVerdict | undefined =>
  builtIns.get(name)?.(event);
