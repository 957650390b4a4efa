// Texts that need not be written again: the JSON of an object that is part of many records, kept for as long as the object
// itself lives. The entity of an agent is a third of every event it sends, and the same from one event to the next.

const texts = new WeakMap<object, string>();

/** `text` must be what `JSON.stringify(value)` gives, and `value` must never change from here on. */
export const rememberJson = (value: object, text: string): void => void texts.set(value, text);

/** The text, for those who would otherwise write it anew. */
export const knownJson = (value: object): string | undefined => texts.get(value);
