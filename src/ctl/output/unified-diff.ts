// A unified difference of two texts, as `diff -u` prints it.
import type { Look } from './table.ts';

type Edit = { readonly sign: ' ' | '-' | '+'; readonly line: string };

/** Lines around a change that are shown too. */
const contextLines = 3;

/** For each pair of positions the length of the longest common run of lines from there on. */
const lengths = (one: readonly string[], other: readonly string[]): Uint32Array[] => {
  const rows = Array.from({ length: one.length + 1 }, () => new Uint32Array(other.length + 1));
  for (let i = one.length - 1; i >= 0; i -= 1)
    for (let j = other.length - 1; j >= 0; j -= 1) {
      const row = rows[i] as Uint32Array;
      const below = rows[i + 1] as Uint32Array;
      row[j] = one[i] === other[j] ? (below[j + 1] ?? 0) + 1 : Math.max(below[j] ?? 0, row[j + 1] ?? 0);
    }
  return rows;
};

const between = (one: readonly string[], other: readonly string[]): Edit[] => {
  const rows = lengths(one, other);
  const edits: Edit[] = [];
  let i = 0;
  let j = 0;
  while (i < one.length || j < other.length) {
    if (i < one.length && j < other.length && one[i] === other[j]) {
      edits.push({ sign: ' ', line: one[i] ?? '' });
      i += 1;
      j += 1;
    } else if (j >= other.length || (i < one.length && (rows[i + 1]?.[j] ?? 0) >= (rows[i]?.[j + 1] ?? 0))) {
      edits.push({ sign: '-', line: one[i] ?? '' });
      i += 1;
    } else {
      edits.push({ sign: '+', line: other[j] ?? '' });
      j += 1;
    }
  }
  return edits;
};

/** Equal lines at both ends are not compared again. */
const editsOf = (one: readonly string[], other: readonly string[]): Edit[] => {
  const shorter = Math.min(one.length, other.length);
  let start = 0;
  while (start < shorter && one[start] === other[start]) start += 1;
  let end = 0;
  while (end < shorter - start && one[one.length - 1 - end] === other[other.length - 1 - end]) end += 1;
  const same = (line: string): Edit => ({ sign: ' ', line });
  return [
    ...one.slice(0, start).map(same),
    ...between(one.slice(start, one.length - end), other.slice(start, other.length - end)),
    ...one.slice(one.length - end).map(same),
  ];
};

const colours: Readonly<Record<string, number>> = { '-': 31, '+': 32, '@': 36 };

/** Empty when the texts are the same. An empty text has no lines. */
export const unifiedDiff = (
  names: readonly [string, string],
  before: string,
  now: string,
  { colour }: Pick<Look, 'colour'>,
): string => {
  const lines = (text: string): readonly string[] => (text === '' ? [] : text.split('\n'));
  const edits = editsOf(lines(before), lines(now));
  const changed = edits.flatMap(({ sign }, at) => (sign === ' ' ? [] : [at]));
  if (changed.length === 0) return '';
  const paint = (text: string): string => {
    const code = colours[text[0] ?? ''];
    return colour && code !== undefined ? `\u001b[${code}m${text}\u001b[0m` : text;
  };
  const out = [`--- ${names[0]}`, `+++ ${names[1]}`].map((line) =>
    colour ? `\u001b[1m${line}\u001b[0m` : line,
  );
  let next = 0;
  while (next < changed.length) {
    const from = Math.max(0, (changed[next] ?? 0) - contextLines);
    while (next + 1 < changed.length && (changed[next + 1] ?? 0) - (changed[next] ?? 0) <= 2 * contextLines)
      next += 1;
    const to = Math.min(edits.length, (changed[next] ?? 0) + contextLines + 1);
    const count = (part: readonly Edit[], without: '-' | '+'): number =>
      part.filter(({ sign }) => sign !== without).length;
    const range = (without: '-' | '+'): string => {
      const length = count(edits.slice(from, to), without);
      const start = count(edits.slice(0, from), without) + (length === 0 ? 0 : 1);
      return length === 1 ? String(start) : `${start},${length}`;
    };
    out.push(paint(`@@ -${range('+')} +${range('-')} @@`));
    for (const { sign, line } of edits.slice(from, to)) out.push(paint(sign + line));
    next += 1;
  }
  return out.join('\n');
};
