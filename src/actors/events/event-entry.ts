// What the index knows of one event beside the event itself, and the orders lists come in. Pure.
import { severities, severityOf } from '../../machines/check/severity-rule.ts';
import type { Mask } from '../../model/check/mask.ts';
import type { CheckEvent } from '../../model/event/event.ts';

/** Where an event stands in the order of urgency. */
export interface Standing {
  /** Place of its severity in `severities`: 0 is the worst. */
  readonly rank: number;
  /** When it got this severity, in Unix seconds. */
  readonly since: number;
  /** `namespace/entity/check` */
  readonly key: string;
}

/** Where an event stands in every order: a page ends at one, and the next begins behind it, whatever came or went. */
export interface EventPlace extends Standing {
  /** Of the last result, in Unix seconds. */
  readonly timestamp: number;
}

export interface EventEntry extends Standing {
  readonly namespace: string;
  rank: number;
  since: number;
  /** As it was last committed. The check actor keeps the same object: this is a reference, not a copy. */
  event: CheckEvent;
  /** Names of the silences that match it now. */
  silenced: readonly string[];
  /** Keys of what it depends on, there or not. */
  targets: readonly string[];
  /** What masks it now: events that it depends on and that are down. None while it passes. */
  masked: readonly EventEntry[];
  /** How many events it masks. */
  masks: number;
  /** Sequence number of its last change. */
  seq: number;
}

export const placeOf = ({ rank, since, event, key }: EventEntry): EventPlace => ({
  rank,
  since,
  timestamp: event.timestamp,
  key,
});

export const byName = (a: Pick<Standing, 'key'>, b: Pick<Standing, 'key'>): number =>
  a.key < b.key ? -1 : a.key > b.key ? 1 : 0;

/** Worst first; of one severity what changed last comes first, so that news stand on top of old sorrows. */
export const byUrgency = (a: Standing, b: Standing): number =>
  a.rank - b.rank || b.since - a.since || byName(a, b);

/** Newest result first. */
export const byAge = (a: EventPlace, b: EventPlace): number => b.timestamp - a.timestamp || byName(a, b);

/** What lasts longest first. */
export const byLength = (a: EventPlace, b: EventPlace): number => a.since - b.since || byName(a, b);

export const rankOf = (event: CheckEvent): number => severities.indexOf(severityOf(event.check.status));

export const maskOf = ({ event, rank, since }: EventEntry): Mask => ({
  entity: event.entity.metadata.name,
  check: event.check.metadata.name,
  severity: severities[rank] ?? 'unknown',
  since,
});

/** The event as it is to be shown: silenced and masked as it is now, not as it was at its last result. */
export const withMarks = (
  event: CheckEvent,
  silenced: readonly string[],
  masks: readonly Mask[],
): CheckEvent => {
  const { check } = event;
  // Most are neither, and were neither: fifty thousand of them need not be copied to be looked at.
  if (silenced.length + masks.length === 0 && !check.is_silenced && !check.silenced && !check.masked_by)
    return event;
  const { silenced: _silenced, masked_by: _masked, ...rest } = check;
  const names = silenced.length > 0 ? { silenced: [...silenced] } : {};
  const masked = masks.length > 0 ? { masked_by: [...masks] } : {};
  return { ...event, check: { ...rest, is_silenced: silenced.length > 0, ...names, ...masked } };
};
