// The address of a wallboard, and the key it is shown with.
import { keepWallKey } from '../hub/wall-key.ts';
import type { SavedView } from './saved-views.ts';

/** What such an address says; where it names no views, it is one itself. */
export const viewsOfWall = (path: string, query: URLSearchParams): readonly SavedView[] => {
  const named = query.getAll('view').flatMap((text): SavedView[] => {
    const at = text.indexOf('|/');
    return at < 0 ? [] : [{ name: text.slice(0, at), to: text.slice(at + 1) }];
  });
  if (named.length > 0) return named;
  const rest = new URLSearchParams(query);
  rest.delete('wall');
  return [{ name: '', to: `${path}?${rest}` }];
};

const firstSeconds = 20;
const leastSeconds = 5;

/** How long each view is shown: `every=30`, in seconds. */
export const secondsAView = (query: URLSearchParams): number => {
  const asked = Number(query.get('every') ?? firstSeconds);
  return Number.isFinite(asked) && asked > 0 ? Math.max(leastSeconds, asked) : firstSeconds;
};

interface Rights {
  readonly may: Readonly<Record<string, readonly string[]>>;
  readonly everywhere: Readonly<Record<string, readonly string[]>>;
}

const looking: readonly string[] = ['get', 'list', 'inspect:get'];
const maxLookedAt = 50;

/** What a key may do besides looking, such as `create checks`; undefined when nothing. */
const moreThanLooking = ({ may, everywhere }: Rights): string | undefined => {
  for (const [resource, verbs] of [...Object.entries(may), ...Object.entries(everywhere)]) {
    const verb = verbs.find((one) => !looking.includes(one));
    if (verb !== undefined) return `${verb} ${resource}`;
  }
  return undefined;
};

/** Looks at a key and keeps it; resolves to why not, as a sentence. A wall is left alone: its key may only look. */
export const takeWallKey = async (key: string): Promise<string | undefined> => {
  const ask = (path: string): Promise<Response> =>
    fetch(path, { headers: { authorization: `Key ${key}` }, signal: AbortSignal.timeout(20_000) });
  const reply = await ask('/api/core/v2/namespaces');
  if (reply.status === 401) return 'This key is not valid.';
  if (!reply.ok) return `The backend answered ${reply.status}.`;
  const namespaces = (await reply.json()) as readonly { readonly name: string }[];
  if (namespaces.length === 0) return 'The user of this key may not look into any namespace.';
  for (const { name } of namespaces.slice(0, maxLookedAt)) {
    const rights = await ask(`/api/inspect/v1/namespaces/${encodeURIComponent(name)}/may`);
    if (!rights.ok) return `The backend answered ${rights.status}.`;
    const more = moreThanLooking((await rights.json()) as Rights);
    if (more !== undefined)
      return `This key may ${more}. Anybody can walk up to a wall: make a key of a user who may only look.`;
  }
  keepWallKey(key);
  return undefined;
};
