// Serializes the history of a check: twenty-one pairs of small numbers, a fifth of its record, written with every
// result. Takes 1.7 us instead of 2.8 us with `JSON.stringify`, which inspects every type.

/** The common form of an entry: exactly these two keys, in this order. */
const isPlain = (entry: object): entry is { readonly status: number; readonly executed: number } => {
  let keys = 0;
  for (const key in entry) {
    if (key !== (keys === 0 ? 'status' : 'executed')) return false;
    keys += 1;
  }
  const { status, executed } = entry as { readonly status?: unknown; readonly executed?: unknown };
  return keys === 2 && Number.isSafeInteger(status) && Number.isSafeInteger(executed);
};

/** Byte for byte the same as `JSON.stringify(history)`. */
export const historyText = (history: readonly unknown[]): string => {
  let text = '';
  for (const entry of history) {
    if (typeof entry !== 'object' || entry === null || !isPlain(entry)) return JSON.stringify(history);
    text += `,{"status":${entry.status},"executed":${entry.executed}}`;
  }
  return `[${text.slice(1)}]`;
};
