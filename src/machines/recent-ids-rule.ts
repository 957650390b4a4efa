// The ids of the last events a check applied. A sender that got no answer sends the same event again; it must count
// once. Kept as one string, 36 characters an id, so that copying a check's context costs one pointer.
import { maxRecentIds } from './limits.ts';

/** A UUID in its usual form. Ids of another length cannot be told apart here and are never remembered. */
const idCharacters = 36;
const keptCharacters = maxRecentIds * idCharacters;

export const noRecentIds = '';

/** True for one of the last 32 ids remembered. The dashes of a UUID keep a match from straddling two ids. */
export const hasSeen = (ids: string, id: string | null): boolean =>
  id !== null && id.length === idCharacters && ids.includes(id);

/** Adds an id; the oldest leaves when there are more than 32. */
export const remember = (ids: string, id: string | null): string => {
  if (id === null || id.length !== idCharacters) return ids;
  return ids.length < keptCharacters ? ids + id : ids.slice(idCharacters) + id;
};
