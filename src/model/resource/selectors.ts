// Selectors: `labelSelector` and `fieldSelector` of all lists. No regular expressions and no nesting, so evaluation
// time is bounded: a selector is parsed once and evaluated once per item.

type Operator = '==' | '!=' | 'in' | 'notin' | 'matches';

/** A word is a field or label where one is allowed, otherwise a value. A string is always a value. */
type Operand =
  | { readonly type: 'word'; readonly text: string }
  | { readonly type: 'string'; readonly text: string }
  | { readonly type: 'list'; readonly items: readonly string[] };

type Requirement =
  | { readonly type: 'equals'; readonly field: string; readonly value: string; readonly negated: boolean }
  /** The comma-separated members of the field include the value. */
  | { readonly type: 'holds'; readonly field: string; readonly value: string; readonly negated: boolean }
  /** The field equals one of the values. */
  | {
      readonly type: 'isOneOf';
      readonly field: string;
      readonly values: readonly string[];
      readonly negated: boolean;
    }
  | { readonly type: 'contains'; readonly field: string; readonly value: string };

/** All requirements must be met. */
export type Selector = readonly Requirement[];

export type SelectorReading =
  | { readonly ok: true; readonly selector: Selector }
  | { readonly ok: false; readonly message: string };

type Token =
  | { readonly type: 'word' | 'string' | 'symbol'; readonly text: string; readonly at: number }
  | { readonly type: 'end'; readonly text: ''; readonly at: number };

class SelectorError extends Error {}

const fail = (why: string, at: number): never => {
  throw new SelectorError(`${why} at position ${at + 1}`);
};

const symbols = ['==', '!=', '&&', '[', ']', ','] as const;
const word = /[A-Za-z_][\w./]*/y;
const wholeWord = /^[A-Za-z_][\w/]*(?:\.[A-Za-z_][\w/]*)*$/;

const readWord = (text: string, at: number): Token => {
  word.lastIndex = at;
  const found = word.exec(text)?.[0];
  if (found === undefined) {
    return fail(`unexpected ${JSON.stringify(text[at])} (values other than plain words must be quoted)`, at);
  }
  if (!wholeWord.test(found))
    return fail(`${JSON.stringify(found)} must be quoted to be used as a value`, at);
  return { type: 'word', text: found, at };
};

const readString = (text: string, at: number): Token => {
  const end = text.indexOf(text[at] ?? '', at + 1);
  if (end === -1) return fail('unterminated string', at);
  return { type: 'string', text: text.slice(at + 1, end), at };
};

const tokenLength = (token: Token): number => token.text.length + (token.type === 'string' ? 2 : 0);

const readToken = (text: string, at: number): Token => {
  const quote = text[at];
  if (quote === "'" || quote === '"') return readString(text, at);
  const symbol = symbols.find((candidate) => text.startsWith(candidate, at));
  return symbol === undefined ? readWord(text, at) : { type: 'symbol', text: symbol, at };
};

const tokenize = (text: string): Token[] => {
  const tokens: Token[] = [];
  let at = 0;
  while (at < text.length) {
    if (/\s/.test(text[at] ?? '')) {
      at += 1;
      continue;
    }
    const token = readToken(text, at);
    tokens.push(token);
    at = token.at + tokenLength(token);
  }
  tokens.push({ type: 'end', text: '', at: text.length });
  return tokens;
};

/** Returns tokens one by one; repeats the end token. */
class Tokens {
  readonly #tokens: readonly Token[];
  #next = 0;
  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }
  peek(): Token {
    return this.#tokens[this.#next] ?? { type: 'end', text: '', at: 0 };
  }
  take(): Token {
    const token = this.peek();
    if (token.type !== 'end') this.#next += 1;
    return token;
  }
}

const isSymbol = (token: Token, text: string): boolean => token.type === 'symbol' && token.text === text;

const describe = (token: Token): string => (token.type === 'end' ? 'the end' : JSON.stringify(token.text));

const readList = (tokens: Tokens): Operand => {
  const items: string[] = [];
  for (;;) {
    const item = tokens.take();
    if (item.type !== 'word' && item.type !== 'string')
      return fail(`expected a value, got ${describe(item)}`, item.at);
    items.push(item.text);
    const next = tokens.take();
    if (isSymbol(next, ']')) return { type: 'list', items };
    if (!isSymbol(next, ',')) return fail(`expected "," or "]", got ${describe(next)}`, next.at);
  }
};

