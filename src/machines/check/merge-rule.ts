// The merge: a new result and the stored one become the next stored one (backend sheet 3.3 to 3.7). Everything a backend
// computes (history, counts, state, silences) comes from here. What a sender claims about them is dropped, unless an event
// that is not known yet is written with its past.
import type { Check, CheckState } from '../../model/check/check.ts';
import type { Mask } from '../../model/check/mask.ts';
import { incidentAnnotation } from '../../model/earlier/attributes.ts';
import { incidentIdOf } from '../../model/earlier/event-shape.ts';
import { truncatedBytesLabels } from '../../model/entity/reserved-labels.ts';
import type { CheckEvent } from '../../model/event/event.ts';
import type { Metadata } from '../../model/resource/metadata.ts';
import { copyCheck } from './check-copy.ts';
import { isFlapping, totalStateChange } from './flapping-rule.ts';
import { appendHistory, isResolution } from './history-rule.ts';
import { type Before, pastOf } from './import-rule.ts';
import { maskingOf } from './masking-rule.ts';
import { countOccurrences } from './occurrence-rule.ts';

export interface Circumstances {
  /** Wall time, milliseconds. */
  readonly nowMs: number;
  /** Names of the silences that match now. */
  readonly silenced: readonly string[];
  /** Those of them that end when the incident resolves. */
  readonly expiring?: readonly string[] | undefined;
  /** What it depends on and is down now; absent: nothing. Counts while the check fails. */
  readonly masked?: readonly Mask[] | undefined;
  /** Whether the first event of a check may bring its past (import-rule). */
  readonly mayImport?: boolean;
}

export interface Merged {
  /** What is kept: without metrics, its output cut to `max_output_size`. */
  readonly stored: CheckEvent;
  /** What the pipelines get: whole. */
  readonly whole: CheckEvent;
  readonly state: CheckState;
  /** Not OK before, OK now. */
  readonly resolves: boolean;
  /** Taken over with its past, of which it is the end: it is no new result. */
  readonly imported: boolean;
}

/** `previous` is the stored event of the same entity and check, null for the first. Changes neither argument. */
export const mergeResult = (
  previous: CheckEvent | null,
  incoming: CheckEvent,
  around: Circumstances,
): Merged => {
  const past = previous === null && around.mayImport === true ? pastOf(incoming.check) : null;
  const imported = past?.includesResult === true;
  const nowSeconds = Math.floor(around.nowMs / 1000);
  const timestamp = incoming.timestamp === 0 ? nowSeconds : incoming.timestamp;
  const check = mergeCheck(past?.before ?? previous?.check, incoming.check, imported, {
    ...around,
    // Who posts a result need not say when it was executed, and the clock of a host may be ahead of ours.
    resultAt: Math.min(incoming.check.executed || timestamp, nowSeconds),
  });
  if (past === null && incoming.check.metadata.annotations?.[incidentAnnotation] !== undefined)
    check.metadata = withIncident(check.metadata, incidentIdOf(previous, incoming));
  const whole: CheckEvent = { ...incoming, timestamp, check };
  const resolves = check.history !== null && isResolution(check.history);
  const { stored, whole: told } = cutForStorage(whole);
  return { stored, whole: told, state: check.state as CheckState, resolves, imported };
};

const withIncident = (metadata: Metadata, id: string): Metadata => ({
  ...metadata,
  annotations: { ...metadata.annotations, [incidentAnnotation]: id },
});

const mergeCheck = (
  previous: Before | undefined,
  incoming: Check,
  imported: boolean,
  around: Circumstances & { readonly resultAt: number },
): Check => {
  const { status, executed } = incoming;
  const known = previous?.history;
  const history = imported ? [...(known ?? [])] : appendHistory(known, { status, executed });
  const change = totalStateChange(history);
  const state = stateOf(previous, incoming, change);
  if (state === 'flapping') history[history.length - 1] = { status, executed, flapping: true };
  const before = {
    occurrences: previous?.occurrences ?? 0,
    watermark: previous?.occurrences_watermark ?? 0,
  };
  const counts = imported ? before : countOccurrences(history, before);
  const silenced = stillSilenced(around, isResolution(history));
  const check = copyCheck(incoming);
  check.history = history;
  check.state = state;
  check.total_state_change = change;
  check.last_ok = state === 'passing' ? around.resultAt : (previous?.last_ok ?? 0);
  check.occurrences = counts.occurrences;
  check.occurrences_watermark = counts.watermark;
  check.silenced = silenced.length === 0 ? undefined : silenced;
  check.is_silenced = silenced.length > 0;
  const masks = status === 0 ? undefined : around.masked;
  check.masked_by = masks === undefined || masks.length === 0 ? undefined : [...masks];
  check.masking = maskingOf(previous, status, check.masked_by !== undefined);
  // Both end with the incident. What a sender says of them is dropped, also in an event that brings its past along.
  check.acknowledgement = state === 'passing' ? undefined : previous?.acknowledgement;
  check.incident_notes = state === 'passing' ? undefined : previous?.incident_notes;
  return check;
};

const stateOf = (previous: Before | undefined, incoming: Check, change: number): CheckState => {
  const flapping = isFlapping({
    wasFlapping: previous?.state === 'flapping',
    change,
    low: incoming.low_flap_threshold,
    high: incoming.high_flap_threshold,
  });
  if (flapping) return 'flapping';
  return incoming.status === 0 ? 'passing' : 'failing';
};

const nobody: string[] = [];

/** A silence that ends on resolve does not hide the resolution itself. */
const stillSilenced = ({ silenced, expiring }: Circumstances, resolves: boolean): string[] => {
  if (silenced.length === 0) return nobody;
  if (!resolves || expiring === undefined) return [...silenced];
  return silenced.filter((name) => !expiring.includes(name));
};

const cutForStorage = (whole: CheckEvent): Pick<Merged, 'stored' | 'whole'> => {
  const cut = cutOutput(whole.check.output, whole.check.max_output_size ?? 0);
  if (cut === undefined) return { whole, stored: withoutMetrics(whole) };
  const labels = { ...whole.metadata.labels, ...truncatedBytesLabels(cut.removedBytes) };
  const labelled: CheckEvent = { ...whole, metadata: { ...whole.metadata, labels } };
  const check = copyCheck(whole.check);
  check.output = cut.output;
  return { whole: labelled, stored: withoutMetrics({ ...labelled, check }) };
};

const withoutMetrics = (event: CheckEvent): CheckEvent => {
  if (event.metrics === undefined) return event;
  const { metrics: _, ...rest } = event;
  return rest;
};

const maxBytesPerCharacter = 3;

/** Cuts at a character boundary, so a cut text is at most as long as asked. Undefined when nothing is too long. */
const cutOutput = (
  output: string,
  maxBytes: number,
): { readonly output: string; readonly removedBytes: number } | undefined => {
  if (maxBytes <= 0 || output.length * maxBytesPerCharacter <= maxBytes) return undefined;
  const bytes = Buffer.from(output);
  if (bytes.length <= maxBytes) return undefined;
  let end = maxBytes;
  // 10xxxxxx is the inside of a character.
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return { output: bytes.toString('utf8', 0, end), removedBytes: bytes.length - end };
};
