// Converts a state value (`{ttl: 'waiting', ...}`) to the ids of the active states in a drawing. Pure; also runs in
// the page.

/** All active states including the machine itself: `check`, `check.ttl`, `check.ttl.waiting`. */
export const activeStateIds = (machineId: string, value: unknown): string[] => [
  machineId,
  ...below(machineId, value),
];

const below = (prefix: string, value: unknown): string[] => {
  if (typeof value === 'string') return [`${prefix}.${value}`];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => {
    const id = `${prefix}.${key}`;
    return [id, ...below(id, inner)];
  });
};

/** `{ttl: {waiting: 'armed'}, result: 'passing'}` in text form: `ttl.waiting.armed result.passing`. */
export const stateWords = (value: unknown): string[] => {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => {
    const words = stateWords(inner);
    return words.length === 0 ? [key] : words.map((word) => `${key}.${word}`);
  });
};

/** The context of an XState snapshot; undefined for anything else. */
export const contextOf = (snapshot: unknown): unknown =>
  typeof snapshot === 'object' && snapshot !== null && 'context' in snapshot ? snapshot.context : undefined;
