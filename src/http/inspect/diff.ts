// The context changes of a transition, as a short list of paths. Works on redacted views, so secrets never appear.
import { maxDiffEntries } from './limits.ts';
import type { DiffEntry, JsonValue } from './protocol.ts';

/** In document order; at most `maxDiffEntries`. Empty for equal values. */
export const diff = (before: JsonValue, after: JsonValue): DiffEntry[] => {
  const found: DiffEntry[] = [];
  compare('', before, after, found);
  return found;
};

const compare = (path: string, before: JsonValue, after: JsonValue, found: DiffEntry[]): void => {
  if (before === after || found.length >= maxDiffEntries) return;
  if (!isBranch(before) || !isBranch(after) || Array.isArray(before) !== Array.isArray(after)) {
    found.push({ path, before, after });
    return;
  }
  for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const inner = path === '' ? key : `${path}.${key}`;
    compare(inner, child(before, key), child(after, key), found);
  }
};

type Branch = readonly JsonValue[] | { readonly [key: string]: JsonValue };
const isBranch = (value: JsonValue): value is Branch => typeof value === 'object' && value !== null;
const child = (value: Branch, key: string): JsonValue =>
  (Object.hasOwn(value, key) ? (value as Record<string, JsonValue>)[key] : undefined) ?? null;
