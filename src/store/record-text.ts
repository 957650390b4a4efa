// Serializes a record, reusing cached text: many events share the entity and the check definition, and their JSON
// is cached (model/known-json). They make up two thirds of the parts of a check record that rarely change. Parsing
// gives the same value as `JSON.stringify(record)`; only the key order differs.
import type { Check } from '../model/check.ts';
import { knownJson } from '../model/known-json.ts';
import { checkText, isShared } from './check-text.ts';
import type { StoredRecord } from './snapshot-store.ts';

type Json = Readonly<Record<string, unknown>>;

const objectIn = (value: unknown, key: string): Json | undefined => {
  const inner = (value as Json | null | undefined)?.[key];
  return typeof inner === 'object' && inner !== null ? (inner as Json) : undefined;
};

/** Undefined if no part of the event is cached. */
const eventText = (event: Json): string | undefined => {
  const entity = objectIn(event, 'entity');
  const check = objectIn(event, 'check');
  if (entity === undefined || check === undefined) return undefined;
  const known = knownJson(entity);
  const shared = isShared(check);
  if (known === undefined && !shared) return undefined;
  const around = JSON.stringify({ ...event, entity: undefined, check: undefined });
  const begin = around === '{}' ? '{' : `${around.slice(0, -1)},`;
  const checkPart = shared ? checkText(check as Check) : JSON.stringify(check);
  return `${begin}"entity":${known ?? JSON.stringify(entity)},"check":${checkPart}}`;
};

const isState = (state: Json): boolean => {
  for (const key in state) if (key !== 'value' && key !== 'context') return false;
  return true;
};

/**
 * The ids of the last events (machines/recent-ids-rule): hex digits and dashes, which need no escaping. Checking
 * 1,152 characters would take a fifth of the time for the whole record; an invalid id is detected by its length or
 * by a terminating character.
 */
const idsText = (ids: unknown): string => {
  const isPlain =
    typeof ids === 'string' && ids.length % 36 === 0 && !ids.includes('"') && !ids.includes('\\');
  return isPlain ? `"${ids}"` : JSON.stringify(ids);
};

/** The end of the record text without its event: closes context, state and record. */
const closing = '}}}';

/** A state that is `{event}` and nothing else: that of a delivery. */
const eventAlone = (state: Json): string | undefined => {
  for (const key in state) if (key !== 'event') return undefined;
  const event = objectIn(state, 'event');
  return event && eventText(event);
};

/** Throws the errors of `JSON.stringify`. */
export const recordText = (record: StoredRecord): string => {
  const { machine, version, rev, savedAtMs, deadlines } = record;
  const state = objectIn(record, 'state');
  const alone = state && eventAlone(state);
  if (alone !== undefined)
    return `${JSON.stringify({ machine, version, rev, savedAtMs, deadlines }).slice(0, -1)},"state":{"event":${alone}}}`;
  const context = objectIn(state, 'context');
  const event = objectIn(context, 'event');
  const text = event && eventText(event);
  if (text === undefined || state === undefined || !isState(state)) return JSON.stringify(record);
  const around = JSON.stringify({
    machine,
    version,
    rev,
    savedAtMs,
    deadlines,
    state: { value: state.value, context: { ...context, event: undefined, recentIds: undefined } },
  });
  const comma = around.endsWith(`{${closing}`) ? '' : ',';
  const ids = context?.recentIds === undefined ? '' : `"recentIds":${idsText(context.recentIds)},`;
  return `${around.slice(0, -closing.length)}${comma}${ids}"event":${text}${closing}`;
};
