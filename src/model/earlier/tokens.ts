// Token substitution of the earlier generation: `:::path.to.value|default:::`, filled from the client's definition.
// Only string values are substituted, never keys, and the result is always a string.
import { isMap, type Json } from './json.ts';

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
