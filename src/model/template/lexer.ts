// Splits a template into tokens: text outside `{{ }}`, and words, fields, variables, literals and symbols inside.
// Errors are tokens too, so that the parser can report them with their position.

type TokenType =
  | 'text'
  | 'leftDelim'
  | 'rightDelim'
  | 'word'
  | 'field'
  | 'dot'
  | 'variable'
  | 'number'
  | 'string'
  | 'rawString'
  | 'char'
  | 'pipe'
  | 'leftParen'
  | 'rightParen'
  | 'declare'
  | 'assign'
  | 'comma'
  | 'space'
  | 'error'
  | 'end';

export interface Token {
  readonly type: TokenType;
  readonly text: string;
  /** Character offset. */
  readonly at: number;
}

const signs: readonly (readonly [string, TokenType])[] = [
  [':=', 'declare'],
  ['=', 'assign'],
  ['|', 'pipe'],
  ['(', 'leftParen'],
  [')', 'rightParen'],
  [',', 'comma'],
];

const patterns: readonly (readonly [RegExp, TokenType])[] = [
  [/\s+/y, 'space'],
  [/"(?:[^"\\\n]|\\.)*"/y, 'string'],
  [/`[^`]*`/y, 'rawString'],
  [/'(?:[^'\\\n]|\\.)+'/y, 'char'],
  [/\.[\p{L}\p{Nd}_]+/uy, 'field'],
  [/\$[\p{L}\p{Nd}_]*/uy, 'variable'],
  [
    /[+-]?(?:0[xX][\da-fA-F_]+|0[bB][01_]+|0[oO][0-7_]+|(?:\d[\d_]*\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)/y,
    'number',
  ],
  [/\.(?![\p{L}\p{Nd}_])/uy, 'dot'],
  [/[\p{L}_][\p{L}\p{Nd}_]*/uy, 'word'],
];

const mustEnd: ReadonlySet<TokenType> = new Set(['word', 'field', 'variable']);
const terminator = /[\s.,|:()]/;

const unicodeName = (character: string): string => {
  const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
  return `U+${code} '${character}'`;
};

const characterAt = (text: string, at: number): string => String.fromCodePoint(text.codePointAt(at) ?? 0);

const unclosed: Readonly<Record<string, string>> = {
  '"': 'unterminated quoted string',
  '`': 'unterminated raw quoted string',
  "'": 'unterminated character constant',
};

const matchHere = (text: string, at: number): Token | undefined => {
  for (const [sign, type] of signs) if (text.startsWith(sign, at)) return { type, text: sign, at };
  // A number may start with a dot: `.5`.
  const isFraction = /\.\d/.test(text.slice(at, at + 2));
  for (const [pattern, type] of patterns) {
    if (isFraction && type === 'field') continue;
    pattern.lastIndex = at;
    const found = pattern.exec(text)?.[0];
    if (found !== undefined) return { type, text: found, at };
  }
  return undefined;
};

const insideToken = (text: string, at: number): Token => {
  const token = matchHere(text, at);
  const character = characterAt(text, at);
  if (token === undefined) {
    const why = unclosed[character] ?? `unrecognized character in action: ${unicodeName(character)}`;
    return { type: 'error', text: why, at };
  }
  const next = at + token.text.length;
  if (!mustEnd.has(token.type) || next >= text.length || text.startsWith('}}', next)) return token;
  const following = characterAt(text, next);
  if (terminator.test(following)) return token;
  return { type: 'error', text: `bad character ${unicodeName(following)}`, at: next };
};

const comment = /\{\{(?:-\s+)?\/\*/y;
const commentEnd = /\*\/(?:\s+-)?\}\}/y;

const skipComment = (text: string, at: number): number | Token => {
  comment.lastIndex = at;
  const opening = comment.exec(text)?.[0];
  if (opening === undefined) return at;
  const close = text.indexOf('*/', at + opening.length);
  if (close === -1) return { type: 'error', text: 'unclosed comment', at };
  commentEnd.lastIndex = close;
  const ending = commentEnd.exec(text)?.[0];
  if (ending === undefined) return { type: 'error', text: 'comment ends before closing delimiter', at };
  return close + ending.length;
};

const trimmingClose = /\s+-\}\}/y;

const isLeftTrim = (text: string, at: number): boolean => /^\{\{-\s/.test(text.slice(at, at + 4));

/** Reads the action at `at` and pushes its tokens. Returns the offset after it, or an error token. */
const readAction = (text: string, at: number, tokens: Token[]): number | Token => {
  tokens.push({ type: 'leftDelim', text: '{{', at });
  let next = at + (isLeftTrim(text, at) ? 3 : 2);
  for (;;) {
    if (next >= text.length) return { type: 'error', text: 'unclosed action', at: next };
    trimmingClose.lastIndex = next;
    const trims = trimmingClose.exec(text)?.[0];
    const closing = text.startsWith('}}', next) ? '}}' : trims;
    if (closing !== undefined) {
      tokens.push({ type: 'rightDelim', text: closing, at: next });
      return next + closing.length;
    }
    const token = insideToken(text, next);
    if (token.type === 'error') return token;
    tokens.push(token);
    next += token.text.length;
  }
};

const endsWithTrim = (text: string, at: number): boolean =>
  /\s-\}\}$/.test(text.slice(Math.max(0, at - 4), at));

/** All tokens; the last one is `end` or `error`. */
export const tokenize = (text: string): readonly Token[] => {
  const tokens: Token[] = [];
  let at = 0;
  let trimNext = false;
  for (;;) {
    const open = text.indexOf('{{', at);
    const end = open === -1 ? text.length : open;
    let piece = text.slice(at, end);
    if (trimNext) piece = piece.trimStart();
    if (open !== -1 && isLeftTrim(text, open)) piece = piece.trimEnd();
    if (piece !== '') tokens.push({ type: 'text', text: piece, at });
    if (open === -1) return [...tokens, { type: 'end', text: '', at: end }];
    const afterComment = skipComment(text, open);
    const next = afterComment === open ? readAction(text, open, tokens) : afterComment;
    if (typeof next !== 'number') return [...tokens, next];
    trimNext = endsWithTrim(text, next);
    at = next;
  }
};
