// The built-in filters. They take precedence over custom filters of the same name.
import type { Check } from '../model/check/check.ts';
import type { Mask } from '../model/check/mask.ts';
import type { Event } from '../model/event/event.ts';

export interface BuiltInVerdict {
  readonly allowed: boolean;
  readonly why: string;
}

type BuiltInFilter = (event: Event) => BuiltInVerdict;

export const metricsFilterName = 'has_metrics';
export const silencedFilterName = 'not_silenced';
export const acknowledgedFilterName = 'not_acknowledged';
export const maskedFilterName = 'not_masked';

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

const isFlapping = (entry: { readonly flapping?: boolean | undefined } | undefined): boolean =>
  entry?.flapping === true;

/**
 * An acknowledged incident is not told again until its status changes, it begins or stops to flap, or a reminder is due. The
 * planner puts this filter in front of every workflow of an acknowledged check (plan.ts).
 */
const notAcknowledged: BuiltInFilter = ({ check }) => {
  const acknowledgement = check?.acknowledgement;
  if (check === undefined || !acknowledgement) return { allowed: true, why: 'not acknowledged' };
  const { owner, comment, reminder, reminders } = acknowledgement;
  if (reminder === true)
    return { allowed: true, why: `reminder ${reminders} of the incident that ${owner} acknowledged` };
  const [before, last] = (check.history ?? []).slice(-2);
  if (last === undefined) return { allowed: true, why: 'the first result' };
  if (before?.status !== last.status)
    return { allowed: true, why: `acknowledged by ${owner}, but the status changed to ${last.status}` };
  if (isFlapping(before) !== isFlapping(last))
    return { allowed: true, why: `acknowledged by ${owner}, but the state changed to ${check.state}` };
  return { allowed: false, why: `acknowledged by ${owner}${comment === '' ? '' : `: ${comment}`}` };
};

const agoWords = (seconds: number): string => {
  if (seconds < 120) return `${Math.max(0, seconds)} s`;
  if (seconds < 7_200) return `${Math.floor(seconds / 60)} min`;
  return seconds < 172_800 ? `${Math.floor(seconds / 3_600)} h` : `${Math.floor(seconds / 86_400)} days`;
};

/** Maximum number of checks named in the reason. */
const maxNamedMasks = 3;

const maskWords = (masks: readonly Mask[], nowSeconds: number): string => {
  const named = masks
    .slice(0, maxNamedMasks)
    .map(
      ({ entity, check, severity, since }) =>
        `${entity}/${check} (${severity} for ${agoWords(nowSeconds - since)})`,
    );
  const more = masks.length - named.length;
  return `${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
};

/**
 * Of an incident that follows from another one, nobody is told; nor of its end, if nobody was told of its beginning. The
 * planner puts this filter in front of every workflow of such an event (plan.ts).
 */
const notMasked: BuiltInFilter = ({ check, timestamp }) => {
  if (check === undefined) return { allowed: true, why: 'the event has no check' };
  const { status, masking, masked_by: masks } = check;
  if (status === 0)
    return masking === 'untold'
      ? { allowed: false, why: 'it recovered, and handlers were not told of the failure: it was masked' }
      : { allowed: true, why: 'status is 0' };
  if (masks && masks.length > 0) return { allowed: false, why: `masked by ${maskWords(masks, timestamp)}` };
  return { allowed: true, why: masking === 'lifted' ? 'no longer masked' : 'not masked' };
};

const hasMetrics: BuiltInFilter = ({ metrics }) =>
  metrics === undefined
    ? { allowed: false, why: 'the event has no metrics' }
    : { allowed: true, why: 'the event has metrics' };

const builtIns: ReadonlyMap<string, BuiltInFilter> = new Map([
  ['is_incident', isIncident],
  [silencedFilterName, notSilenced],
  [acknowledgedFilterName, notAcknowledged],
  [maskedFilterName, notMasked],
  [metricsFilterName, hasMetrics],
]);

/** The verdict of a built-in filter, or undefined if there is no built-in filter of that name. */
export const judgeBuiltIn = (name: string, event: Event): BuiltInVerdict | undefined =>
  builtIns.get(name)?.(event);
