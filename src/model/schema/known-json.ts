// Caches the JSON of objects that are part of many records, for the lifetime of the object. An agent's entity makes
// up a third of every event and rarely changes between events.

const texts = new WeakMap<object, string>();

/** `text` must equal `JSON.stringify(value)`, and `value` must not change afterwards. */
export const rememberJson = (value: object, text: string): void => void texts.set(value, text);

/** The cached JSON of an object, if known. */
export const knownJson = (value: object): string | undefined => texts.get(value);
