// Decides whether an expression is read-only. Read-only expressions may share a parsed event and be compiled once;
// all others get a new context. The check is conservative: it inspects the raw text, including strings, and accepts
// only text without anything that could write, call back or define. Pure.

const readers = new Set(
  [
    'charAt charCodeAt endsWith includes indexOf lastIndexOf match search slice startsWith substr substring',
    'test toLowerCase toString toUpperCase trim trimEnd trimStart hasOwnProperty split at keys isArray join',
    'hour minute second weekday seconds_since parseInt parseFloat Number String Boolean isNaN isFinite',
    'abs ceil floor max min round',
    // Operators allowed before a group.
    'in instanceof typeof void',
  ].flatMap((line) => line.split(' ')),
);

/** Assignments in any form: a `=` that is not part of a comparison. Includes arrow functions. */
const assignment = /(?<![=!<>])=(?!=)|<<=|>>=|=>/;
const stepping = /\+\+|--/;
/** Comments, templates, escapes that could hide names, statement ends, spreads, private names. */
const suspicious = /\/\/|\/\*|`|\\[ux]|[;@#]|\.\.\./;
const words =
  /\b(?:delete|new|function|class|var|let|const|eval|Function|import|yield|await|async|arguments|this|get|set)\b/;
const wordChar = /[\w$]/;
const space = /\s/;
/** Characters allowed before a grouping parenthesis. */
const operators = '(,[!&|?:<>=+-*/%~^';

/** The text without trailing semicolons and spaces. */
export const withoutTrailer = (text: string): string => {
  let end = text.length;
  while (end > 0 && (text[end - 1] === ';' || space.test(text[end - 1] ?? ''))) end -= 1;
  return text.slice(0, end);
};

/** True if the text (without its trailer) is one read-only expression. */
export const isPlainReading = (text: string): boolean =>
  !assignment.test(text) &&
  !stepping.test(text) &&
  !suspicious.test(text) &&
  !words.test(text) &&
  !text.trimStart().startsWith('{') &&
  callsOnlyReaders(text);

const callsOnlyReaders = (text: string): boolean => {
  for (let at = text.indexOf('('); at !== -1; at = text.indexOf('(', at + 1)) {
    if (!groupsOrReads(text, at)) return false;
  }
  return true;
};

/** An opening parenthesis either groups (after an operator or at the start) or calls a known read-only function. */
const groupsOrReads = (text: string, parenthesis: number): boolean => {
  let end = parenthesis;
  while (end > 0 && space.test(text[end - 1] ?? '')) end -= 1;
  if (end === 0) return true;
  let start = end;
  while (start > 0 && wordChar.test(text[start - 1] ?? '')) start -= 1;
  return start < end ? readers.has(text.slice(start, end)) : operators.includes(text[end - 1] ?? '.');
};
