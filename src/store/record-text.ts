// Serializes a record, reusing cached text: many events share the entity and the check definition, and their JSON
// is cached (model/known-json). They make up two thirds of the parts of a check record that rarely change. Parsing
// gives the same value as `JSON.stringify(record)`; only the key order differs.
import type { Check } from '../model/check/check.ts';
import { resultOf } from '../model/check/check-parts.ts';
import { knownJson } from '../model/schema/known-json.ts';
import { definitionText, isShared } from './check-text.ts';
import { isPlainHistory } from './history-text.ts';
import type { JsonWriter } from './json-writer.ts';
import type { StoredRecord } from './snapshot-store.ts';

type Json = Readonly<Record<string, unknown>>;

const objectIn = (value: unknown, key: string): Json | undefined => {
  const inner = (value as Json | null | undefined)?.[key];
  return typeof inner === 'object' && inner !== null ? (inner as Json) : undefined;
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
const isPlainIds = (ids: unknown): ids is string =>
  typeof ids === 'string' && ids.length % 36 === 0 && !ids.includes('"') && !ids.includes('\\');

const writeCheck = (writer: JsonWriter, check: Json): void => {
  if (!isShared(check)) return writer.text(JSON.stringify(check));
  const { history } = check as Check;
  writer.text(definitionText(check as Check));
  if (history !== null && isPlainHistory(history)) writer.history(history);
  else writer.text(JSON.stringify(history));
  writer.fields(resultOf(check as Check));
  writer.text('}');
};

/** What is worth writing in parts: an event whose entity or definition has cached JSON. */
interface CachedEvent {
  readonly event: Json;
  readonly entity: Json;
  readonly check: Json;
}

const cachedEventIn = (holder: Json | undefined): CachedEvent | undefined => {
  const event = objectIn(holder, 'event');
  const entity = objectIn(event, 'entity');
  const check = objectIn(event, 'check');
  if (event === undefined || entity === undefined || check === undefined) return undefined;
  return knownJson(entity) === undefined && !isShared(check) ? undefined : { event, entity, check };
};

const writeEvent = (writer: JsonWriter, { event, entity, check }: CachedEvent): void => {
  writer.key('event');
  writer.text('{');
  for (const key in event) if (key !== 'entity' && key !== 'check') writer.field(key, event[key]);
  writer.key('entity');
  writer.text(knownJson(entity) ?? JSON.stringify(entity));
  writer.key('check');
  writeCheck(writer, check);
  writer.text('}');
};

const writeContext = (writer: JsonWriter, context: Json, event: CachedEvent): void => {
  writer.key('context');
  writer.text('{');
  for (const key in context) {
    if (key === 'event') continue;
    const value = context[key];
    if (key !== 'recentIds' || !isPlainIds(value)) {
      writer.field(key, value);
      continue;
    }
    writer.key(key);
    writer.text('"');
    writer.text(value);
    writer.text('"');
  }
  writeEvent(writer, event);
  writer.text('}');
};

/** A state that is `{event}` and nothing else: that of a delivery. */
const isEventAlone = (state: Json): boolean => {
  for (const key in state) if (key !== 'event') return false;
  return true;
};

/** Throws the errors of `JSON.stringify`. */
export const writeRecord = (writer: JsonWriter, record: StoredRecord): void => {
  const { machine, version, rev, savedAtMs, deadlines } = record;
  const state = objectIn(record, 'state') ?? {};
  const context = objectIn(state, 'context');
  const alone = isEventAlone(state) ? cachedEventIn(state) : undefined;
  const within = isState(state) ? cachedEventIn(context) : undefined;
  if (alone === undefined && (within === undefined || context === undefined))
    return writer.text(JSON.stringify(record));
  writer.text('{');
  writer.fields({ machine, version, rev, savedAtMs, deadlines });
  writer.key('state');
  writer.text('{');
  if (alone !== undefined) writeEvent(writer, alone);
  else if (within !== undefined && context !== undefined) {
    writer.field('value', state.value);
    writeContext(writer, context, within);
  }
  // Closes state and record.
  writer.text('}}');
};
