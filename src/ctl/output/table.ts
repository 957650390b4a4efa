// Tables and detail views: a header, a rule under each column, columns padded with blanks. On a terminal the
// header is bold, the first column blue, and wide columns are cut so that a row fits one line.
import { minColumnCharacters } from '../limits.ts';
import { cut, manyLines, oneLine, pad, textWidth } from './terminal-text.ts';

export interface Look {
  readonly colour: boolean;
  /** Columns of the terminal; undefined when nothing is cut. */
  readonly width: number | undefined;
}

const paint = (look: Look, code: number, text: string): string =>
  look.colour ? `\u001b[${code}m${text}\u001b[0m` : text;

const margin = 2;

/** Which columns are cut first: ids, whose beginning identifies them, then text, times, and last the names in the first column. */
const cutOrder = ['id', 'text', 'time', 'name'] as const;
type Content = (typeof cutOrder)[number];

const contentOf = (cells: readonly string[]): Content => {
  const told = cells.filter((cell) => cell !== '');
  const all = (pattern: RegExp): boolean => told.length > 0 && told.every((cell) => pattern.test(cell));
  if (all(/^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/)) return 'id';
  return all(/^(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d |N\/A$)/) ? 'time' : 'text';
};

/** Takes from the widest column of the content that is cut first, until a row fits or no column is wider than the least. */
const fit = (widths: readonly number[], contents: readonly Content[], available: number): number[] => {
  let excess = widths.reduce((sum, width) => sum + width + margin, 0) - available;
  const fitted = [...widths];
  for (const content of cutOrder)
    while (excess > 0) {
      const own = fitted.filter((_, at) => contents[at] === content);
      const widest = Math.max(...own);
      if (own.length === 0 || widest <= minColumnCharacters) break;
      const at = fitted.findIndex((width, column) => width === widest && contents[column] === content);
      const second = Math.max(minColumnCharacters, ...own.filter((width) => width < widest));
      const take = Math.min(excess, Math.max(1, widest - second));
      fitted[at] = widest - take;
      excess -= take;
    }
  return fitted;
};

type Line = (cells: readonly string[], style: (cell: string, at: number) => string) => string;

const lineOf =
  (widths: readonly number[]): Line =>
  (cells, style) =>
    cells
      .map((cell, at) => style(` ${pad(cut(cell, widths[at] ?? 0), widths[at] ?? 0)} `, at))
      .join('')
      .trimEnd();

const widthsOf = (
  titles: readonly string[],
  rows: readonly (readonly string[])[],
  look: Look,
): readonly number[] => {
  const natural = titles.map((title, at) => {
    let width = textWidth(title);
    for (const row of rows) width = Math.max(width, textWidth(row[at] ?? ''));
    return width;
  });
  if (look.width === undefined) return natural;
  const contents = titles.map((_, at) => (at === 0 ? 'name' : contentOf(rows.map((row) => row[at] ?? ''))));
  return fit(natural, contents, look.width);
};

const headOf = (titles: readonly string[], widths: readonly number[], look: Look): readonly string[] => [
  lineOf(widths)(titles, (cell) => paint(look, 1, cell)),
  lineOf(widths)(
    widths.map((width) => '─'.repeat(width)),
    (cell) => cell,
  ),
];

const rowOf = (cells: readonly string[], widths: readonly number[], look: Look): string =>
  lineOf(widths)(cells, (cell, at) => (at === 0 ? paint(look, 34, cell) : cell));

export const table = (
  titles: readonly string[],
  rows: readonly (readonly string[])[],
  look: Look,
): string => {
  const clean = rows.map((row) => row.map(oneLine));
  const widths = widthsOf(titles, clean, look);
  return [...headOf(titles, widths, look), ...clean.map((row) => rowOf(row, widths, look))].join('\n');
};

/** A table that goes on: prints what is there, and returns what prints a further row under the same columns. */
export const growingTable = (
  titles: readonly string[],
  rows: readonly (readonly string[])[],
  look: Look,
  print: (line: string) => void,
): ((row: readonly string[]) => void) => {
  const clean = rows.map((row) => row.map(oneLine));
  const widths = [...widthsOf(titles, clean, look)];
  for (const line of headOf(titles, widths, look)) print(line);
  const show = (row: readonly string[]): void => {
    // Where nothing is cut, a wider value makes its column wider from here on.
    if (look.width === undefined)
      for (const [at, cell] of row.entries()) widths[at] = Math.max(widths[at] ?? 0, textWidth(cell));
    print(rowOf(row, widths, look));
  };
  for (const row of clean) show(row);
  return (row) => show(row.map(oneLine));
};

/** `=== title`, then each label padded to the longest and its value. */
export const details = (title: string, rows: readonly (readonly [string, string])[], look: Look): string => {
  const width = Math.max(0, ...rows.map(([label]) => textWidth(label))) + 1;
  const lines = rows.map(([label, value]) =>
    `${pad(`${label}:`, width)} ${manyLines(value).replaceAll('\n', `\n${' '.repeat(width + 1)}`)}`.trimEnd(),
  );
  return [paint(look, 1, `=== ${oneLine(title)}`), ...lines].join('\n');
};
