// Rate limit for repeated log lines: once a minute per key.
const tellEveryMs = 60_000;
/** Maximum number of keys; when exceeded, all are forgotten and may be logged again. */
const maxKeys = 1_000;

/** Returns a function that is true if `key` was not reported in the last minute, and marks it as reported. */
export const createReminder = (monotonicMs: () => number): ((key: string) => boolean) => {
  const told = new Map<string, number>();
  return (key) => {
    const nowMs = monotonicMs();
    if (nowMs - (told.get(key) ?? -tellEveryMs) < tellEveryMs) return false;
    if (told.size >= maxKeys) told.clear();
    told.set(key, nowMs);
    return true;
  };
};