const readOperand = (tokens: Tokens): Operand => {
  const token = tokens.take();
  if (isSymbol(token, '[')) return readList(tokens);
  if (token.type === 'word' || token.type === 'string') return { type: token.type, text: token.text };
  return fail(`expected a field or a value, got ${describe(token)}`, token.at);
};

const operators: readonly Operator[] = ['==', '!=', 'in', 'notin', 'matches'];

const readOperator = (tokens: Tokens): Operator => {
  const token = tokens.take();
  const found = token.type === 'string' ? undefined : operators.find((op) => op === token.text.toLowerCase());
  return found ?? fail(`expected one of ${operators.join(' ')}, got ${describe(token)}`, token.at);
};

/** Booleans are matched case-insensitively; the field values they are compared with are `true` and `false`. */
const literalOf = (operand: { readonly type: 'word' | 'string'; readonly text: string }): string => {
  const lower = operand.text.toLowerCase();
  return operand.type === 'word' && (lower === 'true' || lower === 'false') ? lower : operand.text;
};

const membership = (left: Operand, right: Operand, negated: boolean, at: number): Requirement => {
  if (left.type === 'list') return fail('a list is only allowed on the right side', at);
  if (right.type === 'list') return { type: 'isOneOf', field: left.text, values: right.items, negated };
  if (right.type === 'string') return fail('expected a field or a list on the right side', at);
  return { type: 'holds', field: right.text, value: literalOf(left), negated };
};

const readRequirement = (tokens: Tokens): Requirement => {
  const at = tokens.peek().at;
  const left = readOperand(tokens);
  const operator = readOperator(tokens);
  const right = readOperand(tokens);
  if (operator === 'in' || operator === 'notin') return membership(left, right, operator === 'notin', at);
  if (left.type === 'list' || right.type === 'list') return fail(`${operator} does not support lists`, at);
  if (operator === 'matches') return { type: 'contains', field: left.text, value: literalOf(right) };
  return { type: 'equals', field: left.text, value: literalOf(right), negated: operator === '!=' };
};

const readAll = (text: string): Selector => {
  const tokens = new Tokens(tokenize(text));
  const requirements = [readRequirement(tokens)];
  for (;;) {
    const next = tokens.take();
    if (next.type === 'end') return requirements;
    if (!isSymbol(next, '&&')) return fail(`expected "&&", got ${describe(next)}`, next.at);
    requirements.push(readRequirement(tokens));
  }
};

/** Parses one expression, or returns what is wrong and where. */
export const parseSelector = (text: string): SelectorReading => {
  try {
    return { ok: true, selector: readAll(text) };
  } catch (error) {
    if (!(error instanceof SelectorError)) throw error;
    return { ok: false, message: `could not parse the operations: ${error.message}` };
  }
};

/** Parses repeated query parameters: all expressions must match. Blank ones are ignored. */
export const parseSelectors = (texts: readonly string[]): SelectorReading => {
  const selector: Requirement[] = [];
  for (const text of texts) {
    if (text.trim() === '') continue;
    const reading = parseSelector(text);
    if (!reading.ok) return reading;
    selector.push(...reading.selector);
  }
  return { ok: true, selector };
};

/** The text of a field or label; undefined if it does not exist. */
export type Lookup = (name: string) => string | undefined;
type Values = Readonly<Record<string, string>>;

const meets = (requirement: Requirement, lookup: Lookup): boolean => {
  const found = lookup(requirement.field);
  if (requirement.type === 'contains') return found?.includes(requirement.value) ?? false;
  if (found === undefined) return requirement.negated;
  switch (requirement.type) {
    case 'equals':
      return (found === requirement.value) !== requirement.negated;
    case 'isOneOf':
      return requirement.values.includes(found) !== requirement.negated;
    case 'holds':
      return found.split(',').includes(requirement.value) !== requirement.negated;
  }
};

/** Whether an item with these fields or labels is selected. An empty selector selects everything. */
export const selects = (selector: Selector, values: Values | Lookup): boolean => {
  const lookup =
    typeof values === 'function'
      ? values
      : (name: string) => (Object.hasOwn(values, name) ? values[name] : undefined);
  return selector.every((requirement) => meets(requirement, lookup));
};
