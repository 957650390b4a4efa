// /stashes: notes of users and handlers, stored by path, optionally with an expiry. Expired stashes are hidden
// immediately and deleted with the next write.

import { isMap, type Json } from '../../model/earlier/json.ts';
import { clientNamespace } from '../../model/earlier/namespace.ts';
import { maxStashBytes, maxStashes, maxStashPathLength } from './limits.ts';
import {
  type Answer,
  type Ask,
  type EarlierBackend,
  type EarlierRoute,
  found,
  invalid,
  may,
  noContent,
  notFound,
  text,
} from './route.ts';

const segment = 'stashes';
/** Stashes were formerly used for silences, so they require the permission for silences. */
const guardedAs = 'silenced';

interface Stash {
  readonly path: string;
  readonly content: Json;
  /** Unix milliseconds; null means never. */
  readonly expiresAtMs: number | null;
}

const isOver = ({ expiresAtMs }: Stash, nowMs: number): boolean =>
  expiresAtMs !== null && expiresAtMs <= nowMs;

const stored = (backend: EarlierBackend): readonly Stash[] =>
  backend.resources.list(segment, { namespace: clientNamespace }).items as unknown as readonly Stash[];

const stashAt = ({ backend, nowMs, params }: Ask): Stash | undefined => {
  const { path = '' } = params;
  const stash = backend.resources.get(segment, clientNamespace, path) as unknown as Stash | undefined;
  return stash === undefined || isOver(stash, nowMs) ? undefined : stash;
};

const remove = (backend: EarlierBackend, path: string): Promise<boolean> =>
  backend.resources.delete({ segment, namespace: clientNamespace, name: path });

const keep = async (
  { backend, nowMs }: Ask,
  path: string,
  content: Json,
  expire: unknown,
): Promise<Answer> => {
  if (path === '' || path.length > maxStashPathLength)
    throw invalid(`path must have 1 to ${maxStashPathLength} characters`);
  if (expire !== undefined && expire !== null && !(Number.isInteger(expire) && Number(expire) > 0))
    throw invalid('expire must be a positive integer');
  const bytes = Buffer.byteLength(JSON.stringify(content));
  if (bytes > maxStashBytes)
    throw invalid(`content has ${bytes} bytes as JSON, but a stash is limited to ${maxStashBytes}`);
  for (const stash of stored(backend)) if (isOver(stash, nowMs)) await remove(backend, stash.path);
  const leave = enter(backend, path, nowMs);
  try {
    const expiresAtMs = Number.isInteger(expire) ? nowMs + Number(expire) * 1000 : null;
    const stash: Stash = { path, content, expiresAtMs };
    await backend.resources.put({ segment, namespace: clientNamespace, name: path }, { ...stash });
  } finally {
    leave();
  }
  return { code: 201, body: { path } };
};

/** Writes under way, by their path: of many at once no more are taken than there are places. */
const arriving = new WeakMap<object, Set<{ readonly path: string }>>();

/** Takes a place until the returned function is called. Throws if there is none. */
const enter = (backend: EarlierBackend, path: string, nowMs: number): (() => void) => {
  const under = arriving.get(backend.resources) ?? new Set();
  arriving.set(backend.resources, under);
  const others = new Set([...under].map((one) => one.path));
  for (const stash of stored(backend)) if (!isOver(stash, nowMs)) others.add(stash.path);
  others.delete(path);
  if (others.size >= maxStashes)
    throw invalid(`the limit of ${maxStashes} stashes is reached: delete some, or set an expire`);
  const one = { path };
  under.add(one);
  return () => void under.delete(one);
};

const post = (ask: Ask): Promise<Answer> => {
  const { content, expire } = ask.body;
  if (!isMap(content)) throw invalid('content must be a hash');
  return keep(ask, text(ask.body, 'path'), content, expire);
};

const under = (base: string): readonly EarlierRoute[] => [
  {
    method: 'POST',
    path: `${base}/*path`,
    access: may('create', guardedAs),
    handle: (ask) => keep(ask, ask.params['path'] ?? '', ask.body, undefined),
  },
  {
    method: 'GET',
    path: `${base}/*path`,
    access: may('get', guardedAs),
    handle: (ask) => found(stashAt(ask)?.content),
  },
  {
    method: 'DELETE',
    path: `${base}/*path`,
    access: may('delete', guardedAs),
    handle: async (ask) => {
      const stash = stashAt(ask);
      return stash !== undefined && (await remove(ask.backend, stash.path)) ? noContent : notFound;
    },
  },
];

export const stashRoutes: readonly EarlierRoute[] = [
  {
    method: 'GET',
    path: '/stashes',
    access: may('list', guardedAs),
    handle: ({ backend, nowMs }) =>
      found(
        stored(backend)
          .filter((stash) => !isOver(stash, nowMs))
          .map(({ path, content, expiresAtMs }) => ({
            path,
            content,
            expire: expiresAtMs === null ? -1 : Math.ceil((expiresAtMs - nowMs) / 1000),
          })),
      ),
  },
  { method: 'POST', path: '/stashes', access: may('create', guardedAs), handle: post },
  ...under('/stash'),
  ...under('/stashes'),
];
