// Text on a terminal: how wide it is, cut to a width, and without control characters, so that the output of a check cannot
// steer the terminal of who reads it.

/** Ranges of code points that take two cells. */
const wide: readonly (readonly [number, number])[] = [
  [0x1100, 0x115f],
  [0x2e80, 0xa4cf],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe30, 0xfe6f],
  [0xff00, 0xff60],
  [0x1f300, 0x1faff],
  [0x20000, 0x3fffd],
];

const widthOf = (character: string): number => {
  const point = character.codePointAt(0) ?? 0;
  return wide.some(([first, last]) => point >= first && point <= last) ? 2 : 1;
};

export const textWidth = (text: string): number => {
  let width = 0;
  for (const character of text) width += widthOf(character);
  return width;
};

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is taken out
const control = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** One line: control characters become blanks, and blanks at the end go. */
export const oneLine = (text: string): string => text.trimEnd().replaceAll(control, ' ');

/** Several lines stay several; other control characters become blanks. */
export const manyLines = (text: string): string => text.trimEnd().split('\n').map(oneLine).join('\n');

const steering = /[\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/**
 * JSON and YAML escape the controls below U+0020 themselves; the others, which neither escapes, become blanks. Keeps the colours
 * of tables.
 */
export const forTerminal = (text: string): string => text.replaceAll(steering, ' ');

export const cut = (text: string, width: number): string => {
  if (textWidth(text) <= width) return text;
  let kept = '';
  let used = 0;
  for (const character of text) {
    used += widthOf(character);
    if (used > width - 1) break;
    kept += character;
  }
  return `${kept}…`;
};

export const pad = (text: string, width: number): string =>
  text + ' '.repeat(Math.max(0, width - textWidth(text)));
