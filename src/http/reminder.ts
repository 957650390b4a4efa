// Whether to say something again: what keeps happening to the same caller is said once a minute.
const tellEveryMs = 60_000;
/** Keys remembered at once: past that all of them may be told again. */
const maxKeys = 1_000;

/** The function answers true when `key` was not told within the last minute, and remembers that it is told now. */
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
