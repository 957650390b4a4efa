// The ids of the last events a check applied. A sender that got no answer sends the same event again; it must count
// once. A write over the API is known by id and content (model/repeat-key): the same id with another content is a new event.
// Kept as one string, 36 characters an id, so that copying a check's context costs one pointer.
// Only UUIDs are accepted: store/record-text relies on hex digits and dashes.
import { isUuid } from '../../model/event/event-rules.ts';
import { maxRecentIds } from '../limits.ts';

/** A UUID in its usual form. Other ids are never remembered. */
const idCharacters = 36;
const keptCharacters = maxRecentIds * idCharacters;

export const noRecentIds = '';

/**
 * True for one of the last 32 ids remembered. Each has its place, so a search of the whole text is not needed: the last
 * character of each is looked at, which tells 15 of 16 strangers apart (0.8 us with `includes`, 0.1 so).
 */
export const hasSeen = (ids: string, id: string | null): boolean => {
  if (id === null || id.length !== idCharacters) return false;
  const last = id.charCodeAt(idCharacters - 1);
  for (let end = ids.length - 1; end > 0; end -= idCharacters) {
    if (ids.charCodeAt(end) === last && ids.startsWith(id, end + 1 - idCharacters)) return true;
  }
  return false;
};

/** Adds an id; the oldest leaves when there are more than 32. */
export const remember = (ids: string, id: string | null): string => {
  if (id === null || !isUuid(id)) return ids;
  return ids.length < keptCharacters ? ids + id : ids.slice(idCharacters) + id;
};

/** How many characters of a key of a write stand for its id: up to the version, and with it. */
const idPartCharacters = 15;

/**
 * The same for a write. Earlier writes with this id are forgotten: who writes A, then B, then A again means A, while a repeated
 * A comes right after A. What an agent sent under this id stays known.
 */
export const rememberWrite = (ids: string, key: string | null): string => {
  if (key === null || !isUuid(key)) return ids;
  let kept = '';
  for (let start = 0; start < ids.length; start += idCharacters) {
    if (!ids.startsWith(key.slice(0, idPartCharacters), start))
      kept += ids.slice(start, start + idCharacters);
  }
  return remember(kept, key);
};
