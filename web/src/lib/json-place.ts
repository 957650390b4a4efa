// Where in a text of JSON a complaint belongs: the parser's own position, or the field a sentence of the API names.

export interface Place {
  /** What is complained about; empty for broken JSON. */
  readonly field: string;
  /** Counted from 1. */
  readonly line: number;
  /** Offsets into the text. */
  readonly start: number;
  readonly end: number;
}

const placeAt = (text: string, field: string, start: number, end: number): Place => ({
  field,
  line: text.slice(0, start).split('\n').length,
  start,
  end,
});

/** `check.subdues[0].begin` gives `begin`, then `subdues`; then any word of the sentence, in order. */
const namesIn = (message: string): readonly string[] => {
  const paths = message.match(/[a-z_]\w*(?:\.\w+|\[\d+\])+/gi) ?? [];
  const steps = paths.flatMap((path) => (path.match(/[a-z_]\w*/gi) ?? []).slice(1).reverse());
  return [...steps, ...(message.match(/[a-z_]\w*/gi) ?? [])];
};

/** The first field the sentence names that stands in the text; undefined when it names none. */
export const placeOfField = (text: string, message: string): Place | undefined => {
  for (const name of namesIn(message)) {
    const found = new RegExp(`"${name}"\\s*:`).exec(text);
    if (found !== null) return placeAt(text, name, found.index, found.index + name.length + 2);
  }
  return undefined;
};

/** Where a parser stopped, from its message; browsers word it as `at position 12` or `at line 2 column 5`. */
export const placeOfParse = (text: string, message: string): Place | undefined => {
  const position = /position (\d+)/.exec(message)?.[1];
  if (position !== undefined) {
    const start = Math.min(Number(position), text.length);
    return placeAt(text, '', start, start + 1);
  }
  const line = /line (\d+) column (\d+)/.exec(message);
  if (line === null) return /end of/i.test(message) ? placeAt(text, '', text.length, text.length) : undefined;
  const before = text.split('\n').slice(0, Number(line[1]) - 1);
  const start = before.reduce((sum, one) => sum + one.length + 1, 0) + Number(line[2]) - 1;
  return placeAt(text, '', start, start + 1);
};
