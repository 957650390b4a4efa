// What the backend knows that matches what is typed into the palette: events of all namespaces the person may see, entities,
// definitions, actors. Only what the person may list is asked for.
import type { EventListPage, EventRow } from '../../../src/http/inspect/events/protocol.ts';
import type { ActorPage } from '../../../src/http/inspect/protocol.ts';
import { type Access, accessTo } from './access.ts';
import { encode, getJson, inNamespace, inspect } from './api.ts';
import {
  type ConfigKind,
  collectionOf,
  configKinds,
  nameOf,
  type Resource,
  shownName,
} from './config-kinds.ts';
import { eventsPath } from './event-feed.ts';
import { keyInAll } from './event-key.ts';

const rowsAnAnswer = 20;
const definitionsAKind = 500;
const definitionsKeptMs = 30_000;

export interface FoundEntity {
  readonly namespace: string;
  readonly name: string;
}

export interface Definition {
  readonly kind: ConfigKind;
  readonly name: string;
  readonly shown: string;
}

/** Failing ones first. What occurs as it is typed comes before what only has the letters. */
export const findEvents = async (text: string): Promise<readonly EventRow[]> => {
  const ask = (query: Record<string, string>): Promise<EventListPage> =>
    getJson(eventsPath('', { ...query, limit: String(rowsAnAnswer) }));
  const [words, letters] = await Promise.all([ask({ search: text }), ask({ fuzzy: text.slice(0, 64) })]);
  return [...new Map([...words.items, ...letters.items].map((row) => [keyInAll(row), row])).values()];
};

export const findEntities = async (namespace: string, text: string): Promise<readonly FoundEntity[]> => {
  if (!accessTo(namespace).may('list', 'entities')) return [];
  const fieldSelector = `entity.name matches ${JSON.stringify(text)}`;
  const query = new URLSearchParams({ limit: String(rowsAnAnswer), fieldSelector });
  const found = await getJson<readonly { readonly metadata: { readonly name: string } }[]>(
    `${inNamespace(namespace, 'entities')}?${query}`,
  );
  return found.map(({ metadata: { name } }) => ({ namespace, name }));
};

const mayList = (access: Access, { isNamespaced, path }: ConfigKind): boolean =>
  isNamespaced ? access.may('list', path) : access.mayEverywhere('list', path);

let kept:
  | { readonly namespace: string; readonly atMs: number; readonly all: Promise<readonly Definition[]> }
  | undefined;

/** All definitions of a namespace, kept while somebody types. */
export const readDefinitions = (namespace: string): Promise<readonly Definition[]> => {
  if (kept?.namespace === namespace && performance.now() - kept.atMs < definitionsKeptMs) return kept.all;
  const access = accessTo(namespace);
  const read = async (kind: ConfigKind): Promise<readonly Definition[]> => {
    const found = await getJson<readonly Resource[]>(
      `${collectionOf(kind, namespace)}?limit=${definitionsAKind}`,
    ).catch(() => []);
    return found.map((resource) => ({ kind, name: nameOf(resource), shown: shownName(kind, resource) }));
  };
  const all = Promise.all(configKinds.filter((kind) => mayList(access, kind)).map(read)).then((lists) =>
    lists.flat(),
  );
  kept = { namespace, atMs: performance.now(), all };
  return all;
};

/** Whoever may not inspect all of them sees those of the namespace, or none. */
export const findActors = async (namespace: string, text: string): Promise<readonly string[]> => {
  const access = accessTo(namespace);
  if (!access.may('inspect:get', 'actors')) return [];
  const inside = access.mayEverywhere('inspect:get', 'actors') ? '' : `&namespace=${encode(namespace)}`;
  const found = await getJson<ActorPage>(inspect(`actors?limit=10&search=${encode(text)}${inside}`));
  return found.items.map(({ id }) => id);
};
