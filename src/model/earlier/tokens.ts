// Token substitution of the earlier generation: `:::path.to.value|default:::`, filled from the client's definition.
// Only string values are substituted, never keys, and the result is always a string.
import type { Metadata } from '../resource/metadata.ts';
import { objectIn } from './attributes.ts';
import { isMap, type Json } from './json.ts';
import { labelOf } from './labels.ts';

export interface Substituted {
  readonly value: unknown;
  /** Paths without a value, each once, in order. */
  readonly unmatched: readonly string[];
}

const token = /:::([^:].*?):::/g;

/** Returns undefined as soon as a part of the path is not a map. */
const lookUp = (path: string, attributes: Json): unknown => {
  let found: unknown = attributes;
  for (const key of path.split('.')) {
    if (!isMap(found)) break;
    found = Object.hasOwn(found, key) ? found[key] : undefined;
  }
  return isMap(found) || found === null ? undefined : found;
};

const inspect = (value: unknown): string =>
  Array.isArray(value) ? `[${value.map(inspect).join(', ')}]` : (JSON.stringify(value) ?? 'nil');

const shown = (value: unknown): string =>
  typeof value === 'string' ? value : Array.isArray(value) ? inspect(value) : String(value);

export const substitute = (value: unknown, attributes: Json): Substituted => {
  const unmatched = new Set<string>();
  const inText = (text: string): string =>
    text.replace(token, (_whole, inside: string) => {
      const bar = inside.indexOf('|');
      const path = bar < 0 ? inside : inside.slice(0, bar);
      const found = lookUp(path, attributes);
      if (found !== undefined) return shown(found);
      if (bar >= 0) return inside.slice(bar + 1);
      unmatched.add(path);
      return '';
    });
  const walk = (one: unknown): unknown => {
    if (typeof one === 'string') return inText(one);
    if (Array.isArray(one)) return one.map(walk);
    if (!isMap(one)) return one;
    return Object.fromEntries(Object.entries(one).map(([key, inner]) => [key, walk(inner)]));
  };
  const filled = walk(value);
  return { value: filled, unmatched: [...unmatched] };
};

export const unmatchedOutput = (unmatched: readonly string[]): string =>
  `Unmatched client token(s): ${unmatched.join(', ')}`;

/** On a check or hook, as JSON: the attribute of a client that a label in its tokens stands for, where the names differ. */
export const tokenPathsAnnotation = 'mon.io/client_attributes';

const today =
  /\{\{-?\s*\.(?:labels\.([A-Za-z_][A-Za-z0-9_]*)|name)\s*(?:\|\s*default\s+("(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?)\s*)?-?\}\}/g;
const earlier = /:::([^:|]+)(?:\|([^:]*))?:::/g;
const nameField = /^(?:client\.)?name$/;
const clientPath = (path: string): string => path.replace(/^client\./, '');

/** `:::disk.warning|80:::` as `{{ .labels.disk_warning | default "80" }}`. */
export const tokensOfToday = (text: string): string =>
  text.replaceAll(earlier, (_whole, path: string, otherwise: string | undefined) => {
    const field = nameField.test(path) ? '.name' : `.labels.${labelOf(clientPath(path))}`;
    return otherwise === undefined
      ? `{{ ${field} }}`
      : `{{ ${field} | default ${JSON.stringify(otherwise)} }}`;
  });

/** What goes into the annotation of a definition with these texts, so that `tokensOfClients` finds the attributes. */
export const tokenPathsOf = (text: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    [...text.matchAll(earlier)]
      .map(([, path = '']) => clientPath(path))
      .filter((path) => !nameField.test(path) && labelOf(path) !== path)
      .map((path) => [labelOf(path), path]),
  );

/** Empty: tokens then name attributes as they name labels. */
const pathsIn = (metadata: Pick<Metadata, 'annotations'>): Json => objectIn(metadata, tokenPathsAnnotation);

const textOf = (json: string): string => String(JSON.parse(json));

/** The other way round: clients fill in only tokens of their own form. Templates they have no word for stay as they are. */
export const tokensOfClients = (text: string, metadata: Pick<Metadata, 'annotations'>): string => {
  if (!text.includes('{{')) return text;
  const paths = pathsIn(metadata);
  return text.replaceAll(today, (_whole, label: string | undefined, otherwise: string | undefined) => {
    const known = label === undefined || !Object.hasOwn(paths, label) ? undefined : paths[label];
    const path = typeof known === 'string' ? known : (label ?? 'name');
    return otherwise === undefined ? `:::${path}:::` : `:::${path}|${textOf(otherwise)}:::`;
  });
};
