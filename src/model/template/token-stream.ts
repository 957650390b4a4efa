// The token stream of one template during parsing, with the current position and error reporting.
import { maxTemplateDepth } from '../limits.ts';
import { TemplateError } from './ast.ts';
import { type Token, tokenize } from './lexer.ts';

export const keywords: ReadonlySet<string> = new Set([
  'if',
  'range',
  'with',
  'else',
  'end',
  'break',
  'continue',
  'define',
  'template',
  'block',
]);

const show = (token: Token): string => {
  if (token.type === 'end') return 'EOF';
  if (token.type === 'word' && keywords.has(token.text)) return `<${token.text}>`;
  return JSON.stringify(token.text);
};

/** Returns tokens one by one; repeats the end token after the last one. */
export class TokenStream {
  readonly #name: string;
  readonly #text: string;
  readonly #tokens: readonly Token[];
  #next = 0;
  #depth = 0;
  /** Start of the current action, for errors reported on another line. */
  actionAt = 0;

  constructor(name: string, text: string) {
    this.#name = name;
    this.#text = text;
    this.#tokens = tokenize(text);
  }

  #lineOf(at: number): number {
    return this.#text.slice(0, at).split('\n').length;
  }

  fail(why: string, at = this.peek().at): never {
    throw new TemplateError('parse', `template: ${this.#name}:${this.#lineOf(at)}: ${why}`);
  }

  unexpected(token: Token, context: string): never {
    if (token.type !== 'error') return this.fail(`unexpected ${show(token)} in ${context}`, token.at);
    const began = this.#lineOf(this.actionAt);
    const place = began === this.#lineOf(token.at) ? '' : ` started at ${this.#name}:${began}`;
    const words = token.text.endsWith(' action') || place === '' ? place : ` in action${place}`;
    return this.fail(`${token.text}${words}`, token.at);
  }

  peek(): Token {
    return this.#tokens[this.#next] ?? { type: 'end', text: '', at: this.#text.length };
  }

  take(): Token {
    const token = this.peek();
    this.#next += 1;
    return token;
  }

  peekNonSpace(): Token {
    while (this.peek().type === 'space') this.#next += 1;
    return this.peek();
  }

  takeNonSpace(): Token {
    this.peekNonSpace();
    return this.take();
  }

  /** Puts the last token back. */
  back(): void {
    this.#next -= 1;
  }

  /** Tries to parse; restores the position if the result is null. */
  attempt<T>(read: () => T | null): T | null {
    const start = this.#next;
    const result = read();
    if (result === null) this.#next = start;
    return result;
  }

  /** Parses one nesting level deeper, up to the limit. */
  deeper<T>(read: () => T): T {
    this.#depth += 1;
    if (this.#depth > maxTemplateDepth) this.fail(`nested deeper than ${maxTemplateDepth} levels`);
    const result = read();
    this.#depth -= 1;
    return result;
  }
}
