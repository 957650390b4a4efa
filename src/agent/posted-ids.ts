// Ids that programs of this machine give to the events they post. A backend drops an event whose id it has seen: right for a
// request that was repeated, wrong for another event under the same id. That one goes out under an id of its own.
import { createHash } from 'node:crypto';

/** Ids remembered, the oldest given up first. */
const maxPostedIds = 1_000;

const givenId = (raw: unknown): string | null => {
  const id = (raw as { readonly id?: unknown } | null)?.id;
  return typeof id === 'string' && id !== '' ? id.toLowerCase() : null;
};

/** Tells of each body whether its id last came with another content. */
export const createPostedIds = (): ((raw: unknown) => boolean) => {
  const contents = new Map<string, string>();
  return (raw) => {
    const id = givenId(raw);
    if (id === null) return false;
    const content = createHash('sha256').update(JSON.stringify(raw)).digest('base64');
    const before = contents.get(id);
    contents.delete(id);
    contents.set(id, content);
    const oldest = contents.size > maxPostedIds ? contents.keys().next().value : undefined;
    if (oldest !== undefined) contents.delete(oldest);
    return before !== undefined && before !== content;
  };
};
