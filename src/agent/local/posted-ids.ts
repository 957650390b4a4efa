// Tracks ids of posted events. The backend drops an event with a known id, which is correct for a repeated request
// but not for a different event with the same id. Such an event is sent with a new id.
import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';

/** Maximum number of ids; the oldest is forgotten first. */
const maxPostedIds = 1_000;

const givenId = (raw: unknown): string | null => {
  const id = (raw as { readonly id?: unknown } | null)?.id;
  return typeof id === 'string' && id !== '' ? id.toLowerCase() : null;
};

/** Returns whether the id of a body was last used with different content. */
export const createPostedIds = (): ((raw: unknown) => boolean) => {
  const contents = new LRUCache<string, string>({ maxSize: maxPostedIds, sizeCalculation: () => 1 });
  return (raw) => {
    const id = givenId(raw);
    if (id === null) return false;
    const content = createHash('sha256').update(JSON.stringify(raw)).digest('base64');
    const before = contents.get(id);
    contents.set(id, content);
    return before !== undefined && before !== content;
  };
};
