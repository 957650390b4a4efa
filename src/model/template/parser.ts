// Parses a template: text with `{{ }}` becomes a syntax tree. The language is the subset of Go's text/template that
// monitoring definitions use, with the same error messages.
import type { Node } from './ast.ts';
import type { Token } from './lexer.ts';
import { PipelineReader } from './pipeline-reader.ts';
import { keywords, TokenStream } from './token-stream.ts';

const blockWords = ['if', 'range', 'with'] as const;

class Reader {
  readonly #in: TokenStream;
  readonly #pipelines: PipelineReader;
  #ranges = 0;

  constructor(tokens: TokenStream, functions: ReadonlySet<string>) {
    this.#in = tokens;
    this.#pipelines = new PipelineReader(tokens, functions);
  }

  /** The whole template. */
  readAll(): readonly Node[] {
    const { nodes, ending } = this.#nodes();
    if (ending !== null) this.#in.fail(`unexpected {{${ending}}}`);
    return nodes;
  }

  /** Nodes up to the end, or up to the `end` or `else` that closes the block. */
  #nodes(): { readonly nodes: readonly Node[]; readonly ending: 'end' | 'else' | null } {
    const nodes: Node[] = [];
    for (;;) {
      const token = this.#in.take();
      if (token.type === 'end') return { nodes, ending: null };
      if (token.type === 'error') this.#in.unexpected(token, 'input');
      if (token.type === 'text') {
        nodes.push({ type: 'text', text: token.text });
        continue;
      }
      this.#in.actionAt = token.at;
      const word = this.#in.peekNonSpace();
      if (this.#isWord(word, 'end') || this.#isWord(word, 'else')) {
        this.#in.take();
        return { nodes, ending: word.text as 'end' | 'else' };
      }
      nodes.push(this.#in.deeper(() => this.#action(token)));
    }
  }

  #action(open: Token): Node {
    const token = this.#in.peekNonSpace();
    const block = blockWords.find((word) => this.#isWord(token, word));
    if (block !== undefined) {
      this.#in.take();
      return this.#block(block, open.at);
    }
    if (this.#isWord(token, 'break') || this.#isWord(token, 'continue')) {
      return this.#jump(token.text as 'break' | 'continue', token);
    }
    if (token.type === 'word' && keywords.has(token.text)) {
      this.#in.fail(`{{${token.text}}} is not supported`, token.at);
    }
    return { type: 'action', at: open.at, pipeline: this.#pipelines.pipeline('command', 'rightDelim') };
  }

  #jump(type: 'break' | 'continue', token: Token): Node {
    this.#in.take();
    const close = this.#in.takeNonSpace();
    if (close.type !== 'rightDelim') this.#in.unexpected(close, `{{${type}}}`);
    if (this.#ranges === 0) this.#in.fail(`{{${type}}} outside {{range}}`, token.at);
    return { type, at: token.at };
  }

  #close(context: string): void {
    const token = this.#in.takeNonSpace();
    if (token.type !== 'rightDelim') this.#in.unexpected(token, context);
  }

  #block(type: 'if' | 'with' | 'range', at: number): Node {
    return this.#pipelines.scoped(() => {
      const pipeline = this.#pipelines.pipeline(type, 'rightDelim');
      this.#ranges += type === 'range' ? 1 : 0;
      const { nodes: body, ending } = this.#nodes();
      this.#ranges -= type === 'range' ? 1 : 0;
      if (ending === null) this.#in.fail('unexpected EOF');
      const otherwise = ending === 'else' ? this.#otherwise(type, at) : this.#endOfBlock();
      return type === 'range'
        ? { type, at, pipeline, body, otherwise }
        : { type, at, pipeline, body, otherwise };
    });
  }

  #endOfBlock(): readonly Node[] {
    this.#close('end');
    return [];
  }

  #otherwise(type: 'if' | 'with' | 'range', at: number): readonly Node[] {
    const word = this.#in.peekNonSpace();
    if (type !== 'range' && this.#isWord(word, type)) {
      this.#in.take();
      return [this.#in.deeper(() => this.#block(type, at))];
    }
    this.#close('else');
    const { nodes, ending } = this.#nodes();
    if (ending === null) this.#in.fail('unexpected EOF');
    if (ending === 'else') this.#in.fail('expected end; found {{else}}');
    this.#close('end');
    return nodes;
  }

  #isWord(token: Token, word: string): boolean {
    return token.type === 'word' && token.text === word;
  }
}

/** Parses a template or throws a TemplateError. `name` is used in messages. */
export const parseTemplate = (name: string, text: string, functions: ReadonlySet<string>): readonly Node[] =>
  new Reader(new TokenStream(name, text), functions).readAll();
