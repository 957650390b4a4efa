// Acknowledgement: somebody takes care of an incident, so its repetitions reach no handler (pipeline/built-in-filters). It ends
// when the check passes (merge-rule) or somebody withdraws it. Reminders tell the handlers again while it lasts.
import type { Acknowledgement } from '../../model/event/acknowledgement.ts';
import type { CheckEvent } from '../../model/event/event.ts';
import { maxIncidentNotes } from '../../model/limits.ts';
import { copyCheck, type WholeCheck } from './check-copy.ts';
import type { CheckContext, CheckFact } from './check-facts.ts';

export type ReminderFact = Extract<CheckFact, { readonly name: 'reminder' }>;
type Fact<TType> = Extract<CheckFact, { readonly type: TType }>;

/** Only what is not passing is an incident. */
const incidentIn = ({ event }: CheckContext): CheckEvent | null =>
  event === null || event.check.state === 'passing' ? null : event;

const withCheck = (event: CheckEvent, change: Partial<WholeCheck>): CheckEvent => ({
  ...event,
  check: Object.assign(copyCheck(event.check), change),
});

export const acknowledgementOf = (event: CheckEvent | null): Acknowledgement | undefined =>
  event?.check.acknowledgement ?? undefined;

/** Wall time in milliseconds of the next reminder; null when there is none. */
export const remindAtMs = ({ event }: Pick<CheckContext, 'event'>): number | null => {
  const seconds = acknowledgementOf(event)?.remind_at ?? 0;
  return seconds === 0 ? null : seconds * 1000;
};

/** Each returns the event as it is afterwards, or null when the fact changes nothing. */

export const acknowledge = (
  context: CheckContext,
  fact: Fact<'incident.acknowledged'>,
): CheckEvent | null => {
  const event = incidentIn(context);
  if (event === null) return null;
  const at = Math.floor(fact.nowMs / 1000);
  const every = fact.remindEverySeconds;
  const acknowledgement: Acknowledgement = {
    owner: fact.owner,
    by: fact.by,
    comment: fact.comment,
    at,
    remind_every: every,
    remind_at: every === 0 ? 0 : at + every,
    reminders: 0,
  };
  return withCheck(event, { acknowledgement });
};

export const withdraw = ({ event }: CheckContext): CheckEvent | null =>
  event === null || acknowledgementOf(event) === undefined
    ? null
    : withCheck(event, { acknowledgement: undefined });

export const addNote = (context: CheckContext, { note }: Fact<'incident.noted'>): CheckEvent | null => {
  const event = incidentIn(context);
  const notes = event?.check.incident_notes ?? [];
  if (event === null || notes.length >= maxIncidentNotes) return null;
  return withCheck(event, { incident_notes: [...notes, note] });
};

export interface Reminder {
  readonly stored: CheckEvent;
  /** What handlers are told: silenced and masked as it is now. Null while there is nothing wrong to tell of. */
  readonly told: CheckEvent | null;
}

export const remind = ({ event }: CheckContext, fact: ReminderFact): Reminder | null => {
  const acknowledgement = acknowledgementOf(event);
  if (event === null || acknowledgement === undefined || acknowledgement.remind_every === 0) return null;
  const isWrong = event.check.status !== 0;
  const next: Acknowledgement = {
    ...acknowledgement,
    remind_at: Math.floor(fact.nowMs / 1000) + acknowledgement.remind_every,
    reminders: acknowledgement.reminders + (isWrong ? 1 : 0),
  };
  const silenced = fact.silenced.length === 0 ? undefined : [...fact.silenced];
  return {
    stored: withCheck(event, { acknowledgement: next }),
    told: isWrong
      ? withCheck(event, {
          acknowledgement: { ...next, reminder: true },
          silenced,
          is_silenced: silenced !== undefined,
          masked_by: fact.masked === undefined || fact.masked.length === 0 ? undefined : [...fact.masked],
        })
      : null,
  };
};
