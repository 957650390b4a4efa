// Where two pieces of plain data differ, one line a place: the answer a person wants of a failed comparison.

const maxCharacters = 160;

const shown = (value: unknown): string => (JSON.stringify(value) ?? 'nothing').slice(0, maxCharacters);

const isNode = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

/** The order of keys does not matter, and what is undefined is not there. */
export const differences = (place: string, killed: unknown, spared: unknown): readonly string[] => {
  if (isNode(killed) && isNode(spared) && Array.isArray(killed) === Array.isArray(spared)) {
    const keys = new Set([...Object.keys(killed), ...Object.keys(spared)]);
    return [...keys].flatMap((key) => differences(`${place} > ${key}`, killed[key], spared[key]));
  }
  if (Object.is(killed, spared)) return [];
  return [`${place}: ${shown(killed)} with kills, ${shown(spared)} without`];
};
