// Parses the content of `{{ }}`: declarations, pipelines, commands and operands, with the variables in scope.
import type { Command, Operand, Pipeline } from './ast.ts';
import type { Token } from './lexer.ts';
import { unquote } from './quoting.ts';
import { keywords, type TokenStream } from './token-stream.ts';

interface Declaration {
  readonly variables: readonly string[];
  readonly assigns: boolean;
}

const noDeclaration: Declaration = { variables: [], assigns: false };

const termText = (term: Operand): string => (term.type === 'literal' ? term.source : term.type);

const startsOperand = ({ type }: Token): boolean =>
  ['word', 'dot', 'field', 'variable', 'number', 'string', 'rawString', 'char', 'leftParen'].includes(type);

export class PipelineReader {
  readonly #in: TokenStream;
  readonly #functions: ReadonlySet<string>;
  readonly #variables: string[] = ['$'];

  constructor(tokens: TokenStream, functions: ReadonlySet<string>) {
    this.#in = tokens;
    this.#functions = functions;
  }

  /** Variables declared while `read` runs are removed afterwards. */
  scoped<T>(read: () => T): T {
    const inScope = this.#variables.length;
    const result = read();
    this.#variables.length = inScope;
    return result;
  }

  /** `$x :=`, `$x =`, and in a range `$i, $x :=`. Consumes nothing if there is no declaration. */
  #declaration(context: string): Declaration {
    if (this.#in.peekNonSpace().type !== 'variable') return noDeclaration;
    return this.#in.attempt(() => this.#declared(context)) ?? noDeclaration;
  }

  #declared(context: string): Declaration | null {
    const first = this.#in.take();
    const variables = [first.text];
    if (context === 'range' && this.#in.peekNonSpace().type === 'comma') {
      this.#in.take();
      const second = this.#in.takeNonSpace();
      if (second.type !== 'variable') this.#in.fail('range can only initialize variables', second.at);
      variables.push(second.text);
    }
    const sign = this.#in.takeNonSpace();
    if (sign.type !== 'declare' && sign.type !== 'assign') return null;
    const assigns = sign.type === 'assign';
    if (assigns) for (const variable of variables) this.#known(variable, first.at);
    return { variables, assigns };
  }

  #known(variable: string, at: number): string {
    if (!this.#variables.includes(variable))
      this.#in.fail(`undefined variable ${JSON.stringify(variable)}`, at);
    return variable;
  }

  pipeline(context: string, closer: 'rightDelim' | 'rightParen'): Pipeline {
    const at = this.#in.peekNonSpace().at;
    const { variables, assigns } = this.#declaration(context);
    const commands: Command[] = [];
    for (;;) {
      const token = this.#in.peekNonSpace();
      if (token.type === closer) {
        this.#in.take();
        break;
      }
      if (!startsOperand(token)) this.#in.unexpected(token, context);
      commands.push(this.#in.deeper(() => this.#command()));
    }
    this.#checkPipeline(commands, context);
    if (!assigns) this.#variables.push(...variables);
    return { at, variables, assigns, commands };
  }

  #checkPipeline(commands: readonly Command[], context: string): void {
    if (commands.length === 0) this.#in.fail(`missing value for ${context}`);
    for (const [index, command] of commands.entries()) {
      const first = command.operands[0];
      const isConstant = first === undefined || ['dot', 'nil', 'literal'].includes(first.type);
      if (index > 0 && isConstant) this.#in.fail(`non executable command in pipeline stage ${index + 1}`);
    }
  }

  #command(): Command {
    const at = this.#in.peekNonSpace().at;
    const operands: Operand[] = [];
    for (;;) {
      this.#in.peekNonSpace();
      const operand = this.#operand();
      if (operand !== null) operands.push(operand);
      const token = this.#in.take();
      if (token.type === 'space') continue;
      if (token.type === 'rightDelim' || token.type === 'rightParen') this.#in.back();
      else if (token.type !== 'pipe') this.#in.unexpected(token, 'operand');
      else if (!startsOperand(this.#in.peekNonSpace())) this.#in.fail('missing value for command');
      break;
    }
    if (operands.length === 0) this.#in.fail('empty command');
    return { at, operands };
  }

  /** A term and its chained fields. Messages use the position of the first link of the chain. */
  #operand(): Operand | null {
    const term = this.#term();
    if (term === null || this.#in.peek().type !== 'field') return term;
    const at = this.#in.peek().at;
    const path: string[] = [];
    while (this.#in.peek().type === 'field') path.push(this.#in.take().text.slice(1));
    if (term.type === 'field' || term.type === 'variable')
      return { ...term, at, path: [...term.path, ...path] };
    if (term.type === 'pipeline') return { ...term, at, path };
    return this.#in.fail(`unexpected . after term ${JSON.stringify(termText(term))}`, at);
  }

  #term(): Operand | null {
    const token = this.#in.take();
    const at = token.at;
    switch (token.type) {
      case 'word':
        return this.#word(token);
      case 'dot':
        return { type: 'dot', at };
      case 'field':
        return { type: 'field', at, path: [token.text.slice(1)] };
      case 'variable':
        return { type: 'variable', at, name: this.#known(token.text, at), path: [] };
      case 'number':
        return { type: 'literal', at, value: this.#number(token), source: token.text };
      case 'string':
      case 'rawString':
      case 'char':
        return this.#quoted(token);
      case 'leftParen': {
        const pipeline = this.#in.deeper(() => this.pipeline('parenthesized pipeline', 'rightParen'));
        return { type: 'pipeline', at, pipeline, path: [] };
      }
      default:
        this.#in.back();
        return null;
    }
  }

  #word(token: Token): Operand {
    const { at, text } = token;
    if (text === 'true' || text === 'false') {
      return { type: 'literal', at, value: text === 'true', source: text };
    }
    if (text === 'nil') return { type: 'nil', at };
    if (keywords.has(text)) return this.#in.unexpected(token, 'operand');
    if (!this.#functions.has(text)) return this.#in.fail(`function ${JSON.stringify(text)} not defined`, at);
    return { type: 'function', at, name: text };
  }

  #number(token: Token): number {
    const digits = token.text.replaceAll('_', '');
    const value = digits.startsWith('-') ? -Number(digits.slice(1)) : Number(digits.replace(/^\+/, ''));
    if (Number.isNaN(value)) this.#in.fail(`bad number syntax: ${JSON.stringify(token.text)}`, token.at);
    return value;
  }

  #quoted(token: Token): Operand {
    const value = unquote(token.text);
    if (value === null) return this.#in.fail('invalid syntax', token.at);
    return { type: 'literal', at: token.at, value, source: token.text };
  }
}
