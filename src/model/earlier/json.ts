// Plain JSON as the earlier generation uses it: free-form maps that are merged and compared.

export type Json = Readonly<Record<string, unknown>>;

export const isMap = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** An object from entries. `__proto__` becomes an ordinary key. */
const fromEntries = (entries: Iterable<readonly [string, unknown]>): Json => Object.fromEntries(entries);

const unique = (items: readonly unknown[]): unknown[] => {
  const seen = new Set<string>();
  return items.filter((item) => {
    const key = JSON.stringify(item) ?? 'undefined';
    return !seen.has(key) && seen.add(key);
  });
};

/** Merges maps recursively, concatenates arrays without duplicates, and replaces everything else. */
export const deepMerge = (base: unknown, incoming: unknown): unknown => {
  if (Array.isArray(base) && Array.isArray(incoming)) return unique([...base, ...incoming]);
  if (!isMap(base) || !isMap(incoming)) return incoming;
  const merged = new Map(Object.entries(base));
  for (const [key, value] of Object.entries(incoming))
    merged.set(key, merged.has(key) ? deepMerge(merged.get(key), value) : value);
  return fromEntries(merged);
};

export const mergeMaps = (base: Json, incoming: Json): Json => deepMerge(base, incoming) as Json;

/** The difference of two maps, with the same nesting. Each leaf is `[before, after]`. */
export const difference = (before: Json, after: Json): Json => {
  const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
  const changes: [string, unknown][] = [];
  for (const key of keys) {
    const [old, now] = [before[key], after[key]];
    if (JSON.stringify(old) === JSON.stringify(now)) continue;
    changes.push([key, isMap(old) && isMap(now) ? difference(old, now) : [old ?? null, now ?? null]]);
  }
  return fromEntries(changes);
};
