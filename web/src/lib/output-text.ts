// The output of a check as it is shown: colours of terminals become classes, addresses become links, and what is searched for
// is marked. Text is never HTML. Pure.

export interface Range {
  readonly from: number;
  readonly to: number;
}

/** A stretch of text with one look. */
export interface Run extends Range {
  /** Class names; empty for plain text. */
  readonly look: string;
}

export interface ReadOutput {
  /** Without the sequences that terminals understand. */
  readonly text: string;
  readonly runs: readonly Run[];
}

const esc = '\u001b';
// Colours (CSI ... m), then everything else a terminal would not print: other CSI, OSC up to its end, two-byte sequences.
const sequences = new RegExp(
  `${esc}\\[([\\d;]*)m|${esc}\\[[\\d;?]*[ -/]*[@-~]|${esc}\\][^\\u0007${esc}]*(?:\\u0007|${esc}\\\\)?|${esc}[@-Z\\\\^_]?`,
  'g',
);

interface Look {
  readonly color: string;
  readonly isBold: boolean;
  readonly isUnderlined: boolean;
}
const plain: Look = { color: '', isBold: false, isUnderlined: false };
const colors = ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white'] as const;

const classesOf = ({ color, isBold, isUnderlined }: Look): string =>
  [color && `ansi-${color}`, isBold && 'ansi-bold', isUnderlined && 'ansi-underline']
    .filter(Boolean)
    .join(' ');

/** The look after one sequence. Colours of 256 and true colours keep the text's own. */
const lookAfter = (before: Look, parameters: string): Look => {
  const codes = parameters.split(';').map(Number);
  let look = before;
  for (let at = 0; at < codes.length; at += 1) {
    const code = codes[at] ?? 0;
    if (code === 0) look = plain;
    else if (code === 1) look = { ...look, isBold: true };
    else if (code === 22) look = { ...look, isBold: false };
    else if (code === 4) look = { ...look, isUnderlined: true };
    else if (code === 24) look = { ...look, isUnderlined: false };
    else if (code === 38 || code === 48) {
      // 5;n or 2;r;g;b belong to it.
      at += codes[at + 1] === 5 ? 2 : 4;
      if (code === 38) look = { ...look, color: '' };
    } else if (code === 39) look = { ...look, color: '' };
    else if (code >= 30 && code <= 37) look = { ...look, color: colors[code - 30] ?? '' };
    else if (code >= 90 && code <= 97) look = { ...look, color: colors[code - 90] ?? '' };
  }
  return look;
};

export const readOutput = (raw: string): ReadOutput => {
  if (!raw.includes(esc)) return { text: raw, runs: [{ from: 0, to: raw.length, look: '' }] };
  const runs: Run[] = [];
  let text = '';
  let look = plain;
  let last = 0;
  const take = (part: string): void => {
    if (part === '') return;
    runs.push({ from: text.length, to: text.length + part.length, look: classesOf(look) });
    text += part;
  };
  for (const found of raw.matchAll(sequences)) {
    take(raw.slice(last, found.index));
    last = found.index + found[0].length;
    if (found[1] !== undefined) look = lookAfter(look, found[1]);
  }
  take(raw.slice(last));
  return { text, runs };
};

const addresses = /\bhttps?:\/\/[^\s<>"'`\u200e\u200f\u202a-\u202e\u2066-\u2069]+/gi;
/** What ends a sentence is no part of its address. */
const trailing = /[.,;:!?]+$/;

const isPaired = (address: string): boolean => address.split('(').length >= address.split(')').length;

/** Where addresses of the web are; other schemes are no links. */
export const linksIn = (text: string): readonly Range[] =>
  [...text.matchAll(addresses)].map(({ 0: found, index }) => {
    let address = found.replace(trailing, '');
    while (/[)\]]$/.test(address) && !isPaired(address)) address = address.slice(0, -1).replace(trailing, '');
    return { from: index, to: index + address.length };
  });

const mostMatches = 1_000;

/** Where the words are, whatever their case; at most a thousand places. */
export const matchesIn = (text: string, wanted: string): readonly Range[] => {
  const [hay, needle] = [text.toLowerCase(), wanted.toLowerCase()];
  // Some letters change their length with their case: then places would be off.
  if (needle === '' || hay.length !== text.length) return [];
  const found: Range[] = [];
  for (let at = hay.indexOf(needle); at >= 0 && found.length < mostMatches; at = hay.indexOf(needle, at)) {
    found.push({ from: at, to: at + needle.length });
    at += needle.length;
  }
  return found;
};

export interface Piece extends Run {
  /** Which match it is part of; -1: none. */
  readonly match: number;
}

/** A stretch of text in pieces that look alike throughout. Both lists are in order and do not overlap. */
export const piecesOf = (
  { from, to }: Range,
  runs: readonly Run[],
  matches: readonly Range[],
): readonly Piece[] => {
  const pieces: Piece[] = [];
  for (const run of runs) {
    const end = Math.min(run.to, to);
    let at = Math.max(run.from, from);
    if (at >= end) continue;
    for (const [match, found] of matches.entries()) {
      if (found.to <= at) continue;
      if (found.from >= end) break;
      if (found.from > at) pieces.push({ from: at, to: found.from, look: run.look, match: -1 });
      const start = Math.max(at, found.from);
      at = Math.min(end, found.to);
      pieces.push({ from: start, to: at, look: run.look, match });
    }
    if (at < end) pieces.push({ from: at, to: end, look: run.look, match: -1 });
  }
  return pieces;
};

/** The whole text as links and what lies between them. */
export const withLinks = (text: string): readonly (Range & { readonly isLink: boolean })[] => {
  const parts: (Range & { readonly isLink: boolean })[] = [];
  let at = 0;
  for (const link of linksIn(text)) {
    if (link.from > at) parts.push({ from: at, to: link.from, isLink: false });
    parts.push({ ...link, isLink: true });
    at = link.to;
  }
  if (at < text.length) parts.push({ from: at, to: text.length, isLink: false });
  return parts;
};
