// Can an expression change anything? One that surely only reads may share a parsed event and a compiled form with
// all others; every other one gets a fresh interpreter of its own. The answer errs on the safe side: it looks at the
// raw text, strings and all, and says yes only if nothing in it could write, call back or define. Pure.

const readers = new Set(
  [
    'charAt charCodeAt endsWith includes indexOf lastIndexOf match search slice startsWith substr substring',
    'test toLowerCase toString toUpperCase trim trimEnd trimStart hasOwnProperty split at keys isArray join',
    'hour minute second weekday seconds_since parseInt parseFloat Number String Boolean isNaN isFinite',
    'abs ceil floor max min round',
    // Operators that may stand before a group.
    'in instanceof typeof void',
  ].flatMap((line) => line.split(' ')),
);

/** Assignment in all its forms: a `=` that is part of no comparison. An arrow function counts as one. */
const assignment = /(?<![=!<>])=(?!=)|<<=|>>=|=>/;
const stepping = /\+\+|--/;
/** Comments, templates, escapes that hide names, ends of statements, spreads, private names. */
const suspicious = /\/\/|\/\*|`|\\[ux]|[;@#]|\.\.\./;
const words =
  /\b(?:delete|new|function|class|var|let|const|eval|Function|import|yield|await|async|arguments|this|get|set)\b/;
const wordChar = /[\w$]/;
const space = /\s/;
/** What may stand before a parenthesis that groups. */
const operators = '(,[!&|?:<>=+-*/%~^';

/** The text without the semicolons and spaces people end expressions with. */
export const withoutTrailer = (text: string): string => {
  let end = text.length;
  while (end > 0 && (text[end - 1] === ';' || space.test(text[end - 1] ?? ''))) end -= 1;
  return text.slice(0, end);
};

/** True when the text (without its trailer) is one expression that only reads. */
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

/** An opening parenthesis either groups (an operator or nothing stands before it), or calls what is known to read. */
const groupsOrReads = (text: string, parenthesis: number): boolean => {
  let end = parenthesis;
  while (end > 0 && space.test(text[end - 1] ?? '')) end -= 1;
  if (end === 0) return true;
  let start = end;
  while (start > 0 && wordChar.test(text[start - 1] ?? '')) start -= 1;
  return start < end ? readers.has(text.slice(start, end)) : operators.includes(text[end - 1] ?? '.');
};
